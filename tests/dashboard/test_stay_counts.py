"""How many landmarks each distance and duration find, over the API: of the owner's data, once, with a proposal."""

import pytest

from dashboard.datasets.trajectory import stay_counts
from privacy_engine.data import Trajectory
from privacy_engine.landmarks import stay_survey
from privacy_engine.landmarks.samples import samples
from tests.dashboard.api_helpers import refused

pytestmark = pytest.mark.django_db
METHOD = {"name": "stay-points"}


def counts_of(api, dataset):
    return api.get(f"/api/v1/datasets/{dataset.pk}/stay-counts/")


@pytest.fixture
def taxi(owner, make_dataset):
    return make_dataset(owner, samples()[1].series)


def test_what_is_proposed_is_what_a_preview_of_it_marks(owner_api, taxi):
    found = counts_of(owner_api, taxi).json()
    assert (found["events"], found["of"], len(found["counts"])) == (260, 260, 40)
    best = found["proposal"]
    method = METHOD | {name: best[name] for name in ("distance_m", "duration_s")}
    answer = owner_api.post("/api/v1/landmark-sets/preview/", {"dataset": str(taxi.pk), "method": method})
    assert answer.json()["count"] == best["landmarks"] > 0
    assert best["stays"] >= len(answer.json()["runs"]) > 0


def test_of_large_data_they_are_computed_once_and_stored(owner_api, taxi, monkeypatch):
    calls = []

    def counted(series):
        calls.append(len(series))
        return stay_survey.stay_survey(series)

    monkeypatch.setattr(stay_counts, "stay_survey", counted)
    first = [counts_of(owner_api, taxi).json() for _ in range(2)]
    assert (len(calls), first[0]) == (2, first[1])
    monkeypatch.setattr(stay_counts, "LARGE", 100)
    monkeypatch.setattr(stay_survey, "MOST_EVENTS", 200)
    large = [counts_of(owner_api, taxi).json() for _ in range(3)]
    assert (len(calls), large[0] == large[2]) == (3, True)
    assert (large[0]["events"], large[0]["of"]) == (200, 260)


def test_of_data_without_times_there_are_none(owner, owner_api, stranger_dataset, make_dataset, owner_page):
    timeless = make_dataset(owner, Trajectory([1.0, 1.0], [2.0, 2.0]))
    assert refused(counts_of(owner_api, timeless)) == (400, "dataset")
    assert counts_of(owner_api, stranger_dataset).status_code == 404
    page = owner_page.get(f"/datasets/{timeless.pk}/landmarks/new/").content.decode()
    assert "stay-counts" not in page
