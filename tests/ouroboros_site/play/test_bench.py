"""``manage.py bench``: the figures are there, and the promises about them hold."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from ouroboros_site.play import registry


def last_line(*arguments: str) -> dict:
    out = StringIO()
    call_command("bench", *arguments, "--json", stdout=out)
    return json.loads(out.getvalue().splitlines()[-1])


def test_rules_names_every_rule_set():
    figures = last_line("rules", "--seconds", "0.2")
    assert set(figures) == {rules.SLUG for rules in registry.all_rules()}
    # A rule set that plays slower than this has a fault, however busy the machine is.
    assert min(figures.values()) > 1000


def test_web_through_a_real_server():
    figures = last_line("web", "--requests", "40")
    for name in ("hello", "table", "move"):
        assert set(figures[name]) >= {"p50_ms", "p95_ms", "cpu_ms", "queries", "bytes"}
    assert figures["hello"]["queries"] == 0
    assert 0 < figures["table"]["queries"] <= 6
    assert 0 < figures["move"]["queries"] <= 6
    assert figures["move"]["cpu_ms"] <= 20 * figures["hello"]["cpu_ms"]
    assert figures["move"]["bytes"] <= 15_000
    # Scripts, styles and drawings are in it.
    assert figures["table"]["page_bytes"] + 20_000 < figures["table"]["bytes"] <= 60_000


BOTS = ("bots", "trick", "--players", "4", "--games", "24", "--seed", "7")


def test_bots_play_both_levels_at_every_seat():
    figures = last_line(*BOTS, "--levels", "steady,easy")
    assert (figures["game"], figures["players"], figures["games"]) == ("trick", 4, 24)
    assert list(figures["levels"]) == ["steady", "easy"]
    for row in figures["levels"].values():
        assert 0 <= row["wins"][0] <= 1 and row["ms"] > 0
    for key in ("score", "wins"):
        steady, easy = (figures["levels"][level][key][0] for level in ("steady", "easy"))
        mean, off = figures["difference"][key]
        assert mean == pytest.approx(steady - easy, abs=0.001)
        assert 0 < off < 1


def test_bots_play_the_same_games_from_the_same_seed():
    def without_time(*arguments: str) -> dict:
        figures = last_line(*arguments)
        for row in figures["levels"].values():
            del row["ms"]
        return figures

    first = without_time(*BOTS)
    assert without_time(*BOTS) == first
    assert without_time(*BOTS[:-1], "8") != first


def test_a_level_is_as_good_as_itself():
    """Both sides get the same cards at the same seats, and chance falls alike on both."""
    figures = last_line(*BOTS, "--levels", "easy,easy")
    assert figures["difference"]["score"][0] == 0


def test_options_are_of_their_types():
    figures = last_line(
        "bots", "ochs-esel", "--games", "4", "--option", "ox=1", "--option", "rounds=2"
    )
    assert figures["options"] == {"ox": True, "rounds": 2}
    assert list(figures["levels"]) == list(registry.get("ochs-esel").levels)[:2]


@pytest.mark.parametrize(
    "arguments",
    [
        ("laws",),
        ("chess",),
        ("trick", "--players", "9"),
        ("trick", "--players", "0"),
        ("trick", "--levels", "steady"),
        ("trick", "--levels", "steady,unheard"),
        ("trick", "--option", "ox=1"),
        ("ochs-esel", "--option", "ox"),
        ("ochs-esel", "--option", "rounds=50"),
    ],
)
def test_bots_are_not_asked_for_what_is_not_there(arguments):
    with pytest.raises(CommandError):
        call_command("bench", "bots", *arguments, stdout=StringIO())
