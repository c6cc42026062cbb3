"""Rules, engine, advisor and bots load without Django; design.md, "The house"."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PURE = ("ouroboros_site/engine", "*/rules", "*/advisor", "*/bots")
MODULES = sorted(
    ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for folder in PURE
    for file in ROOT.glob(f"{folder}/**/*.py")
    if file.relative_to(ROOT).parts[0] not in ("tests", ".venv")
)
MODULES.append("tricks.pads.counting")


def test_the_pure_modules_are_found() -> None:
    assert {
        "ouroboros_site.engine",
        "ouroboros_site.engine.record",
        "ouroboros_site.engine.shuffle",
        "solitaire.rules.laws",
        "solitaire.rules.market",
    } <= set(MODULES)


@pytest.mark.parametrize("module", MODULES)
def test_it_loads_in_a_fresh_interpreter_without_django(module: str) -> None:
    code = (
        f"import {module}, sys; print(*sorted("
        "{name.partition('.')[0] for name in sys.modules} & {'django', 'django_htmx', 'asgiref'}))"
    )
    environment = {
        name: text for name, text in os.environ.items() if not name.startswith("DJANGO")
    } | {"PYTHONWARNINGS": "error"}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr, done.stdout.strip()) == (0, "", "")
