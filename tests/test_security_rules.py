"""What the sources of the product never do, and a checklist of security whose tests exist."""

import ast
import re
from pathlib import Path

from tests.cases import each

ROOT = Path(__file__).resolve().parents[1]
PYTHON = sorted([*ROOT.glob("dashboard/**/*.py"), *ROOT.glob("privacy_engine/**/*.py")])
SCRIPTS = sorted(ROOT.glob("static/js/**/*.js"))
TEMPLATES = sorted(ROOT.glob("templates/**/*.html"))
CHECKLIST = ROOT / "docs" / "security.md"
NAMES = dict.fromkeys(("eval", "exec"), "runs text as code")  # calls by their last names, and why not
NAMES |= dict.fromkeys(("md5", "sha1"), "is no hash for integrity")
NAMES |= dict.fromkeys(("raw", "extra", "RawSQL"), "is SQL as text")
NAMES["mktemp"] = "names a file that another process may make first"
SHELLS = {"system", "popen"}
"""Of the module os."""
LOGS, ERRORS = {"debug", "info", "warning", "error", "critical"}, {"error", "exc", "exception"}
SOURCES = {"default_rng", "Generator", "Philox", "SeedSequence", "BitGenerator"}
"""Of numpy.random, what makes a generator of its own."""
MODULES = {"pickle", "marshal", "shelve", "dill", "xml.dom.minidom", "xml.sax", "lxml"}
SAFE = "dashboard/core/templatetags/display.py"
"""The only file that marks text as HTML."""
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


def _path(node):
    """The dotted name of what is called; empty where it is none."""
    if isinstance(node, ast.Attribute):
        return f"{_path(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def _faults(tree, *, marks=True):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            module = node.module if isinstance(node, ast.ImportFrom) else ""
            yield from (f"imports {name}" for name in {module, *(one.name for one in node.names)} & MODULES)
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if name in SHELLS and getattr(getattr(node.func, "value", None), "id", "") == "os":
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


def test_python_runs_no_text_and_reads_no_objects():
    trees = {str(path.relative_to(ROOT)): ast.parse(path.read_text()) for path in PYTHON}
    assert [f"{name}: {fault}" for name, tree in trees.items() for fault in _faults(tree, marks=name != SAFE)] == []


@each(
    "text",
    [
        "eval('1')",
        "import pickle",
        "run('x', shell=True)",
        "Row.objects.raw('x')",
        "mark_safe(x)",
        "os.system(x)",
        "hashlib.md5(b'')",
        "logger.warning('%s', error)",
        "np.random.normal(0, 1)",
        "get(url, verify=False)",
        "tempfile.mktemp()",
    ],
)
def test_the_search_finds_what_is_not_allowed(text):
    assert list(_faults(ast.parse(text)))


def test_scripts_write_text_and_no_html():
    written = r"(inner|outer)HTML\s*\+?=[^=]|insertAdjacentHTML|document\.write|\beval\(|new Function\(|setHTMLUnsafe"
    assert re.search(written, "a.innerHTML = b")
    assert [path.name for path in SCRIPTS if re.search(written, path.read_text())] == []


def test_only_the_page_of_a_refused_request_is_without_a_token_of_its_form():
    assert [path.name for path in PYTHON if "csrf_exempt" in path.read_text()] == ["error_views.py"]


def test_no_response_is_for_other_origins():
    assert [path.name for path in PYTHON if "Access-Control-Allow" in path.read_text()] == []


def test_password_fields_are_masked_and_take_what_is_pasted():
    fields = [
        (path.name, field)
        for path in TEMPLATES
        for field in re.findall(r"<input[^>]*>", re.sub(r"{%.*?%}", "", path.read_text()))
        if re.search(r'(?:name|id)="[^"]*password', field)
    ]
    assert fields
    for name, field in fields:
        assert 'type="password"' in field, name
        assert "onpaste" not in field, name
        assert 'autocomplete="off"' not in field, name


class TestChecklist:
    text = CHECKLIST.read_text()

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
