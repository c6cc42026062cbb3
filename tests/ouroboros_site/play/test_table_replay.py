"""Tables of several seats shown again: from each seat, with what it did not see, and as records."""

import json
import re
from random import Random

import pytest

from ouroboros_site.accounts.models import User
from ouroboros_site.engine import record as records
from ouroboros_site.engine.shuffle import commitment, pick
from ouroboros_site.play import registry, replay, services
from ouroboros_site.play.models import Game
from ouroboros_site.play.tables import sitters

from .helpers import (
    RECORDS,
    Browser,
    again,
    assert_whole,
    finish,
    guest,
    new_game,
    page_of,
    record,
    table,
    trace,
)
from .shared import OPTIONS, each_table, new_table, play_on, sit
from .test_verify_deal import run, shown_code

pytestmark = pytest.mark.django_db
slug = each_table

SIZES = {"trick": (3, 5), "ochs-esel": (3, 7)}


def finished(slug: str, user: User, players: int = 4, **more) -> Game:
    """A game that was played to its end by all seats."""
    options = OPTIONS[slug][-1]
    game = new_table(slug, user, players=players, options=options, ranked=False, **more)
    play_on(game, Random(players), lambda at: False, most=5000)
    end = game.rules.outcome(game.load())
    game.result = {
        "termination": end.termination.value,
        "scores": list(end.scores),
        "winners": list(end.winners),
    }
    game.finished = game.updated
    game.save()
    return assert_whole(game)


class TestFromASeat:
    def test_the_table_is_what_that_seat_saw(self, owner, slug):
        for players in SIZES[slug]:
            game = finished(slug, owner, players)
            moves = list(game.moves.order_by("ply"))
            states = [game.rules.start(game.seed, players, game.options)]
            for move in moves:
                states.append(game.rules.apply(states[-1], game.rules.parse_move(move.text)))
            seats = services.take_seat(user=owner, slug=slug, game_id=game.pk).people
            for ply in {0, 1, game.ply // 2, game.ply - 1, game.ply}:
                step = replay.step_of_game(game, ply)
                told = [move.report["tally"] for move in moves[:ply] if "tally" in move.report]
                assert step.tallies == told and step.over == (ply == game.ply)
                assert (step.entry is None) == (ply == 0)
                if step.entry:
                    move = moves[ply - 1]
                    said = (step.entry.seat, step.entry.text, step.entry.report)
                    assert said == (move.seat, move.text, move.report)
                for seat in range(players):
                    shown = replay.table(game, step, sitters(seats, seat), seat)
                    assert shown.view == game.rules.view(states[ply], seat)
                    assert shown.seat == seat and shown.people[seat].me and not shown.advance
                    hands = {
                        card
                        for place in replay.hidden_places(game.kind, step, seat)
                        for card in place.cards
                    }
                    mine = set(game.rules.view(states[ply], seat)["hand"])
                    if slug == "trick":
                        assert not hands & mine

    def test_a_bystander_chooses_the_seat(self, owner, slug):
        game = finished(slug, owner)
        browser = Browser()
        names = [seat.name for seat in game.seats.order_by("index")]
        for seat in range(game.players):
            response = browser.look(again(game, f"replay/?ply=3&seat={seat}"))
            assert response.status_code == 200
            page = page_of(response)
            options = page.all("option")[-game.players :]
            assert page.all("select", name="seat")
            assert [option["value"] for option in options] == [str(n) for n in range(4)]
            assert [at for at, option in enumerate(options) if "selected" in option] == [seat]
            assert {f["value"] for f in page.all("input", type="hidden", name="ply")} == {"3"}
            for way in ("to-first", "to-back", "to-forward", "to-last", "toggle"):
                [link] = page.all("a", id=way)
                assert f"seat={seat}" in link["href"]
            for name in names[1:]:
                assert name in page.words
            part = browser.look(again(game, f"replay/?ply=3&seat={seat}"), htmx=True)
            assert part.status_code == 200 and b"<html" not in part.content

    def test_the_first_seat_is_the_usual_one(self, owner, slug):
        game = finished(slug, owner)
        browser = Browser()
        [usual, first] = [
            browser.look(again(game, f"replay/?ply=2{more}"), htmx=True) for more in ("", "&seat=0")
        ]
        hand = game.rules.view(replay.step_of_game(game, 2).state, 0)["hand"]
        assert usual.context["view"]["hand"] == first.context["view"]["hand"] == hand

    def test_you_are_only_where_you_sat(self, owner, slug):
        """Everybody else, and whoever looks from another seat, reads names."""
        game = finished(slug, owner)
        name = owner.display_name
        for browser, seat, me in (
            (Browser(owner), 0, 0),
            (Browser(owner), 2, None),
            (Browser(), 0, None),
            (Browser(guest()), 0, None),
        ):
            for ply in (1, 5, game.ply):
                response = browser.look(again(game, f"replay/?ply={ply}&seat={seat}"))
                people = response.context["people"]
                assert [sitter.seat for sitter in people if sitter.me] == ([0] if me == 0 else [])
                assert response.context["from_seat"].seat == seat
                _head, part = response.content.decode().split("<main")
                told = re.sub(r"<[^>]*>", " ", part)
                if me is None:
                    assert not re.search(r"\bYou\b|\b[Yy]our\b", told) and name in told
                else:
                    assert re.search(r"\bYou\b", told)

    @pytest.mark.parametrize("seat", ["4", "-1", "x", "", "٣", "1.0", "9" * 400, "\0"])
    def test_no_such_seat(self, owner, slug, seat):
        game = finished(slug, owner)
        response = Browser().look(again(game, "replay/"), htmx=False)
        assert response.status_code == 200
        response = Browser().get(again(game, "replay/"), {"seat": seat})
        assert response.status_code == 404
        assert "There is no such seat at this table." in page_of(response).words

    def test_a_solitaire_has_one_seat(self, owner):
        game = finish(new_game("laws", owner), owner)
        page = page_of(Browser().look(again(game)))
        assert not page.all("select", name="seat") and "Seen from" not in page.words
        assert Browser().look(again(game, "replay/?seat=1")).status_code == 404

    def test_hidden_cards_are_those_that_the_seat_did_not_see(self, owner, slug):
        game = finished(slug, owner)
        browser = Browser()
        for seat in (0, 2):
            plain = browser.look(again(game, f"replay/?ply=4&seat={seat}"))
            assert not plain.context["places"]
            response = browser.look(again(game, f"replay/?ply=4&seat={seat}&all=1"))
            places = {place.name: place.cards for place in response.context["places"]}
            step = replay.step_of_game(game, 4)
            hands = game.rules.position(step.state)["hands"]
            for other, hand in enumerate(hands):
                name = f"Hand of player {other + 1}"
                assert places.get(name) == (None if other == seat else tuple(hand))
            page_of(response)

    def test_what_is_told_beside_it(self, owner, slug):
        ada = User.objects.create_user("Ada")
        game = finished(slug, ada)
        words = page_of(Browser().look(again(game))).words
        assert "Ada" in words and "bot, easy" in words and " won; " in words
        assert game.seed in words and game.commitment in words
        left = finish(new_table(slug, ada), ada)
        words = page_of(Browser().look(again(left))).words
        assert "nobody won; a player left the table" in words

    def test_going_on_it_is_closed(self, owner, slug, other):
        game = new_table(slug, owner)
        assert Browser(owner).look(again(game)).status_code == 409
        assert Browser(other).look(again(game)).status_code == 403
        game.seats.filter(index=1).update(user=other, bot="", name="")
        assert Browser(other).look(again(game)).status_code == 409
        staff = Browser(User.objects.create_superuser("root"))
        response = staff.look(again(game, "replay/?seat=1&all=1"))
        assert response.status_code == 200 and response.context["places"]


class TestRecords:
    def test_what_is_downloaded_can_be_pasted(self, owner, slug):
        game = finished(slug, owner)
        browser = Browser()
        response = browser.look(again(game, "record.json"))
        assert response.status_code == 200
        data = json.loads(response.content)
        assert (data["players"], data["options"]) == (game.players, game.options)
        assert len(list(records.trace(records.read(data), game.rules))) == game.ply + 1
        last = game.ply
        response = browser.send("/replay/", record=response.content.decode(), ply=last, seat="2")
        assert response.status_code == 200
        page = page_of(response)
        assert "Player 3" in page.words and "Seen from" in page.words
        shown = response.context
        assert shown["view"]["hand"] == game.rules.view(game.load(), 2)["hand"]
        assert shown["step"]["over"] and shown["step"]["ended"] in page.words
        assert shown["from_seat"].seat == 2
        assert len(page.all("select", name="seat")) == 1
        chosen = [option["value"] for option in page.all("option") if "selected" in option]
        assert "2" in chosen

    def test_tallies_up_to_the_ply(self, owner):
        name = sorted(RECORDS.glob("ochs-esel-0*.json"))[0].stem
        recorded = records.read(record(name))
        rounds = [line["position"].get("tallies", []) for line in trace(name)]
        ends = [at for at in range(1, len(rounds)) if len(rounds[at]) > len(rounds[at - 1])]
        assert ends
        for end in ends[:2]:
            for ply, number in ((end - 1, -1), (end, 0)):
                step = replay.step_of_record(recorded, ply)
                expected = rounds[end][: len(rounds[end]) + number]
                assert [tally["points"] for tally in step.tallies] == expected

    @pytest.mark.parametrize("seat", ["7", "x", "-1"])
    def test_no_such_seat(self, slug, seat, db):
        name = sorted(RECORDS.glob(f"{slug}-0*.json"))[0].stem
        response = Browser().send("/replay/", record=json.dumps(record(name)), seat=seat)
        assert response.status_code == 400
        assert "There is no such seat at this table." in page_of(response).words

    def test_a_record_of_each_size_is_shown(self, slug, db):
        for path in sorted(RECORDS.glob(f"{slug}-0*.json")):
            data = json.loads(path.read_text("utf-8"))
            for ply in (0, len(data["moves"]) // 2, len(data["moves"])):
                response = Browser().send("/replay/", record=json.dumps(data), ply=ply)
                assert response.status_code == 200, path.stem
                page_of(response)


class TestDeals:
    def test_the_lines_print_the_deal_and_who_begins(self, slug, db):
        seed = "5e" * 32
        for players in registry.get(slug).rules.SEATS:
            response = Browser().look(f"/verify/?game={slug}&players={players}&seed={seed}")
            assert response.status_code == 200
            lines = run(shown_code(response))
            rules = registry.get(slug).rules
            at = rules.position(rules.start(seed, players))
            label = {"trick": "lead", "ochs-esel": "start"}[slug]
            assert lines[0] == commitment(seed)
            assert lines[2] == str(pick(seed, label, players)) == str(at["leader"])
            size = {"trick": 12}.get(slug, len(min(at["hands"], key=len)))
            cards = lines[1].split()
            for seat, hand in enumerate(at["hands"]):
                dealt = cards[size * seat : size * (seat + 1)]
                assert sorted(dealt) == sorted([card for card in hand if card != "E"])
            page = page_of(response)
            for seat in range(players):
                assert f"Hand of player {seat + 1}" in page.words
            assert f"Who leads first Player {at['leader'] + 1} " in page.words

    def test_the_ox(self, db):
        seed = "5e" * 32
        plain, ox = (
            Browser().look(f"/verify/?game=ochs-esel&players=4&seed={seed}{more}")
            for more in ("", "&ox=1")
        )
        assert "In the middle" not in page_of(plain).words
        page = page_of(ox)
        assert "In the middle" in page.words
        assert "checked" in page.all("input", type="checkbox", name="ox")[0]

    @pytest.mark.parametrize("players", ["2", "13", "0", "x", "-3", "4.0", "٤", "4" * 400])
    def test_no_such_table(self, slug, players, db):
        response = Browser().get("/verify/", {"game": slug, "seed": "5e" * 32, "players": players})
        assert response.status_code == 400
        assert "not played by that number of players" in page_of(response).words

    def test_the_end_of_a_table_leads_here(self, owner, slug):
        game = finish(new_table(slug, owner, players=5, options=OPTIONS[slug][-1]), owner)
        for path in (table(game), again(game)):
            page = page_of(Browser(owner).look(path))
            [link] = [link for link in page.links() if "/verify/?" in link]
            response = Browser().look(link)
            assert "They belong together." in page_of(response).words
            assert response.context["players"] == 5
            assert response.context["options"] == ({"ox": True} if slug == "ochs-esel" else {})


def test_a_merged_seat_is_shown_from_its_place(owner, slug):
    """A person need not sit on the first seat."""
    game = new_table(slug, owner)
    sit(game, owner, 2)
    game = finish(game, owner)
    page = page_of(Browser().look(again(game, "replay/?seat=2")))
    assert "Seen from" in page.words
