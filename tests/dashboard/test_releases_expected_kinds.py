"""What to expect of releases of counts and of check-ins, over the API: as the engine has it, and what is refused."""

import numpy as np
import pytest

from dashboard.datasets.models import BudgetEntry, Dataset
from dashboard.releases.common import least_levels
from dashboard.releases.models import Release
from dashboard.releases.stream.expected import previewed
from dashboard.storage.data_files import cached_data
from privacy_engine.analysis.checkin_forecast import checkin_forecast
from privacy_engine.analysis.stream_forecast import count_forecast, zeros_forecast
from privacy_engine.data import CountStream
from privacy_engine.mechanisms.base.mechanism import mechanisms
from tests.dashboard import kinds
from tests.dashboard.api_helpers import RELEASES, first_error, refused
from tests.dashboard.kinds import CITY_BOX, SAMPLE, STREAM, made
from tests.dashboard.rows import SKIP

POPULAR = {"name": "checkin-popularity", "epsilon": 1.0, **CITY_BOX}
NGRAM = POPULAR | {"name": "checkin-ngram"}
RECORD = POPULAR | {"privacy_unit": "record"}
ACTIONS = ("expected-counts", "count-preview", "least-count-levels")


def requested(api, action, dataset, *chosen, **more):
    return api.post(f"{RELEASES}{action}/", {"dataset": dataset["id"], "mechanisms": list(chosen), **more})


@pytest.fixture
def stream(owner_api):
    return made(owner_api, kinds.wide(kinds.counts()))


@pytest.fixture
def city(owner_api):
    return made(owner_api, kinds.city(users=300))


class TestCounts:
    def test_are_those_of_the_engine_beside_zeros(self, owner_api, stream):
        unsound = STREAM | {"name": "stream-rescuedp"}
        found = requested(owner_api, "expected-counts", stream, STREAM, SAMPLE, unsound).json()
        path = Dataset.objects.get(pk=stream["id"]).points_path
        data = cached_data("stream", path)
        assert found["zeros"] == zeros_forecast(data).model_dump()
        assert found["rules"] == {"usable": min(0.1, found["zeros"]["are"] / 2), "coarse": found["zeros"]["are"]}
        for spec, row in zip((STREAM, SAMPLE, unsound), found["mechanisms"], strict=True):
            assert row["forecast"] == count_forecast(mechanisms.parse(spec), data).model_dump()
        uniform, sample, rescue = found["mechanisms"]
        assert uniform["verdict"]["name"] == "usable"  # noise of 4 beside counts of thousands
        assert sample["forecast"]["are"] > uniform["forecast"]["are"]
        assert rescue["verdict"]["title"] == "no guarantee"
        assert not (Release.objects.exists())
        assert not (BudgetEntry.objects.exists())

    def test_nothing_is_better_than_zeros_where_all_counts_are_zero(self, owner_api):
        empty = made(owner_api, b"date,a,b\n2024-01-01,0,0\n2024-01-02,0,0\n")
        (row,) = requested(owner_api, "expected-counts", empty, STREAM).json()["mechanisms"]
        assert row["verdict"]["title"] == "worse than publishing zeros"  # which are the truth

    def test_the_least_level_has_the_error_that_is_accepted(self, owner_api, stream):
        found = requested(owner_api, "least-count-levels", stream, STREAM, accepted=20).json()
        ((level,), late) = (found["mechanisms"], found["left_out"])
        assert (late, level["fits"]) == ([], True)
        for epsilon, holds in ((level["epsilon"], True), (level["epsilon"] * 0.8, False)):
            (row,) = requested(owner_api, "expected-counts", stream, STREAM | {"epsilon": epsilon}).json()["mechanisms"]
            assert (row["forecast"]["typical_error"] <= 20) == holds
        (none,) = requested(owner_api, "least-count-levels", stream, SAMPLE, accepted=1).json()["mechanisms"]
        assert (none["epsilon"], none["fits"]) == (None, None)

    def test_a_search_that_takes_too_long_is_left_out(self, owner_api, stream, monkeypatch):
        monkeypatch.setattr(least_levels, "LONGEST_S", -1)
        found = requested(owner_api, "least-count-levels", stream, STREAM, accepted=20).json()
        assert (found["mechanisms"], found["left_out"]) == ([], ["stream-uniform"])

    def test_the_preview_has_three_streams_with_a_simulation(self, owner_api, stream):
        found = requested(owner_api, "count-preview", stream, STREAM).json()
        assert found["timestamps"] == kinds.DAYS
        totals = dict(zip(kinds.NAMES, kinds.counts().sum(axis=0).tolist(), strict=True))
        assert [one["name"] for one in found["streams"]] == sorted(totals, key=totals.get, reverse=True)
        for one in found["streams"]:
            column = kinds.counts()[:, kinds.NAMES.index(one["name"])]
            assert one["counts"] == column[one["index"]].tolist()
            off = np.abs(np.subtract(one["released"], one["counts"]))
            assert 0 < one["typical_error"] <= off.max() < 1000
        assert requested(owner_api, "count-preview", stream, STREAM).json() == found  # of a fixed seed

    def test_of_many_streams_a_large_a_typical_and_a_small_one_are_shown(self):
        counts = np.arange(100) * np.ones((3, 1), dtype=int)
        many = CountStream(counts, [str(i) for i in range(100)], ["a", "b", "c"])
        assert previewed(many) == [99, 50, 25]
        assert previewed(CountStream(counts[:, :1], ["a"], ["a", "b", "c"])) == [0]


class TestHits:
    def test_are_beside_the_public_baseline(self, owner_api, city):
        found = requested(owner_api, "expected-hits", city, POPULAR, NGRAM, RECORD).json()
        popular, ngram, record = found["mechanisms"]
        data = cached_data("checkins", Dataset.objects.get(pk=city["id"]).points_path)
        assert popular["forecast"] == checkin_forecast(mechanisms.parse(POPULAR), data).model_dump()
        assert popular["hits"] == round(1000 * popular["forecast"]["hit_rate"])
        assert found["public"] == round(1000 * popular["forecast"]["baseline"])
        for row in (popular, ngram):
            gain = row["hits"] - found["public"]
            assert (row["verdict"]["name"] == "usable") == (gain > found["usable_gain"])
        assert popular["verdict"]["title"] == f"usable: {popular['hits'] - found['public']} more per 1,000"
        most = Dataset.objects.get(pk=city["id"]).summary["most_per_user"]
        assert record["verdict"]["title"] == f"a person exposed: ε {most}"
        assert not BudgetEntry.objects.exists()

    def test_outside_the_box_there_is_no_verdict(self, owner_api, city):
        far = POPULAR | {"west": 100.0, "east": 101.0}
        found = requested(owner_api, "expected-hits", city, far).json()
        assert (found["public"], found["mechanisms"][0]["hits"], found["mechanisms"][0]["verdict"]) == (None,) * 3

    def test_the_least_level_finds_as_many_as_is_accepted(self, owner_api, city):
        (at_one,) = requested(owner_api, "expected-hits", city, POPULAR).json()["mechanisms"]
        accepted = at_one["hits"] - 20
        (level,) = requested(owner_api, "least-hit-levels", city, POPULAR, accepted=accepted).json()["mechanisms"]
        (row,) = requested(owner_api, "expected-hits", city, POPULAR | {"epsilon": level["epsilon"]}).json()[
            "mechanisms"
        ]
        assert level["epsilon"] <= 1
        assert row["hits"] >= accepted


def test_other_kinds_and_other_people_s_data_are_refused(owner_api, stranger_api, stream, city, ready_dataset):
    for action in ACTIONS:
        more = {"accepted": 1} if action.startswith("least") else {}
        assert refused(requested(owner_api, action, city, POPULAR, **more)) == (400, "dataset"), action
        assert requested(stranger_api, action, stream, STREAM, **more).status_code == 404, action
        trajectory = {"id": str(ready_dataset.pk)}
        assert refused(requested(owner_api, action, trajectory, SKIP, **more)) == (400, "dataset"), action
    assert refused(requested(owner_api, "expected-hits", stream, STREAM)) == (400, "dataset")
    assert refused(requested(owner_api, "expected-counts", stream, POPULAR)) == (400, "mechanism.name")
    answer = requested(owner_api, "least-count-levels", stream, STREAM, accepted=-1)
    assert (refused(answer), "accepted" in first_error(answer)["message"]) == ((400, "accepted"), True)


def test_without_what_is_accepted_the_least_level_is_that_of_a_usable_release(owner_api, stream, city):
    for action, expected, dataset, spec in (
        ("least-count-levels", "expected-counts", stream, STREAM | {"window": kinds.DAYS}),
        ("least-hit-levels", "expected-hits", city, POPULAR),
    ):
        (level,) = requested(owner_api, action, dataset, spec).json()["mechanisms"]
        assert level["epsilon"] > 0.004, (action, level)
        for epsilon, usable in ((level["epsilon"], True), (level["epsilon"] / 4, False)):
            (row,) = requested(owner_api, expected, dataset, spec | {"epsilon": epsilon}).json()["mechanisms"]
            assert (row["verdict"]["name"] == "usable") == usable, (action, epsilon)
