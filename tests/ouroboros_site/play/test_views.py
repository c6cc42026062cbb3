"""Requests as browsers send them, plain and by htmx: what is answered, and what stays untouched."""

import json
import re
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.test import Client

from ouroboros_site.accounts.models import User
from ouroboros_site.engine import record as records
from ouroboros_site.play import registry
from ouroboros_site.play.models import Game
from ouroboros_site.play.services import NOT_YOURS, STALE, undo_move
from tests.solitaire.rules.positions import laws_position, market_position

from .helpers import (
    SEED,
    TOKEN,
    WHOLE_GAMES,
    Browser,
    Page,
    again,
    finish,
    fragment_of,
    guest,
    legal,
    new_game,
    page_of,
    record,
    standing,
    stored,
    submit,
    table,
    trace,
)

pytestmark = pytest.mark.django_db

WRITES = ("move", "preview", "undo", "redo", "retire")
CHANGES = ("move", "undo", "redo", "retire")
BOTH = pytest.mark.parametrize("htmx", [False, True], ids=["plain", "htmx"])


@pytest.fixture
def game(owner, slug) -> Game:
    """A practice game with two moves, one of them taken back."""
    setup = record(WHOLE_GAMES[slug])
    game = new_game(slug, owner, ranked=False, seed=setup["seed"])
    submit(game, owner, *setup["moves"][:2])
    game.refresh_from_db()
    undo_move(user=owner, slug=slug, game_id=game.pk, version=game.version)
    game.refresh_from_db()
    assert (game.ply, game.version) == (1, 3)
    return game


def whole(response, htmx: bool) -> Page:
    """The answer taken apart: the table's fragment for htmx, else a whole page."""
    return fragment_of(response) if htmx else page_of(response)


def versions(page: Page) -> set[str | None]:
    """What the page's forms say that they were made from."""
    return {field["value"] for field in page.all("input", name="version")}


def message(page: Page, response) -> str:
    """Why a request was refused, as the page says it."""
    found = re.findall(r'class="msg">.*?</svg>\s*(.*?)</p>', response.content.decode(), re.DOTALL)
    assert len(found) == 1, page.words
    return found[0]


class TestMove:
    def test_a_plain_form_is_redirected_to_the_table(self, browser, game):
        text = legal(game)[0]
        response = browser.send(table(game, "move"), version=3, text=text)
        assert (response.status_code, response["Location"]) == (302, table(game))
        response = browser.look(table(game))
        assert response.status_code == 200
        assert versions(page_of(response)) == {"4"}
        assert standing(game)[-1] == text

    def test_htmx_gets_the_fragment_and_what_is_new_of_the_log(self, browser, game):
        text = legal(game)[0]
        response = browser.send(table(game, "move"), htmx=True, version=3, text=text)
        assert response.status_code == 200
        page = fragment_of(response)
        assert versions(page) == {"4"}
        logs = [names for names in page.all("ol") if "hx-swap-oob" in names]
        assert [names["hx-swap-oob"] for names in logs] == ["afterbegin:#log"]
        assert response.content.partition(b"#log")[2].count(b"<li>") == 1
        assert "HX-Retarget" not in response and "HX-Redirect" not in response

    @pytest.mark.parametrize("what", ["undo", "redo", "retire"])
    def test_other_changes_bring_the_whole_log(self, browser, game, what):
        response = browser.send(table(game, what), htmx=True, version=3)
        assert response.status_code == 200
        logs = [n for n in fragment_of(response).all("ol") if "hx-swap-oob" in n]
        assert [names["hx-swap-oob"] for names in logs] == ["innerHTML:#log"]
        game.refresh_from_db()
        assert game.version == 4

    def test_the_controls_say_a_move_too(self, owner, browser):
        game = new_game("laws", owner, position=laws_position("2h 3h 4d 5d 6d"))
        fields = {"action": "play", "pile": "2", "card": ["3h", "2h"], "order": "2h 3h"}
        response = browser.send(table(game, "move"), version=0, **fields)
        assert response.status_code == 302
        assert standing(game) == ["play 2 2h 3h"]
        game = new_game("market", owner, position=market_position("Ah 2h 3h 4h 5h", "9s"))
        fields = {"action": "stock", "card": "5h"}
        response = browser.send(table(game, "move"), version=0, **fields)
        assert response.status_code == 302
        assert standing(game) == ["stock 5h"]

    def test_a_whole_game_by_plain_forms(self, owner, browser, slug):
        name = WHOLE_GAMES[slug]
        game = new_game(slug, owner, seed=record(name)["seed"])
        for ply, text in enumerate(record(name)["moves"]):
            fields = {"version": ply, "text": text, "confirm": "1"}
            response = browser.send(table(game, "move"), **fields)
            assert response.status_code == 302
        game.refresh_from_db()
        assert game.is_over and game.state == trace(name)[-1]["position"]
        page_of(browser.look(table(game)))

    @BOTH
    def test_looking_at_what_a_selection_would_do_plays_nothing(self, browser, game, htmx):
        before = stored()
        card = game.state["hand"][0]
        fields = {"version": 3, "action": "look", "card": card, "pile": "1"}
        response = browser.send(table(game, "move"), htmx=htmx, **fields)
        assert response.status_code == 200
        page = whole(response, htmx)
        assert [names["value"] for names in page.all("input", name="card") if "checked" in names]
        assert stored() == before

    def test_the_preview_is_a_fragment_of_its_own(self, browser, game):
        before = stored()
        card = game.state["hand"][0]
        fields = {"version": 3, "card": card, "pile": "1"}
        response = browser.send(table(game, "preview"), htmx=True, **fields)
        assert response.status_code == 200
        html = response.content.decode()
        assert "<html" not in html and 'id="table"' not in html and 'id="plan"' in html
        Page(html)
        assert len(html) < 4000
        assert stored() == before

    def test_the_browsers_back_gets_a_whole_page_even_through_htmx(self, browser, game):
        headers = {"HX-Request": "true", "HX-History-Restore-Request": "true"}
        page_of(browser.get(table(game), headers=headers))


class TestTooLate:
    """What was made from an older state of the table: 409, the table as it is, nothing changed."""

    @BOTH
    @pytest.mark.parametrize("version", ["0", "1", "2", "4", "000000001", "999999999"])
    @pytest.mark.parametrize("what", CHANGES)
    def test_another_version(self, browser, game, what, version, htmx):
        before = stored()
        fields = {"version": version, "text": legal(game)[0], "card": game.state["hand"][0]}
        response = browser.send(table(game, what), htmx=htmx, **fields)
        assert response.status_code == 409
        page = whole(response, htmx)
        assert versions(page) == {"3"}
        assert message(page, response) == str(STALE)
        assert not any("checked" in names for names in page.all("input", name="card"))
        assert stored() == before

    @BOTH
    def test_the_same_request_again(self, browser, game, htmx):
        fields = {"version": 3, "text": legal(game)[0]}
        first = browser.send(table(game, "move"), htmx=htmx, **fields)
        assert first.status_code == (200 if htmx else 302)
        before = stored()
        again = browser.send(table(game, "move"), htmx=htmx, **fields)
        assert again.status_code == 409
        assert versions(whole(again, htmx)) == {"4"}
        assert stored() == before

    @BOTH
    def test_a_second_tab(self, owner, game, htmx):
        tabs = [Browser(owner), Browser(owner)]
        texts = legal(game)
        for tab in tabs:
            assert versions(page_of(tab.look(table(game)))) == {"3"}
        tabs[0].send(table(game, "move"), version=3, text=texts[0])
        before = stored()
        response = tabs[1].send(table(game, "move"), htmx=htmx, version=3, text=texts[1])
        assert response.status_code == 409
        whole(response, htmx)
        assert stored() == before

    @BOTH
    @pytest.mark.parametrize("what", CHANGES)
    def test_after_the_end(self, owner, browser, game, what, htmx):
        text = legal(game)[0]
        finish(game, owner)
        before = stored()
        for version in (3, 4):
            fields = {"version": version, "text": text}
            response = browser.send(table(game, what), htmx=htmx, **fields)
            assert response.status_code == 409
            assert "over" in whole(response, htmx).words
        assert stored() == before

    @BOTH
    @pytest.mark.parametrize("what", ["move", "preview"])
    def test_questions_about_another_version(self, browser, game, what, htmx):
        before = stored()
        fields = {"action": "look", "card": game.state["hand"][0], "pile": "1"}
        for version in ("2", "4"):
            response = browser.send(table(game, what), htmx=htmx, version=version, **fields)
            if what == "preview" and htmx:
                # Overtaken by the page's own move: no answer that could take that one's place.
                assert (response.status_code, response.content) == (204, b"")
            else:
                assert response.status_code == 409
                page = whole(response, htmx)
                assert versions(page) == {"3"}
                assert not any("checked" in names for names in page.all("input", name="card"))
        assert stored() == before

    def test_a_refused_request_can_be_sent_again_from_the_page_it_brought(self, browser, game):
        response = browser.send(table(game, "move"), version=0, text=legal(game)[0])
        (version,) = versions(page_of(response))
        fields = {"version": version, "text": legal(game)[0]}
        assert browser.send(table(game, "move"), **fields).status_code == 302


class TestUnreadable:
    @BOTH
    @pytest.mark.parametrize(
        "version",
        [
            None, "", " ", "-1", "-3", "+3", "3.0", "3 ", " 3", "3\n", "٣", "³", "３", "0x3", "3e0",
            "3_0", "three", "null", "\0", "3\0", "9" * 10, "9" * 5000, "1" + "0" * 60000, "NaN",
        ],
    )  # fmt: skip
    def test_versions(self, browser, owner, version, htmx):
        game = new_game("laws", owner, ranked=False)
        submit(game, owner, legal(game)[0])
        before = stored()
        for what in WRITES:
            fields = {"text": legal(game)[0]} | ({} if version is None else {"version": version})
            response = browser.send(table(game, what), htmx=htmx, **fields)
            assert response.status_code == 400, what
            page = whole(response, htmx)
            assert "which state of the table" in message(page, response)
            assert versions(page) == {"1"}
        assert stored() == before

    @BOTH
    @pytest.mark.parametrize(
        "fields",
        [
            {},
            {"text": ""},
            {"text": " "},
            {"text": "nonsense"},
            {"text": "play 1 Ks"},
            {"text": "play 1 " + "2h " * 15000},
            {"text": "x" * 60000},
            {"text": "\0"},
            {"text": "<script>alert(1)</script>"},
            {"text": "play 1 %(card)s"},
            {"text": "play 1 {card}"},
            {"action": "nonsense"},
            {"action": "play"},
            {"action": "play", "pile": "1"},
            {"action": "play", "pile": "4", "card": "2h"},
            {"action": "play", "pile": "1", "card": "Ks"},
            {"action": "play", "pile": "1", "card": ["2h", "3h", "4d", "5d"]},
            {"action": "play", "pile": "1", "card": ["2h", "2h"]},
            {"action": "play", "pile": "1", "card": ["2h"] * 90},
            {"action": "play", "pile": "1", "card": "nonsense"},
            {"action": "play", "pile": "1", "card": ["2h", "*"]},
            {"action": "play", "pile": "1", "card": "2h", "order": "Ks"},
            {"action": "enforce Ks"},
            {"action": "scout"},
            {"action": "stock", "card": "Ks"},
            {"action": "swap", "card": "2h"},
        ],
        ids=lambda fields: str(fields)[:50],
    )
    def test_moves(self, browser, owner, slug, fields, htmx):
        position = {
            "laws": laws_position("2h 3h 4d 5d *"),
            "market": market_position("2h 3h 4h 5d *", "9s"),
        }[slug]
        fields = dict(fields)
        if slug == "market" and "text" in fields:
            fields["text"] = fields["text"].replace("play 1", "play")
        if fields.get("order") and slug == "laws":
            fields["card"] = "Ks"
        if fields == {"action": "play", "pile": "4", "card": "2h"} and slug == "market":
            fields["card"] = "Kd"
        if fields.get("order") == "Ks":
            fields["card"] = "Ks"
        game = new_game(slug, owner, position=position)
        before = stored()
        response = browser.send(table(game, "move"), htmx=htmx, version=0, **fields)
        assert response.status_code == 400
        page = whole(response, htmx)
        assert 10 < len(message(page, response)) < 200
        assert versions(page) == {"0"}
        assert b"<script>alert" not in response.content
        assert stored() == before
        # What was chosen stays chosen, so that it can be put right.
        kept = {names["value"] for names in page.all("input", name="card") if "checked" in names}
        assert kept == set(fields.get("card", [])) & set(position["hand"]) or isinstance(
            fields.get("card"), str
        )

    def test_refusals_name_the_rule_and_the_figures(self, browser, owner):
        position = laws_position("2h 3h 4d 5d *", deck="Ah 2d", discard="...")
        game = new_game("laws", owner, position=position)
        for text, words in [
            ("play 1 *", "The joker is played alone"),
            ("bribe 1", "A bribe costs 4 cards and the deck holds 2"),
            ("play 1 9h", "9♥ is not in your hand"),
        ]:
            response = browser.send(table(game, "move"), htmx=True, version=0, text=text)
            assert words in message(fragment_of(response), response)

    def test_bytes_that_are_no_text(self, browser, owner, slug):
        game = new_game(slug, owner)
        before = stored()
        token = browser.cookies["csrftoken"].value.encode()
        body = b"csrfmiddlewaretoken=" + token + b"&version=0&text=%FF%FEplay+\xff"
        response = browser.post(
            table(game, "move"), body, content_type="application/x-www-form-urlencoded"
        )
        assert response.status_code == 400
        page_of(response)
        assert stored() == before

    @BOTH
    def test_more_fields_than_any_form_has(self, browser, owner, slug, htmx):
        game = new_game(slug, owner)
        before = stored()
        response = browser.send(
            table(game, "move"), htmx=htmx, version=0, **{f"f{i}": "x" for i in range(200)}
        )
        assert response.status_code == 400
        page_of(response)
        assert response.get("HX-Retarget") == ("body" if htmx else None)
        assert stored() == before

    @pytest.mark.parametrize(
        ("content_type", "body"),
        [
            ("multipart/form-data", b"x"),
            ("multipart/form-data; boundary=x", b"--x\r\nnonsense"),
            ("multipart/form-data; boundary=" + "x" * 1000, b"x"),
            ("application/json", b'{"version": 0, "text": "bribe 1"}'),
            ("text/plain", b"version=0&text=bribe+1"),
            ("application/x-www-form-urlencoded; charset=nonsense", b"version=0"),
            ("application/x-www-form-urlencoded; charset=utf-16", b"version=0"),
            ("", b"version=0"),
        ],
    )
    def test_bodies_that_are_no_form(self, browser, owner, content_type, body):
        game = new_game("laws", owner)
        before = stored()
        response = browser.generic(
            "POST",
            table(game, "move"),
            body,
            content_type=content_type,
            headers={"X-CSRFToken": browser.cookies["csrftoken"].value},
        )
        assert response.status_code == 400
        page_of(response)
        assert stored() == before

    def test_other_encodings_of_the_same_form_are_read_alike(self, browser, owner):
        game = new_game("laws", owner, position=laws_position("2h 3h 4d 5d 6d"))
        fields = {"version": "0", "text": "play 1 2h"}
        # The test browser sends multipart/form-data, a real one does so only where asked to.
        response = browser.post(
            table(game, "move"),
            "version=0&text=play+1+2h",
            content_type="application/x-www-form-urlencoded",
            headers={"X-CSRFToken": browser.cookies["csrftoken"].value},
        )
        assert response.status_code == 302
        response = browser.send(table(game, "move"), **fields | {"version": "1"})
        assert response.status_code == 400, "2h has been played"


WORDS = [
    *("play", "bribe", "flash", "scout", "reorganize", "enforce", "concede", "capture", "stock"),
    *("swap", "look", "1", "2", "3", "4", "0", "-1", "2h", "3h", "4h", "5d", "*", "Jh", "Qd", "Kd"),
    *("Ks", "9h", ":", "Qd:", "10♥", "★", "", " ", "\0", "é", "%s", "%(card)s", "{0}", "\n", "<b>"),
]
FIELDS = ["text", "action", "pile", "card", "order", "confirm", "version", "junk"]


class TestWhateverAFormHolds:
    """Any fields with any words: never a fault, and a refusal changes nothing."""

    def test_is_answered(self, browser, owner, slug):
        random = Random(slug)
        position = {
            "laws": laws_position("2h Jh Qd Kd *"),
            "market": market_position("2h 3h 4h 5d *", "9s"),
        }[slug]
        game = new_game(slug, owner, ranked=False, position=position)
        statuses, changes = set(), 0
        for _ in range(80):
            fields = {name: random.choice(WORDS) for name in random.sample(FIELDS, 5)}
            for name in ("text", "action", "order"):
                if name in fields:
                    fields[name] = " ".join(random.choices(WORDS[:28], k=random.randint(0, 4)))
            fields["card"] = random.choices(WORDS[15:30], k=random.randint(0, 3))
            if random.random() < 0.8:
                fields["version"] = game.version
            what = random.choice(["move", "move", "move", *WRITES])
            before = Game.objects.values().get(), game.moves.count()
            response = browser.send(table(game, what), htmx=random.random() < 0.8, **fields)
            after = Game.objects.values().get(), game.moves.count()
            statuses.add(response.status_code)
            assert response.status_code in (200, 204, 302, 400, 409)
            assert after == before or response.status_code in (200, 302)
            assert after == before or after[0]["version"] == before[0]["version"] + 1
            if after != before:
                changes += 1
                Game.objects.update(state=position, finished=None, result=None, redo=[])
                game.refresh_from_db()
        assert statuses >= {200, 400, 409} and changes > 2


class TestTooLarge:
    @BOTH
    @pytest.mark.parametrize("size", [70_000, 1_000_000])
    @pytest.mark.parametrize("who", ["owner", "anonymous"])
    def test_is_not_read(self, owner, who, size, htmx):
        game = new_game("laws", owner, ranked=False)
        browser = Browser(owner if who == "owner" else None)
        before = stored()
        for path in [*(table(game, what) for what in WRITES), "/laws/start", "/look", "/"]:
            response = browser.send(path, htmx=htmx, version=0, text="x" * size)
            assert response.status_code == 413, path
            page_of(response)
            assert response.get("HX-Retarget") == ("body" if htmx else None)
        assert stored() == before

    @pytest.mark.parametrize("content_type", ["text/plain", "application/json", "image/png"])
    def test_whatever_it_is(self, browser, owner, content_type):
        game = new_game("laws", owner)
        response = browser.post(table(game, "move"), b"x" * 70_000, content_type=content_type)
        assert response.status_code == 413

    def test_a_file(self, browser, owner, tmp_path):
        game = new_game("laws", owner)
        file = tmp_path / "large"
        file.write_bytes(b"x" * 200_000)
        with file.open("rb") as opened:
            response = browser.send(table(game, "move"), version=0, text=opened)
        assert response.status_code == 413

    @pytest.mark.parametrize("length", ["-1", "abc", "1e9", "²", "9" * 30])
    def test_a_length_that_is_none(self, browser, owner, length):
        game = new_game("laws", owner)
        before = stored()
        response = browser.generic("POST", table(game, "move"), b"version=0", CONTENT_LENGTH=length)
        assert response.status_code in (400, 413)
        page_of(response)
        assert stored() == before

    def test_just_small_enough_is_read(self, browser, owner):
        game = new_game("laws", owner)
        response = browser.send(table(game, "move"), version=0, text="x" * 64_000)
        assert response.status_code == 400


class TestSessionEnded:
    def check(self, browser: Browser, game: Game, htmx: bool) -> None:
        before = stored()
        for what in ("", *WRITES):
            fields = {"version": game.version, "text": legal(game)[0]}
            path = table(game, what)
            if what:
                response = browser.send(path, htmx=htmx, **fields)
            else:
                response = browser.look(path, htmx=htmx)
            assert response.status_code == 403
            words = page_of(response).words
            assert str(NOT_YOURS) in words and "To the games" in words
            assert response.get("HX-Retarget") == ("body" if htmx else None)
        assert stored() == before

    @BOTH
    def test_cookie_gone(self, browser, game, htmx):
        del browser.cookies["sessionid"]
        self.check(browser, game, htmx)

    @BOTH
    def test_session_expired_on_the_server(self, browser, game, htmx):
        Session.objects.all().delete()
        self.check(browser, game, htmx)

    @pytest.mark.parametrize("key", ["x", "\x7f", "a" * 5000, "../../etc", "é"])
    def test_session_forged(self, game, key):
        browser = Browser()
        browser.cookies["sessionid"] = key
        self.check(browser, game, False)

    def test_user_gone(self, browser, owner, game):
        owner.delete()
        self.check(browser, game, False)

    def test_user_no_longer_active(self, browser, owner, game):
        owner.is_active = False
        owner.save()
        self.check(browser, game, False)


class TestForeignForms:
    """Without the form's token, or from another site."""

    def check(self, browser: Browser, game: Game, htmx: bool = False, headers=None, **fields):
        before = stored()
        headers = {**({"HX-Request": "true"} if htmx else {}), **(headers or {})}
        for path in [*(table(game, what) for what in WRITES), f"/{game.slug}/start", "/look"]:
            fields |= {"version": game.version, "text": legal(game)[0], "once": TOKEN}
            response = browser.post(path, fields, headers=headers)
            assert response.status_code == 403, path
            words = page_of(response).words
            assert "Nothing was played" in words and "Open the page again" in words
            assert response.get("HX-Retarget") == ("body" if htmx else None)
        assert stored() == before

    @BOTH
    def test_no_token(self, browser, game, htmx):
        self.check(browser, game, htmx)

    def test_a_wrong_token(self, browser, game):
        self.check(browser, game, csrfmiddlewaretoken="d" * 32)
        self.check(browser, game, csrfmiddlewaretoken="x" * 60000)
        self.check(browser, game, csrfmiddlewaretoken="é\0")

    def test_no_cookie(self, browser, game):
        token = browser.cookies["csrftoken"].value
        del browser.cookies["csrftoken"]
        self.check(browser, game, csrfmiddlewaretoken=token)

    @pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://testserver.evil"])
    def test_another_origin(self, browser, game, origin):
        token = browser.cookies["csrftoken"].value
        self.check(browser, game, headers={"Origin": origin}, csrfmiddlewaretoken=token)

    def test_the_same_origin(self, browser, game):
        fields = {"version": game.version, "text": legal(game)[0]}
        fields["csrfmiddlewaretoken"] = browser.cookies["csrftoken"].value
        headers = {"Origin": "http://testserver"}
        assert browser.post(table(game, "move"), fields, headers=headers).status_code == 302

    def test_the_pages_own_token_is_enough(self, owner, slug):
        # Through the site as a person does it: nothing but what the pages hand out.
        browser = Client(enforce_csrf_checks=True)
        home = Page(browser.get("/").content.decode())
        form = next(f for f in home.all("form") if f["action"] == f"/{slug}/start")
        assert form["method"] == "post"
        hidden = {
            names["name"]: names["value"]
            for names in home.all("input", type="hidden")
            if names["name"] != "practice"
        }
        response = browser.post(form["action"], hidden)
        assert response.status_code == 302
        page = Page(browser.get(response["Location"]).content.decode())
        game = Game.objects.get()
        hidden = {n["name"]: n["value"] for n in page.all("input", type="hidden")}
        hidden |= {"text": legal(game)[0], "confirm": "1"}
        assert browser.post(table(game, "move"), hidden).status_code == 302


LAST_CARD = laws_position("2h 3h 4d 5d 6d", deck="Ah", discard="...")
LAST_LIFE = market_position("Ah 2h 3h 4h 5h", "9s", finished="2c 3c", lives=1)
LAST_LIFE_JOKER = market_position("Ah 2h 3h 4h *", "9s", finished="2c 3c", lives=1)


class TestMovesThatMayEndTheGame:
    @BOTH
    @pytest.mark.parametrize("ranked", [True, False], ids=["ranked", "practice"])
    @pytest.mark.parametrize(
        ("slug", "position", "fields", "text"),
        [
            (
                "laws",
                LAST_CARD,
                {"action": "play", "pile": "1", "card": ["2h", "3h"]},
                "play 1 2h 3h",
            ),
            ("laws", LAST_CARD, {"text": "play 3 2h"}, "play 3 2h"),
            (
                "laws",
                laws_position("2h 3h 4d 5d 6d", deck="Ah 2d 3d 4h", discard="..."),
                {"action": "bribe", "pile": "1"},
                "bribe 1",
            ),
            ("market", LAST_LIFE, {"action": "play", "card": ["Ah", "2h"]}, "play Ah 2h"),
        ],
    )
    def test_are_asked_about_and_then_played(
        self, browser, owner, slug, position, fields, text, ranked, htmx
    ):
        game = new_game(slug, owner, ranked=ranked, position=position)
        before = stored()
        response = browser.send(table(game, "move"), htmx=htmx, version=0, **fields)
        assert response.status_code == 200
        page = whole(response, htmx)
        assert stored() == before
        # The page holds all that is needed to say yes.
        (yes,) = page.all("button", name="text")
        assert yes["value"] == text
        assert page.all("input", name="confirm", value="1")
        assert versions(page) == {"0"}
        answer = {"version": 0, "text": text, "confirm": "1"}
        response = browser.send(table(game, "move"), htmx=htmx, **answer)
        assert response.status_code == (200 if htmx else 302)
        assert standing(game) == [text]
        game.refresh_from_db()
        assert game.is_over
        assert browser.send(table(game, "move"), htmx=htmx, **answer).status_code == 409

    def test_the_answer_yes_to_an_old_question_is_too_late(self, browser, owner):
        game = new_game("market", owner, position=LAST_LIFE)
        fields = {"text": "play Ah 2h", "version": 0}
        assert browser.send(table(game, "move"), **fields).status_code == 200
        browser.send(table(game, "move"), version=0, text="stock 5h")
        before = stored()
        response = browser.send(table(game, "move"), confirm="1", **fields)
        assert response.status_code == 409
        assert stored() == before

    def test_what_is_refused_is_not_asked_about(self, browser, owner):
        game = new_game("market", owner, position=LAST_LIFE)
        for text in ("play Ks", "play Ah Ah", "nonsense"):
            assert browser.send(table(game, "move"), version=0, text=text).status_code == 400
        response = browser.send(table(game, "move"), version=1, text="play Ah 2h")
        assert response.status_code == 409

    def test_others_are_not_asked_about(self, browser, owner):
        for slug, position, text in [
            ("laws", laws_position("2h 3h 4d 5d 6d"), "play 1 2h"),
            (
                "laws",
                laws_position("2h 3h 4d 5d Qd", deck="Ah", discard="..."),
                "reorganize Qd: 2h",
            ),
            (
                "market",
                market_position("Ah 2h 3h 4h 5h", "9s", finished="2c", lives=2),
                "play Ah 2h",
            ),
            ("market", LAST_LIFE, "stock Ah"),
            ("market", LAST_LIFE_JOKER, "play *"),
            (
                "market",
                market_position("Ah 2h", "9s", finished="2c 3c", played="3h 5h Ad", lives=1),
                "swap 3h",
            ),
        ]:
            game = new_game(slug, owner, position=position)
            response = browser.send(table(game, "move"), version=0, text=text)
            assert response.status_code == 302, text
            game.refresh_from_db()
            assert not game.is_over

    @BOTH
    def test_ranked_market_asks_the_same_whether_it_matches_or_not(self, browser, owner, htmx):
        game = new_game("market", owner, position=LAST_LIFE)
        asked = []
        for cards in ("4h 5h", "3h 5h"):
            fields = {"version": 0, "action": "play", "card": cards.split()}
            response = browser.send(table(game, "move"), htmx=htmx, **fields)
            assert response.status_code == 200
            page = whole(response, htmx)
            # The same but for which cards are chosen.
            tags = [
                (tag, sorted(set(names) - {"checked", "data-order"}))
                for tag, names in page.elements
            ]
            asked.append((re.sub("[345]♥", "?♥", page.words), tags, len(response.content)))
            assert "a mismatch costs your last life" in page.words
        assert asked[0] == asked[1]

    def test_practice_market_asks_only_if_it_would_end_the_game(self, browser, owner):
        for cards, status in (("4h 5h", 302), ("3h 5h", 200)):
            game = new_game("market", owner, ranked=False, position=LAST_LIFE)
            response = browser.send(table(game, "move"), version=0, text=f"play {cards}")
            assert response.status_code == status


class TestRecordFile:
    def test_is_the_game_to_be_played_again(self, browser, owner, slug):
        name = WHOLE_GAMES[slug]
        game = new_game(slug, owner, seed=record(name)["seed"])
        submit(game, owner, *record(name)["moves"])
        response = browser.look(again(game, "record.json"))
        assert response["Content-Type"] == "application/json"
        assert response["Content-Disposition"] == f'attachment; filename="{slug}-{game.pk}.json"'
        data = json.loads(response.content)
        assert data == record(name)
        lines = list(records.trace(records.read(data), game.rules))
        assert lines == trace(name)

    def test_leaves_out_what_was_taken_back(self, browser, owner, game):
        finish(game, owner)
        data = json.loads(browser.look(again(game, "record.json")).content)
        assert data["moves"] == record(WHOLE_GAMES[game.slug])["moves"][:1]

    def test_is_closed_while_the_game_goes_on(self, browser, game):
        response = browser.look(again(game, "record.json"))
        assert response.status_code == 409
        page_of(response)
        assert game.seed not in response.content.decode()


class TestOurOwnFaults:
    """Something breaks: a whole page all the same, and nothing of what was inside."""

    def answers(self, owner: User, game: Game, htmx: bool) -> Iterator[Any]:
        """What comes back for everything that can be asked of a table; nothing is changed by it."""
        browser = Browser(owner)
        browser.raise_request_exception = False
        before = stored()
        for what in ("", "move", "preview", "retire"):
            if what:
                fields = {"version": 0, "text": "bribe 1"}
                response = browser.send(table(game, what), htmx=htmx, **fields)
            else:
                response = browser.look(table(game), htmx=htmx)
            page_of(response)
            assert b"secret" not in response.content
            assert game.seed.encode() not in response.content
            assert response.get("HX-Retarget") == ("body" if htmx else None)
            yield response
        assert stored() == before

    @BOTH
    def test_a_fault_in_the_rules(self, owner, slug, htmx, monkeypatch):
        game = new_game(slug, owner)

        def break_down(data):
            raise RuntimeError("secret", data)

        monkeypatch.setattr(game.rules, "decode", break_down)
        for response in self.answers(owner, game, htmx):
            assert response.status_code == 500

    @BOTH
    def test_a_spoilt_row(self, owner, slug, htmx):
        game = new_game(slug, owner)
        Game.objects.update(state={"deck": ["secret", game.seed]})
        for response in self.answers(owner, game, htmx):
            assert response.status_code == 409
            assert "damaged" in page_of(response).words

    def test_one_spoilt_game_does_not_close_the_way_to_the_others(self, owner, slug):
        spoilt, good = new_game(slug, owner), new_game(slug, owner)
        Game.objects.filter(pk=spoilt.pk).update(state={})
        links = page_of(Browser(owner).look("/")).links()
        assert table(good) in links and table(spoilt) not in links


class TestHome:
    def test_before_the_first_game(self, db):
        response = Browser().look("/")
        page = page_of(response)
        starts = [form["action"] for form in page.all("form") if form["action"].endswith("start")]
        slugs = [kind.rules.SLUG for kind in registry.all_kinds()]
        assert set(starts) == {f"/{slug}/start" for slug in slugs}
        assert {f"/{slug}/rules/" for slug in slugs} <= set(page.links())

    def test_open_games_the_one_played_last_first(self, browser, owner):
        games = [new_game(slug, owner) for slug in ("laws", "market", "laws")]
        submit(games[0], owner, legal(games[0])[0])
        links = page_of(browser.look("/")).links()
        order = [games[0], games[2], games[1]]
        tables = [link for link in links if re.fullmatch(r"/(laws|market)/\d+/", link)]
        assert tables == [*map(table, order)]

    def test_finished_games_with_their_score(self, browser, owner, slug):
        name = {"laws": "laws-06-mixed", "market": "market-05-mixed"}[slug]
        game = new_game(slug, owner, seed=record(name)["seed"])
        submit(game, owner, *record(name)["moves"][:20])
        finish(game, owner)
        score = game.result["scores"][0]
        page = page_of(browser.look("/"))
        assert table(game) in page.links()
        assert f" {score} " in page.words

    def test_guests_are_called_guest(self, browser, owner):
        html = browser.look("/").content.decode()
        assert owner.username not in html
        assert "Guest" in html

    def test_other_peoples_games_are_not_there(self, owner):
        theirs = new_game("laws", owner)
        mine = new_game("laws", user := guest())
        links = page_of(Browser(user).look("/")).links()
        assert table(mine) in links and table(theirs) not in links


class TestHeaders:
    def answers(self, owner, browser):
        game = new_game("laws", owner, ranked=False, seed=SEED)
        yield browser.look("/")
        yield browser.look("/laws/rules/")
        yield browser.look(table(game))
        yield browser.look(table(game), htmx=True)
        card = game.state["hand"][0]
        yield browser.send(table(game, "preview"), htmx=True, version=0, card=card)
        yield browser.send(table(game, "move"), version=9, text="x")
        yield browser.send(table(game, "move"), version="x", text="x", htmx=True)
        yield browser.send(table(game, "move"), version=0, text=legal(game)[0], htmx=True)
        yield browser.send(table(game, "undo"), version=1)
        yield browser.look(again(game, "record.json"))
        yield browser.look("/laws/999/")
        yield browser.look("/nothing")
        yield browser.post(table(game, "move"), {})
        yield browser.send("/", text="x" * 70_000)
        yield browser.send("/laws/start", once="", htmx=True)

    def test_of_every_kind_of_answer(self, owner, browser):
        statuses = set()
        for response in self.answers(owner, browser):
            statuses.add(response.status_code)
            assert response["Cache-Control"] == "no-store"
            assert "HX-Request" in response["Vary"]
            policy = response["Content-Security-Policy"]
            assert "unsafe" not in policy and "*" not in policy and "data:" not in policy
            directives = dict(part.strip().split(" ", 1) for part in policy.split(";"))
            assert directives.pop("default-src") == "'none'"
            assert directives.pop("base-uri") == "'none'"
            assert directives.pop("frame-ancestors") == "'none'"
            assert set(directives.values()) == {"'self'"}
            assert {"script-src", "style-src", "img-src", "form-action"} <= set(directives)
            assert response["X-Content-Type-Options"] == "nosniff"
            assert response["Referrer-Policy"] == "same-origin"
            assert response["Cross-Origin-Opener-Policy"] == "same-origin"
            if response.status_code != 413:
                assert response["X-Frame-Options"] == "DENY"
        assert statuses >= {200, 204, 302, 400, 403, 404, 409, 413}

    def test_a_redirect_for_htmx_is_one_that_it_follows_as_a_page(self, browser):
        response = browser.send("/laws/start", once="", htmx=True)
        assert response.status_code == 204
        game = Game.objects.get()
        assert response["HX-Redirect"] == table(game)
        assert "Location" not in response

    def test_health_needs_no_database(self, django_assert_num_queries, db):
        with django_assert_num_queries(0):
            response = Client().get("/healthz")
        assert (response.status_code, response.content) == (200, b"ok\n")
        assert response["Content-Type"] == "text/plain"
        assert not response.cookies
