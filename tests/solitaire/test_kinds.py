"""How the site offers the two editions: what a player may be told before a move."""

import json
from itertools import combinations
from pathlib import Path

import pytest
from django.template.loader import get_template

from ouroboros_site.play import registry
from ouroboros_site.play.registry import Selection
from solitaire import kinds
from solitaire.rules import laws, market
from tests.solitaire.rules.positions import laws_state, market_state

RECORDS = sorted((Path(__file__).parents[1] / "data" / "records").glob("*.jsonl"))


def states(slug: str, every: int = 5):
    """Positions of the recorded games of an edition: each fifth, and the last few of each game."""
    rules = registry.get(slug).rules
    for path in RECORDS:
        if path.name.startswith(slug):
            lines = path.read_text("utf-8").splitlines()
            for line in [*lines[::every], *lines[-4:]]:
                position = json.loads(line)["position"]
                yield rules.decode(
                    {"seed": "5e" * 32, "players": 1, "options": {}, "position": position}
                )


def chosen(*cards: str) -> Selection:
    return Selection(cards=cards)


@pytest.mark.parametrize("kind", [kinds.LAWS, kinds.MARKET], ids=lambda kind: kind.rules.SLUG)
class TestBoth:
    def test_is_registered_and_has_its_pages(self, kind):
        assert registry.get(kind.rules.SLUG) is kind
        assert kind in registry.all_kinds()
        assert str(kind.title)
        for template in (kind.template, kind.tile, kind.rules_template):
            get_template(template)
        for part in ("table", "preview"):
            get_template(f"{kind.template}#{part}")

    def test_previews_are_of_one_to_three_cards_that_can_be_played(self, kind):
        state = {
            "laws": laws_state("2h 3h 4d 5d *"),
            "market": market_state("2h 3h 4d 5d *", "9s"),
        }[kind.rules.SLUG]
        for selection in (
            chosen(),
            chosen("2h", "3h", "4d", "5d"),
            chosen("Kh"),
            chosen("2h", "Kh"),
            chosen("2h", "2h"),
            chosen("2h", "*"),
            chosen("nonsense"),
            Selection(texts=("play 1 2h",)),
        ):
            assert kind.preview(state, selection, False) is None
        for selection in (chosen("2h"), chosen("3h", "2h"), chosen("2h", "3h", "4d")):
            preview = kind.preview(state, selection, False)
            assert preview["cards"] == list(selection.cards)
            assert json.loads(json.dumps(preview)) == preview

    def test_previews_are_for_the_phase_in_which_cards_are_played(self, kind):
        state = {
            "laws": laws_state(
                "2h 3h", discard="5h 5d 5s", deck="... 2s", piles=("As", "Ts", ""), phase="capture"
            ),
            "market": market_state("2h 3h Ah", "9s", played="4h 5h"),
        }[kind.rules.SLUG]
        assert kind.preview(state, chosen("2h"), False) is None

    def test_what_was_asked_about_is_what_may_end(self, kind):
        ends = 0
        for state in states(kind.rules.SLUG):
            for move in kind.rules.legal_moves(state):
                over = kind.rules.outcome(kind.rules.apply(state, move)) is not None
                ends += over
                # Practice: asked about if and only if it ends the game.
                assert kind.may_end(state, move, False) is over
                # Ranked: never unasked.
                assert kind.may_end(state, move, True) or not over
        assert ends > 20


class TestLaws:
    def test_the_preview_tells_what_the_move_will_do(self):
        told = 0
        for state in states("laws", every=12):
            plays = [move for move in laws.legal_moves(state) if move[0] == "play"]
            for verb, pile, cards in plays[::5]:
                names = [laws.TEXTS[card] for card in cards]
                preview = kinds.LAWS.preview(state, chosen(*names), True)
                (row,) = [row for row in preview["against"] if row["pile"] == pile]
                report = laws.report(state, (verb, pile, cards))
                after = laws.apply(state, (verb, pile, cards))
                assert (preview["sum"], preview["value"]) == (report["sum"], report["value"])
                assert row["match"] == report["match"]
                assert row["bonuses"] == report.get("bonuses", [])
                assert row["reflux"] == report.get("reflux", 0)
                assert row["lost"] == len(report["lost"])
                assert row["ends"] == report["over"] == (after.phase == "over")
                if not report["loop"]:
                    assert row["deck"] == len(after.deck)
                told += 1
        assert told > 100

    def test_the_preview_names_each_enemy_that_may_be_chosen(self):
        hand, piles = "2h 3h 4d 5d 6d", ("As 2s", "", "Ks")
        preview = kinds.LAWS.preview(laws_state(hand, piles=piles), chosen("2h"), True)
        assert [row["enemy"] for row in preview["against"]] == ["As", "Ks"]
        locked = laws_state(hand, piles=piles, loop=2, locked=3, successes=1)
        preview = kinds.LAWS.preview(locked, chosen("2h"), True)
        assert [row["enemy"] for row in preview["against"]] == ["Ks"]

    def test_ranked_or_not_makes_no_difference(self):
        for state in states("laws", every=20):
            for move in laws.legal_moves(state)[::10]:
                assert kinds.LAWS.may_end(state, move, True) == kinds.LAWS.may_end(
                    state, move, False
                )


class TestMarket:
    def test_ranked_games_add_nothing_up(self):
        for state in states("market", every=20):
            for cards in combinations([market.TEXTS[card] for card in state.hand], 2):
                assert kinds.MARKET.preview(state, chosen(*cards), True) is None

    def test_practice_games_tell_what_the_play_will_do(self):
        told = 0
        for state in states("market", every=12):
            plays = [move for move in market.legal_moves(state) if move[0] == "play"]
            for verb, cards in plays[::3]:
                names = [market.TEXTS[card] for card in cards]
                preview = kinds.MARKET.preview(state, chosen(*names), False)
                report = market.report(state, (verb, cards))
                assert preview["match"] == report["match"]
                assert preview["sum"] == report.get("sum")
                assert preview["value"] == report.get("value")
                assert preview["target"] == report["wanted"]
                assert preview["lost"] == state.lives - min(report["lives"], state.lives)
                assert preview["ends"] == report["over"]
                told += 1
        assert told > 100

    def test_ranked_the_question_does_not_tell_a_match_from_a_mismatch(self):
        asked = {True: set(), False: set()}
        for state in states("market"):
            for move in market.legal_moves(state):
                verb, cards = move
                if verb == "play" and market.JOKER not in cards:
                    match = market.report(state, move)["match"]
                    may_end = kinds.MARKET.may_end(state, move, True)
                    assert may_end is (state.lives == 1)
                    asked[match].add(may_end)
                else:
                    assert kinds.MARKET.may_end(state, move, True) is False
        assert asked == {True: {True, False}, False: {True, False}}, "there must be some of each"


@pytest.mark.parametrize(
    ("kind", "one", "many"),
    [
        (kinds.LAWS, "enemy navigated", "enemies navigated"),
        (kinds.MARKET, "target defeated", "targets defeated"),
    ],
)
def test_what_a_score_counts(kind, one, many):
    assert kind.score(1) == one
    assert kind.score(0) == kind.score(2) == kind.unit == many
