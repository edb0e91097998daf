"""Facts about the repository itself: file lengths, locks, what the containers may do."""

import ast
import os
import re
import subprocess
import tomllib
from pathlib import Path

from tests.cases import each

ROOT = Path(__file__).resolve().parent.parent
LOCKS = ("requirements.txt", "requirements-s3.txt", "requirements-dev.txt")


def _tracked(*endings):
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return [path for name in listed.stdout.splitlines() if (path := ROOT / name).suffix in endings and path.is_file()]


def _pins(lock):
    return dict(re.findall(r"^([a-z0-9._-]+)(?:\[[^]]*\])?==([^\s;]+)", (ROOT / lock).read_text(), re.MULTILINE))


def _declared(extra=None):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = project["optional-dependencies"][extra] if extra else project["dependencies"]
    return {re.match(r"[a-z0-9._-]+", line.lower())[0].replace("_", "-") for line in wanted}


def test_no_file_is_longer_than_a_person_reads():
    lengths = {path: len(path.read_text().splitlines()) for path in _tracked(".py", ".js", ".css", ".html")}
    assert {path: lines for path, lines in lengths.items() if lines > 400} == {}


class TestLocks:
    def test_every_declared_package_is_locked(self):
        assert _declared() | _declared("server") <= _pins("requirements.txt").keys()
        served = _declared() | _declared("server") | _declared("vector") | _declared("deploy") | _declared("s3")
        assert served <= _pins("requirements-s3.txt").keys()
        assert served | _declared("notebook") | _declared("dev") <= _pins("requirements-dev.txt").keys()

    def test_the_other_locks_hold_that_of_make_run(self):
        for lock in LOCKS:
            assert _pins("requirements.txt").items() <= _pins(lock).items()

    @each("lock", LOCKS)
    def test_every_pin_has_hashes(self, lock):
        entries = re.split(r"^(?=[a-z0-9])", (ROOT / lock).read_text(), flags=re.MULTILINE)[1:]
        assert entries
        assert [entry.split()[0] for entry in entries if "--hash=sha256:" not in entry] == []

    @each("lock", LOCKS)
    def test_no_address_of_a_package_index_is_written_down(self, lock):
        text = (ROOT / lock).read_text()
        assert "://" not in text
        assert not re.search(r"^--?(i|f|index|extra|find|trusted)", text, re.MULTILINE)


def test_every_browser_module_has_a_journey_that_make_test_runs():
    modules = set((ROOT / "tests" / "browser").glob("test_*.py")) - {ROOT / "tests" / "browser" / "test_real_server.py"}
    assert [path.name for path in modules if "pytest.mark.journey" not in path.read_text()] == []


def test_scripts_can_be_run():
    assert [name for name in (".ci/run", ".ci/check") if not os.access(ROOT / name, os.X_OK)] == []


def test_the_changelog_describes_this_version():
    code = (ROOT / "privacy_engine" / "__init__.py").read_text()
    [version] = re.findall(r'^__version__ = "(.+)"$', code, re.MULTILINE)
    assert f"## {version}" in (ROOT / "CHANGELOG.md").read_text()


def test_the_readme_points_at_things_that_are_there():
    targets = re.findall(r"\]\(([^):#]+)\)", (ROOT / "README.md").read_text())
    assert targets
    assert [target for target in targets if not (ROOT / target).exists()] == []


def _unscaled(source):
    """Literal time-outs of a test file: ``timeout=10``, ``time.monotonic() + 10``, Playwright's default in ms.

    0 means not to wait at all.
    """
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.keyword) and node.arg == "timeout":
            value = node.value
        elif isinstance(node, ast.BinOp) and ast.unparse(node.left) == "time.monotonic()":
            value = node.right
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "set_default_timeout":
            value = node.args[0]
        else:
            continue
        if isinstance(value, ast.Constant) and value.value:
            found.append(ast.unparse(node))
    return found


class TestPatience:
    def test_every_literal_timeout_of_a_test_is_scaled(self):
        files = [path for path in _tracked(".py") if path.is_relative_to(ROOT / "tests")]
        assert len(files) > 100
        found = {str(path.relative_to(ROOT)): _unscaled(path.read_text()) for path in files}
        assert {name: lines for name, lines in found.items() if lines} == {}

    def test_literals_are_found(self):
        source = "f(timeout=5)\nend = time.monotonic() + 30\nf(timeout=patience(5))\nf(timeout=0)\nf(timeout=SOON_S)"
        source += "\npage.set_default_timeout(5_000)\npage.set_default_timeout(patience(5_000))"
        assert sorted(_unscaled(source)) == ["page.set_default_timeout(5000)", "time.monotonic() + 30", "timeout=5"]
