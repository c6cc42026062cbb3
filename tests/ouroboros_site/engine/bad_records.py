"""Records that must be refused: what is wrong with each -> its text.

``FORMS`` are no records at all, ``STARTS`` are records whose start position is none of the game.
"""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.solitaire.rules.positions import laws_position, market_position

RECORDS = Path(__file__).parents[2] / "data" / "records"
SEED = "5e" * 32
GOOD: dict[str, Any] = {
    "record": 1, "game": "laws", "options": {}, "players": 1, "seed": SEED, "moves": [],
}  # fmt: skip


def _text(**changes: Any) -> str:
    return json.dumps(GOOD | changes)


def _without(key: str) -> str:
    return json.dumps({name: value for name, value in GOOD.items() if name != key})


FORMS: dict[str, str] = {
    "empty file": "",
    "no JSON": "play 1 Ad",
    "cut off": _text()[:-5],
    "two objects": _text() + _text(),
    "a list": "[]",
    "a string": '"laws"',
    "null": "null",
    "nested too deeply": "[" * 100_000,
    "a number of too many digits": _text()[:-1] + ', "start": ' + "1" * 5000 + "}",
    "not a number": "NaN",
    **{f"no {key}": _without(key) for key in GOOD},
    "record 2": _text(record=2),
    "record true": _text(record=True),
    "record 1.0": _text(record=1.0),
    "record as text": _text(record="1"),
    "unknown game": _text(game="chess"),
    "game as a list": _text(game=["laws"]),
    "game null": _text(game=None),
    "game in capitals": _text(game="Laws"),
    "unknown option": _text(options={"lives": 9}),
    "options null": _text(options=None),
    "options as a list": _text(options=[]),
    "two players": _text(players=2),
    "no players": _text(players=0),
    "players true": _text(players=True),
    "players 1.0": _text(players=1.0),
    "players null": _text(players=None),
    "short seed": _text(seed="5e"),
    "long seed": _text(seed=SEED + "5e"),
    "seed in capitals": _text(seed=SEED.upper()),
    "seed with a line end": _text(seed=SEED + "\n"),
    "seed of other digits": _text(seed="٠" * 64),
    "seed no hex": _text(seed="xy" * 32),
    "seed null": _text(seed=None),
    "seed a number": _text(seed=int("1" * 64)),
    "moves null": _text(moves=None),
    "moves as a text": _text(moves="bribe 1"),
    "moves as an object": _text(moves={}),
    "move a number": _text(moves=[1]),
    "move null": _text(moves=[None]),
    "move a list": _text(moves=[["bribe", "1"]]),
    "start null": _text(start=None),
    "start a list": _text(start=[]),
    "start a text": _text(start="encounter"),
    "start empty": _text(start={}),
}

STARTS: dict[str, str] = {}


# What the records of each game begin with beside the position, if it is not as in GOOD.
SETUPS: dict[str, dict[str, Any]] = {}


def _bad(game: str, name: str, position: dict[str, Any], **changes: Any) -> None:
    name = f"{game}: {name}"
    assert name not in STARTS
    STARTS[name] = _text(game=game, **SETUPS.get(game, {}), start={**position, **changes})


def _changed(position: dict[str, Any], change: Callable[[dict[str, Any]], object]) -> Any:
    position = copy.deepcopy(position)
    change(position)
    return position


def _common(game: str, good: dict[str, Any], heap: str, held: str) -> None:
    """What is wrong in any game: keys, forms, cards.

    :param heap: the key of a place whose cards lie in no order of their own
    :param held: a card that lies elsewhere
    """
    for key in good:
        _bad(game, f"no {key}", {name: value for name, value in good.items() if name != key})
        _bad(game, f"{key} an object", good, **{key: {}})
        if not isinstance(good[key], list):
            _bad(game, f"{key} a list", good, **{key: []})
        if good[key] is not None:
            _bad(game, f"{key} null", good, **{key: None})
        if type(good[key]) is int:
            _bad(game, f"{key} a float", good, **{key: float(good[key])})
            _bad(game, f"{key} a text", good, **{key: str(good[key])})
            _bad(game, f"{key} negative", good, **{key: -2})
            _bad(game, f"{key} of 4300 digits", good, **{key: 10**4299})
            if good[key] in (0, 1):
                _bad(game, f"{key} a boolean", good, **{key: bool(good[key])})
    _bad(game, "a key too many", good, cards=[])
    _bad(game, "a key too many, empty", good, **{"": None})
    deep: Any = []
    for _ in range(900):
        deep = [deep]
    _bad(game, "a key too many, deep", good, more=deep)
    _bad(game, "no such phase", good, phase="draw")
    _bad(game, "phase in capitals", good, phase=good["phase"].upper())
    _bad(game, "another turn", good, turn=1 - (good["turn"] or 0))
    cards = good[heap]
    _bad(game, "a card missing", good, **{heap: cards[1:]})
    _bad(game, "a card twice", good, **{heap: [*cards, cards[0]]})
    _bad(game, "a card twice, another missing", good, **{heap: [cards[-1], *cards[1:]]})
    _bad(game, "a card held also in the heap", good, **{heap: [held, *cards[1:]]})
    for wrong in ("1h", "10h", "AH", "ah", "Joker", "", " Ad", "Ad ", "🂡", 17, None, True, ["Ad"]):
        _bad(game, f"no card: {wrong!r}", good, **{heap: [wrong, *cards[1:]]})


def _solitaire(game: str, good: dict[str, Any]) -> None:
    """What is wrong in any game with one deck of cards that all are different."""
    _common(game, good, "deck", good["hand"][0])
    deck = [card for card in good["deck"] if card != "*"]
    _bad(game, "a place as a text", good, discard="*", deck=deck)


def _stored(name: str, ply: int) -> dict[str, Any]:
    """A position of a stored trace, whose set-up becomes that of its game's bad records."""
    record = json.loads((RECORDS / f"{name}.json").read_text())
    SETUPS[record["game"]] = {key: record[key] for key in ("players", "options", "seed")}
    line = (RECORDS / f"{name}.jsonl").read_text().splitlines()[ply]
    position: dict[str, Any] = json.loads(line)["position"]
    return position


# --- The Laws edition ----------------------------------------------------------------------------

LAWS = laws_position("Ad 2d 7d 3c Th", resting="Jh Kc", known=[1, 0, 0], laws="Kc", loop=3,
                     locked=2, successes=1)  # fmt: skip
assert LAWS["score"] == 71
_solitaire("laws", LAWS)


def _laws(name: str, position: dict[str, Any] = LAWS, **changes: Any) -> None:
    _bad("laws", name, position, **changes)


def _moved(position: dict[str, Any], card: str, source: str, target: str) -> dict[str, Any]:
    position = copy.deepcopy(position)
    position[source].remove(card)
    position[target].append(card)
    return position


_laws("a red card in a pile", _changed(LAWS, lambda p: (
    p["piles"][0].append("9h"), p["deck"].remove("9h"), p.update(score=70))))  # fmt: skip
_laws("a red card navigated", _moved(LAWS, "9h", "deck", "navigated"))
_laws("the joker navigated", _moved(LAWS, "*", "deck", "navigated"))
_laws("a seven resting", _moved(LAWS, "7h", "deck", "resting"))
_laws("a bribed ten resting", _moved(LAWS, "Tc", "navigated", "resting"))
_laws("two piles", piles=LAWS["piles"][:2], navigated=[*LAWS["navigated"], *LAWS["piles"][2]],
      score=73, known=[0, 0])  # fmt: skip
_laws("four piles", piles=[*LAWS["piles"], []], known=[1, 0, 0, 0])
_laws("a pile as a text", piles=[*LAWS["piles"][:2], "Ks 4s"])
_laws("a pile as an object", piles=[*LAWS["piles"][:2], {"Ks": 0, "4s": 0}])
_laws("no enemy left", laws_position("Ad 2d 7d 3c Th", piles=("", "", "")))
for index, most in enumerate((9, 9, 8)):
    cards = " ".join([f"{rank}s" for rank in "A23456789T"][: most + 1])
    heaps = ["", "", ""]
    heaps[index] = cards
    _laws(
        f"pile {index + 1} too big",
        laws_position("Ad 2d 7d 3c Th", piles=(heaps[0], heaps[1], heaps[2])),
    )
_laws("score too low", score=70)
_laws("score too high", score=72)
_laws("score of another loop", score=71 - 26)
_laws("loop 0", laws_position("Ad 2d 7d 3c Th", loop=0))
_laws("loop true", laws_position("Ad 2d 7d 3c Th", loop=1), loop=True)
_laws("a hand of six", laws_position("Ad 2d 7d 3c Th 4h"))
_laws("a hand of four, no special used", laws_position("Ad 2d 7d 3c"))
_laws("encounter without a deck", laws_position("Ad 2d 7d 3c Th", deck=""))
_laws("over with a deck", phase="over", turn=None)
_laws("over and a turn", laws_position("Ad 2d 7d 3c Th", deck="", phase="over", turn=0))
_laws("turn null before the end", turn=None)
_laws("locked 0", locked=0)
_laws("locked 4", locked=4)
_laws("locked -1", locked=-1)
_laws("locked by its top", locked="Ts")
_laws("locked true", laws_position("Ad 2d 7d 3c Th", loop=3, locked=1, successes=1), locked=True)
_laws("locked an empty pile", laws_position(
    "Ad 2d 7d 3c Th", piles=("As 2s", "", "Ks"), loop=3, locked=2, successes=1))  # fmt: skip
_laws("locked without a success or a Scout", laws_position("Ad 2d 7d 3c Th", loop=3, locked=1))
_laws("successes without a lock", locked=None)
_laws("successes enough to defeat", successes=3)
_laws("successes in the first loop", laws_position("Ad 2d 7d 3c Th", locked=1, successes=1))
_laws("successes enough under the Golden Law", laws_position(
    "Ad 2d 7d 3c Th", laws="Kd", loop=3, locked=1, successes=2))  # fmt: skip
_laws("known more than lie there", known=[0, 2, 0])
_laws("known under an empty pile", laws_position(
    "Ad 2d 7d 3c Th", piles=("As 2s", "", "Ks"), resting="Jh"), known=[0, 1, 0])  # fmt: skip
_laws("known three cards", laws_position(
    "Ad 2d 7d 3c Th", piles=("As 2s 3s 4s 5s", "Ks", ""), resting="Jh Jd",
    known=[3, 0, 0]))  # fmt: skip
_laws("known without a Scout", laws_position("Ad 2d 7d 3c Th", known=[2, 0, 0]))
_laws("known in two piles after one Scout", known=[1, 1, 0])
_laws("known of two piles", known=[1, 0])
_laws("known of four piles", known=[1, 0, 0, 0])
_laws("known negative", known=[1, 0, -1])
_laws("known boolean", known=[True, False, False])
_laws("known a float", known=[1, 0, 0.0])
_laws("known a text", known="100")
_laws("a law that is no King", laws_position("Ad 2d 7d 3c Th", loop=3), laws=["Qd"])
_laws("a law twice", laws_position("Ad 2d 7d 3c Th", loop=3, laws="Kh"), laws=["Kh", "Kh"])
_laws("an unknown law", laws_position("Ad 2d 7d 3c Th", loop=3), laws=["K"])
_laws("a law of loop 1 whose King does not rest", laws_position("Ad 2d 7d 3c Kh"), laws=["Kh"])
_laws("a King resting whose law is not in force", laws_position("Ad 2d 7d 3c Th", resting="Kh"))
_laws("the Joker as a law", laws_position("Ad 2d 7d 3c Th", loop=3), laws=["*"])

CAPTURE = laws_position("2c 3c", discard="7d 7c 7h", deck="... 8s", phase="capture",
                        piles=("2s 5s", "Ts 3s", ""))  # fmt: skip
_laws("capture of a locked pile", CAPTURE, locked=1)
_laws("capture with successes", CAPTURE | {"loop": 5, "score": 22 + 104}, locked=1, successes=1)
_laws("capture with one pile", laws_position(
    "2c 3c", discard="7d 7c 7h", deck="... 8s", phase="capture",
    piles=("2s 5s", "", "")))  # fmt: skip
_laws("capture with a full hand", laws_position(
    "2c 3c Ad 2d 3d", discard="7d 7c 7h", deck="... 8s", phase="capture",
    piles=("2s 5s", "Ts 3s", "")))  # fmt: skip
_laws("capture without three of a kind", laws_position(
    "2c 3c", discard="7d 7c 6h", deck="... 8s", phase="capture",
    piles=("2s 5s", "Ts 3s", "")))  # fmt: skip

# --- The Market edition --------------------------------------------------------------------------

MARKET = market_position("9d 5d 2d 3d 4d", "Kc", stock="Qd", loop=2, finished="As 2s", lives=2,
                         encounter=2, missed=True)  # fmt: skip
_solitaire("market", MARKET)


def _market(name: str, position: dict[str, Any] = MARKET, **changes: Any) -> None:
    _bad("market", name, position, **changes)


FIRST = market_position("9d 5d 2d 3d 4d", "Ac", finished="As 2s")
SWAP = market_position("2d 3d 4d", "Ac", finished="As 2s", played="9d 5d")

_market("eleven cards circulate", _moved(MARKET, "Kh", "market", "discard"))
_market("nine cards circulate", _changed(MARKET, lambda p: p["market"].append(p["deck"].pop())))
_market("a threat card in the hand", _changed(MARKET, lambda p: (
    p["hand"].append(p["threat"].pop()), p["threat"].append(p["hand"].pop(0)))))  # fmt: skip
_market("a threat card in the market", _changed(MARKET, lambda p: (
    p["market"].append(p["threat"].pop()), p["threat"].append(p["market"].pop(0)))))  # fmt: skip
_market("a red target", _changed(MARKET, lambda p: (
    p["market"].remove("Kh"), p["market"].append("Kc"), p.update(target="Kh"))))  # fmt: skip
_market("a target that is still to come", target=MARKET["threat"][0])
_market("loop 0", FIRST, loop=0)
_market("loop true", FIRST, loop=True)
_market("four lives", lives=4)
_market("no lives in play", FIRST, lives=0)
_market(
    "lives true", market_position("9d 5d 2d 3d 4d", "Ac", lives=1, finished="As 2s"), lives=True
)
_market("over with a life", FIRST, phase="over", turn=None, missed=True)
OVER = market_position("9d 5d", "Ac", lives=0, missed=True, finished="As 2s", phase="over",
                       turn=None)  # fmt: skip
_market("over with the target not missed", OVER, missed=False)
_market("over and a turn", OVER, turn=0)
_market("turn null before the end", turn=None)
_market("a value of its own", FIRST, value=2)
_market("a value true", FIRST, value=True)
_market("a value of the first encounter at the second", value=13)
_market("encounter 0", FIRST, encounter=0, value=13)
_market("encounter 3 in loop 2", encounter=3, value=2)
_market("encounter true", FIRST, encounter=True)
_market("missed 1", missed=1)
_market("missed 0", FIRST, missed=0)
_market("missed at the first encounter", FIRST, missed=True)
_market("missed with no life lost", market_position(
    "9d 5d 2d 3d 4d", "Kc", loop=2, encounter=2), missed=True)  # fmt: skip
_market("a hand of four, nothing stocked", market_position("9d 5d 2d 3d", "Kc"))
_market("a hand of three", market_position("9d 5d 2d", "Kc", stock="3d"))
_market("a hand of six", market_position("9d 5d 2d 3d 4d Ah", "Kc"))
_market("played cards in play", market_position(
    "3d 4d 5d", "Ac", played="9d 5h", finished="As 2s"), phase="play")  # fmt: skip
_market("swap without played cards", FIRST, phase="swap")
_market("swap of a single card", market_position("2d 3d 4d 5d", "9c", played="9d"))
_market("swap of four cards", market_position("2d", "8c", played="9d 5d 3d 4d"))
_market("swap after a mismatch", market_position("2d 3d 4d", "3c", played="9d 5d"))
_market("swap with the joker", _changed(SWAP, lambda p: (
    p["market"].remove("*"), p["market"].append("5d"), p.update(played=["9d", "*"]))))  # fmt: skip
_market("swap with a hand too big", market_position("2d 3d 4d 2h 3h", "Ac", played="9d 5d"))
_market("stock an empty text", FIRST, stock="")
_market("stock a card of the hand", FIRST, stock="9d")
_market("score higher than the finished targets", FIRST, score=3, swaps=3)
_market("score lower than the lives lost", FIRST, score=1, swaps=1)
_market("a life lost and every target defeated", market_position(
    "9d 5d 2d 3d 4d", "Kc", loop=2, finished="As 2s", lives=2), score=28)  # fmt: skip
_market("more swaps than matches", FIRST, swaps=3)
_market("fewer swaps than defeated targets", FIRST, swaps=1)
_market("reshuffles true", FIRST, reshuffles=True)
_market("swaps false", market_position("9d 5d 2d 3d 4d", "Ac"), swaps=False)

# --- Ouroboros Trick -----------------------------------------------------------------------------

TRICK = _stored("trick-03-4p-random", 27)
assert (TRICK["turn"], TRICK["trick"]) == (1, [[3, "R12"], [0, "B5"]])
_common("trick", TRICK, "discard", "Y1")


def _trick(name: str, position: dict[str, Any] = TRICK, **changes: Any) -> None:
    _bad("trick", name, position, **changes)


_trick("the trick by other seats", trick=[[0, "R12"], [1, "B5"]])
_trick("a seat of the trick as a boolean", trick=[[3, "R12"], [False, "B5"]])
_trick("a trick of cards alone", trick=["R12", "B5"])
_trick("a trick of objects", trick=[{"seat": 3, "card": "R12"}, {"seat": 0, "card": "B5"}])
_trick("a card of the trick too long", trick=[[3, "R12", 0], [0, "B5"]])
_trick("turn null before the end", turn=None)
_trick("a leader beyond the table", leader=4)
_trick("a hand unsorted", hands=[TRICK["hands"][0][::-1], *TRICK["hands"][1:]])
_trick("a hand as a text", hands=["", *TRICK["hands"][1:]],
       discard=[*TRICK["discard"], *TRICK["hands"][0]])  # fmt: skip
_trick("three hands", hands=TRICK["hands"][:3], discard=[*TRICK["discard"], *TRICK["hands"][3]])
_trick("five hands", hands=[*TRICK["hands"], []])
_trick("three pools", pools=TRICK["pools"][1:])
_trick("a pool as a text", pools=["", *TRICK["pools"][1:]])
_trick("part of a trick in a pool", pools=[["B6"], *TRICK["pools"][1:3], ["B4", "B12", "B8"]])
_trick("a loser before the end", losers=[1])
_trick("too many tricks", tricks=10)
_trick("too few tricks", tricks=3)

# --- Ochs & Esel ---------------------------------------------------------------------------------

OCHS = _stored("ochs-esel-03-4p-ox-greedy", 78)
assert (OCHS["turn"], OCHS["table"]) == (1, [[3, ["5"]], [0, ["6"]]])
_common("ochs-esel", OCHS, "aside", "E")


def _ochs(name: str, position: dict[str, Any] = OCHS, **changes: Any) -> None:
    _bad("ochs-esel", name, position, **changes)


_ochs("the table by other seats", table=[[0, ["5"]], [1, ["6"]]])
_ochs("a seat of the table as a boolean", table=[[3, ["5"]], [False, ["6"]]])
_ochs("a table of cards alone", table=["5", "6"])
_ochs("a play as a text", table=[[3, "5"], [0, "6"]])
_ochs("a hand unsorted", hands=[OCHS["hands"][0][::-1], *OCHS["hands"][1:]])
_ochs("three hands", hands=OCHS["hands"][:3], gone=sorted([*OCHS["gone"], "7", "8", "9"]))
_ochs("five hands", hands=[*OCHS["hands"], []])
_ochs("laid by three", laid=OCHS["laid"][1:])
_ochs("tallies as a number", tallies=7)
_ochs("a tally of three", tallies=[[18, 11, 0]])
_ochs("a total true", totals=[18, 11, False, 73])
_ochs("totals that the tallies do not make", totals=[18, 11, 0, 74])
_ochs("an animal barred that nobody holds", barred=["X"])
_ochs("a winner before the end", winners=[2])
