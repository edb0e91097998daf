"""One uploaded record that decides many events after cleaning: the guarantee is m·ε, by page, API and command."""

import json

import pytest

from dashboard.datasets.models import BudgetEntry
from dashboard.landmarks.services import mark_landmarks
from dashboard.releases import downloads
from dashboard.releases.management.commands.release import Command
from dashboard.releases.models import Release
from tests.dashboard.api_helpers import RELEASES, UNIFORM
from tests.dashboard.command_runner import runner
from tests.dashboard.conftest import upload
from tests.dashboard.release_runs import executed

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
    dataset = owner.datasets.get()
    marks = mark_landmarks(owner=owner, dataset=dataset, method={"name": "manual", "events": [60]})
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
