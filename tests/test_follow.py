"""How scripts/follow.py counts: by examples, and the figures of a commit whose code was followed before."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cases import each
from tests.patience import patience

ROOT = Path(__file__).resolve().parent.parent
COMMIT = "97c9c0c3"

MODULES = {
    "privacy_engine/low.py": """
def used(one):
    if one: return one
def expression(one):
    return one.part
def other(one):
    if one: return one
class Only:
    def alone(self, one):
        if one: return one
class Two:
    def twice(self, one): return [one]
class Three:
    def twice(self, one): return [one]
""",
    "dashboard/high.py": """
from privacy_engine import low
from privacy_engine.low import used as renamed
from dashboard.back import back

def alias(x): renamed(x)
def computed(x): low.used(x + 1)
def elsewhere(x): low.used(len(x))
def held(x): low.used({"x": x})
def part(x): low.used(x.a["b"])
def result(x):
    y = low.used(x)
    low.other(y)
def expression(x): low.expression(x)
def each(x): return [low.used(one) for one in x]
def climb(x):
    low.used(x)
    back(x)
def twice(x):
    low.used(x)
    back(x)
    low.used(x)
def alone(x, unknown): unknown.alone(x)
def several(x, unknown): unknown.twice(x)
def keyword(x): low.used(one=x)
""",
    "dashboard/back.py": "def back(x):\n    if x: return x\n",
}


def figures(folder, *arguments):
    command = [sys.executable, ROOT / "scripts" / "follow.py", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=patience(120))
    assert done.returncode == 0, done.stderr
    found = re.findall(r"^(.+): \S+: (\d+) stays, (\d+) files, (\d+) climbs$", done.stdout, re.MULTILINE)
    return [(title, *map(int, numbers)) for title, *numbers in found]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("tree")
    for name, text in MODULES.items():
        (made / name).parent.mkdir(exist_ok=True)
        (made / name).write_text(text)
    return made


CASES = [
    *((name, (2, 2, 0)) for name in ("alias", "part", "result", "each", "alone", "keyword")),
    *(("climb", (3, 3, 1)), ("twice", (4, 3, 1))),
    *((name, (1, 1, 0)) for name in ("computed", "elsewhere", "held", "expression", "several")),
]


def test_what_is_counted(folder):
    found = figures(folder, *(f"dashboard/high.py:{name}:x" for name, _ in CASES))
    assert [(name, one[1:]) for (name, _), one in zip(CASES, found, strict=True)] == CASES


@each("place", ["dashboard/high.py:none:x", "dashboard/high.py:part:y", "dashboard/none.py:part:x"])
def test_what_is_not_there_is_refused(folder, place):
    command = [sys.executable, ROOT / "scripts" / "follow.py", place]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=patience(60))
    assert (done.returncode, done.stderr.strip()) == (1, f"{place}: there is no such parameter")


@pytest.mark.slow
def test_an_earlier_count_is_reproduced_within_a_tenth():
    if subprocess.run(["git", "cat-file", "-e", COMMIT], cwd=ROOT, capture_output=True).returncode:
        pytest.skip(f"the history does not reach back to {COMMIT}")
    of_commit = [one[1:] for one in figures(ROOT, COMMIT) if one[0] == COMMIT]
    for expected, found in zip([(57, 26, 10), (31, 17, 7)], of_commit, strict=True):
        assert [pytest.approx(one, rel=0.1) for one in expected] == list(found)
