"""Which tests may notice a change of a source, the likeliest first: for mutants that no list names tests for."""

import functools
import re
from collections import Counter
from pathlib import Path

from tests.mutants import ROOT, listed

LAYERS = {
    "privacy_engine/": ("tests/engine", "tests", "tests/dashboard"),
    "dashboard/": ("tests/dashboard", "tests", "tests/engine"),
    "static/js/": ("tests/js", "tests/browser"),
}
"""Folders of the tests of a layer: those of a folder come before those of the next, unless they name the source."""
FEW = 40
"""A name that more test files have distinguishes hardly any of them."""


@functools.cache
def texts():
    """Text of every file of tests, by its name."""
    folders = {folder for layer in LAYERS.values() for folder in layer} - {"tests"}
    found = [*(ROOT / "tests").glob("test_*.py")]
    for folder in folders:
        found += [*(ROOT / folder).rglob("test_*.py"), *(ROOT / folder).rglob("*.test.mjs")]
    return {str(path.relative_to(ROOT)): path.read_text() for path in sorted(found)}


@functools.cache
def _tokens():
    """Tokens of each file of tests, and in how many files each token is."""
    tokens = {test: Counter(re.findall(r"\w{3,}", text)) for test, text in texts().items()}
    return tokens, Counter(token for counter in tokens.values() for token in counter)


def _stems(path):
    """Tokens of a path, without an ending that makes a plural of them."""
    name = re.sub(r"^(privacy_engine|dashboard|static/js|tests/\w+)/|\.test\.mjs$|\.\w+$", "", path)
    return {re.sub(r"(ies|es|s|y)$", "", token) for token in re.split(r"[/_]", name)} - {"test", "", "cor", "pag"}


@functools.cache
def _imports(folder):
    """What each module of JavaScript or file of its tests imports, by names of files."""
    found = {}
    for path in (ROOT / folder).rglob("*.*js"):
        targets = re.findall(r"""(?:from|import\(?)\s*"(\.[^"]+)\"""", path.read_text())
        resolved = ((path.parent / target).resolve() for target in targets)
        found[str(path.relative_to(ROOT))] = frozenset(
            str(file.relative_to(ROOT)) for file in resolved if file.is_relative_to(ROOT)
        )
    return found


def imported_by_tests():
    """Modules of JavaScript that a unit test imports itself."""
    return {file for targets in _imports("tests/js").values() for file in targets}


def _reach(test, source):
    """How many imports lie between a unit test and a module of JavaScript: 1 if it imports it, 0 if it never does."""
    seen, now = {test}, {test}
    for distance in range(1, 10):
        now = {file for one in now for part in ("tests/js", "static/js") for file in _imports(part).get(one, ())} - seen
        if source in now:
            return distance
        seen |= now
    return 0


def _names(source):
    """Names that a source defines."""
    text = (ROOT / source).read_text()
    pattern = (
        r"^export (?:async )?(?:function\*?|class|const) (\w{3,})"
        if source.endswith(".js")
        else (r"^ *(?:async )?(?:def|class) (\w{3,})|^([A-Z]\w{3,}) =")
    )
    found = re.findall(pattern, text, re.MULTILINE)
    return {name if isinstance(name, str) else "".join(name) for name in found}


@functools.cache
def _registered(source):
    """Names in quotes by which tests call what a source registers: of a component, a format, a command's argument."""
    text = (ROOT / source).read_text()
    found = re.findall(r"""Literal\["([\w-]{4,})"\]|\b(?:name|url_name)=["']([\w-]{4,})["']""", text)
    return {f'"{one or other}"' for one, other in found}


def _score(source, test, names, function):
    tokens, files = _tokens()
    text, own = texts()[test], tokens[test]
    score = sum(1 + FEW / files[name] for name in names if name in own and files[name] <= FEW)
    score += 10 * (function in own and files[function] <= FEW) if function else 0
    score += 4 * len(_stems(source) & _stems(test))
    if source.endswith(".js"):
        near = _reach(test, source) if test.endswith(".mjs") else 0
        return score + (100 / near if near else 0) + 10 * (source.removeprefix("static/js/") in text)
    module = source.removesuffix(".py").replace("/", ".")
    package, _, name = module.rpartition(".")
    direct = re.search(rf"\bfrom {re.escape(package)} import [^#\n]*\b{name}\b|\b{re.escape(module)}\b", text)
    score += 20 * bool(direct) + 6 * sum(name in text for name in _registered(source))
    return score + 3 * (package in text)


def relevant(source, at=None):
    """Return groups of tests, each to be run where none of those before noticed: listed, named, then by layer."""
    own = dict.fromkeys(test for mutant in listed() if mutant.file == source for test in mutant.tests)
    functions = re.findall(r"^ *(?:async )?def (\w+)", (ROOT / source).read_text()[:at], re.MULTILINE)
    function = functions[-1] if functions and at is not None and source.endswith(".py") else ""
    names = _names(source)
    folders = next(folders for start, folders in LAYERS.items() if source.startswith(start))
    scored = []
    for test in texts():
        folder = next((one for one in folders if Path(test).is_relative_to(one) and one.count("/") == 1), None)
        folder = folder or ("tests" if "tests" in folders and str(Path(test).parent) == "tests" else None)
        if folder is not None:
            scored.append((_score(source, test, names, function), -folders.index(folder), test))
    scored.sort(key=lambda row: (-row[0], -row[1], row[2]))
    likely = [test for score, _, test in scored if score >= 8][:12]
    rest = [test for score, folder, test in scored if test not in likely and (score >= 3 or folder == 0)]
    return [group for group in (tuple(own), tuple(likely[:4]), tuple(likely[4:]), tuple(rest)) if group]
