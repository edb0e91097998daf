"""``manage.py release`` and ``manage.py verify``: from a file to a file, with no server, no database and no broker."""

import json

import pyarrow.parquet as pq
import pytest
from jsonschema import Draft202012Validator

from dashboard.datasets.models import BudgetEntry
from dashboard.releases import downloads
from dashboard.releases.management.commands.release import Command
from dashboard.releases.management.commands.verify import Command as Verify
from dashboard.releases.models import Release
from privacy_engine import exports, formats, noise, read
from privacy_engine.accounting import promise
from privacy_engine.cleaning import clean, parse_cleaning
from privacy_engine.datatypes.tables import Table
from privacy_engine.fluent.base import FOR_OWNER
from privacy_engine.formats.decisions import Decisions
from privacy_engine.landmarks import parse_short
from privacy_engine.mechanisms.base import mechanism
from privacy_engine.releases.label import privacy_label
from privacy_engine.releases.spec import ReleaseSpec
from privacy_engine.verify import verify
from tests.dashboard.command_runner import DAY, runner
from tests.server import python

pytestmark = pytest.mark.django_db

UNIFORM = ["--mechanism", "landmark-uniform", "--set", "epsilon=1", "--set", "radius_m=200"]
MARKS = ["--landmarks", "manual:0,2"]
LEVEL_200 = {"name": "landmark-uniform", "epsilon": 1, "radius_m": 200}


@pytest.fixture
def run(capsys):
    return runner(Command, "release", capsys)


def test_writes_what_reads_back_with_its_label(run, day, tmp_path):
    listed = Decisions.of(formats.read(day).report).listed
    statement = (
        "with the same landmarks and times; not covered: which events are landmarks, selected manually; "
        f"the values of {len(listed)} reading options, decided from the data."
    )
    for fmt in exports.FORMATS.values():
        out = tmp_path / f"out.{fmt.extension.lstrip('.')}"
        stated, wrong, code = run(day, *UNIFORM, *MARKS, "--out", out)
        assert (wrong, code) == ("", 0)
        assert stated.startswith("4 points, 2 landmarks (50.0%), 4 published. ")
        assert stated.rstrip("\n").endswith(statement)
        assert stated.count("\n") == 1
        assert len(formats.read(out)) == 4
        assert b"all 2 landmarks together leak at most" in out.read_bytes(), out


def test_a_seeded_run_states_so_and_is_the_engines(run, day, tmp_path):
    one, other = tmp_path / "1.csv", tmp_path / "2.csv"
    for dummies in ([], ["--dummies", "heuristic:1"]):
        for seed, alike in ([], False), (["--seed", "7"], True):
            for out in (one, other):
                stated, _, code = run(day, *UNIFORM, *MARKS, *dummies, *seed, "--out", out)
                assert code == 0
            assert (one.read_bytes() == other.read_bytes()) is alike
    run(day, *UNIFORM, *MARKS, "--seed", "7", "--out", one)
    assert "NOT PRIVATE: seeded simulation" in stated
    assert b"NOT PRIVATE: seeded simulation" in one.read_bytes()
    series = formats.read(day).series
    spec = ReleaseSpec.parse({"mechanism": LEVEL_200, "seed": 7})
    (expected,) = spec.release(series, parse_short("manual:0,2").mark(series))
    assert formats.read(one).series[0].lon == pytest.approx(expected.series.lon, abs=1e-9)


def test_a_forecast_writes_nothing_and_is_that_of_the_library(run, day, tmp_path, monkeypatch):
    monkeypatch.setattr(Release, "objects", None)
    monkeypatch.setattr(BudgetEntry, "objects", None)
    before = sorted(tmp_path.iterdir())
    series = read(day).landmarks(MARKS[1])
    for then in ([], ["--then", "ou-smoother"]):
        stated, wrong, code = run(day, *UNIFORM, *MARKS, *then, "--forecast")
        expected = series.forecast("landmark-uniform", epsilon=1, radius_m=200, then=then[1:])
        assert (wrong, code) == ("", 0)
        assert stated == f"{Table(expected.title, expected.rows, expected.note.removesuffix(f' {FOR_OWNER}'))}\n"
        for group in ("all events", "landmarks", "other events"):
            assert f"of {group}, events " in stated
    assert sorted(tmp_path.iterdir()) == before
    for arguments, rule in (
        ([*MARKS, "--forecast", "--out", tmp_path / "o.csv"], "--out: not allowed with argument --forecast"),
        ([*MARKS], "one of the arguments --out --forecast is required"),
        (["--forecast"], "--landmarks is required for landmark-uniform, which reads landmarks"),
    ):
        stated, wrong, code = run(day, *UNIFORM, *arguments)
        assert (stated, wrong.count("\n"), code != 0, rule in wrong) == ("", 1, True, True)


def test_parameters_and_steps_in_order_and_the_label_states_them(run, day, tmp_path):
    out = tmp_path / "out.csv"
    arguments = ["--mechanism", "landmark-skip", "--set", "epsilon=1", "--set", "radius_m=2e2", "--set", "leading=gap"]
    stated, wrong, code = run(day, *arguments, *MARKS, "--read", "format=csv", "--out", out)
    assert (wrong, code) == ("", 0)
    assert "3 published" in stated
    steps = ["--then", "causal-filter:250000", "--then", "random-walk-smoother"]
    stated, wrong, code = run(day, *UNIFORM, *MARKS, *steps, "--seed", "7", "--out", out)
    assert (wrong, code) == ("", 0)
    then = "Then Causal filter, which costs nothing. Then Random-walk smoother, which costs nothing."
    assert stated.rstrip("\n").endswith(then)
    steps = [{"name": "causal-filter", "step_variance_m2": 250_000}, {"name": "random-walk-smoother"}]
    spec = ReleaseSpec.parse({"mechanism": LEVEL_200, "seed": 7, "postprocess": steps})
    series = formats.read(day).series
    (expected,) = spec.release(series, parse_short("manual:0,2").mark(series))
    assert formats.read(out).series[0].lon == pytest.approx(expected.series.lon, abs=1e-9)
    assert b"then Causal filter over the release; then Random-walk smoother over the release" in out.read_bytes()


class TestCleaning:
    """``--clean``: as the dashboard cleans, and in the label as the dashboard's releases have it."""

    JUMPS = {"name": "drop-jumps", "highest_km_h": 200}
    FIRST = {"name": "first-events", "events": 3}
    SHORT = ("--clean", "drop-jumps:200", "--clean", "first-events:3")

    @pytest.fixture
    def jumpy(self, day):
        """The day with one position that no one can have reached."""
        day.write_text(DAY.replace("2024-06-03T08:20", "2024-06-03T08:00:00Z,10,10\n2024-06-03T08:20"))
        return day

    @pytest.mark.parametrize(
        "arguments", [SHORT, ("--clean", json.dumps([JUMPS, FIRST])), (*SHORT[:2], "--clean", json.dumps(FIRST))]
    )
    def test_comes_first_in_its_order_and_the_label_states_it(self, run, jumpy, tmp_path, arguments):
        out = tmp_path / "out.parquet"
        stated, wrong, code = run(jumpy, *arguments, *UNIFORM, *MARKS, "--seed", "7", "--out", out)
        assert (wrong, code) == ("", 0)
        assert stated.startswith("3 points, 2 landmarks (66.7%), 3 published. ")
        assert "First events: 1 event after the first 3 of a series left out." in stated
        cleaning = parse_cleaning([self.JUMPS, self.FIRST])
        spec = ReleaseSpec.parse({"mechanism": LEVEL_200, "seed": 7})
        label = json.loads(pq.read_schema(out).metadata[b"cairn"])
        uncovered = (
            "which events are landmarks, selected manually",
            "which events were left out before by cleaning that reads positions (drop-jumps)",
        )
        known = {"whole_trace": label["whole_trace_epsilon"], "noise_p95_m": label["noise_p95_m"]}
        decisions = Decisions.of(formats.read(jumpy).report)
        context = promise.Context(landmarks=2, not_covered=uncovered, decided=decisions.listed, **known)
        assert context.noise_p95_m == pytest.approx(float(noise.planar_quantile_m(1 / 3 / 200, 0.95)))
        assert context.whole_trace == pytest.approx(1)
        expected = privacy_label(spec, context, private=False, cleaning=cleaning, sha256=label["sha256"])
        assert label == json.loads(json.dumps(expected))
        series, _ = clean(formats.read(jumpy).series, cleaning)
        (expected,) = spec.release(series, parse_short("manual:0,2").mark(series))
        assert formats.read(out).series[0].lon == pytest.approx(expected.series.lon, abs=1e-9)


@pytest.mark.parametrize(
    ("landmarks", "count"),
    [("zones:zones.geojson", 2), ("synthetic:25%:bimodal:1", 1), ("column", 1), ("stay-points:200m:30min", 0)],
)
def test_every_way_to_mark_landmarks(run, day, tmp_path, landmarks, count):
    corners = [[2.33, 48.86], [2.36, 48.86], [2.36, 48.87], [2.33, 48.87], [2.33, 48.86]]
    (tmp_path / "zones.geojson").write_text(json.dumps({"type": "Polygon", "coordinates": [corners]}))
    marks = ["poi", "no", "no", "yes", ""]
    day.write_text("\n".join(f"{line},{mark}" for line, mark in zip(DAY.splitlines(), marks, strict=True)))
    landmarks = landmarks.replace("zones.", f"{tmp_path}/zones.")
    stated, wrong, code = run(day, *UNIFORM, "--landmarks", landmarks, "--out", tmp_path / "o.csv")
    assert (wrong, code) == ("", 0)
    assert stated.startswith(f"4 points, {count} landmark")
    assert (tmp_path / "o.csv").read_text().startswith("series,time,lon,lat,privacy_label,privacy_label_json\n")


def level(epsilon):
    return ["--mechanism", "landmark-uniform", "--set", f"epsilon={epsilon}", "--set", "radius_m=1", *MARKS]


GIVEN = [*UNIFORM, *MARKS]
STEPS = "random-walk-smoother:STEP_VARIANCE_M2, ou-smoother, causal-filter:STEP_VARIANCE_M2"
REFUSED = {
    "unknown mechanism": (["--mechanism", "magic", *MARKS], "mechanism.name must be"),
    "missing parameter": (["--mechanism", "event-level", "--set", "epsilon=1"], "mechanism.radius_m is required"),
    "not a number": (level("nan"), "mechanism.epsilon must be a number, got 'nan'"),
    "no equals sign": ([*GIVEN, "--set", "epsilon"], "--set must be NAME=VALUE"),
    "set twice": ([*GIVEN, "--set", "epsilon=2"], "each name once"),
    "seed that is none": ([*GIVEN, "--seed=-1"], "seed must be at least 0"),
    "unknown step": ([*GIVEN, "--then", "magic"], f"--then must be one of {STEPS}"),
    "step with too much": ([*GIVEN, "--then", "ou-smoother:3"], "got 'ou-smoother:3'"),
    "cleaning unknown": (["--clean", "magic", *GIVEN], "--clean must be one of only-series:NUMBERS"),
    "cleaning that is no JSON": (["--clean", "[{]", *GIVEN], "--clean must be JSON text"),
    "landmarks": ([*UNIFORM, "--landmarks", "near home"], "landmarks must be"),
    "event out of range": ([*UNIFORM, "--landmarks", "manual:4"], "got 4"),
    "no landmark column": ([*UNIFORM, "--landmarks", "column"], "need a landmark column"),
    "no zones file": ([*UNIFORM, "--landmarks", "zones:no.geojson"], "no.geojson: No such"),
    "unknown format": ([*GIVEN, "--out", "o.xlsx"], "--out must be a file name that ends in"),
    "no such folder": ([*GIVEN, "--out", "no/such/o.csv"], "No such file or directory"),
    "reading option": ([*GIVEN, "--read", "limits=9"], "limits"),
}


def test_fail_with_one_clear_line_and_no_file(run, day, tmp_path, monkeypatch):
    (tmp_path / "noise.bin").write_bytes(bytes(range(256)) * 40)
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())
    cases = {why: (["day.csv", "--out", "o.csv", *given], reported) for why, (given, reported) in REFUSED.items()}
    cases["no such file"] = ["nowhere.csv", "--out", "o.csv", *GIVEN], "nowhere.csv"
    cases["not data"] = ["noise.bin", "--out", "o.csv", *GIVEN], "CommandError: This is not a text"
    cases["nothing"] = [], "the following arguments are required"
    for why, (arguments, reported) in cases.items():
        stated, wrong, code = run(*arguments)
        assert (stated, wrong.count("\n"), "Traceback" in wrong) == ("", 1, False), why
        assert code != 0, why
        assert reported in wrong, why
        assert sorted(tmp_path.iterdir()) == before, why


@pytest.mark.slow
def test_needs_no_database_and_no_broker(day, tmp_path):
    out = tmp_path / "out.gpx"
    home = tmp_path / "home"
    unreachable = {"DATABASE_URL": "postgres://user@127.0.0.1:1/none", "REDIS_URL": "redis://127.0.0.1:1/0"}
    arguments = [day, *UNIFORM, "--landmarks", "stay-points:200m:30min", "--out", out]
    done = python("manage.py", "release", *arguments, CAIRN_HOME=str(home), **unreachable)
    assert (done.stderr, done.returncode) == ("", 0)
    assert out.exists()
    assert not list(home.glob("*.sqlite3"))


class TestDummies:
    """``--dummies``: every event of the day is marked, and the file names no others."""

    ALL = ("--dummies", "one-sided:0.000001")  # two coins of e^-1e-6: one run of 500,000 fails

    def test_the_label_counts_all_marks_and_what_is_wrong_is_named(self, run, day, tmp_path):
        for fmt in exports.FORMATS.values():
            out = tmp_path / f"out.{fmt.extension.lstrip('.')}"
            stated, wrong, code = run(day, *UNIFORM, *MARKS, *self.ALL, "--out", out)
            assert (wrong, code) == ("", 0)
            assert stated.startswith("4 points, 4 landmarks (100.0%), 4 published. ")
            text = out.read_bytes().decode("utf-8", errors="replace")
            assert ("all 4 landmarks" in text, "2 landmarks" in text, "dumm" in text) == (True, False, False), out
        for text in ("one-sided", "guess:1", "one-sided:0"):
            _, wrong, code = run(day, *UNIFORM, *MARKS, "--dummies", text, "--out", tmp_path / "out.csv")
            assert code == 1
            assert ("dummies must be" if ":" not in text else "method.") in wrong


@pytest.mark.parametrize("name", [cls.registered_name() for cls in mechanism.mechanisms.of("trajectory")])
def test_landmarks_are_required_iff_the_mechanism_reads_them(run, day, tmp_path, name):
    cls, out = mechanism.mechanisms[name], tmp_path / "out.parquet"
    needed = {one["name"]: one["example"] for one in cls.fields() if one["required"]} | {"epsilon": 1, "radius_m": 200}
    options = ["--mechanism", name, *(part for key, value in needed.items() for part in ("--set", f"{key}={value}"))]
    stated, wrong, code = run(day, *options, "--out", out)
    if cls.reads_landmarks:
        assert code != 0
        assert f"--landmarks is required for {name}, which reads landmarks: schedule:" in wrong
        assert not out.exists()
        return
    assert (wrong, code) == ("", 0)
    assert stated.startswith("4 points, 4 published. ")
    assert verify(out.read_bytes()).holds
    bare = json.loads(pq.read_schema(out).metadata[b"cairn"])
    assert run(day, *options, *MARKS, "--out", out)[2] == 0
    own = ("text", "sha256", "label_sha256")
    given = json.loads(pq.read_schema(out).metadata[b"cairn"])
    assert {k: v for k, v in given.items() if k not in own} == {k: v for k, v in bare.items() if k not in own}
    _, wrong, code = run(day, *options, "--dummies", "one-sided:2", "--out", out)
    assert code != 0
    assert "--dummies must be left out without --landmarks" in wrong


WALK = "time,lon,lat\n" + "".join(f"2024-05-14T07:{i:02d}:00Z,8.5{i:02d},47.3\n" for i in range(20))


@pytest.fixture
def manage(capsys):
    def run(name, *arguments):
        return runner({"release": Command, "verify": Verify}[name], name, capsys)(*arguments)

    return run


@pytest.fixture
def released(manage, tmp_path):
    def draw(fmt):
        walk, out = tmp_path / "walk.csv", tmp_path / f"out.{exports.FORMATS[fmt].extension.lstrip('.')}"
        walk.write_text(WALK)
        _, wrong, code = manage(
            *("release", walk, "--mechanism", "landmark-skip", "--set", "epsilon=1", "--set", "radius_m=200"),
            *("--landmarks", "synthetic:20%:uniform:1", "--out", out),
        )
        assert code == 0, wrong
        return out

    return draw


@pytest.mark.parametrize("fmt", sorted(exports.FORMATS))
def test_a_release_of_the_command_is_verified_and_a_changed_one_is_not(manage, released, fmt):
    path = released(fmt)
    stated, _, code = manage("verify", path)
    assert (code, "verified" in stated) == (0, True)
    data = path.read_bytes()
    path.write_bytes(data.replace(b"2024-05-14T07:03", b"2024-05-14T08:03", 1) if "parquet" not in fmt else data[:-9])
    stated, _, code = manage("verify", path, "--json")
    assert code == 1
    assert any(not check["holds"] for check in json.loads(stated)[str(path)]["checks"])


def test_several_files_hold_only_if_each_does(manage, released, tmp_path):
    good, bad = released("csv"), tmp_path / "bad.csv"
    bad.write_text("series,time\n")
    assert manage("verify", good, good)[2] == 0
    assert manage("verify", good, bad)[2] == 1
    _, wrong, code = manage("verify", tmp_path / "nowhere.csv")
    assert (code, "nowhere.csv: No such file" in wrong) == (2, True)


class TestDashboard:
    def test_the_label_is_what_its_published_schema_states(self, owner_api, done):
        schema = owner_api.get("/api/v1/label-schema/").json()
        Draft202012Validator.check_schema(schema)
        label = json.loads(json.dumps(downloads.label(done)))
        Draft202012Validator(schema).validate(label)
        assert label["ledger_entry"]
        assert label["whole_trace_epsilon"] == done.summary["whole_trace"]
        del label["not_covered"]
        assert not Draft202012Validator(schema).is_valid(label)
