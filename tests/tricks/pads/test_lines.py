"""What is written on a pad, by the services."""

from datetime import timedelta

import pytest
import time_machine
from django.contrib.auth.models import AnonymousUser
from django.utils import timezone

from ouroboros_site.accounts.models import User
from ouroboros_site.play import live
from ouroboros_site.play.services import Refused
from tests.ouroboros_site.play.helpers import Browser, at_once, guest
from tricks.pads import services
from tricks.pads.forms import Setup
from tricks.pads.models import Line, Pad

from .helpers import NAMES, board, client, new_pad, points, write

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada(db):
    return User.objects.create_user("Ada")


@pytest.fixture
def pad(ada):
    return new_pad(ada)


@pytest.fixture
def told(monkeypatch):
    told = []
    monkeypatch.setattr(live, "announce", lambda *what: told.append(what))
    return told


# --- making --------------------------------------------------------------------------------------


def test_a_double_click_makes_one_pad(ada):
    setup, token = Setup(NAMES, 5, False), client()
    first, _ = services.make_pad(user=ada, setup=setup, token=token)
    second, owner = services.make_pad(user=ada, setup=setup, token=token)
    assert (first, owner) == (second, ada)
    assert Pad.objects.count() == 1


def test_another_ones_token_gives_nobody_a_pad(ada, pad):
    with pytest.raises(Refused) as refused:
        services.make_pad(user=guest(), setup=Setup(NAMES, 5, False), token=pad.token)
    assert refused.value.status == 404


def test_a_form_from_before_logging_out_logs_nobody_in(ada):
    """It can come back from the browser's history, and whoever sends it is somebody else."""
    fields = {"name": NAMES, "client": client()}
    assert Browser(ada).send("/pads/new/", **fields).status_code == 302
    stranger = Browser()
    assert stranger.send("/pads/new/", **fields).status_code == 404
    assert "_auth_user_id" not in stranger.session


def test_the_other_half_of_a_visitor_s_double_click_is_the_same_guest(db):
    sent = {"user": AnonymousUser(), "setup": Setup(NAMES, 5, False), "token": client()}
    pad, owner = services.make_pad(**sent)
    assert services.make_pad(**sent) == (pad, owner)
    later = timezone.now() + timedelta(minutes=1)
    with time_machine.travel(later), pytest.raises(Refused) as refused:
        services.make_pad(**sent)
    assert refused.value.status == 404


def test_a_visitor_becomes_a_guest(db):
    pad, owner = services.make_pad(
        user=AnonymousUser(), setup=Setup(NAMES, 5, False), token=client()
    )
    assert owner.is_guest and pad.owner == owner


def test_nobody_has_pads_without_end(ada, pad, monkeypatch):
    monkeypatch.setattr(services, "MOST_PADS", 1)
    with pytest.raises(Refused) as refused:
        new_pad(ada)
    assert (refused.value.status, refused.value.code) == (409, "too-many-pads")


def test_a_suspended_account_makes_none(db):
    with pytest.raises(Refused) as refused:
        new_pad(User.objects.create_user("Eve", suspended=timezone.now()))
    assert refused.value.status == 403


# --- lines and corrections -----------------------------------------------------------------------


def test_the_newest_line_of_a_cell_counts_and_the_others_stay(pad, told):
    write(pad, 1, 0, 14)
    write(pad, 1, 0, 41)
    write(pad, 1, 1, 5)
    assert points(pad)[0] == [41, 5, None]
    cell = board(pad).rounds[0].cells[0]
    assert [line.points for line in cell.before] == [14]
    (correction,) = board(pad).corrections
    assert (correction.round, correction.name, correction.old, correction.new, correction.by) == (
        *(1, "Anna", 14, 41),
        "you",
    )
    assert told == [(pad.topic, pad.version + number) for number in (1, 2, 3)]


def test_a_cell_can_be_emptied(pad):
    write(pad, 1, 0, 14)
    write(pad, 1, 0, None)
    assert points(pad)[0] == [None] * 3
    assert [line.points for line in pad.lines.all()] == [14, None]


def test_what_is_empty_cannot_be_emptied(pad):
    with pytest.raises(Refused) as refused:
        write(pad, 1, 0, None)
    assert refused.value.code == "empty"


def test_what_is_sent_twice_is_written_once(pad, told):
    first = write(pad, 1, 0, 14, base=0, sent="a" * 32)
    again = write(pad, 1, 0, 14, base=0, sent="a" * 32)
    assert first == again and pad.lines.count() == 1 and len(told) == 1


def test_sending_again_does_not_undo_a_later_correction(pad):
    write(pad, 1, 0, 14, base=0, sent="a" * 32)
    write(pad, 1, 0, 41)
    write(pad, 1, 0, 14, base=0, sent="a" * 32)
    assert points(pad)[0][0] == 41


def test_what_the_cell_says_already_changes_nothing(pad, told):
    write(pad, 1, 0, 14, base=0)
    line = write(pad, 1, 0, 14, base=0)
    assert line.points == 14 and pad.lines.count() == 1 and len(told) == 1


def test_the_same_points_from_cards_are_another_line(pad):
    write(pad, 1, 0, 14)
    write(pad, 1, 0, 14, cards=("J", ""))
    assert pad.lines.count() == 2


def test_a_newer_line_is_not_overwritten(pad):
    seen = write(pad, 1, 0, 14)
    newer = write(pad, 1, 0, 41)
    with pytest.raises(services.Overtaken) as overtaken:
        write(pad, 1, 0, 15, base=seen.number)
    assert overtaken.value.line == newer and overtaken.value.status == 409
    with pytest.raises(services.Overtaken):
        write(pad, 1, 0, 15, base=0)
    assert points(pad)[0][0] == 41
    write(pad, 1, 0, 15, base=newer.number)
    assert points(pad)[0][0] == 15


def test_a_cell_that_was_emptied_meanwhile_is_newer_too(pad):
    seen = write(pad, 1, 0, 14)
    write(pad, 1, 0, None)
    with pytest.raises(services.Overtaken):
        write(pad, 1, 0, 15, base=seen.number)


def test_ones_own_line_whose_answer_was_lost_is_no_conflict(pad):
    write(pad, 1, 0, 14, base=0, sent="a" * 32)
    write(pad, 1, 0, 15, base=0, mine=("a" * 32,))
    assert points(pad)[0][0] == 15


def test_cells_do_not_stand_in_each_others_way(pad):
    write(pad, 1, 0, 14, base=0)
    write(pad, 1, 1, 15, base=0)
    write(pad, 2, 0, 16, base=0)
    write(pad, 1, 2, starts=True, base=0)
    write(pad, 1, 2, 17, base=0)
    assert points(pad) == [[14, 15, 17], [16, None, None]]


@pytest.mark.parametrize(("round", "player"), [(0, 0), (3, 0), (1, 3)])
def test_there_is_no_such_cell(pad, round, player):
    with pytest.raises(Refused) as refused:
        write(pad, round, player, 1, base=0)
    assert (refused.value.status, refused.value.code) == (404, "no-cell")


def test_a_pad_is_full_some_day(pad, monkeypatch):
    monkeypatch.setattr(services, "MOST_LINES", pad.version + 1)
    write(pad, 1, 0, 14)
    with pytest.raises(Refused) as refused:
        write(pad, 1, 0, 15)
    assert (refused.value.status, refused.value.code) == (409, "full")


def test_a_pad_in_use_keeps_its_guest(db):
    owner = guest()
    pad = new_pad(owner)
    User.objects.update(last_login=None)
    write(pad, 1, 0, 14)
    owner.refresh_from_db()
    assert owner.last_login


@pytest.mark.django_db(transaction=True)
def test_of_two_who_write_at_once_one_is_asked(ada):
    pad = new_pad(ada)

    def attempt(number):
        try:
            return write(pad, 1, 0, number, base=0)
        except services.Overtaken as overtaken:
            return overtaken

    found = at_once(lambda: attempt(1), lambda: attempt(2))
    assert {type(each) for each in found} == {Line, services.Overtaken}
    assert pad.lines.count() == 1


# --- who starts ----------------------------------------------------------------------------------


def test_who_starts_the_first_round_is_told(pad):
    assert board(pad).starter == ""
    write(pad, 1, 2, starts=True)
    assert board(pad).starter == "Çelik"
    write(pad, 1, 0, starts=True)
    assert board(pad).starter == "Anna"


def test_who_starts_can_be_overtaken_too(pad):
    write(pad, 1, 2, starts=True, base=0)
    with pytest.raises(services.Overtaken):
        write(pad, 1, 1, starts=True, base=0)


def test_the_donkey_that_was_counted_says_who_starts(pad):
    for player, hand in enumerate(["", "1 E", "2"]):
        cards = sum({"E": 20}.get(card) or int(card) for card in hand.split())
        write(pad, 1, player, cards, cards=(hand, ""))
    write(pad, 2, 0, starts=True)
    assert board(pad).now.number == 2
    assert (board(pad).starter, board(pad).now.known) == ("Ben", 1)


def test_two_counted_donkeys_say_nothing(pad):
    for player, hand in enumerate(["E", "E", ""]):
        write(pad, 1, player, 20 * bool(hand), cards=(hand, ""))
    assert board(pad).starter == ""
    write(pad, 2, 0, starts=True)
    assert board(pad).starter == "Anna"


# --- sums and winners ----------------------------------------------------------------------------


def test_sums_and_the_winner(pad):
    for player, number in enumerate([0, 20, 7]):
        write(pad, 1, player, number)
    assert not board(pad).over and board(pad).winners == []
    assert [player.leads for player in board(pad).players] == [True, False, False]
    write(pad, 2, 0, 27)
    # What is written of a round says nothing before the others have written theirs.
    assert [player.leads for player in board(pad).players] == [False, False, False]
    write(pad, 2, 1, 0)
    write(pad, 2, 2, 30)
    assert [player.total for player in board(pad).players] == [27, 20, 37]
    assert board(pad).over and board(pad).winner_names == ["Ben"]


def test_equals_share_the_win(ada):
    pad = new_pad(ada, rounds=1)
    for player, number in enumerate([3, 3, 20]):
        write(pad, 1, player, number)
    assert board(pad).winner_names == ["Anna", "Ben"]


def test_the_sheet_is_that_of_games_on_the_site(ada):
    pad = new_pad(ada, ox=True)
    write(pad, 1, 0, starts=True)
    write(pad, 1, 0, 18, cards=("O", "1 2 O"))
    write(pad, 1, 1, 0, cards=("", ""))
    write(pad, 1, 2, 29)
    header, row = board(pad).sheet.lines
    assert header[:7] == ["round", "started", "donkey", "ox", *NAMES]
    assert row == [1, "Anna", "", "Anna", 18, 0, 29, 3, 0, 0, 18, 0, 29]
    assert [cell.out for cell in board(pad).sheet.rows[0].cells] == [False, True, False]


def test_without_the_ox_who_starts_next_had_the_donkey(pad):
    for player, number in enumerate([0, 20, 7]):
        write(pad, 1, player, number)
    write(pad, 2, 1, starts=True)
    assert board(pad).sheet.rows[0].donkey == "Ben"


def test_doubts_stand_with_their_round(pad):
    for player, number in enumerate([1, 20, 7]):
        write(pad, 2, player, number)
    (doubted,) = board(pad).doubted
    assert doubted.number == 2
    assert doubted.doubts == ("Nobody has an empty hand, but a round ends only when somebody has.",)
    write(pad, 1, 0, 14 * 5, cards=("J J J J J", ""))
    assert "The joker is counted 5 times" in board(pad).doubted[0].doubts[0]
