"""Which of the releases that may be made there are already, over the API, of each kind of data."""

from dashboard.landmarks.services import mark_landmarks
from dashboard.releases.models import Release
from tests.dashboard import kinds
from tests.dashboard.api_helpers import RELEASES, UNIFORM
from tests.dashboard.kinds import CITY_BOX, STREAM, made
from tests.dashboard.release_runs import submitted

EVENT = {"name": "event-level", "epsilon": 1.0, "radius_m": 200.0}
FILTER = {"name": "causal-filter", "step_variance_m2": 250_000.0}
POPULAR = {"name": "checkin-popularity", "epsilon": 1.0, **CITY_BOX}


def test_a_release_that_has_been_made_is_named_by_its_page(owner_api, landmark_set, ready_dataset):
    def pages(*releases, marks=landmark_set):
        body = {"dataset": str(ready_dataset.pk), "landmark_set": str(marks.pk), "releases": list(releases)}
        return [one["made"] for one in owner_api.post(f"{RELEASES}expected-errors/", body).json()["mechanisms"]]

    other = mark_landmarks(owner=ready_dataset.owner, dataset=ready_dataset, method={"name": "manual", "events": [1]})
    smoothed = {"mechanism": UNIFORM, "postprocess": [FILTER]}
    specs = [{"mechanism": one} for one in (UNIFORM, UNIFORM | {"epsilon": 2.0}, EVENT)] + [smoothed]
    assert pages(*specs) == [None] * 4
    submitted(landmark_set, UNIFORM, seed=1)
    assert pages(*specs) == [None] * 4  # a simulation is none
    first, second = [submitted(landmark_set, one).page_url for one in (UNIFORM, EVENT)]
    assert pages(*specs) == [first, None, second, None]
    assert pages(*specs, marks=other) == [None, None, second, None]  # an event's noise depends on no landmark
    Release.objects.update(state="failed", finished_at="2024-01-01T00:00Z")
    assert pages(*specs) == [None] * 4


def test_what_is_made_of_other_kinds_is_named_too(owner_api):
    stream, city = made(owner_api, kinds.wide(kinds.counts())), made(owner_api, kinds.city(users=300))
    for action, dataset, spec, more in (
        ("expected-counts", stream, STREAM, {}),
        ("expected-hits", city, POPULAR, {"box_from_data": True}),
    ):
        answer = owner_api.post(RELEASES, {"dataset": dataset["id"], "mechanism": spec, **more})
        body = {"dataset": dataset["id"], "mechanisms": [spec, spec | {"epsilon": 3}]}
        rows = owner_api.post(f"{RELEASES}{action}/", body).json()["mechanisms"]
        assert [row["made"] for row in rows] == [Release.objects.get(pk=answer.json()["id"]).page_url, None]
