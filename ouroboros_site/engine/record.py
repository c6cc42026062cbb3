"""Records: the smallest thing from which a game can be played again (rules/README, "Records")."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .errors import InvalidRecord, RulesError, gettext_noop
from .protocol import Rules, State
from .shuffle import check_seed

VERSION = 1
_KEYS = {"record", "game", "options", "players", "seed", "moves"}


@dataclass(frozen=True, slots=True)
class Record:
    """A record whose form has been checked; ``start`` is a position or None."""

    game: str
    options: dict[str, Any]
    players: int
    seed: str
    moves: tuple[str, ...]
    start: dict[str, Any] | None = None


class BadPly(Exception):
    """A record does not hold: ``error`` says why, at ``ply`` (0: the set-up), with ``move``."""

    def __init__(self, ply: int, move: str | None, error: RulesError) -> None:
        self.ply = ply
        self.move = move
        self.error = error
        super().__init__(ply, move, error)

    def __str__(self) -> str:
        what = "set-up" if self.move is None else f'"{self.move}"'
        line = f"ply {self.ply}: {what}: {self.error}"
        # One line that any terminal takes, whatever characters the record holds.
        return "".join(
            [c if c.isprintable() else c.encode("unicode_escape").decode() for c in line]
        )


def dumps(data: object) -> str:
    """JSON as traces have it: sorted keys, no spaces, one line."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def check_setup(
    seed: object,
    players: object,
    seats: range,
    options: Mapping[str, Any],
    defaults: Mapping[str, Any],
) -> dict[str, Any]:
    """Check what a game starts from and return its options, those missing at their defaults.

    :param seats: the numbers of players that the game allows
    :param defaults: every option of the game with its default
    :raises InvalidRecord: for a malformed seed, a wrong number of players or an unknown option
    """
    check_seed(seed)
    if type(players) is not int or players not in seats:
        raise InvalidRecord(
            "players", gettext_noop("This game is not played by that number of players.")
        )
    for name, value in options.items():
        if name not in defaults or type(value) is not type(defaults[name]):
            raise InvalidRecord(
                "options", gettext_noop("This game has no such option: %(name)s."), name=name[:40]
            )
    return {**defaults, **options}


def read(data: object) -> Record:
    """Check the form of a record.

    :param data: its text, or the object that the JSON text stands for
    :raises InvalidRecord: if it is no record; whether its game and its moves exist is not checked
    """
    if isinstance(data, (str, bytes)):
        try:
            data = json.loads(data)
        except (ValueError, RecursionError):
            raise InvalidRecord("json", gettext_noop("A record is a JSON object.")) from None
    if not isinstance(data, dict):
        raise InvalidRecord("json", gettext_noop("A record is a JSON object."))
    missing = _KEYS - data.keys()
    extra = data.keys() - _KEYS - {"start"}
    if missing or extra:
        raise InvalidRecord(
            "keys",
            gettext_noop("A record needs the keys %(keys)s, may have start, and nothing else."),
            keys=", ".join(sorted(_KEYS)),
        )
    moves, start = data["moves"], data.get("start")
    if (
        type(data["record"]) is not int
        or data["record"] != VERSION
        or not isinstance(data["game"], str)
        or not isinstance(data["options"], dict)
        or type(data["players"]) is not int
        or not isinstance(moves, list)
        or not all(isinstance(move, str) for move in moves)
        or ("start" in data and not isinstance(start, dict))
    ):
        raise InvalidRecord("form", gettext_noop("A value of the record has the wrong form."))
    return Record(
        game=data["game"],
        options=data["options"],
        players=data["players"],
        seed=check_seed(data["seed"]),
        moves=tuple(moves),
        start=start,
    )


def first_state(record: Record, rules: Rules) -> State:
    """The position a record begins with.

    :raises InvalidRecord: if set-up or start position are not of this game, or if a trace would
        not print the start position exactly so
    """
    state = rules.start(record.seed, record.players, record.options)
    if record.start is None:
        return state
    setup = {key: value for key, value in rules.encode(state).items() if key != "position"}
    state = rules.decode({**setup, "position": record.start})
    rules.check(state)
    if dumps(rules.position(state)) != dumps(record.start):
        raise InvalidRecord(
            "start", gettext_noop("A trace would not print the start position like this.")
        )
    return state


def replay(record: Record, rules: Rules) -> Iterator[tuple[str | None, State]]:
    """The positions of a record with the move text that led to each, the first with None.

    :raises BadPly: at the first ply that does not hold
    """
    try:
        state = first_state(record, rules)
    except RulesError as error:
        raise BadPly(0, None, error) from None
    yield None, state
    for ply, text in enumerate(record.moves, 1):
        try:
            state = rules.apply(state, rules.parse_move(text))
        except RulesError as error:
            raise BadPly(ply, text, error) from None
        yield text, state


def trace(record: Record, rules: Rules) -> Iterator[dict[str, Any]]:
    """The lines of a record's trace, one object for each.

    :raises BadPly: at the first ply that does not hold
    """
    for ply, (text, state) in enumerate(replay(record, rules)):
        legal = sorted([rules.format_move(move) for move in rules.legal_moves(state)])
        yield {"ply": ply, "move": text, "position": rules.position(state), "legal": legal}


def write(
    rules: Rules, state: State, moves: list[str] | tuple[str, ...], *, start: bool = False
) -> dict[str, Any]:
    """The record of a game from its first state and its move texts.

    :param start: whether the first state itself is written (for a game that begins in the middle)
    """
    data = rules.encode(state)
    record: dict[str, Any] = {
        "record": VERSION,
        "game": rules.SLUG,
        "options": data["options"],
        "players": data["players"],
        "seed": data["seed"],
        "moves": list(moves),
    }
    if start:
        record["start"] = data["position"]
    return record
