"""What the sources of the product never do, and a checklist of security whose tests exist."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from tests.cases import each

ROOT = Path(__file__).resolve().parents[1]
PYTHON = sorted([*ROOT.glob("dashboard/**/*.py"), *ROOT.glob("privacy_engine/**/*.py")])
TEMPLATES = sorted(ROOT.glob("templates/**/*.html"))
NAMES = dict.fromkeys(("eval", "exec"), "runs text as code")  # calls by their last names, and why not
NAMES |= dict.fromkeys(("md5", "sha1"), "is no hash for integrity")
NAMES |= dict.fromkeys(("raw", "extra", "RawSQL"), "is SQL as text")
NAMES["mktemp"] = "names a file that another process may make first"
LOGS, ERRORS = {"debug", "info", "warning", "error", "critical"}, {"error", "exc", "exception"}
SOURCES = {"default_rng", "Generator", "Philox", "SeedSequence", "BitGenerator"}
"""Of numpy.random, what makes a generator of its own."""
MODULES = {"pickle", "marshal", "shelve", "dill", "xml.dom.minidom", "xml.sax", "lxml"}
SAFE = "dashboard/core/templatetags/display.py"
"""The only file that marks text as HTML."""
OWN_PROCESS = {"dashboard/core/computing.py", "dashboard/launcher/computing.py", "privacy_engine/laws/base.py"}
"""Where objects pass between a process and one that it started, over a pipe that no one else has, or are its own."""
LEVEL_1 = {
    "1": "2.1 2.2 2.3 2.4 2.5 3.1 3.2 5.1",
    "2": "1.1 2.1 2.2 3.1",
    "3": "2.1 2.2 3.1 4.1 4.2 5.1 5.2 5.3",
    "4": "1.1 4.1",
    "5": "2.1 2.2 3.1 3.2",
    "6": "1.1 2.1 2.2 2.3 2.4 2.5 2.6 2.7 2.8 3.1 3.2 4.1 4.2",
    "7": "2.1 2.2 2.3 2.4 4.1 4.2",
    "8": "1.1 2.1 2.2 3.1",
    "9": "1.1 1.2 1.3 2.1",
    "10": "4.1 4.2 4.3 4.4 4.5",
    "11": "3.1 3.2 4.1",
    "12": "1.1 2.1 2.2",
    "13": "4.1",
    "14": "2.1 3.1",
    "15": "1.1 2.1 3.1",
}


@cache
def tree_of(path):
    return ast.parse(path.read_text())


@cache
def nodes_of(tree):
    """All nodes of a tree that several tests look through."""
    return list(ast.walk(tree))


def _path(node):
    """The dotted name of what is called; empty where it is none."""
    if isinstance(node, ast.Attribute):
        return f"{_path(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def _faults(tree, *, marks=True):
    for node in nodes_of(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            module = node.module if isinstance(node, ast.ImportFrom) else ""
            yield from (f"imports {name}" for name in {module, *(one.name for one in node.names)} & MODULES)
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if name in {"system", "popen"} and getattr(getattr(node.func, "value", None), "id", "") == "os":
            yield "starts a shell"
        if name in NAMES:
            yield f"{name} {NAMES[name]}"
        if name == "mark_safe" and marks:
            yield "marks text as HTML"
        if name in LOGS and any(isinstance(one, ast.Name) and one.id in ERRORS for one in node.args[1:]):
            yield "logs an error, whose message may hold a position"
        if _path(node.func).startswith(("np.random.", "numpy.random.")) and name not in SOURCES:
            yield "draws from a generator that all share"
        if any(one.arg == "verify" and getattr(one.value, "value", True) is False for one in node.keywords):
            yield "does not verify certificates"
        if any(one.arg == "shell" and getattr(one.value, "value", True) for one in node.keywords):
            yield "starts a shell"


@pytest.mark.slow
def test_python_runs_no_text_and_reads_no_objects():
    trees = {str(path.relative_to(ROOT)): tree_of(path) for path in PYTHON}
    found = {(name, fault) for name, tree in trees.items() for fault in _faults(tree, marks=name != SAFE)}
    assert found == {(name, "imports pickle") for name in OWN_PROCESS}


@each(
    "text",
    [
        *("eval('1')", "import pickle", "run('x', shell=True)", "Row.objects.raw('x')", "mark_safe(x)"),
        *("os.system(x)", "hashlib.md5(b'')", "logger.warning('%s', error)", "np.random.normal(0, 1)"),
        *("get(url, verify=False)", "tempfile.mktemp()"),
    ],
)
def test_the_search_finds_what_is_not_allowed(text):
    assert list(_faults(ast.parse(text)))


def test_scripts_write_text_and_no_html():
    written = r"(inner|outer)HTML\s*\+?=[^=]|insertAdjacentHTML|document\.write|\beval\(|new Function\(|setHTMLUnsafe"
    assert re.search(written, "a.innerHTML = b")
    assert [path.name for path in sorted(ROOT.glob("static/js/**/*.js")) if re.search(written, path.read_text())] == []


def test_only_the_page_of_a_refused_request_is_without_a_token_of_its_form():
    assert [path.name for path in PYTHON if "csrf_exempt" in path.read_text()] == ["error_views.py"]


def test_no_response_is_for_other_origins():
    assert [path.name for path in PYTHON if "Access-Control-Allow" in path.read_text()] == []


def test_password_fields_are_masked_and_take_what_is_pasted():
    texts = {path.name: re.sub(r"{%.*?%}", "", path.read_text()) for path in TEMPLATES}
    fields = [(name, one) for name, text in texts.items() for one in re.findall(r"<input[^>]*>", text)]
    fields = [(name, one) for name, one in fields if re.search(r'(?:name|id)="[^"]*password', one)]
    assert fields
    for name, field in fields:
        assert 'type="password"' in field, name
        assert "onpaste" not in field, name
        assert 'autocomplete="off"' not in field, name


class TestChecklist:
    text = "".join((ROOT / "docs" / name).read_text() for name in ("reference/asvs.md", "explanation/security.md"))

    def test_has_every_requirement_of_level_1_once(self):
        expected = [f"{chapter}.{one}" for chapter, some in LEVEL_1.items() for one in some.split()]
        assert len(expected) == 70
        assert re.findall(r"^\| (\d+\.\d+\.\d+) \|", self.text.partition("Beyond level 1")[0], re.MULTILINE) == expected

    def test_names_tests_that_exist(self):
        named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", self.text)
        assert len(named) > 40
        sources = {path: (ROOT / path).read_text() for path, _ in named}
        assert [(path, name) for path, name in named if f"def {name}(" not in sources[path]] == []

    def test_each_line_has_a_test_a_reason_or_what_is_missing(self):
        for line in self.text.splitlines():
            if re.match(r"\| \d", line):
                how = line.split("|")[3].strip()
                assert re.match(r"(`tests/|Not met|Partly|Does not apply|By )", how), line


FILES = [ROOT / "manage.py"]
FILES += [
    one for folder in ("privacy_engine", "dashboard", "scripts", "benchmarks") for one in ROOT.glob(f"{folder}/**/*.py")
]
LINKS = {"__cause__", "__context__"}


def _branches(value):
    match value:
        case ast.IfExp():
            parts = [value.body, value.orelse]
        case ast.BoolOp():
            parts = value.values
        case ast.NamedExpr():
            parts = [value.target, value.value]
        case _:
            return [] if value is None else [value]
    return [one for part in parts for one in _branches(part)]


def _returns_an_argument(function):
    if not isinstance(function, ast.FunctionDef):
        return False
    given = {one.arg for one in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)}
    returned = (one for node in ast.walk(function) if isinstance(node, ast.Return) for one in _branches(node.value))
    return any(isinstance(one, ast.Name) and one.id in given for one in returned)


def _called(node):
    function = node.func if isinstance(node, ast.Call) else None
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


class Scope:
    """Which errors an expression of one function can be, by their names."""

    def __init__(self, function, passing):
        self.passing = passing
        self.assigned: dict[str, list[ast.expr]] = {}
        for node in ast.walk(function):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    self.assigned.setdefault(ast.unparse(target), []).append(node.value)

    def names(self, value, met=frozenset()):
        """The names, with those that an assignment or a function may pass on; a link counts as its error."""
        found: set[str] = set()
        for one in _branches(value):
            if _is_link(one):
                found |= self.names(one.value, met)
            elif isinstance(one, ast.Name | ast.Attribute):
                name = ast.unparse(one)
                found.add(name)
                if name not in met:
                    for given in self.assigned.get(name, ()):
                        found |= self.names(given, met | {name})
            elif isinstance(one, ast.Call):
                if isinstance(one.func, ast.Attribute) and one.func.attr == "with_traceback":
                    found |= self.names(one.func.value, met)
                elif _called(one) in self.passing:
                    for argument in (*one.args, *(keyword.value for keyword in one.keywords)):
                        found |= self.names(argument, met)
        return found


def _is_link(node):
    return isinstance(node, ast.Attribute) and node.attr in LINKS


def _follows(node):
    """Whether it reads what an error links to."""
    return any(_is_link(one) or (_called(one) == "getattr" and _names_a_link(one)) for one in ast.walk(node))


def _names_a_link(node):
    return any(getattr(part, "value", "") in LINKS for part in ast.walk(node) if isinstance(part, ast.Constant))


def _raises_from(node):
    return isinstance(node, ast.Raise) and isinstance(node.cause, ast.Name | ast.Attribute)


def faults(tree, passing):
    nodes = nodes_of(tree)
    functions = [tree, *(node for node in nodes if isinstance(node, ast.FunctionDef))]
    for function in functions if any(_raises_from(node) for node in nodes) else ():
        scope = Scope(function, passing)
        for node in filter(_raises_from, ast.walk(function)):
            if scope.names(node.exc) & scope.names(node.cause):
                yield f"{node.lineno}: an error that may be its own cause"
    for function in functions if any(_is_link(node) for node in nodes) else ():
        name = getattr(function, "name", None)
        if any(_called(node) == name and _follows(node) for node in ast.walk(function)):
            yield f"{function.lineno}: follows causes by calls of itself"
    for node in nodes:
        stored = _is_link(node) and isinstance(node.ctx, ast.Store | ast.Del)
        by_name = _called(node) == "setattr" and _names_a_link(node)
        if stored or by_name:
            yield f"{node.lineno}: sets what an error links to"
        if isinstance(node, ast.While) and _follows(node):
            compared = (one.ops[0] for one in ast.walk(node) if isinstance(one, ast.Compare))
            if not any(isinstance(one, ast.In | ast.NotIn) for one in compared):
                yield f"{node.lineno}: follows causes without a memory of those it met"


def passing_functions(trees):
    """Names of functions that may return what they were given."""
    return {node.name for tree in trees for node in nodes_of(tree) if _returns_an_argument(node)}


@pytest.mark.slow
def test_no_error_is_its_own_cause_and_every_walk_over_causes_ends():
    restoring = ROOT / "dashboard/core/computing.py"  # an error of another process, with the cause that it had there
    trees = {path: tree_of(path) for path in FILES if path != restoring}
    passing = passing_functions(trees.values())
    assert [f"{path.relative_to(ROOT)}:{one}" for path, tree in trees.items() for one in faults(tree, passing)] == []


@each(
    "text",
    [
        *("raise error if isinstance(error, A) else B() from error", "raise error from error"),
        *("raise self.error from self.error", "raise error.with_traceback(None) from error"),
        *("raise error.__cause__ from error", "raise (other := error) or A() from error"),
        "other = error\nraise other from error",
        "def translated(error):\n    return error\nraise translated(error) from error",
        "class A:\n    def moved(self, e):\n        return e if e.row else B()\nraise A().moved(error) from error",
        *("error.__cause__ = None", "error.__context__ = other", "setattr(error, '__cause__', other)"),
        "while error:\n    error = error.__cause__ or error.__context__",
        "while error:\n    error = getattr(error, '__cause__', None)",
        "def root(error):\n    return root(error.__cause__) if error.__cause__ else error",
    ],
)
def test_the_search_finds_circles(text):
    tree = ast.parse(text)
    assert list(faults(tree, passing_functions([tree])))
