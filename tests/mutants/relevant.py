"""Which tests may notice a change of a source, the likeliest first: for mutants that no list names tests for.

Of Python those that execute the line, by a run of the tests of one process with coverage; of JavaScript the unit tests,
first those that import the module.
"""

import functools
import os
import re
import sqlite3
import subprocess
import sys
from collections import Counter
from xml.etree import ElementTree

from coverage.parser import PythonParser

from tests.mutants import ROOT, git, listed

DATA, TIMES = ROOT / "build" / ".coverage-by-test", ROOT / "build" / "coverage-by-test.xml"
ALONE = ("-n", "auto", "--maxprocesses", "4", "-m", "not processes and not thorough and not browser")
COVERAGE = ("--cov", "--cov-context=test", "--cov-report=", f"--junit-xml={TIMES}")
SIZES = (15, 60, 400)
"""Of groups of tests: the first is over in seconds, and few mutants need the next."""
OF_FILE = 40
"""So many tests that execute other lines of a file: what a cache holds is executed by the first test that needs it."""


def measure():
    """Run these tests once with coverage, where no run was; print which sources changed since."""
    if not (DATA.exists() and TIMES.exists()):
        print("Which tests execute which line: all tests of one process once, which takes long.", flush=True)
        environment = os.environ | {"COVERAGE_FILE": str(DATA)}
        subprocess.run([sys.executable, "-m", "pytest", "-q", *ALONE, *COVERAGE], cwd=ROOT, env=environment)
    newer = [file for file in git("ls-files", "privacy_engine", "dashboard", "tests") if _is_newer(file)]
    if newer:
        print(
            f"{len(newer)} files are newer than {DATA.relative_to(ROOT)}, which has their lines and tests:", flush=True
        )
        print("of these more tests run than need to. Remove it to have it made again.", flush=True)


def _is_newer(file):
    return (ROOT / file).stat().st_mtime > DATA.stat().st_mtime


def relevant(mutant):
    """Return groups of tests, each to be run where none of those before noticed."""
    own = dict.fromkeys(test for one in listed() if one.file == mutant.file for test in one.tests)
    if mutant.file.endswith(".js"):
        tests = {str(path.relative_to(ROOT)): path.read_text() for path in sorted(ROOT.glob("tests/js/**/*.test.mjs"))}
        importing = re.compile(rf"/{re.escape(mutant.file)}[\"']")
        first = {*own, *(test for test, text in tests.items() if importing.search(text))} & tests.keys()
        groups = [sorted(first), sorted(tests.keys() - first), sorted(own.keys() - tests.keys())]
    else:
        executing = _ranked(mutant.file, () if _is_newer(mutant.file) else _lines(mutant))
        others = [test for test in _ranked(mutant.file, ()) if test not in executing][:OF_FILE]
        starts = (0, *SIZES)
        groups = [executing[start:end] for start, end in zip(starts, SIZES, strict=False)]
        groups.append([*others, *(test for test in own if test not in executing)])
    return [tuple(group) for group in groups if group]


def _lines(mutant):
    """Lines of the statement that a mutant changes, without what it holds."""
    text = (ROOT / mutant.file).read_text()
    parser = PythonParser(text=text)
    parser.parse_source()
    first = parser.first_line(text.count("\n", 0, mutant.at) + 1)
    return tuple(line for line in range(1, text.count("\n") + 1) if parser.first_line(line) == first)


@functools.cache
def _data():
    """Return the lines that tests execute, how many each does, and the seconds that it takes."""
    data = sqlite3.connect(f"file:{DATA}?mode=ro", uri=True, check_same_thread=False)
    executed = Counter[str]()
    for context, lines in data.execute(
        "SELECT context, count(*) FROM arc JOIN context ON context_id = context.id GROUP BY context_id"
    ):
        executed[context.partition("|")[0]] += lines
    cases = ElementTree.parse(TIMES).iter("testcase")
    seconds = {f"{case.get('classname')}.{case.get('name')}": float(case.get("time", 1)) for case in cases}
    return data, executed, seconds


def _ranked(file, lines):
    """Return the tests that execute one of ``lines``, or any line of a file: quick ones that execute little first."""
    data, executed, seconds = _data()
    within = ",".join(map(str, lines))
    rows = data.execute(
        "SELECT DISTINCT context FROM arc JOIN context ON context_id = context.id JOIN file ON file_id = file.id"
        f" WHERE path = ? AND context != ''{f' AND (fromno IN ({within}) OR tono IN ({within}))' if lines else ''}",
        (str(ROOT / file),),
    )
    cost = {}
    for test in sorted({row[0].partition("|")[0] for row in rows}):
        path, bracket, case = test.partition("[")
        holding = path.partition("::")[0]
        name = re.sub(r"\.py::|::|/", ".", path) + bracket + case
        if (ROOT / holding).exists():  # what changed since may have other tests
            cost[holding if _is_newer(holding) else test] = executed[test] * (0.2 + seconds.get(name, 1.0))
    before, order = Counter[str](), {}
    for test in sorted(cost, key=lambda test: cost[test]):
        function = test.partition("[")[0]
        before[function] += 1
        order[test] = cost[test] * before[function]  # one case of each first: the others execute the same
    return sorted(order, key=lambda test: order[test])
