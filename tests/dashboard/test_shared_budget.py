"""What a person spends whose days, or whose cleaned records, are one or many: by page, API and command."""

import io
import json

import pyarrow.parquet as pq
import pytest

from dashboard.datasets.models import BudgetEntry
from dashboard.landmarks.services import mark_landmarks
from dashboard.releases import downloads, execution
from dashboard.releases.management.commands.release import Command
from dashboard.releases.models import Release
from privacy_engine.data.people import people
from privacy_engine.landmarks import parse_short
from privacy_engine.releases.spec import ReleaseSpec
from tests.dashboard.api_helpers import RELEASES, UNIFORM, series_of
from tests.dashboard.command_runner import runner
from tests.dashboard.conftest import upload
from tests.dashboard.release_runs import executed
from tests.engine.format_samples import zipped

NIGHTS = "schedule:22:00-06:00@UTC"  # 8 of a day's 24 events
EPSILON = 1.0
LEVEL = ["--set", f"epsilon={EPSILON}", "--set", "radius_m=200", "--landmarks", NIGHTS]
SETS = "/api/v1/landmark-sets/"
CUT = {"name": "split-gaps", "silence_s": 7000}


def fixes(days, *, hours=range(24), shift=0.0):
    """Hourly positions of these days of June 2024."""
    return [(f"2024-06-{day:02d}T{hour:02d}:00:00Z", 48.85 + hour / 1e3, 2.3 + shift) for day in days for hour in hours]


def csv(rows):
    return ("time,lat,lon\n" + "".join(f"{time},{lat},{lon}\n" for time, lat, lon in rows)).encode()


def gpx(rows):
    points = "".join(f'<trkpt lat="{lat}" lon="{lon}"><time>{time}</time></trkpt>' for time, lat, lon in rows)
    head = '<gpx version="1.1" creator="x" xmlns="http://www.topografix.com/GPX/1/1">'
    return f"{head}<trk><trkseg>{points}</trkseg></trk></gpx>".encode()


DAYS = {f"day{i}.gpx": gpx(fixes([i])) for i in (1, 3, 5)}
OTHERS = {"person-2/day1.gpx": gpx(fixes([1], shift=1)), "person-3/day1.gpx": gpx(fixes([1], hours=range(12), shift=2))}
MINE = {f"person-1/{name}": data for name, data in DAYS.items()}
# shape -> file name, bytes, cleaning, what is stated of people, series of the person, people, landmarks of the person
SHAPES = {
    "one file cut by a cleaning step": ("me.csv", csv(fixes([1, 3, 5])), [CUT], None, 3, 1, 24),
    "three files in a ZIP": ("me.zip", zipped(**DAYS), [], None, 3, 1, 24),
    "three files in a ZIP, stated": ("me.zip", zipped(**DAYS), [], "one", 3, 1, 24),
    "a folder among other people's": ("all.zip", zipped(**MINE, **OTHERS), [], None, 5, 3, 24),
    "a folder among other people's, stated": ("all.zip", zipped(**MINE, **OTHERS), [], "folder", 5, 3, 24),
}
MECHANISMS = ["landmark-uniform", "landmark-skip", "landmark-adaptive"]


@pytest.fixture
def watched(monkeypatch):
    """What every release of the engine drew: (series, landmark sets, releases)."""
    seen = []
    release = ReleaseSpec.release

    def spy(self, series, landmarks, **more):
        drawn = release(self, series, landmarks, **more)
        seen.append((list(series), list(landmarks), drawn))
        return drawn

    monkeypatch.setattr(ReleaseSpec, "release", spy)
    return seen


def totals(series, marks, drawn):
    """For each person the sum of the budgets of their landmarks and any one other event."""
    found = []
    for person in people(series):
        budgets = person.joined_values([one.budgets for one in drawn])
        mask = person.joined_mask([one.mask for one in marks])
        found.append(float(budgets[mask].sum() + budgets[~mask].max(initial=0.0)))
    return found


def check(watched, label, shape):
    *_, series_count, people_count, landmarks = shape
    [(series, marks, drawn)] = watched
    assert len(series) == series_count
    assert len(people(series)) == people_count
    assert max(totals(series, marks, drawn)) <= EPSILON * (1 + 1e-12)
    assert (label["landmarks"], label["unit"]) == (landmarks, "one person")
    assert f"all {landmarks} landmarks together" in label["text"]
    assert "of one person" in label["text"]


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_by_the_command(shape, mechanism, watched, capsys, tmp_path):
    name, data, cleaning, stated, *_ = shape
    (tmp_path / name).write_bytes(data)
    out = tmp_path / "out.parquet"
    given = ["--mechanism", mechanism, *LEVEL]
    given += ["--clean", json.dumps(cleaning)] if cleaning else []
    given += ["--person", stated] if stated else []
    reported, wrong, code = runner(Command, "release", capsys)(tmp_path / name, *given, "--out", out)
    assert (wrong, code) == ("", 0)
    assert ("--person changes it" in reported) == (stated is None and name.endswith(".zip"))
    check(watched, json.loads(pq.read_schema(out).metadata[b"cairn"]), shape)


@pytest.mark.parametrize("mechanism", MECHANISMS[:2])
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_by_the_api(shape, mechanism, watched, owner_api):
    name, data, cleaning, stated, series_count, people_count, _ = shape
    body = {"file": upload(data, name), "cleaning": json.dumps(cleaning), **({"person": stated} if stated else {})}
    dataset = owner_api.post("/api/v1/datasets/", body, format="multipart").json()
    found = series_of(owner_api, dataset)
    assert dataset["people"] == len({one["person"] for one in found}) == people_count
    assert dataset["series_count"] == len(found) == series_count
    assert dataset["report"]["people"]["said"] is bool(stated)
    method = parse_short(NIGHTS).model_dump(mode="json")
    marks = owner_api.post(SETS, {"dataset": dataset["id"], "method": method}, format="json").json()
    spec = {"name": mechanism, "epsilon": EPSILON, "radius_m": 200.0}
    requested = {"dataset": dataset["id"], "landmark_set": marks["id"], "mechanism": spec}
    release = owner_api.post(RELEASES, requested, format="json").json()
    execution.run(release["id"])
    answer = owner_api.get(release["urls"]["data"], {"format": "parquet"})
    check(watched, json.loads(pq.read_schema(io.BytesIO(answer.getvalue())).metadata[b"cairn"]), shape)


def test_each_file_a_person_is_three_budgets_and_only_where_it_is_stated(watched, capsys, tmp_path):
    """The same three files, of three people as the owner states: then each spends its own."""
    (tmp_path / "a.zip").write_bytes(zipped(**DAYS))
    given = ["--mechanism", "landmark-uniform", *LEVEL]
    out = tmp_path / "o.parquet"
    assert runner(Command, "release", capsys)(tmp_path / "a.zip", *given, "--person", "file", "--out", out)[2] == 0
    [(series, marks, drawn)] = watched
    assert totals(series, marks, drawn) == pytest.approx([1.0] * 3)
    assert json.loads(pq.read_schema(out).metadata[b"cairn"])["landmarks"] == 8


@pytest.mark.parametrize(
    ("stated", "complaint"),
    [("folder", "lies in no folder"), ("column:user", "person"), ("unknown", "must be one, series, file, folder or")],
)
def test_what_cannot_identify_a_person_is_refused(stated, complaint, capsys, tmp_path):
    (tmp_path / "a.zip").write_bytes(zipped(**DAYS))
    given = ["--mechanism", "landmark-uniform", *LEVEL, "--person", stated, "--out", tmp_path / "o.csv"]
    reported, wrong, code = runner(Command, "release", capsys)(tmp_path / "a.zip", *given)
    assert (reported, code, complaint in wrong) == ("", 1, True)
    assert not (tmp_path / "o.csv").exists()


THREE_FIXES = b"".join(
    [b"time,lat,lon\n", *(b"2024-06-03T0%d:00:00Z,48.8%d,2.%d\n" % (7 + i, 5 + i % 2, 30 + 5 * i) for i in range(3))]
)
RESAMPLE = {"name": "resample", "every_s": 60.0}
M = 119  # of 121 events
STATEMENT = (
    "Whichever uploaded record of one person an adversary targets, the events it decides (at most 119) and "
    "the 1 landmark together leak at most ε = 119 per 200 m"
)
PROVIDED = "provided that successive uploaded records are less than 10,000 km apart"


@pytest.fixture
def released(owner, owner_api):
    """A release of three fixes made into an event a minute, by the API."""
    body = {"file": upload(THREE_FIXES), "cleaning": json.dumps([RESAMPLE])}
    made = owner_api.post("/api/v1/datasets/", body, format="multipart").json()
    assert (made["points"], made["stability"]) == (121, M)
    marks = mark_landmarks(owner=owner, dataset=owner.datasets.get(), method={"name": "manual", "events": [60]})
    requested = {"dataset": made["id"], "landmark_set": str(marks.pk), "mechanism": UNIFORM}
    return executed(Release.objects.get(pk=owner_api.post(RELEASES, requested).json()["id"]))


def checked(label):
    assert (label["epsilon"], label["stability"], label["radius_m"]) == (119.0, M, 200.0)
    assert STATEMENT in label["text"]
    assert PROVIDED in label["text"].split(";")[0]
    assert "one uploaded record decides" in label["neighbours"]["words"]
    assert "E(r)" in label["neighbours"]["symbols"]
    assert label["guarantee"]["epsilon"] == 119.0


def test_the_api_states_and_charges_m_times_epsilon(owner_api, owner_page, released):
    checked(downloads.label(released))
    assert STATEMENT in owner_api.get(f"{RELEASES}{released.pk}/").json()["label"]
    entry = BudgetEntry.objects.get()
    assert (entry.amount, entry.stability, entry.epsilon) == (M * 5_000_000, M, 1.0)
    dataset = owner_api.get(f"/api/v1/datasets/{released.dataset_id}/").json()
    assert dataset["spent"] == {"per_km": M * 5.0, "releases": 1, "events": 3}
    page = owner_page.get(f"/datasets/{released.dataset_id}/").content.decode()
    assert "up to 119 events depend on one uploaded record: a release is charged 119 × ε" in page
    requested = {"landmark_set": str(released.landmark_set_id), "mechanisms": [UNIFORM]}
    found = owner_api.post(f"{RELEASES}forecast/", requested).json()
    assert (found["budget"]["price_per_km"], found["budget"]["stability"]) == (M * 5.0, M)
    assert STATEMENT in found["mechanisms"][0]["guarantee"]["statement"]


@pytest.mark.parametrize(("between", "m"), [("straight", M), ("last", 60)])
def test_the_command_states_m_times_epsilon(tmp_path, capsys, between, m):
    source, out = tmp_path / "three.csv", tmp_path / "out.geojson"
    source.write_bytes(THREE_FIXES)
    mechanism = ["--mechanism", "landmark-uniform", "--set", "epsilon=1", "--set", "radius_m=200"]
    cleaning = ["--clean", f"resample:60:{between}", "--landmarks", "manual:60"]
    stated, wrong, code = runner(Command, "release", capsys)(source, *mechanism, *cleaning, "--out", out)
    assert (wrong, code) == ("", 0)
    assert f"the events it decides (at most {m}) and the 1 landmark together leak at most ε = {m} per 200 m" in stated
    assert (PROVIDED in stated) == (between == "straight")
    if between == "straight":
        checked(json.loads(out.read_text())["privacy"])
