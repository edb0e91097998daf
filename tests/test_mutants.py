"""Mutants, listed and drawn, change a source, which still compiles, to something else; their tests exist."""

import ast
import json
import os
import subprocess
import time
from pathlib import Path

import pytest
from coverage import CoverageData

import tests.mutants.places
import tests.mutants.relevant
from tests.mutants import NODE, ROOT, Mutant, listed
from tests.mutants.__main__ import DRAWING, NOT_REACHED, drawn, judge_listed, one_of_each_file_first, report, run_all
from tests.mutants.copies import FAILED, NONE_FOUND, PASSED, Copy
from tests.mutants.places import places
from tests.mutants.relevant import relevant

MUTANTS = listed()
NODE_CHECK = """
import vm from "node:vm";
let text = "";
for await (const part of process.stdin) text += part;
for (const [name, source] of JSON.parse(text))
  try { new vm.SourceTextModule(source); } catch (error) { console.log(name, error.message); }
"""


def broken(mutants):
    """Those that change nothing or do not compile."""
    found, scripts, kept = [], [], dict[str, tuple[str, str]]()
    for mutant in mutants:
        if mutant.file not in kept:
            text = (ROOT / mutant.file).read_text()
            kept[mutant.file] = text, ast.dump(ast.parse(text)) if mutant.file.endswith(".py") else ""
        text, tree = kept[mutant.file]
        source = mutant.source()
        if tree:
            found += [str(mutant)] * (ast.dump(ast.parse(source)) == tree)
        else:
            found += [str(mutant)] * ("".join(source.split()) == "".join(text.split()))
            scripts.append((str(mutant), source))
    command = [NODE, "--experimental-vm-modules", "--no-warnings", "--input-type=module", "--eval", NODE_CHECK]
    run = subprocess.run(command, input=json.dumps(scripts), capture_output=True, text=True, check=True)
    return "\n".join([*found, run.stdout]).strip()


def test_each_listed_mutant_changes_one_place_of_a_source_that_compiles():
    assert broken(MUTANTS) == ""
    assert len(MUTANTS) >= 148
    assert len({(one.file, one.old, one.new) for one in MUTANTS}) == len(MUTANTS)


def test_the_tests_of_each_listed_mutant_exist():
    texts: dict[str, str] = {}
    for mutant in MUTANTS:
        assert bool(mutant.tests) != bool(mutant.equivalent), mutant
        for test in mutant.tests:
            file, *names = test.partition("[")[0].split("::")
            text = texts.setdefault(file, (ROOT / file).read_text())
            missing = [name for name in names if f"def {name}(" not in text and f"class {name}" not in text]
            assert not missing, f"{mutant}: {test}"


def test_a_text_that_is_not_at_one_place_is_refused():
    for old, at, problem in (("import", None, "not once"), ("no such text", None, "not once"), ("import", 0, "at 0")):
        with pytest.raises(ValueError, match=problem):
            Mutant("tests/mutants/__init__.py", old, "", (), at=at).source()


PYTHON = """
LIMIT = 7
class A:
    kept: int = 5
    def __repr__(self): return 1 + 1
    def found(self, of: int = 3, é: str | None = "é") -> int | None:
        "Docstring 1 < 2."
        if "é" < é and not (of  <  # not < this
            4) and (of) is  not None: raise ValueError(f"{of + 1}", 5)
        logger.info("%s", of + 1)
        assert of < 9
        self.kept -= 1
        return wait(of, timeout=5, deep=True) & of
"""
BOTH = '"é" < é and not (of < # not < this 4) and (of) is not None'
NOT_THIS = "not (of < # not < this 4)"
IN_PYTHON = [
    (BOTH, f"({BOTH.replace(' and ', ' or ')})"),
    *(("<", "<="), ("<", ">="), (NOT_THIS, f"({NOT_THIS[4:]})"), ("<", "<="), ("<", ">="), ("4", "5")),
    *(("is not", "is"), ('raise ValueError(f"{of + 1}", 5)', "pass"), ("self.kept -= 1", "pass"), ("-=", "+=")),
    *(("1", "2"), ("&", "|"), ("True", "False")),
]
SCRIPT = """
const LIMIT = 7;
export function found(a, b = 3) {
  if ((a) /* < */ < b && !a || a % 2 > b) throw new Error(`${a + 1}`);
  console.log(a - 1, /1 < 2/, "😀", `${a * b}`);
  setTimeout(found, 1000);
  kept ??= a === 0;
  i++;
}
"""

IN_SCRIPT = [
    ("(a) /* < */ < b && !a || a % 2 > b", "(((a) /* < */ < b && !a )&& a % 2 > b)"),
    ("(a) /* < */ < b && !a", "((a) /* < */ < b || !a)"),
    *(("<", "<="), ("<", ">="), ("!a", "!!a"), (">", ">="), (">", "<="), ("%", "*"), ("2", "3")),
    *(("kept ??= a === 0;", "{}"), ("===", "!=="), ("0", "1"), ("i++;", "{}"), ("++", "--")),
]


def in_one_line(mutants):
    return [(" ".join(row.old.split()), " ".join(row.new.split())) for row in mutants]


def test_places_are_in_functions_and_not_in_texts_or_declarations(tmp_path, monkeypatch):
    for module in (tests.mutants, tests.mutants.places):
        monkeypatch.setattr(module, "ROOT", tmp_path)
    for file, text, expected in (("dashboard/a.py", PYTHON, IN_PYTHON), ("static/js/a.js", SCRIPT, IN_SCRIPT)):
        (tmp_path / file).parent.mkdir(parents=True)
        (tmp_path / file).write_text(text)
        found = places([file])[file]
        assert in_one_line(found) == expected
        assert len({row.source() for row in found} | {text}) == len(found) + 1
    assert places(["static/js/a.js"], r"\bkept\b") == {}  # of a function that has it


@pytest.mark.slow
def test_a_draw_is_repeated_by_its_seed_and_never_names_a_file_twice_while_others_are_left():
    some = ["privacy_engine/landmarks/", "static/js/trajectory/", "dashboard/releases/"]
    mutants = drawn(40, 1, 0.5, some)
    assert mutants == drawn(40, 1, 0.5, some)
    assert mutants != drawn(40, 2, 0.5, some)
    assert len({one.file for one in mutants}) == 40
    assert sum(one.file.endswith(".js") for one in mutants) == 20
    assert broken(mutants) == ""
    assert drawn(1, 1, 0.0, ["dashboard/releases/services"]) == []  # it uses the database


def test_what_draws_is_left_out_also_where_it_is_what_a_function_uses(tmp_path, monkeypatch):
    for module in (tests.mutants, tests.mutants.places):
        monkeypatch.setattr(module, "ROOT", tmp_path)
    files = {
        "page": "export const paint = (at) => document.title + (at > 1);\nexport const sum = (a, b) => a + b * 3 - 1;",
        "both": 'import { paint, sum } from "./page.js";\n'
        "export function shows(a) { return paint(a) < 3; }\nexport const adds = (a) => sum(a, 2) / 4 > 5;\n"
        "class Map { constructor() { this.host = document.body; } width() { return this.host.clientWidth / 7; }\n"
        "  half(a) { return a / 8; } }",
    }
    (tmp_path / "static/js").mkdir(parents=True)
    for name, text in files.items():
        (tmp_path / f"static/js/{name}.js").write_text(text)
    found = places([f"static/js/{name}.js" for name in files], DRAWING)
    changed = {Path(file).stem: {row.old for row in rows} for file, rows in found.items()}
    assert changed == {"page": {"+", "*", "3", "-", "1"}, "both": {"2", "/", "4", ">", "5", "8"}}


SOURCE = """LIMIT = 3


def first(a):
    return [
        a,
        LIMIT + 1,
    ]


def second(b):
    return b > 2
"""
LINES = {"": [1, 4, 11], "a": [5, 6, 7], "b[1]": [5, 6], "b[2]": [5], "c": [12], "long": [*range(1, 13)]}


def test_tests_that_execute_the_statement_come_first_those_that_execute_little_before_the_rest(tmp_path, monkeypatch):
    for module in (tests.mutants, tests.mutants.relevant):
        monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(tests.mutants.relevant, "DATA", data := tmp_path / ".coverage")
    monkeypatch.setattr(tests.mutants.relevant, "TIMES", times := tmp_path / "coverage.xml")
    tests.mutants.relevant._data.cache_clear()
    (file := tmp_path / "dashboard/a.py").parent.mkdir()
    file.write_text(SOURCE)
    (suite := tmp_path / "tests/test_a.py").parent.mkdir()
    suite.write_text("".join(f"def {name}(): ...\n" for name in "abc") + "class A:\n    def long(self): ...\n")
    measured = CoverageData(str(data))
    for name, lines in LINES.items():
        test = f"tests/test_a.py::{'A::' * (name == 'long')}{name}|run" if name else ""
        measured.set_context(test)
        measured.add_arcs({str(file): list(zip([-1, *lines], [*lines, -1], strict=True))})
    measured.write()
    times.write_text('<s><testcase classname="tests.test_a" name="a" time="0"/></s>')
    mutant = lambda old: Mutant("dashboard/a.py", old, "", (), at=SOURCE.index(old))  # noqa: E731
    a, one, two, c, long = (f"tests/test_a.py::{name}" for name in ("a", "b[1]", "b[2]", "c", "A::long"))
    assert relevant(mutant("+ 1")) == [(a, two, one, long), (c,)]
    assert relevant(mutant("> 2")) == [(c, long), (a, two, one)]
    os.utime(file, (time.time() + 9,) * 2)
    assert sorted(relevant(mutant("> 2"))[0]) == sorted([a, one, two, c, long]), "its lines may be others"
    os.utime(suite, (time.time() + 9,) * 2)
    assert relevant(mutant("> 2")) == [("tests/test_a.py",)], "and so may its tests"
    tests.mutants.relevant._data.cache_clear()


def test_unit_tests_that_import_a_module_of_javascript_come_before_all_others_and_browsers():
    source = "static/js/core/format.js"
    first, rest, *_ = relevant(Mutant(source, "", "", (), at=0))
    assert "tests/js/core/format.test.mjs" in first
    assert "tests/js/map/places.test.mjs" in rest
    assert not set(first) & set(rest)


def mutants_of(*files):
    return [Mutant(file, "old", f"new{i}", ("tests/a.py",)) for i, file in enumerate(files)]


def test_one_of_each_file_comes_first():
    order = one_of_each_file_first(mutants_of("a", "a", "a", "b", "c", "c"))
    assert [one.file for one in order] == ["a", "b", "c", "a", "c", "a"]


class Tree(Copy):
    """A copy of no tree, whose tests end as given: first with a mutant, then without it."""

    def __init__(self, *codes):
        self._sound, self.codes = set(), list(codes)

    def run(self, tests, limit_s=1.0):
        code = self.codes.pop(0)
        return {"code": code, "seconds": 1.0, "failed": ["tests/a.py::test[1 - 2]"] * (code == FAILED), "end": []}

    def mutated(self, mutant, tests, limit_s=1.0):
        return self.run(tests)


def test_who_notices_a_mutant_passes_without_it():
    cases = (
        ((PASSED,), "survived"),
        ((NONE_FOUND,), "error"),
        ((FAILED, PASSED), "killed"),
        ((FAILED, FAILED), "error"),
        ((4, PASSED), "killed"),  # what pytest imports first cannot be imported
        ((None, PASSED), "killed"),  # it never ends
        ((None, None), "survived"),  # nor do the tests without it
        ((FAILED, PASSED, FAILED), "killed"),  # the second time, the test is known to pass without a mutant
    )
    for codes, verdict in cases:
        copy, (mutant,) = Tree(*codes), mutants_of("a")
        found = [judge_listed(1.0)(copy, mutant)["verdict"] for _ in range(max(len(codes) - 1, 1))]
        assert set(found) == {verdict}, codes
        assert not copy.codes


def test_mutants_that_the_time_does_not_reach_are_listed_and_not_hidden(capsys):
    mutants = mutants_of(*"abcd")
    verdicts = {"a": "killed", "b": "killed", "c": "killed", "d": "survived"}
    run = lambda end: run_all(  # noqa: E731
        mutants, [Tree()], lambda _, one: {"verdict": verdicts[one.file], "seconds": 1.0, "failed": [], "code": 1}, end
    )
    all_of_them, none = run(float("inf")), run(0.0)
    codes = [report(all_of_them, 0.75, 0.0), report(all_of_them, 0.76, 0.0), report(none, 0.75, 0.0)]
    assert codes == [0, 1, NOT_REACHED]
    capsys.readouterr()
    assert report([*all_of_them[:3], none[3]], 0.95, 0.0) == NOT_REACHED
    printed = "not reached:\n  d: old → new3\n4 mutants: 3 killed, 0 survived, 0 error, 1 not reached"
    assert printed in capsys.readouterr().out
