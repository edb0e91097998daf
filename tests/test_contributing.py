"""CONTRIBUTING's commands and examples do what CONTRIBUTING states, and the language check finds what it lists."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.cases import each
from tests.patience import patience

ROOT = Path(__file__).resolve().parent.parent
GUIDE = (ROOT / "CONTRIBUTING.md").read_text()
PYTHON_BLOCKS = re.findall(r"^```python\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL)
COMMANDS = "".join(re.findall(r"^```sh\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL)).splitlines()
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


def run(*command, **options):
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=patience(170), **options)


@each(("holding", "use"), [("half-for-landmarks", RELEASE), ("largest-error", METRIC)])
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
            ("def _told(x): ...", "told"),
            ("asked = 1", "asked"),
            ("const lookedInk = 2", "Ink"),
            ("# The worker hears of it.", "hears"),
            ("# It is drawn anew.", "anew"),
            ("class FixedWalk:", "Walk"),
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
