"""The pages of a pad and what is sent from them, with and without a script."""

import csv
import json
from html import unescape

import pytest

from ouroboros_site.accounts.models import User
from tests.ouroboros_site.play.helpers import Browser, guest
from tricks.pads.models import Line, Pad

from .helpers import address, client, new_pad, points, send, write

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada(db):
    return User.objects.create_user("Ada")


@pytest.fixture
def browser(ada):
    return Browser(ada)


@pytest.fixture
def pad(ada):
    return new_pad(ada, ox=True)


def make(browser, **fields):
    fields = {"name": ["Anna", "Ben", "Çelik"], "rounds": "5", "client": client()} | fields
    return browser.send("/pads/new/", **fields)


def text(answer):
    return " ".join(unescape(answer.content.decode()).split())


# --- making --------------------------------------------------------------------------------------


def test_a_visitor_makes_a_pad_and_is_a_guest():
    browser = Browser()
    answer = make(browser, ox="1", name=["  Anna ", "", "Ben", "", "C\u0327elik"])
    pad = Pad.objects.get()
    assert answer.status_code == 302 and answer["Location"] == address(pad)
    assert pad.names == ["Anna", "Ben", "Çelik"] and pad.ox and pad.rounds == 5
    assert pad.owner.is_guest
    assert "Who has the longest ears?" in text(browser.look(address(pad)))
    listed = text(browser.look("/pads/"))
    assert "<bdi>Anna</bdi>, <bdi>Ben</bdi>, <bdi>Çelik</bdi>" in listed


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("ﬁne", "fine"),
        ("e\u0301", "é"),
        ("張三", "張三"),
        ("محمد", "محمد"),
        ("👩‍🌾", "👩‍🌾"),
        ("A  B", "A B"),
        ("<b>", "<b>"),
        ("x" * 20, "x" * 20),
    ],
)
def test_names_of_any_script(browser, name, kept):
    assert make(browser, name=[name, "Ben", "Cem"]).status_code == 302
    pad = Pad.objects.get()
    assert pad.names[0] == kept
    assert "<bdi><b>" not in browser.look(address(pad)).content.decode()


@pytest.mark.parametrize(
    "fields",
    [
        {"name": ["Anna", "Ben"]},
        {"name": [f"Player {number}" for number in range(13)]},
        {"name": ["Anna", "anna", "Ben"]},
        {"name": ["ﬁ", "fi", "Ben"]},
        {"name": ["x" * 21, "Anna", "Ben"]},
        {"name": ["An\0na", "Ben", "Cem"]},
        {"name": ["\u200d", "Ben", "Cem"]},
        {"name": ["A\u202enna", "Ben", "Cem"]},
        {"rounds": "0"},
        {"rounds": "21"},
        {"rounds": "-1"},
        {"rounds": "five"},
        {"client": ""},
    ],
)
def test_what_is_no_pad_is_refused_and_stays_filled_in(browser, fields):
    answer = make(browser, **fields)
    assert answer.status_code == 400 and Pad.objects.count() == 0
    assert 'role="alert"' in text(answer)
    for name in fields.get("name", ["Anna", "Ben", "Çelik"])[:2]:
        assert f'name="name" value="{name}"' in answer.content.decode()


def test_making_pads_is_limited(settings):
    settings.RATE_LIMITS = True
    statuses = [make(Browser(guest())).status_code for _ in range(61)]
    assert statuses[:60] == [302] * 60 and statuses[60] == 429


# --- writing without a script --------------------------------------------------------------------


def test_a_round_without_a_script(browser, pad):
    page = text(browser.look(address(pad)))
    assert address(pad, "1/0/") in page
    answer = send(browser, pad, "1/0/", how="type", points="17", next="1")
    assert answer["Location"] == address(pad, "1/1/")
    answer = send(browser, pad, "1/1/", how="count", h_7="2", h_E="1", l_O="1", next="1")
    assert answer["Location"] == address(pad, "1/2/")
    answer = send(browser, pad, "1/2/", how="type", points="0", next="1")
    assert answer["Location"] == address(pad)
    assert points(pad)[0] == [17, 34, 0]
    assert Line.objects.get(player=1).counted == {"hand": "7 7 E", "laid": "O"}
    page = text(browser.look(address(pad)))
    assert "Round <span data-round>2</span> of 2" in page
    assert "<bdi data-starter>Ben</bdi></b> starts." in page


def test_a_cell_opens_with_what_it_says(browser, pad):
    write(pad, 1, 0, 14, cards=("J", ""))
    page = browser.look(address(pad, "1/0/")).content.decode()
    assert 'name="h-J" value="1"' in page and 'value="count" checked' in page


def test_a_conflict_without_a_script(browser, pad):
    write(pad, 1, 0, 17)
    answer = send(browser, pad, "1/0/", how="type", points="14", base="0")
    page = text(answer)
    assert answer.status_code == 409
    assert "<dd>17</dd>" in page and "<dd>14</dd>" in page
    number = Line.objects.get().number
    assert f'name="base" value="{number}"' in page
    assert points(pad)[0][0] == 17
    assert send(browser, pad, "1/0/", how="type", points="14", base=str(number)).status_code == 302
    assert points(pad)[0][0] == 14


@pytest.mark.parametrize(
    "fields",
    [
        {"how": "type", "points": ""},
        {"how": "type", "points": "-1"},
        {"how": "type", "points": "1000"},
        {"how": "type", "points": "٣"},
        {"how": "type", "points": "1.5"},
        {"how": "guess", "points": "1"},
        {"how": "count", "h_7": "x"},
        {"how": "count", "h_7": "100"},
        {"how": "count", "h_7": "2", "sum": "13"},
        {"how": "type", "points": "1", "client": "x"},
        {"how": "type", "points": "1", "base": "x"},
    ],
)
def test_what_is_no_number_is_refused_with_a_sentence(browser, pad, fields):
    answer = send(browser, pad, "1/0/", **fields)
    assert answer.status_code == 400 and 'role="alert"' in text(answer)
    assert send(browser, pad, "1/0/", json=True, **fields).json()["message"]
    assert Line.objects.count() == 0


@pytest.mark.parametrize("fields", [{"h_O": "1"}, {"l_7": "1"}, {"l_O": "1"}])
def test_without_the_ox_nothing_of_it_is_counted(browser, ada, fields):
    pad = new_pad(ada)
    assert send(browser, pad, "1/0/", how="count", **fields).status_code == 400
    assert "h-O" not in text(browser.look(address(pad, "1/0/")))


def test_the_donkey_cannot_be_laid(browser, pad):
    send(browser, pad, "1/0/", how="count", l_E="1")
    assert Line.objects.get().counted == {"hand": "", "laid": ""}


def test_a_sum_that_is_right_is_taken(browser, pad):
    assert send(browser, pad, "1/0/", how="count", h_7="2", sum="14").status_code == 302
    assert points(pad)[0][0] == 14


def test_points_typed_before_do_not_stand_in_the_way_of_counting(browser, pad):
    assert send(browser, pad, "1/0/", how="count", h_7="2", points="99").status_code == 302
    assert points(pad)[0][0] == 14


def test_emptying_a_cell(browser, pad):
    line = write(pad, 1, 0, 17)
    browser.look(address(pad))
    # The button comes after the choice of the same name.
    answer = send(browser, pad, "1/0/", how=["type", "empty"], base=str(line.number))
    assert answer.status_code == 302 and points(pad)[0][0] is None
    assert "<s>" in text(browser.look(address(pad)))


def test_who_starts(browser, pad):
    answer = send(browser, pad, "1/start", player="1")
    assert answer["Location"] == address(pad)
    assert "<bdi data-starter>Ben</bdi>" in text(browser.look(address(pad)))
    send(browser, pad, "1/start", player="2")
    assert "was chosen by somebody else" in text(browser.look(address(pad)))
    assert send(browser, pad, "1/start").status_code == 400
    assert send(browser, pad, "1/start", player="3").status_code == 404
    assert browser.look(address(pad, "1/start")).status_code == 302


def test_a_body_is_limited(browser, pad):
    answer = send(browser, pad, "1/0/", how="type", points="1", more="x" * 70_000)
    assert answer.status_code == 413


# --- writing with a script -----------------------------------------------------------------------


def test_a_line_as_data(browser, pad):
    sent = client()
    first = send(browser, pad, "1/0/", json=True, how="type", points="17", client=sent)
    again = send(browser, pad, "1/0/", json=True, how="type", points="17", client=sent)
    assert first.json() == again.json() == {"number": Line.objects.get().number}


def test_a_conflict_as_data(browser, pad):
    line = write(pad, 1, 0, 17)
    answer = send(browser, pad, "1/0/", json=True, how="type", points="14")
    assert answer.status_code == 409
    data = answer.json()
    assert data["code"] == "overtaken"
    assert (data["now"]["number"], data["now"]["points"]) == (line.number, 17)
    assert data["now"]["by"] == "you"


def test_a_line_of_ones_own_in_between(browser, pad):
    lost = client()
    send(browser, pad, "1/0/", json=True, how="type", points="17", client=lost)
    answer = send(browser, pad, "1/0/", json=True, how="type", points="14", mine=lost)
    assert answer.status_code == 200 and points(pad)[0][0] == 14


def test_refusals_as_data(browser, pad):
    stranger = Browser(guest())
    answer = send(stranger, pad, "1/0/", json=True, how="type", points="14")
    assert answer.status_code == 403 and answer.json()["code"] == "read-only"
    pad.delete()
    answer = send(browser, pad, "1/0/", json=True, how="type", points="14")
    assert answer.status_code == 404 and answer.json()["code"] == "no-pad"


def test_the_board_comes_when_it_has_changed(browser, pad):
    current = browser.get(address(pad, "board"), {"version": pad.version})
    assert (current.status_code, current.content) == (204, b"")
    write(pad, 1, 0, 17)
    changed = browser.get(address(pad, "board"), {"version": pad.version})
    assert changed.status_code == 200
    assert text(changed).startswith('<div id="board"') and ">17<" in text(changed)
    assert browser.get(address(pad, "board"), {"version": "x"}).status_code == 200


def test_the_page_names_its_events(browser, pad):
    page = text(browser.look(address(pad)))
    assert f'data-events="/events/pad-{pad.pk}:' in page


def test_the_worker(browser):
    answer = browser.look("/pads/sw.js")
    assert answer["Content-Type"] == "text/javascript"


# --- reading -------------------------------------------------------------------------------------


def test_sheet_and_file(browser, pad):
    for player, number in enumerate([0, 20, 7]):
        write(pad, 1, player, number)
    write(pad, 2, 0, 5)
    write(pad, 1, 2, 8)
    assert "Σ 20" in text(browser.look(address(pad, "sheet/")))
    answer = browser.look(address(pad, "sheet.csv"))
    assert answer["Content-Type"].startswith("text/csv")
    rows = list(csv.reader(b"".join(answer).decode().splitlines()))
    assert rows[0][:7] == ["round", "started", "donkey", "ox", "Anna", "Ben", "Çelik"]
    assert [row[4:7] for row in rows[1:]] == [["0", "20", "8"]]


def test_a_name_is_no_formula(ada, browser):
    pad = new_pad(ada, names=["=1+1", "Ben", "Cem"])
    rows = b"".join(browser.look(address(pad, "sheet.csv"))).decode()
    assert "'=1+1" in rows and ",=1+1" not in rows


def test_a_finished_game_has_its_winner_on_every_page(ada, browser):
    pad = new_pad(ada, rounds=1)
    for player, number in enumerate([3, 3, 20]):
        write(pad, 1, player, number)
    for path in (address(pad), address(pad, "sheet/")):
        page = text(browser.look(path))
        assert "Winners:" in page and page.count("<bdi>Anna</bdi>") >= 2
    rows = list(csv.reader(b"".join(browser.look(address(pad, "sheet.csv"))).decode().splitlines()))
    assert rows[-1][:7] == ["won", "", "", "", "yes", "yes", "no"]


# --- sharing -------------------------------------------------------------------------------------


def test_a_new_link_ends_the_old_one(browser, pad):
    old = address(pad)
    answer = send(browser, pad, "share", renew="1", shared="1")
    pad.refresh_from_db()
    assert answer["Location"] == address(pad) != old and pad.shared
    assert browser.look(old).status_code == 404
    assert browser.look(address(pad)).status_code == 200


def test_who_wrote_is_told(ada, pad, browser):
    pad.shared = True
    pad.save()
    for who, number in ((User.objects.create_user("Bob"), 1), (guest(), 2), (ada, 3)):
        write(pad, 1, 0, number, user=who)
    page = text(browser.look(address(pad)))
    assert "somebody with the link" in page and "<small>you," in page
    page = text(Browser(guest()).look(address(pad)))
    assert "<small>Ada," in page and "you," not in page


# --- with its owner ------------------------------------------------------------------------------


def test_pads_move_from_a_guest_to_the_account_they_log_in_to(ada):
    ada.set_password("snake bites 26")
    ada.save()
    browser = Browser()
    make(browser)
    pad = Pad.objects.get()
    write(pad, 1, 0, 5)
    browser.send("/account/log-in", username="Ada", password="snake bites 26")
    pad.refresh_from_db()
    assert pad.owner == ada and pad.lines.get().by == ada


def test_pads_are_in_the_export(browser, pad):
    write(pad, 1, 0, 20, cards=("E", ""))
    answer = browser.look("/account/export.json")
    (told,) = json.loads(b"".join(answer))["scorepads"]
    assert told["names"] == pad.names
    assert told["lines"][0]["counted"] == {"hand": "E", "laid": ""}
    assert pad.key not in json.dumps(told)


def test_pads_go_with_their_owner(ada, pad):
    write(pad, 1, 0, 5)
    other = new_pad(User.objects.create_user("Bob"), shared=True)
    write(other, 1, 0, 5, user=ada)
    ada.delete()
    assert list(Pad.objects.all()) == [other]
    assert other.lines.get().by is None


def test_deleting_a_pad(browser, pad):
    assert send(browser, pad, "delete")["Location"] == "/pads/"
    assert Pad.objects.count() == 0
