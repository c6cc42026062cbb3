"""The registry: which games there are, by slug, and none by name in ``play``."""

from pathlib import Path

import pytest

from ouroboros_site.play import registry

PLAY = Path(registry.__file__).parent


def test_games_are_found_by_their_slug():
    kinds = list(registry.all_kinds())
    assert [kind.rules for kind in kinds] == list(registry.all_rules())
    for kind in kinds:
        assert registry.get(kind.rules.SLUG) is kind
    slugs = [kind.rules.SLUG for kind in kinds]
    assert len(set(slugs)) == len(slugs) and {"laws", "market"} <= set(slugs)


@pytest.mark.parametrize("slug", ["", "patience", "LAWS", "laws "])
def test_others_are_not(slug):
    with pytest.raises(KeyError):
        registry.get(slug)


def test_play_knows_no_game_by_name():
    for path in PLAY.rglob("*.py"):
        if "bench" not in path.parts:
            text = path.read_text("utf-8")
            assert "solitaire" not in text and '"laws"' not in text and '"market"' not in text, path
