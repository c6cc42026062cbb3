"""Records and their traces: the stored ones to the byte, and what must be refused."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ouroboros_site.engine import record as records
from ouroboros_site.engine.errors import RulesError
from ouroboros_site.engine.record import BadPly
from solitaire.rules import laws, market
from tricks.rules import ochs_esel, trick

from .bad_records import (
    CAPTURE,
    FIRST,
    FORMS,
    GOOD,
    LAWS,
    MARKET,
    OCHS,
    OVER,
    SETUPS,
    STARTS,
    SWAP,
    TRICK,
)

DATA = Path(__file__).parents[2] / "data" / "records"
RECORDS = sorted([*DATA.glob("*.json"), *DATA.glob("starts/*.json")])
RULES: dict[str, Any] = {rules.SLUG: rules for rules in (laws, market, trick, ochs_esel)}


def traced(data: object) -> Iterator[str]:
    """The trace lines of a record."""
    record = records.read(data)
    for line in records.trace(record, RULES[record.game]):
        yield records.dumps(line)


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.with_suffix(".jsonl").read_text().splitlines()]


def test_the_records_are_there() -> None:
    assert len(RECORDS) == 128
    assert len(ILLEGAL) == 115


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_trace_equals_the_stored_one_to_the_byte(path: Path) -> None:
    text = "".join([f"{line}\n" for line in traced(path.read_bytes())])
    assert text.encode() == path.with_suffix(".jsonl").read_bytes()


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_a_record_may_begin_anywhere(path: Path) -> None:
    """From any position of a trace the rest of the record makes the rest of the trace."""
    record, trace = json.loads(path.read_text()), lines(path)
    plies = range(len(trace)) if len(trace) < 30 else range(0, len(trace), 9)
    for ply in plies:
        moves = record["moves"][ply : ply + 6]
        again = [*traced({**record, "start": trace[ply]["position"], "moves": moves})]
        for late, line in enumerate(map(json.loads, again)):
            assert (line["position"], line["legal"]) == (
                trace[ply + late]["position"],
                trace[ply + late]["legal"],
            )
        assert len(again) == len(moves) + 1


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_every_position_of_a_trace_holds(path: Path) -> None:
    record = json.loads(path.read_text())
    rules = RULES[record["game"]]
    for line in lines(path):
        state = rules.decode({key: record[key] for key in ("seed", "players", "options")}
                             | {"position": line["position"]})  # fmt: skip
        rules.check(state)
        assert rules.position(state) == line["position"]
        assert rules.turn(state) == line["position"]["turn"]


ILLEGAL = [json.loads(line) for line in (DATA / "illegal.jsonl").read_text().splitlines()]


@pytest.mark.parametrize(
    "case", ILLEGAL, ids=lambda case: f"{case['record']['game']}-{case['why']}"
)
def test_illegal_move_is_refused_and_its_record_holds_without_it(case: dict[str, Any]) -> None:
    record = case["record"]
    before = [*traced(record)]
    with pytest.raises(BadPly) as caught:
        [*traced({**record, "moves": [*record["moves"], case["move"]]})]
    bad = caught.value
    assert (bad.ply, bad.move) == (len(before), case["move"])
    assert isinstance(bad.error, RulesError) and bad.error.code and str(bad.error)


def test_an_illegal_move_in_the_middle_names_its_ply() -> None:
    path = DATA / "laws-01-random.json"
    record = json.loads(path.read_text())
    record["moves"][2] = "flash 1"
    with pytest.raises(BadPly) as caught:
        [*traced(record)]
    assert (caught.value.ply, caught.value.move) == (3, "flash 1")


@pytest.mark.parametrize("name", FORMS)
def test_what_is_no_record_is_refused(name: str) -> None:
    with pytest.raises((RulesError, BadPly, KeyError)) as caught:
        [*traced(FORMS[name])]
    # Which games there are is not known here: a record of another one is read, not played.
    assert caught.type is not KeyError or json.loads(FORMS[name])["game"] not in RULES


@pytest.mark.parametrize("name", STARTS)
def test_a_start_that_is_no_position_is_refused(name: str) -> None:
    with pytest.raises(BadPly) as caught:
        [*traced(STARTS[name])]
    assert (caught.value.ply, caught.value.move) == (0, None)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("game", "start"),
    [("laws", LAWS), ("laws", CAPTURE), ("market", MARKET), ("market", FIRST), ("market", SWAP),
     ("market", OVER), ("trick", TRICK), ("ochs-esel", OCHS)],
)  # fmt: skip
def test_the_positions_that_the_bad_ones_are_made_from_hold(
    game: str, start: dict[str, Any]
) -> None:
    (line,) = traced({**GOOD, **SETUPS.get(game, {}), "game": game, "start": start})
    assert json.loads(line)["position"] == start


def test_the_order_of_keys_does_not_matter() -> None:
    start = dict(reversed(LAWS.items()))
    record = dict(reversed({**GOOD, "start": start}.items()))
    assert len([*traced(json.dumps(record))]) == 1


def test_missing_options_take_their_defaults_and_a_long_game_is_read() -> None:
    assert records.read(json.dumps(GOOD)).options == {}
    assert records.read({**GOOD, "moves": ["bribe 1"] * 100_000}).moves[-1] == "bribe 1"


@pytest.mark.parametrize("path", RECORDS[:3], ids=lambda path: path.stem)
def test_write_gives_the_record_back(path: Path) -> None:
    data = json.loads(path.read_text())
    rules = RULES[data["game"]]
    record = records.read(data)
    first = records.first_state(record, rules)
    written = records.write(rules, first, record.moves, start="start" in data)
    assert json.loads(json.dumps(written)) == data
