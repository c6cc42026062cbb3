"""What every rule set in the registry must hold to, whatever its game.

Hypothesis (and, for long games, a seeded driver that prefers what keeps the game going) plays;
at the positions reached everything below is checked. Node counts to a fixed depth are kept as
data, like a chess engine's perft.
"""

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ouroboros_site.engine.errors import InvalidRecord, RulesError
from ouroboros_site.engine.protocol import Outcome, Rules, Termination
from ouroboros_site.play import registry

from .kits import KITS

RECORDS = Path(__file__).parents[1] / "data" / "records"
COUNTS = json.loads((Path(__file__).parents[1] / "data" / "counts.json").read_text())
EVERY_GAME = pytest.mark.parametrize("rules", [*registry.all_rules()], ids=lambda r: r.SLUG)

seeds = st.binary(min_size=32, max_size=32).map(bytes.hex)
choices = st.lists(st.integers(0, 2**16), min_size=1, max_size=40)


def dumps(data: object) -> str:
    """JSON that keeps the order of keys: that, too, must not tell anything."""
    return json.dumps(data)


def json_ready(data: Any) -> Any:
    """Assert that JSON gives ``data`` back as it is; its text."""
    text = dumps(data)
    assert json.loads(text) == data
    return text


def starts(rules: Rules) -> list[tuple[int, dict[str, Any]]]:
    """Every number of players with every set of options that the kit names."""
    return [(players, options) for options in KITS[rules.SLUG].options for players in rules.SEATS]


def texts(rules: Rules, state: Any) -> list[str]:
    return [rules.format_move(move) for move in rules.legal_moves(state)]


def play(rules: Rules, state: Any, choices: list[int]) -> Iterator[Any]:
    """The positions of a playout, each choice an index into the legal moves."""
    yield state
    for choice in choices:
        moves = rules.legal_moves(state)
        if not moves:
            return
        state = rules.apply(state, moves[choice % len(moves)])
        yield state


def drive(rules: Rules, state: Any, random: Random, plies: int) -> Iterator[Any]:
    """The positions of a long game: of the moves drawn, the one that seems to prolong it most."""
    yield state
    for _ in range(plies):
        moves = rules.legal_moves(state)
        if not moves:
            return
        drawn = random.sample(moves, min(len(moves), 60))
        state = rules.apply(state, max(drawn, key=lambda move: _worth(rules, state, move)))
        yield state


def _worth(rules: Rules, state: Any, move: Any) -> tuple[Any, ...]:
    return KITS[rules.SLUG].worth(rules.report(state, move))


def mutations(legal: list[str], random: Random) -> Iterator[str]:
    """Texts near to legal moves, most of them not legal; without end."""
    words = sorted({word for text in legal for word in text.split(" ")})
    words += ["0", "1", "2", "3", "4", "-1", "01", "1.0", "١", "*", "Ah", "Kc", "10h", "1h", "T♥"]
    words += ["play", "bribe", "concede", "pass", "swap", "stock", "", "\n", "None", ":", "%s"]
    words += ["discard", "R1", "B15", "G16", "R01", "Y0", "J", "E", "O", "14"]
    odd = " :;,.\t\n\r\0\u00a0\u2028\u200b\ufeff１aA*hТ"
    while True:
        text = random.choice(legal) if legal else random.choice(words)
        parts = text.split(" ")
        at = random.randrange(len(parts))
        place = random.randrange(len(text) + 1)
        match random.randrange(12):
            case 0:
                del parts[at]
            case 1:
                parts.insert(at, parts[at])
            case 2:
                parts[at] = random.choice(words)
            case 3:
                parts.insert(at + 1, random.choice(words))
            case 4:
                parts[1:] = random.sample(parts[1:], len(parts) - 1)
            case 5:
                parts[at] = parts[at].swapcase()
            case 6:
                parts = [text[:place] + random.choice(odd) + text[place:]]
            case 7:
                parts = [text[:place] + text[place + 1 :]]
            case 8:
                parts = [text[:place] + text[place : place + 1].swapcase() + text[place + 1 :]]
            case 9:
                parts = [random.choice((f"{text} ", f" {text}", f"{text}\n", text + "\0"))]
            case 10:
                parts = random.choice(legal or words).split(" ")[:1] + parts[1:]
            case 11:
                parts = [random.choice(words) for _ in range(random.randrange(1, 5))]
        yield " ".join(parts)


def with_any_card(rules: Rules, state: Any, random: Random) -> Iterator[str]:
    """Twelve texts like legal moves, but with a card from anywhere, be it hidden, as last word."""
    listed = texts(rules, state)
    cards = [*_cards_in(rules, rules.position(state))]
    for _ in range(12 if listed else 0):
        yield " ".join([*random.choice(listed).split(" ")[:-1], random.choice(cards)])


def refusal(rules: Rules, state: Any, text: str) -> tuple[str, str] | None:
    """Why a text is refused (code and message), or None if it is played."""
    try:
        rules.apply(state, rules.parse_move(text))
    except RulesError as error:
        return error.code, error.message
    return None


# --- What is checked at a position ---------------------------------------------------------------


def check_position(rules: Rules, state: Any) -> None:
    """Cards are conserved, and the state survives being written down."""
    rules.check(state)
    encoded = rules.encode(state)
    again = rules.decode(json.loads(json_ready(encoded)))
    assert again == state and hash(again) == hash(state)
    assert rules.encode(again) == encoded
    position = rules.position(state)
    assert json_ready(position) == dumps(encoded["position"])
    assert rules.legal_moves(again) == rules.legal_moves(state)
    assert rules.turn(state) == position["turn"]


def check_end(rules: Rules, state: Any) -> None:
    """The game is over exactly when nobody is to move and nothing is legal."""
    outcome = rules.outcome(state)
    over = outcome is not None
    assert over == (not rules.legal_moves(state)) == (rules.turn(state) is None)
    if outcome is not None:
        players = rules.encode(state)["players"]
        assert isinstance(outcome, Outcome) and isinstance(outcome.termination, Termination)
        assert len(outcome.scores) == players
        assert all(type(score) is int for score in outcome.scores)
        assert outcome.scores == rules.scores(state)
        assert list(outcome.winners) == sorted(set(outcome.winners) & {*range(players)})
        assert players > 1 or outcome.winners == ()


def check_legal_moves(rules: Rules, state: Any, random: Random) -> None:
    """Every listed move reads and writes as itself, applies, and reports what may be told."""
    moves = rules.legal_moves(state)
    listed = texts(rules, state)
    assert len(set(listed)) == len(listed)
    for move, text in zip(moves, listed, strict=True):
        assert rules.parse_move(text) == move and hash(move) is not None
        assert " ".join(text.split()) == text
    before = dumps(rules.encode(state))
    seed = rules.encode(state)["seed"]
    for move in random.sample(moves, min(8, len(moves))):
        after = rules.apply(state, move)
        assert rules.apply(state, move) == after != state
        rules.check(after)
        report = rules.report(state, move)
        assert seed not in json_ready(report)
        assert report["do"] == rules.format_move(move).split(" ")[0]
        assert report["over"] is (rules.outcome(after) is not None)
        # Everybody reads the report: what it names was to be seen by all, or was announced.
        seen = dumps(
            [rules.view(state, None), rules.view(after, None), announced(rules, state, move)]
        )
        assert all(f'"{card}"' in seen for card in _cards_in(rules, report))
    assert dumps(rules.encode(state)) == before


def announced(rules: Rules, state: Any, move: Any) -> list[str]:
    """The cards that everybody is told of when a move is made."""
    after = rules.position(rules.apply(state, move))
    return KITS[rules.SLUG].announced(rules.position(state), rules.format_move(move), after)


def _cards_in(rules: Rules, data: Any) -> Iterator[str]:
    """The card texts anywhere in a report, but not those in sentences."""
    if isinstance(data, dict):
        data = list(data.values())
    if isinstance(data, list):
        for item in data:
            yield from _cards_in(rules, item)
    elif isinstance(data, str) and KITS[rules.SLUG].card.fullmatch(data):
        yield data


def check_refusals(rules: Rules, state: Any, random: Random, number: int) -> None:
    """A text is played exactly if it spells a legal move; what is refused changes nothing."""
    key = KITS[rules.SLUG].key
    listed = texts(rules, state)
    legal = {key(text) for text in listed}
    before = dumps(rules.encode(state))
    for text in islice(mutations(listed, random), number):
        refused = refusal(rules, state, text)
        assert (refused is None) == (key(text) in legal), (text, refused)
        assert refused is None or all(refused)
    assert dumps(rules.encode(state)) == before


def check_view(rules: Rules, state: Any, random: Random) -> None:
    """To whom two positions look the same, to him everything else is the same as well."""
    kit, encoded = KITS[rules.SLUG], rules.encode(state)
    seats: list[int | None] = [None, *range(encoded["players"])]
    for seat in seats:
        other = rules.decode(kit.redeal(encoded, seat, random))
        rules.check(other)
        view = json_ready(rules.view(state, seat))
        assert dumps(rules.view(other, seat)) == view
        assert rules.outcome(state) is not None or encoded["seed"] not in view
        moves, listed = rules.legal_moves(state), texts(rules, state)
        # In a game of one the watcher sees what the player sees.
        if seat == rules.turn(state) or encoded["players"] == 1:
            assert texts(rules, other) == listed
            tried = [*islice(mutations(listed, random), 12), *with_any_card(rules, state, random)]
            for text in tried:
                assert refusal(rules, other, text) == refusal(rules, state, text)
            for move in random.sample(moves, min(6, len(moves))):
                preview = json_ready(kit.preview(rules, state, move))
                assert dumps(kit.preview(rules, other, move)) == preview
        both = [move for move in moves if move in rules.legal_moves(other)]
        for move in random.sample(both, min(6, len(both))):
            after, other_after = rules.apply(state, move), rules.apply(other, move)
            if rules.view(after, seat) == rules.view(other_after, seat) and announced(
                rules, state, move
            ) == announced(rules, other, move):
                assert rules.report(state, move) == rules.report(other, move)


def check_all(rules: Rules, state: Any, random: Random, texts: int = 40) -> None:
    check_position(rules, state)
    check_end(rules, state)
    check_legal_moves(rules, state, random)
    check_refusals(rules, state, random, texts)
    check_view(rules, state, random)


# --- The tests -----------------------------------------------------------------------------------


def test_every_game_has_its_kit_and_its_counts() -> None:
    slugs = [rules.SLUG for rules in registry.all_rules()]
    assert {"laws", "market", "trick"} <= set(slugs)
    assert len(set(slugs)) == len(slugs)
    assert set(slugs) == set(KITS) == set(COUNTS)


@EVERY_GAME
def test_the_rules_say_what_they_are(rules: Rules) -> None:
    assert rules.SLUG and rules.NAME and len(rules.SEATS)
    assert registry.get(rules.SLUG).rules is rules


@EVERY_GAME
@settings(max_examples=settings().max_examples // 2)
@given(seed=seeds, choices=choices, chance=st.integers(0, 2**32), table=st.integers(0, 2**16))
def test_random_playouts(
    rules: Rules, seed: str, choices: list[int], chance: int, table: int
) -> None:
    random, tables = Random(chance), starts(rules)
    players, options = tables[table % len(tables)]
    states = [*play(rules, rules.start(seed, players, options), choices)]
    for state in states:
        check_position(rules, state)
        check_end(rules, state)
    check_all(rules, random.choice(states), random)
    check_all(rules, states[-1], random)


@EVERY_GAME
def test_long_games(rules: Rules) -> None:
    """Eight of them, or as many more as it takes to play at every table."""
    lengths, tables = [], starts(rules)
    for number in range(-(-8 // len(tables))):
        random = Random(f"{rules.SLUG} {number}")
        for players, options in tables:
            first = rules.start(random.randbytes(32).hex(), players, options)
            states = [*drive(rules, first, random, 300)]
            for state in states:
                check_position(rules, state)
                check_end(rules, state)
            for state in [*states[::16], states[-1]]:
                check_all(rules, state, random)
            lengths.append(len(states))
    assert max(lengths) >= 50


@EVERY_GAME
def test_positions_of_stored_games(rules: Rules) -> None:
    """What a playout seldom reaches (later loops, many laws, the end) is in the records."""
    random, seen = Random(rules.SLUG), 0
    for file in sorted(RECORDS.glob(f"**/{rules.SLUG}-*.json")):
        record = json.loads(file.read_text())
        lines = file.with_suffix(".jsonl").read_text().splitlines()
        for line in [*lines[:: max(1, len(lines) // 6)], lines[-1]]:
            setup = {key: record[key] for key in ("seed", "players", "options")}
            position = json.loads(line)["position"]
            check_all(rules, rules.decode({**setup, "position": position}), random, texts=20)
            seen += 1
    assert seen >= 100


@EVERY_GAME
@settings(max_examples=settings().max_examples // 5)
@given(seed=seeds)
def test_a_deal_follows_from_its_seed_alone(rules: Rules, seed: str) -> None:
    for players, options in starts(rules):
        state = rules.start(seed, players, options)
        assert rules.start(seed, players, options) == state
        assert rules.encode(state)["seed"] == seed
        other = rules.start(("1" if seed[0] == "0" else "0") + seed[1:], players, options)
        assert rules.position(other) != rules.position(state)


@EVERY_GAME
def test_a_start_that_is_not_of_the_game_is_refused(rules: Rules) -> None:
    players, seed = rules.SEATS[0], "5e" * 32
    wrong: list[tuple[Any, Any, Any]] = [
        ("5e", players, {}),
        (seed.upper(), players, {}),
        (seed, rules.SEATS[0] - 1, {}),
        (seed, rules.SEATS[-1] + 1, {}),
        (seed, float(players), {}),
        (seed, players, {"no such option": True}),
    ]
    for arguments in wrong:
        with pytest.raises(InvalidRecord):
            rules.start(*arguments)


@EVERY_GAME
def test_texts_that_are_no_moves_are_refused(rules: Rules) -> None:
    state = rules.start("5e" * 32, rules.SEATS[0], {})
    for text in ("", " ", "\n", "play", "x" * 1_000_000, "play " * 200_000, "\0", "\ud800", "🂡"):
        refused = refusal(rules, state, text)
        assert refused is not None
        assert len(refused[1]) < 300
        assert not set(refused[1]) & set("\n\r\0\u2028\x85\ud800")


def nodes(rules: Rules, state: Any, depth: int) -> int:
    """How many move sequences of that length there are."""
    moves = rules.legal_moves(state)
    if depth == 1:
        return len(moves)
    return sum(nodes(rules, rules.apply(state, move), depth - 1) for move in moves)


@pytest.mark.parametrize(
    ("slug", "case"), [(slug, case) for slug in COUNTS for case in COUNTS[slug]["cases"]]
)
def test_counts(slug: str, case: dict[str, Any]) -> None:
    """The counts were made with the rules once these gave all traces of the records."""
    rules = registry.get(slug).rules
    state = rules.start(case["seed"], case["players"], case["options"])
    for text in case["moves"]:
        state = rules.apply(state, rules.parse_move(text))
    for depth, count in enumerate(case["nodes"], 1):
        assert nodes(rules, state, depth) == count
