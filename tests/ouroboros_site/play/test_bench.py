"""``manage.py bench``: the figures are there, and the promises about them hold."""

import json
from io import StringIO

from django.core.management import call_command


def last_line(*arguments: str) -> dict:
    out = StringIO()
    call_command("bench", *arguments, "--json", stdout=out)
    return json.loads(out.getvalue().splitlines()[-1])


def test_rules_names_every_rule_set():
    figures = last_line("rules", "--seconds", "0.2")
    assert set(figures) == {"laws", "market"}
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
