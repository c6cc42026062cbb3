"""The page that takes a record: the good ones step by step, the bad ones with the reason."""

import json
import re
import time
from html import unescape
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from ouroboros_site.accounts import rates
from ouroboros_site.play import registry
from ouroboros_site.play.replay import LONGEST
from solitaire.rules import market
from tests.ouroboros_site.engine.bad_records import FORMS, GOOD, STARTS

from .helpers import RECORDS, WHOLE_GAMES, Browser, Page, page_of, record, stored, trace
from .test_costs import counted

pytestmark = pytest.mark.django_db

ILLEGAL = [json.loads(line) for line in (RECORDS / "illegal.jsonl").read_text().splitlines()]
BEGINNINGS = sorted((RECORDS / "starts").glob("*.json"))


def post(text: Any, *, htmx: bool = False, **fields: Any):
    """Send a record as the page's form does."""
    if not isinstance(text, str):
        text = json.dumps(text)
    return Browser().send("/replay/", htmx=htmx, record=text, **fields)


def upload(content: bytes, **fields: Any):
    file = SimpleUploadedFile("game.json", content, "application/json")
    return Browser().send("/replay/", file=file, record="", **fields)


def refused(response, status: int = 400) -> str:
    """Assert that a record was refused on a page; its words."""
    assert response.status_code == status
    page = page_of(response)
    if status == 400:
        assert page.all("textarea", name="record") and page.all("p", role="alert")
    return page.words


def long_game(length: int) -> list[str]:
    """The moves of a Market game in which every play wins; where none does it goes back a bit."""

    def winning(state: Any) -> list[tuple[str, Any]]:
        after = [(market.format_move(m), market.apply(state, m)) for m in market.legal_moves(state)]
        won = [
            (text, then) for text, then in after if then.lives >= state.lives and not then.missed
        ]
        random.shuffle(won)
        return won

    random = Random(1)
    path = [("", winning(market.start(GOOD["seed"])))]
    while len(path) <= length:
        if path[-1][1]:
            text, state = path[-1][1].pop()
            path.append((text, winning(state)))
        else:
            del path[-random.randint(1, min(6, len(path) - 1)) :]
    return [text for text, _others in path[1:]]


def hidden_record(response) -> str:
    """The record that the page's own steps send again."""
    found = re.search('name="record" value="([^"]*)"', response.content.decode())
    assert found
    return unescape(found[1])


class TestForm:
    def test_asks_for_a_record_or_its_file(self, db):
        response = Browser().look("/replay/")
        page = page_of(response)
        [form] = page.all("form", action="/replay/")
        assert (form["method"], form["enctype"]) == ("post", "multipart/form-data")
        assert page.all("textarea", name="record") and page.all("input", type="file", name="file")
        assert response.status_code == 200

    def test_needs_the_token(self):
        response = Client(enforce_csrf_checks=True).post("/replay/", {"record": json.dumps(GOOD)})
        assert response.status_code == 403

    @pytest.mark.parametrize("fields", [{}, {"record": ""}, {"record": " \r\n "}, {"file": "x"}])
    def test_nothing_was_sent(self, fields):
        words = refused(Browser().send("/replay/", **fields))
        assert "Paste a record, or choose a file that holds one." in words

    def test_a_file_in_the_place_of_the_text_is_none(self):
        file = SimpleUploadedFile("game.json", json.dumps(GOOD).encode())
        assert "Paste a record" in refused(Browser().send("/replay/", record=file))


class TestGood:
    @pytest.mark.parametrize("htmx", [False, True], ids=["page", "fragment"])
    def test_every_ply_of_a_whole_game(self, slug, htmx):
        name = WHOLE_GAMES[slug]
        rules = registry.get(slug).rules
        setup = {"seed": record(name)["seed"], "players": 1, "options": {}}
        lines = trace(name)
        for ply, line in enumerate(lines):
            response = post(record(name), htmx=htmx, ply=ply)
            assert response.status_code == 200
            state = rules.decode({**setup, "position": line["position"]})
            assert response.context["view"] == rules.view(state, 0)
            step = response.context["step"]
            assert (step["ply"], step["last"], step["over"]) == (
                ply,
                len(lines) - 1,
                ply == len(lines) - 1,
            )
            page = Page(response.content.decode())
            buttons = {way["id"]: way["value"] for way in page.all("button", name="ply")}
            assert buttons == {
                "to-first": "0",
                "to-back": str(max(0, ply - 1)),
                "to-forward": str(min(len(lines) - 1, ply + 1)),
                "to-last": str(len(lines) - 1),
            }
            if htmx:
                assert len(page.all("div", id="replay")) == 1 and "<html" not in str(page.words)
            else:
                page_of(response)

    @pytest.mark.parametrize("path", BEGINNINGS, ids=lambda path: path.stem)
    def test_one_that_begins_in_the_middle(self, path: Path):
        data = json.loads(path.read_text())
        rules = registry.get(data["game"]).rules
        lines = [json.loads(line) for line in path.with_suffix(".jsonl").read_text().splitlines()]
        setup = {key: data[key] for key in ("seed", "players", "options")}
        for line in (lines[0], lines[-1]):
            response = post(data, ply=line["ply"], all="1")
            assert response.status_code == 200
            state = rules.decode({**setup, "position": line["position"]})
            assert response.context["view"] == rules.view(state, 0)
        response = post(data)
        assert "The record begins here, in the middle of a game." in page_of(response).words
        assert json.loads(hidden_record(response)) == data

    def test_what_is_told(self, slug):
        name = WHOLE_GAMES[slug]
        response = post(record(name))
        page = page_of(response)
        assert record(name)["seed"] in page.words
        assert "Ply 0 of" in page.words and "The cards are dealt." in page.words
        assert json.loads(hidden_record(response)) == record(name)

    def test_the_page_sends_the_same_record_again(self, slug):
        first = post(json.dumps(record(WHOLE_GAMES[slug]), indent=4).replace("\n", "\r\n"))
        again = post(hidden_record(first), ply="0")
        assert hidden_record(again) == hidden_record(first)
        strip = re.compile(b'(name="csrfmiddlewaretoken" value=")[^"]*')
        assert strip.sub(b"", again.content) == strip.sub(b"", first.content)

    def test_the_field_names_a_ply_and_a_button_has_its_way(self, slug):
        data = record(WHOLE_GAMES[slug])
        assert post(data, to="2").context["step"]["ply"] == 2
        assert post(data, to="2", ply="1").context["step"]["ply"] == 1
        assert post(data, to="", ply="").context["step"]["ply"] == 0
        assert post(data, to="999", ply="1").context["step"]["ply"] == 1

    def test_hidden_cards_when_asked_for(self, slug):
        data = record(WHOLE_GAMES[slug])
        assert "Hidden from the player" not in page_of(post(data)).words
        page = page_of(post(data, all="1"))
        assert "Hidden from the player" in page.words
        assert page.all("input", type="hidden", name="all")
        [toggle] = page.all("button", id="toggle")
        assert (toggle["name"], toggle["value"]) == ("all", "")

    def test_as_a_file(self, slug):
        data = record(WHOLE_GAMES[slug])
        for content in (
            json.dumps(data).encode(),
            json.dumps(data, indent=2).encode("utf-8-sig"),
        ):
            response = upload(content)
            assert response.status_code == 200
            assert json.loads(hidden_record(response)) == data

    def test_a_file_goes_before_the_text(self):
        file = SimpleUploadedFile("game.json", json.dumps(record("market-02-mixed")).encode())
        response = Browser().send("/replay/", file=file, record=json.dumps(GOOD))
        assert json.loads(hidden_record(response))["game"] == "market"

    def test_of_a_name_that_comes_twice_the_last_counts(self):
        text = json.dumps(GOOD)[:-1] + ', "seed": "' + "a7" * 32 + '"}'
        response = post(text)
        assert response.status_code == 200
        assert json.loads(hidden_record(response))["seed"] == "a7" * 32
        assert GOOD["seed"] not in response.content.decode()

    def test_nothing_is_stored(self, slug):
        before = stored()
        cache.clear()
        with counted() as statements:
            assert post(record(WHOLE_GAMES[slug]), ply=3).status_code == 200
        assert not [sql for sql in statements if not sql.startswith("SELECT")]
        assert len(statements) <= 2
        assert stored() == before and not cache._cache


class TestBad:
    @pytest.mark.parametrize("name", FORMS)
    def test_no_record(self, name):
        words = refused(post(FORMS[name]))
        assert "Replay a record" in words
        if name not in ("empty file",):
            assert any(
                sentence in words
                for sentence in (
                    "A record is a JSON object.",
                    "A record needs the keys",
                    "A value of the record has the wrong form.",
                    "A seed is 64 hexadecimal digits",
                    "There is no game",
                    "The record's beginning does not hold.",
                )
            )

    @pytest.mark.parametrize("name", STARTS)
    def test_no_position_of_the_game(self, name):
        assert "The record's beginning does not hold. " in refused(post(STARTS[name]))

    @pytest.mark.parametrize(
        "case", ILLEGAL, ids=lambda case: f"{case['record']['game']}-{case['why']}"
    )
    def test_an_illegal_move_is_named_with_its_ply_and_the_reason(self, case):
        data = case["record"]
        response = post({**data, "moves": [*data["moves"], case["move"]]})
        move = case["move"].replace("\t", "\\t").replace("\n", "\\n")
        [why] = re.findall('<p class="refusal"[^>]*>(.*?)</p>', response.content.decode())
        start = f"Ply {len(data['moves']) + 1}, “{move}”, does not hold. "
        assert unescape(why).startswith(start) and len(unescape(why)) > len(start) + 9
        assert refused(response)
        assert post(data).status_code == 200

    def test_is_found_wherever_it_is_and_whichever_ply_is_asked_for(self, slug):
        data = record(WHOLE_GAMES[slug])
        data["moves"][2] = "nonsense"
        for ply in ("0", "1", "3"):
            words = refused(post(data, ply=ply))
            assert "Ply 3, “nonsense”, does not hold. This game has no such move." in words

    def test_the_text_stays_to_be_mended(self):
        response = post('{"record": 1} <b>')
        assert '{"record": 1} <b>' in unescape(response.content.decode())
        assert "<b>" not in response.content.decode().partition("<textarea")[2].partition("</t")[0]

    @pytest.mark.parametrize("ply", ["-1", "x", "1.0", "١", "9" * 40, "5"])
    def test_no_such_ply(self, ply):
        data = record("laws-01-random")
        assert len(data["moves"]) == 4
        assert "goes from 0 to 4" in refused(post(data, ply=ply))

    def test_by_htmx_the_whole_page_comes(self):
        response = post("{}", htmx=True)
        assert refused(response) and response["HX-Retarget"] == "body"


class TestTrouble:
    """What is sent to break the page: an answer in words, soon, and no more memory than it has."""

    BOMBS = {
        "deep lists": "[" * (LONGEST - 1),
        "deep objects": '{"a":' * (LONGEST // 5 - 1),
        "deep lists, closed": "[" * 100_000 + "]" * 100_000,
        "deep start": json.dumps(GOOD)[:-1] + ', "start": ' + '{"a":' * 40_000 + "1" + "}" * 40_001,
        "a huge number": "9" * 250_000,
        "many large numbers": "[" + ",".join(["9" * 4300] * 55) + "]",
        "a large exponent": json.dumps(GOOD)[:-1] + ', "start": {"score": 1e999999999}}',
        "a huge text": json.dumps({**GOOD, "game": "x" * 250_000}),
        "a huge move": json.dumps({**GOOD, "moves": ["play 1 " + "3h " * 80_000]}),
        "a huge option": json.dumps({**GOOD, "options": {"x" * 250_000: 1}}),
        "many options": json.dumps({**GOOD, "options": {str(i): i for i in range(15_000)}}),
        "many moves": json.dumps({**GOOD, "moves": ["bribe 1"] * 20_000}),
        "many empty moves": json.dumps({**GOOD, "moves": [""] * 60_000}),
        "names twice": "{" + '"seed": 1,' * 20_000 + '"seed": 1}',
        "NUL": json.dumps({**GOOD, "moves": ["bribe\0 1"]}),
        "NUL outside": "\0" + json.dumps(GOOD),
        "half a character": json.dumps({**GOOD, "moves": ["bribe \ud800"]}),
        "half a character as a game": json.dumps({**GOOD, "game": "\udfff"}),
        "half a character as an option": json.dumps({**GOOD, "options": {"\ud800": 1}}),
        "right to left": json.dumps({**GOOD, "moves": ["\u202e1 ebirb"]}, ensure_ascii=False),
        "markup": json.dumps({**GOOD, "moves": ["<script>alert(1)</script>"]}),
        "markup as a game": json.dumps({**GOOD, "game": "<script>alert(1)</script>"}),
        "percent": json.dumps({**GOOD, "moves": ["%(x)s %d"], "options": {}}),
        "percent as an option": json.dumps({**GOOD, "options": {"%(name)s%s": 1}}),
        "infinity": '{"record": Infinity}',
    }

    @pytest.mark.parametrize("name", BOMBS)
    @pytest.mark.parametrize("how", ["pasted", "file"])
    def test_is_refused_soon_and_in_words(self, name, how):
        text = self.BOMBS[name]
        assert len(text) <= LONGEST
        before = time.perf_counter()
        response = post(text) if how == "pasted" else upload(text.encode())
        assert time.perf_counter() - before < 3
        assert len(refused(response)) < len(text) + 4000
        html = response.content.decode()
        assert "<script>alert" not in html
        # The reason is short, whatever the record holds.
        [why] = re.findall('<p class="refusal"[^>]*>(.*?)</p>', html)
        assert len(unescape(why)) < 600 and unescape(why).isprintable()

    @pytest.mark.parametrize(
        "content",
        [
            b"\xff\xfe{\x00}\x00",
            json.dumps(GOOD).encode("utf-16"),
            json.dumps(GOOD).encode() + b"\xc3",
            b"\x80",
            b"\x1f\x8b\x08\x00\x00",
        ],
    )
    def test_a_file_that_is_no_text(self, content):
        assert "A record is a text in UTF-8; this is none." in refused(upload(content))

    def test_an_empty_file(self):
        assert "Paste a record, or choose a file" in refused(upload(b""))

    def test_as_many_moves_as_there_is_room_for(self):
        text = json.dumps({**GOOD, "moves": ["bribe 1"] * 25_000}, separators=(",", ":"))
        assert 240_000 < len(text) <= LONGEST
        before = time.perf_counter()
        assert "does not hold" in refused(post(text))
        assert time.perf_counter() - before < 3

    def test_a_long_game_is_played_through(self):
        moves = long_game(1000)
        data = {**GOOD, "game": "market", "moves": moves}
        for ply in (0, 500, 1000):
            before = time.perf_counter()
            response = post(data, ply=ply)
            assert response.status_code == 200
            assert time.perf_counter() - before < 2
            assert response.context["step"]["ply"] == ply
        data["moves"] = [*moves, "swap Ah Ah"]
        assert "Ply 1001, “swap Ah Ah”, does not hold." in refused(post(data))


class TestTooLarge:
    def padded(self, size: int) -> str:
        text = json.dumps(GOOD)
        return text[:-1] + " " * (size - len(text)) + "}"

    def test_256_kb_are_read_and_no_more(self):
        assert post(self.padded(LONGEST)).status_code == 200
        assert upload(self.padded(LONGEST).encode()).status_code == 200
        for response in (post(self.padded(LONGEST + 1)), upload(self.padded(LONGEST + 1).encode())):
            assert "A record has 256 kB at most." in refused(response, 413)

    def test_every_character_counts_as_what_it_is_in_utf8(self):
        assert refused(post("é" * (LONGEST // 2 + 1)), 413)

    def test_the_ends_of_lines_count_once(self):
        text = json.dumps(GOOD)
        text = text[:-1] + "\r\n" * (LONGEST - len(text)) + "}"
        assert post(text).status_code == 200

    def test_a_form_without_files_may_be_as_long(self):
        browser = Browser()
        token = browser.cookies["csrftoken"].value
        body = f"csrfmiddlewaretoken={token}&record=" + self.padded(LONGEST).replace(" ", "%20")
        response = browser.generic(
            "POST", "/replay/", body, content_type="application/x-www-form-urlencoded"
        )
        assert response.status_code == 200

    @pytest.mark.parametrize("htmx", [False, True], ids=["plain", "htmx"])
    def test_far_too_much_is_not_read(self, htmx):
        response = post("x" * 1_100_000, htmx=htmx)
        assert "A record has 256 kB at most." in refused(response, 413)
        assert response.get("HX-Retarget") == ("body" if htmx else None)

    def test_other_pages_take_no_more_than_before(self):
        for path in ("/verify/", "/replay", "/laws/start", "/games/1/replay/", "/nothing"):
            response = Browser().send(path, record="x" * 70_000)
            assert response.status_code == 413, path


class TestRates:
    @pytest.fixture(autouse=True)
    def limits(self, settings):
        settings.RATE_LIMITS = True
        rates.limiter.cache_clear()
        yield
        rates.limiter.cache_clear()

    def test_records_are_checked_so_often_and_no_more(self, monkeypatch):
        monkeypatch.setitem(rates.RATES, "record", "3/minute")
        assert [post(GOOD).status_code for _ in range(4)] == [200, 200, 200, 429]
        assert post("{}").status_code == 429
        assert Browser().look("/replay/").status_code == 200

    def test_steps_come_oftener_but_not_of_a_record_that_costs_much(self, monkeypatch):
        monkeypatch.setitem(rates.RATES, "record", "3/minute")
        monkeypatch.setitem(rates.RATES, "step", "8/minute")
        data = record("laws-01-random")
        assert [post(data, ply=1).status_code for _ in range(9)] == [200] * 8 + [429]
        long = json.dumps(GOOD)[:-1] + " " * 40_000 + "}"
        assert [post(long, ply=0).status_code for _ in range(4)] == [200, 200, 200, 429]
