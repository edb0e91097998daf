"""Components of other packages, in processes of their own: the registries of this one are not touched."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.package_folder import written
from tests.patience import patience

ROOT = Path(__file__).resolve().parents[2]
OWN = (ROOT / "examples" / "own-mechanism" / "own_mechanism.py").read_text()
FORMAT = '''
from privacy_engine.data import Trajectory
from privacy_engine.formats.detect import Format

def read(source, options, report):
    """Two points."""
    report.rows_read = 2
    return [Trajectory([1.0, 2.0], [3.0, 4.0])]

def begins(head):
    """Whether the file begins with STARS."""
    return head.startswith(b"STARS")

stars = Format("stars", "Stars", ["stars"], begins, read)
'''


@pytest.fixture
def run(tmp_path):
    """Run lines of Python beside the packages of ``tmp_path / "plugins"``; what they print, as JSON."""

    def code(lines, *arguments):
        path = os.pathsep.join([str(tmp_path / "plugins"), str(ROOT)])
        done = subprocess.run(
            [sys.executable, "-c", lines, *arguments],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": path},
            capture_output=True,
            text=True,
            timeout=patience(120),
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return code


def test_it_is_listed_with_package_and_version_and_its_promise_states_that_it_is_not_reviewed(tmp_path, run):
    groups = {"cairn.mechanisms": {"landmark-halves": "own:Halves"}, "cairn.formats": {"stars": "star:stars"}}
    written(tmp_path / "plugins", "some-one", groups, own=OWN, star=FORMAT)
    (tmp_path / "sky.stars").write_text("STARS")
    found = json.loads(
        run(
            """
import json, privacy_engine as pe
from privacy_engine import mechanisms as _
from privacy_engine.mechanisms.base.mechanism import mechanisms
read = pe.read("sky.stars").landmarks("synthetic:50%:uniform:1")
release = read.release("landmark-halves", epsilon=1, radius_m=200)
label = release.made.label
print(json.dumps([[*mechanisms][-1].title, read.report.format, label["guarantee"]["statement"], release.statement]))
"""
        )
    )
    assert found[:2] == ["Halves (some-one 1.0, not reviewed)", "stars"]
    for sentence in found[2:]:
        assert "as some-one 1.0 states, which is not reviewed" in sentence
        [carrying] = [part for part in sentence.split(". ") if "ε = 1 per 200 m" in part]
        assert "not reviewed" in carrying


def test_another_process_is_given_it_with_its_mark_by_pickle(tmp_path, run):
    written(tmp_path / "plugins", "some-one", {"cairn.mechanisms": {"landmark-halves": "own:Halves"}}, own=OWN)
    run(
        """
import pickle
from privacy_engine import mechanisms as _
from privacy_engine.mechanisms.base.mechanism import mechanisms
halves = mechanisms.parse({"name": "landmark-halves", "epsilon": 1.0, "radius_m": 2.0})
assert pickle.loads(pickle.dumps(halves)) == halves
open("halves", "wb").write(pickle.dumps(halves))
"""
    )
    again = (
        "import pickle; halves = pickle.load(open('halves', 'rb')); print(halves.title, halves.guarantee().statement)"
    )
    assert run(again).count("some-one 1.0") == 2


def test_measures_of_an_own_metric_and_attack_go_to_other_processes_as_measures(tmp_path, run):
    example = ROOT / "examples" / "own-mechanism"
    groups = {"cairn.metrics": {"m": "own_metric:TurnedShare"}, "cairn.attacks": {"a": "own_attack:MovingAverage"}}
    texts = {name: (example / f"{name}.py").read_text() for name in ("own_metric", "own_attack")}
    written(tmp_path / "plugins", "some-one", groups, **texts)
    run(
        """
import pickle
from privacy_engine.experiments.measures import measures
for name in ("turned-share", "average-distance", "hausdorff"):
    measure = measures.parse(name)
    again = pickle.loads(pickle.dumps(measure))
    assert type(again) is type(measure) and again == measure, name
"""
    )


def test_a_format_that_cannot_look_at_a_file_leaves_it_to_the_others(tmp_path, run):
    fragile = FORMAT.replace('head.startswith(b"STARS")', "1 / 0")
    written(tmp_path / "plugins", "some-one", {"cairn.formats": {"stars": "star:stars"}}, star=fragile)
    (tmp_path / "walk.csv").write_text("time,lat,lon\n2024-06-15T10:30:00Z,52.52,13.405\n")
    assert run("import privacy_engine as pe; print(pe.read('walk.csv').report.format)").strip() == "csv"


FAULTS = {
    "landmark-uniform": ("taken:Other", "has the name landmark-uniform, which is that of a mechanism of Cairn"),
    "no-mechanism": ("taken:number", "is not a subclass of Mechanism"),
    "untitled": ("taken:Untitled", "lacks title and summary"),
    "elsewhere": (
        "taken:Elsewhere",
        "is for data of the kind 'weather', which is none of checkins, stream, trajectory",
    ),
    "broken": ("broken:Any", "cannot be imported: ZeroDivisionError: division by zero"),
    "leaving": ("leaving:Any", "cannot be imported: SystemExit: 3"),
    "missing": ("taken:Nothing", "cannot be imported: AttributeError: module 'taken' has no attribute 'Nothing'"),
}
TAKEN = """
from typing import Literal
from privacy_engine.mechanisms.landmark import Uniform
from privacy_engine.mechanisms.landmark.base import PlanarLaplaceMechanism

number = 3

class Other(Uniform):
    pass

class Elsewhere(Uniform):
    name: Literal["elsewhere"] = "elsewhere"
    kind = "weather"

class Untitled(PlanarLaplaceMechanism):
    name: Literal["untitled"] = "untitled"
"""


def test_what_cannot_be_used_is_named_and_hurts_nothing_else(tmp_path, run):
    groups = {"cairn.mechanisms": {name: value for name, (value, _) in FAULTS.items()} | {"z": "own:Halves"}}
    written(
        tmp_path / "plugins", "some-one", groups, own=OWN, taken=TAKEN, broken="1 / 0", leaving="raise SystemExit(3)"
    )
    printed = run(
        """
import json
from privacy_engine import mechanisms as _
from privacy_engine.mechanisms.base.mechanism import mechanisms
names = [cls.registered_name() for cls in mechanisms]
print(json.dumps([names, {lost.name: str(lost) for lost in mechanisms.not_loaded}]))
"""
    )
    names, lost = json.loads(printed)
    assert names[0] == "event-level"
    assert names[-1] == "landmark-halves"
    assert lost == {name: f"{name} of some-one 1.0 (cairn.mechanisms) {why}" for name, (_, why) in FAULTS.items()}


METRIC = """
from typing import ClassVar, Literal
from privacy_engine.metrics import TrajectoryMetric

class Error(TrajectoryMetric):
    title: ClassVar[str] = "Error"
    summary: ClassVar[str] = "One."
    name: Literal["home-found"] = "home-found"
"""


def test_a_metric_with_the_name_of_an_attacks_headline_is_refused_and_experiments_go_on(tmp_path, run):
    written(tmp_path / "plugins", "some-one", {"cairn.metrics": {"one": "own:Error"}}, own=METRIC)
    printed = run(
        """
from privacy_engine.experiments.measures import measures
from privacy_engine.metrics import metrics
print("home-found" in measures, [str(lost) for lost in metrics.not_loaded])
"""
    )
    assert printed.startswith("True ['home-found of some-one 1.0 (cairn.metrics) cannot be measured in experiments")


HELP = """
import sys
from privacy_engine.commands.main import main
try:
    main(sys.argv[1:])
except SystemExit:
    pass
"""


def test_nothing_is_imported_for_help(tmp_path, run):
    groups = {
        group: {"any": "loud:Any"} for group in ("cairn.mechanisms", "cairn.metrics", "cairn.attacks", "cairn.formats")
    }
    written(tmp_path / "plugins", "loud", groups, loud="open('imported', 'w')")
    for arguments in (["--help"], ["audit", "--help"], ["check-mechanism", "--help"], ["release", "--help"]):
        run(HELP, *arguments)
        assert not (tmp_path / "imported").exists(), arguments
    run("from privacy_engine.formats import formats; formats()")
    assert (tmp_path / "imported").exists()
