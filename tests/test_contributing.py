"""CONTRIBUTING's commands and examples do what it states; the language check; facts about the repository itself."""

import ast
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from tests.cases import each
from tests.pages import blocks
from tests.patience import patience

ROOT = Path(__file__).resolve().parent.parent
GUIDE = (ROOT / "CONTRIBUTING.md").read_text()
PYTHON_BLOCKS = blocks("python", "CONTRIBUTING.md")
COMMANDS = "".join(blocks("sh", "CONTRIBUTING.md")).splitlines()
NAMED = re.findall(r"`([\w.<>/-]+)`", GUIDE)
HOOKS = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
CHECK = ROOT / "scripts" / "check-language"

RELEASE = """
import numpy as np
from privacy_engine import noise
from privacy_engine.data import LandmarkSet, Trajectory
truth = Trajectory(np.linspace(2.0, 2.1, 8), np.full(8, 48.0))
mechanism = mechanisms.parse({"name": "half-for-landmarks", "epsilon": 1.0, "radius_m": 200.0})
landmarks = LandmarkSet(np.array([False, True] * 4))
release = mechanism.release(truth, landmarks, rng=noise.seeded(np.random.default_rng(7)))
assert release.budgets.tolist() == [0.5, 0.125] * 4, release.budgets
assert len(release.series) == 8
assert (release.series.lon != truth.lon).all()
"""
METRIC = """
truth = Trajectory([0.0, 0.001], [0.0, 0.0])
assert metrics.parse({"name": "largest-error"}).over(truth, truth.lon + [0.0, 0.002], truth.lat, [0, 1]).round() == 222
"""

FORMAT = """
import io
import privacy_engine as pe
assert len(pe.read(io.BytesIO(b"#pairs\\n48.1 2.1\\n48.2 2.2\\n"), person="one")) == 2
try:
    pe.read(io.BytesIO(b"#pairs\\n48.1\\n"), person="one")
except pe.FormatError as error:
    assert error.code == "bad_pairs"
else:
    raise AssertionError("a damaged file was read")
"""


def run(*command, **options):
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=patience(170), **options)


@each(("holding", "use"), [("half-for-landmarks", RELEASE), ("largest-error", METRIC), ("#pairs", FORMAT)])
def test_an_example_registers_and_works(holding, use):
    example = next(block for block in PYTHON_BLOCKS if holding in block)
    done = run(sys.executable, "-c", f"import privacy_engine.mechanisms\n{example}\n{use}")
    assert done.returncode == 0, done.stderr


class TestCommands:
    @each("line", [one for one in COMMANDS if one.startswith("make ")])
    def test_make_has_the_target(self, line):
        done = run("make", "--dry-run", "--always-make", *shlex.split(line)[1:])
        assert done.returncode == 0, done.stderr

    @pytest.mark.slow
    @pytest.mark.parametrize("line", [one for one in COMMANDS if not one.startswith("make ")])
    def test_it_runs(self, line):
        done = run("bash", "-c", line)
        assert done.returncode == 0, done.stdout + done.stderr

    @each("name", sorted({one for one in NAMED if "/" in one and "<" not in one}))
    def test_a_named_path_exists(self, name):
        example = "privacy_engine/mechanisms/landmark/half_for_landmarks.py"  # the reader's to make
        assert (ROOT / name).exists() or name == example


def test_every_hook_of_pre_commit_is_a_check_of_make():
    checks = (ROOT / ".ci" / "check").read_text()
    for hook in HOOKS[0]["hooks"]:
        tool = Path(hook["entry"].split()[0]).name
        part = hook["entry"].split()[1] if tool == "node" else tool
        assert part in checks, hook["id"]


class TestLanguageCheck:
    @pytest.fixture
    def folder(self, tmp_path):
        """A repository of its own with the check and the list."""
        (tmp_path / "scripts").mkdir()
        for path in (CHECK, CHECK.with_name("language.toml")):
            shutil.copy(path, tmp_path / "scripts")
        subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
        return tmp_path

    def check(self, folder, text, name="part.py", *options):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        subprocess.run(["git", "add", "--all"], cwd=folder, check=True)
        command = [sys.executable, folder / "scripts" / "check-language", *(options or [name])]
        return subprocess.run(command, capture_output=True, text=True, timeout=patience(60))

    @each(
        ("text", "word"),
        [
            *(("def _told(x): ...", "told"), ("asked = 1", "asked"), ("const lookedInk = 2", "Ink")),
            *(("# The worker hears of it.", "hears"), ("# It is drawn anew.", "anew"), ("class FixedWalk:", "Walk")),
            ("# nobody's data", "nobody's"),
        ],
    )
    def test_a_word_is_found_with_its_line_and_replacement(self, folder, text, word):
        done = self.check(folder, f"\n{text}\n")
        assert done.returncode == 1
        assert f"part.py:2: {word} -> " in done.stdout

    @each("text", ["# a random walk", "# the adversary knows it", "bringing", "essay", "taskset"])
    def test_a_standard_use_is_not(self, folder, text):
        assert self.check(folder, text).returncode == 0

    def test_an_exception_holds_in_its_place_alone(self, folder):
        assert self.check(folder, "rings = 1", "privacy_engine/landmarks/shapes.py").returncode == 0
        assert self.check(folder, "rings = 1", "privacy_engine/shapes.py").returncode == 1


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
        texts = {str(path.relative_to(ROOT)): path.read_text() for path in files}
        found = {name: _unscaled(text) for name, text in texts.items() if "timeout" in text or "monotonic" in text}
        assert {name: lines for name, lines in found.items() if lines} == {}

    def test_literals_are_found(self):
        source = "f(timeout=5)\nend = time.monotonic() + 30\nf(timeout=patience(5))\nf(timeout=0)\nf(timeout=SOON_S)"
        source += "\npage.set_default_timeout(5_000)\npage.set_default_timeout(patience(5_000))"
        assert sorted(_unscaled(source)) == ["page.set_default_timeout(5000)", "time.monotonic() + 30", "timeout=5"]
