"""``manage.py trace``: what it prints, where, and with which exit status."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from django.core.management import execute_from_command_line

from ouroboros_site.engine import record as records
from ouroboros_site.engine.record import BadPly
from ouroboros_site.play import registry

from .bad_records import FORMS, GOOD, STARTS

ROOT = Path(__file__).parents[3]
DATA = ROOT / "tests" / "data" / "records"
RECORDS = sorted([*DATA.glob("*.json"), *DATA.glob("starts/*.json")])
ILLEGAL = [json.loads(line) for line in (DATA / "illegal.jsonl").read_text().splitlines()]
SOME = [path for path in RECORDS if path.parent == DATA or "sum" in path.name]


class Done(NamedTuple):
    """How a command ended."""

    status: int
    out: str
    err: str


Trace = Callable[..., Done]


@pytest.fixture
def trace(capfd: pytest.CaptureFixture[str]) -> Trace:
    """Runs ``manage.py trace`` with some arguments, as from a shell but in this process."""

    def run(*arguments: object) -> Done:
        status: Any = 0
        try:
            execute_from_command_line(["manage.py", "trace", *map(str, arguments)])
        except SystemExit as exit:
            status = exit.code or 0
        out, err = capfd.readouterr()
        return Done(status, out, err)

    return run


def shell(*arguments: object) -> "subprocess.CompletedProcess[bytes]":
    """``manage.py trace`` in a process of its own, in the plainest locale."""
    environment = os.environ | {"LC_ALL": "C"}
    command = [sys.executable, "manage.py", "trace", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True)


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Writes a record (text, bytes or object) into a file of its own folder."""

    def write(data: object, name: str = "some.json") -> Path:
        path = tmp_path / name
        if isinstance(data, bytes):
            path.write_bytes(data)
        else:
            path.write_text(data if isinstance(data, str) else json.dumps(data), "utf-8")
        return path

    return write


Write = Callable[..., Path]


def one_line(done: Done) -> str:
    """Assert that a command was refused with one line on stderr; that line."""
    assert done.status == 2
    assert "Traceback" not in done.err
    assert len(done.err.splitlines()) == 1, done.err
    assert done.err.endswith("\n")
    return done.err[:-1]


# --- Printing ------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", SOME, ids=lambda path: path.stem)
def test_it_prints_the_trace(trace: Trace, path: Path) -> None:
    assert trace(path) == (0, path.with_suffix(".jsonl").read_text(), "")


def test_it_prints_the_same_bytes_from_a_shell() -> None:
    path = DATA / "laws-02-mixed.json"
    done = shell(path.relative_to(ROOT))
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == path.with_suffix(".jsonl").read_bytes()


def test_a_record_without_moves_has_a_trace_of_one_line(trace: Trace, write: Write) -> None:
    done = trace(write(GOOD))
    assert done.status == 0
    (line,) = map(json.loads, done.out.splitlines())
    assert (line["ply"], line["move"]) == (0, None)
    assert sorted(line) == ["legal", "move", "ply", "position"]


# --- Refusals ------------------------------------------------------------------------------------


def test_an_illegal_move_from_a_shell(write: Write) -> None:
    record = json.loads((DATA / "laws-01-random.json").read_text())
    done = shell(write(record | {"moves": [*record["moves"][:2], "flash 1"]}))
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1 and done.stderr.endswith(b"\n")
    assert b"ply 3" in done.stderr and b"flash 1" in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize(
    "case", ILLEGAL, ids=lambda case: f"{case['record']['game']}-{case['why']}"
)
def test_an_illegal_move_is_one_line_with_ply_move_and_reason(
    trace: Trace, write: Write, case: dict[str, Any]
) -> None:
    record = case["record"] | {"moves": [*case["record"]["moves"], case["move"]]}
    line = one_line(trace(write(record)))
    assert f"ply {len(record['moves'])}" in line
    assert json.dumps(case["move"])[1:-1] in line
    with pytest.raises(BadPly) as caught:
        [*records.trace(records.read(record), registry.get(record["game"]).rules)]
    assert str(caught.value.error) in line


@pytest.mark.parametrize(
    "move",
    ["", "\n", "play 1\nAd", "play 1 Ad\r", "a\u2028b", "a\u0085b", "a\x0bb\x0cc", "\x1b[31mred",
     "play 1 \ud800", "bribe \ud83d\ude00", "\ud800", "%s %(card)s %d", "x" * 100_000, "\0", "🂡",
     "play 1 🂡🂡🂡🂡🂡🂡🂡🂡🂡🂡🂡🂡🂡🂡🂡🂡🂡🂡", "play ١ Ad", "play 1 Аd"],
    ids=ascii,
)  # fmt: skip
def test_a_move_of_any_characters_is_refused_in_one_line(
    trace: Trace, write: Write, move: str
) -> None:
    path = write({**GOOD, "moves": [move]})
    assert "ply 1" in one_line(trace(path))
    done = trace("--verify", path)
    assert (done.status, "Traceback" in done.err) == (1, False)
    assert done.out.startswith("some.json: ply 1: ")
    assert len(done.out.splitlines()) == 1


def test_a_move_of_any_characters_is_refused_from_a_shell_too(write: Write) -> None:
    path = write({**GOOD, "moves": ["play 1 \ud800♥"]})
    done = shell(path)
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1 and b"Traceback" not in done.stderr
    done = shell("--verify", path)
    assert done.returncode == 1 and b"Traceback" not in done.stderr
    assert done.stdout.startswith(b"some.json: ply 1: ") and done.stdout.count(b"\n") == 1


def test_an_illegal_move_in_the_middle_names_its_ply(trace: Trace, write: Write) -> None:
    record = json.loads((DATA / "laws-01-random.json").read_text())
    record["moves"][2] = "flash 1"
    line = one_line(trace(write(record)))
    assert "ply 3" in line and "flash 1" in line


@pytest.mark.parametrize("name", FORMS)
def test_what_is_no_record_is_refused_in_one_line(trace: Trace, write: Write, name: str) -> None:
    path = write(FORMS[name])
    one_line(trace(path))
    done = trace("--verify", path)
    assert (done.status, "Traceback" in done.err) == (1, False)
    assert done.out.startswith("some.json: ply 0: ")
    assert len(done.out.splitlines()) == 1


@pytest.mark.parametrize("name", STARTS)
def test_a_start_that_is_no_position_is_refused_in_one_line(
    trace: Trace, write: Write, name: str
) -> None:
    assert "ply 0" in one_line(trace(write(STARTS[name])))


@pytest.mark.parametrize("data", [b"\xff\xfe\x00", b"\x80abc", b"\xef\xbb\xbf{}", b"\x00" * 40])
def test_a_file_of_other_bytes_is_refused(trace: Trace, write: Write, data: bytes) -> None:
    one_line(trace(write(data)))


def test_a_file_that_cannot_be_read_is_refused(trace: Trace, tmp_path: Path) -> None:
    assert "missing.json" in one_line(trace(tmp_path / "missing.json"))
    one_line(trace(tmp_path))


# --- Writing -------------------------------------------------------------------------------------


def test_out_writes_a_trace_for_each_record(trace: Trace, tmp_path: Path) -> None:
    done = trace("--out", tmp_path, *RECORDS)
    assert (done.status, done.err) == (0, "")
    assert sorted(file.name for file in tmp_path.iterdir()) == sorted(
        path.with_suffix(".jsonl").name for path in RECORDS
    )
    for path in RECORDS:
        stored = path.with_suffix(".jsonl")
        assert (tmp_path / stored.name).read_bytes() == stored.read_bytes()


def test_out_writes_anew_over_an_older_trace(trace: Trace, tmp_path: Path) -> None:
    path = DATA / "laws-01-random.json"
    old = tmp_path / "laws-01-random.jsonl"
    old.write_text("old\n" * 10_000)
    assert trace("--out", tmp_path, path).status == 0
    assert old.read_bytes() == path.with_suffix(".jsonl").read_bytes()


def test_out_refuses_as_printing_does(trace: Trace, write: Write, tmp_path: Path) -> None:
    bad = write({**GOOD, "moves": ["flash 9"]})
    assert "ply 1" in one_line(trace("--out", tmp_path, bad))


def test_out_must_be_a_folder(trace: Trace, write: Write) -> None:
    one_line(trace("--out", write("", "file"), DATA / "laws-01-random.json"))


# --- Verifying -----------------------------------------------------------------------------------


def test_verify_says_ok_for_each_record(trace: Trace) -> None:
    done = trace("--verify", *RECORDS)
    assert (done.status, done.err) == (0, "")
    assert done.out.splitlines() == [f"{path.name}: ok" for path in RECORDS]


def test_verify_names_the_ply_of_an_illegal_move_and_goes_on(trace: Trace, write: Write) -> None:
    record = json.loads((DATA / "market-01-random.json").read_text())
    bad = write(record | {"moves": [*record["moves"][:3], "swap 3h"]}, "bad.json")
    worse = write("{", "worse.json")
    good = write(record, "good.json")
    done = trace("--verify", bad, worse, good)
    assert (done.status, "Traceback" in done.err) == (1, False)
    first, second, third = done.out.splitlines()
    assert first.startswith("bad.json: ply 4: ") and len(first) > 30
    assert second.startswith("worse.json: ply 0: ")
    assert third == "good.json: ok"


def test_verify_prints_one_line_for_each_record_and_nothing_else(
    trace: Trace, write: Write
) -> None:
    bad = write({**GOOD, "moves": ["flash 9"]}, "bad.json")
    done = trace("--verify", bad, write(GOOD, "good.json"))
    assert (done.status, done.err, len(done.out.splitlines())) == (1, "", 2)


def test_verify_compares_with_the_trace_beside_the_record(trace: Trace, tmp_path: Path) -> None:
    path = Path(shutil.copy(DATA / "laws-01-random.json", tmp_path))
    stored = Path(shutil.copy(DATA / "laws-01-random.jsonl", tmp_path))
    lines = stored.read_text().splitlines(keepends=True)
    assert len(lines) == 5

    def verified(text: str, ply: int) -> None:
        stored.write_text(text)
        done = trace("--verify", path)
        assert (done.status, "Traceback" in done.err) == (1, False)
        (line,) = done.out.splitlines()
        assert line.startswith(f"laws-01-random.json: ply {ply}: ")

    assert trace("--verify", path) == (0, "laws-01-random.json: ok\n", "")
    wrong = lines[2].replace('"score":', '"score":1')
    assert wrong != lines[2]
    verified("".join([*lines[:2], wrong, *lines[3:]]), 2)
    verified("".join(lines[:3]), 3)  # a line is missing
    verified("".join([*lines, lines[-1]]), 5)  # a line too many
    verified("", 0)
    verified("".join([lines[0].replace(",", ", ", 1), *lines[1:]]), 0)  # not to the byte
    stored.unlink()
    assert trace("--verify", path) == (0, "laws-01-random.json: ok\n", "")


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: data.replace(b"\n", b"\r\n"),
        lambda data: data[:-1],
        lambda data: b"\xff" + data,
    ],
    ids=["other line ends", "no line end", "other bytes"],
)
def test_verify_compares_byte_by_byte(
    trace: Trace, tmp_path: Path, spoil: Callable[[bytes], bytes]
) -> None:
    path = Path(shutil.copy(DATA / "laws-01-random.json", tmp_path))
    stored = path.with_suffix(".jsonl")
    stored.write_bytes(spoil((DATA / stored.name).read_bytes()))
    done = trace("--verify", path)
    assert (done.status, done.err) == (1, "")
    assert done.out.startswith("laws-01-random.json: ply ")


def test_verify_reports_a_missing_record(trace: Trace, tmp_path: Path) -> None:
    done = trace("--verify", tmp_path / "missing.json", DATA / "laws-01-random.json")
    assert done.status == 1
    assert done.out.splitlines()[-1] == "laws-01-random.json: ok"
    assert done.out.startswith("missing.json: ply 0: ")


@pytest.mark.parametrize("case", ILLEGAL[::4], ids=lambda case: case["why"])
def test_verify_refuses_the_illegal_moves(trace: Trace, write: Write, case: dict[str, Any]) -> None:
    moves = case["record"]["moves"]
    good = write(case["record"], "good.json")
    bad = write(case["record"] | {"moves": [*moves, case["move"]]}, "bad.json")
    done = trace("--verify", good, bad)
    assert (done.status, "Traceback" in done.err) == (1, False)
    first, second = done.out.splitlines()
    assert first == "good.json: ok"
    assert second.startswith(f"bad.json: ply {len(moves) + 1}: ")
