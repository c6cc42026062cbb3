"""Records that must be refused: what is wrong with each -> its text.

``FORMS`` are no records at all, ``STARTS`` are records whose start position is none of the game.
"""

import copy
import json
from collections.abc import Callable
from typing import Any

from tests.solitaire.rules.positions import laws_position, market_position

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


def _bad(game: str, name: str, position: dict[str, Any], **changes: Any) -> None:
    name = f"{game}: {name}"
    assert name not in STARTS
    STARTS[name] = _text(game=game, start={**position, **changes})


def _changed(position: dict[str, Any], change: Callable[[dict[str, Any]], object]) -> Any:
    position = copy.deepcopy(position)
    change(position)
    return position


def _common(game: str, good: dict[str, Any]) -> None:
    """What is wrong in any game: keys, forms, cards."""
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
            _bad(game, f"{key} negative", good, **{key: -1})
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
    _bad(game, "turn 1", good, turn=1)
    deck = good["deck"]
    _bad(game, "a card missing", good, deck=deck[1:])
    _bad(game, "a card twice", good, deck=[*deck, deck[0]])
    _bad(game, "a card twice, another missing", good, deck=[deck[1], *deck[1:]])
    _bad(game, "a card of the hand also in the deck", good, deck=[good["hand"][0], *deck[1:]])
    for wrong in ("1h", "10h", "AH", "ah", "Joker", "", " Ad", "Ad ", "🂡", 17, None, True, ["Ad"]):
        _bad(game, f"no card: {wrong!r}", good, deck=[wrong, *deck[1:]])
    _bad(game, "a place as a text", good, discard="*", deck=[c for c in deck if c != "*"])


# --- The Laws edition ----------------------------------------------------------------------------

LAWS = laws_position("Ad 2d 7d 3c Th", resting="Jh Kc", known=[1, 0, 0], laws="Kc", loop=3,
                     locked=2, successes=1)  # fmt: skip
assert LAWS["score"] == 71
_common("laws", LAWS)


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
_common("market", MARKET)


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
