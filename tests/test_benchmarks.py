"""The page of `make bench` states what was measured and nothing better; the suite can be collected."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.floors import KINDS, Floor
from benchmarks.page import Figure, Finding, Target, amount, page
from benchmarks.written import metres, write
from tests.cases import each

ROOT = Path(__file__).resolve().parent.parent
NUMPY_40 = {"numpy": 40.0}


def verdict(seconds, target, floor_s=0.0, **references):
    """That of work with a million draws, if ``floor_s`` is given: 2 ms where goals were set."""
    floors = {Floor("draws", 10**6): floor_s} if floor_s else {}
    return Figure("1", "work", seconds, references, {}, target, floors).cells()[-1]


class TestVerdict:
    @each(
        ("seconds", "numpy", "cause", "text"),
        [
            (0.002, 0.08, "", "met"),
            (0.004, 0.2, "A slow loop.", "**missed**: ratio to the floor 2.00 of the goal. A slow loop."),
            (0.001, 0.02, "", "**missed**: ratio to numpy 0.50 of the goal. Cause not known."),
            (0.004, 0.08, "", "**missed**: ratio to numpy 0.50 of the goal, ratio to the floor 2.00 of the goal. Ca"),
        ],
    )
    def test_needs_the_floor_and_every_ratio(self, seconds, numpy, cause, text):
        """The goal is 4 ms over 2 ms: twice the floor."""
        given = Target(0.004, NUMPY_40, cause) if cause else Target(0.004, NUMPY_40)
        assert verdict(seconds, given, 0.001, numpy=numpy).startswith(text)

    def test_a_target_without_a_ratio_is_refused(self):
        """It would be met by everything."""
        with pytest.raises(ValueError, match="needs a ratio to a peer or a floor: work"):
            verdict(1.0, Target(0.1))


class TestFloor:
    @each("kind", KINDS)
    def test_is_work_of_as_many_units_as_it_states(self, kind):
        side = Floor(kind, 10_000).side()
        assert side.size == 10_000
        side.work()

    def test_every_kind_is_defined_on_the_page(self):
        text = page([], 1)
        assert all(f"- *{kind.unit}*: {kind.text}; assumed " in text for kind in KINDS.values())


@each(
    ("seconds", "text"),
    [
        *((9.996e-10, "1 ns"), (5.25e-9, "5.2 ns"), (2.5e-4, "250 µs"), (0.9994, "999 ms"), (1.0, "1 s")),
        (2640.4, "2,640 s"),
    ],
)
def test_times_are_in_the_unit_that_suits_them(seconds, text):
    assert amount(seconds) == text


def test_the_page_puts_numbered_items_first_and_names_no_machine():
    rows = [("", "other figure", None), ("2", "two", True), ("1", "one", True)]
    text = page([Finding(number, name, "", "", met) for number, name, met in rows], 3)
    assert text.index("| 1 |") < text.index("| 2 |") < text.index("## Further figures") < text.index("other figure")
    assert str(ROOT) not in text


@pytest.mark.slow
def test_every_benchmark_is_collected_by_the_command_of_the_makefile():
    (line,) = [line for line in (ROOT / "Makefile").read_text().splitlines() if "-m pytest -c benchmarks" in line]
    arguments = line.split("-m pytest ")[1].split(" --page")[0].split()
    command = [sys.executable, "-m", "pytest", *arguments, "--collect-only"]
    # a run inside xdist's worker would find this in its environment, and refuse to time anything
    alone = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    listed = subprocess.run(command, cwd=ROOT, env=alone, capture_output=True, text=True, check=True).stdout
    for path in sorted((ROOT / "benchmarks").glob("bench_*.py")):
        assert f"{path.name}::bench_" in listed


def test_result_pages_are_written_between_their_marks_alone(tmp_path):
    page = tmp_path / "page.md"
    write(page, "one")
    assert page.read_text() == "<!-- measured -->\none\n<!-- /measured -->\n"
    page.write_text("# Title\n" + page.read_text() + "by hand\n<!-- b --><!-- /b -->\n")
    write(page, "two")
    write(page, "three\n", "b")
    expected = "# Title\n<!-- measured -->\ntwo\n<!-- /measured -->\nby hand\n<!-- b -->\nthree\n<!-- /b -->\n"
    assert page.read_text() == expected
    with pytest.raises(SystemExit, match="has no <!-- c -->"):
        write(page, "four", "c")
    assert page.read_text() == expected
    assert [metres(one) for one in (2.04, 1234.5)] == ["2.0", "1234"]
