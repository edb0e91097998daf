"""Landmarks and guarantees in the dashboard: what each method of selection covers, what is charged and refused."""

import numpy as np
import pytest

from dashboard.datasets.models import BudgetEntry
from dashboard.landmarks.models import LandmarkSet
from dashboard.landmarks.services import duplicate_landmark_set, mark_landmarks
from dashboard.releases import downloads
from dashboard.releases.models import Release
from dashboard.releases.services import retry_release
from dashboard.storage.data_files import read_data, read_release, write_data
from privacy_engine.landmarks import landmark_methods
from tests.dashboard.api_helpers import RELEASES, UNIFORM, first_error, refused
from tests.dashboard.release_runs import executed

SETS = "/api/v1/landmark-sets/"
COINS = {"name": "dummies-one-sided", "epsilon": 0.5}
ZONES = {"name": "zones", "zones": [{"type": "Circle", "center": [2.35, 48.85], "radius_m": 5000.0}]}
SCHEDULE = {
    "name": "schedule",
    "windows": [{"days": ["mon", "tue", "wed", "thu", "fri", "sat", "sun"], "start": "00:00", "end": "24:00"}],
    "time_zone": "Europe/Paris",
}
STAYS = {"name": "stay-points", "distance_m": 200.0, "duration_s": 60.0}
EVENT_LEVEL = {"epsilon": 1.0, "radius_m": 200.0}
EVENT = {"name": "event-level"} | EVENT_LEVEL


@pytest.fixture
def drawn(owner, owner_api, ready_dataset):
    """``drawn(method, seed=None)``: a set with one-sided dummies beside the landmarks of ``method``."""

    def make(method=ZONES, *, dummies=COINS, seed=None, source=None):
        source = source or mark_landmarks(owner=owner, dataset=ready_dataset, method=method)
        answer = owner_api.post(f"{SETS}{source.pk}/dummies/", {"method": dummies, "seed": seed})
        return LandmarkSet.objects.get(pk=answer.json()["id"])

    return make


def released(api, landmark_set, mechanism=UNIFORM, seed=None):
    body = {"dataset": str(landmark_set.dataset_id), "landmark_set": str(landmark_set.pk), "mechanism": mechanism}
    return api.post(RELEASES, body | {"seed": seed})


def submitted(*given, **more):
    return Release.objects.get(pk=released(*given, **more).json()["id"])


def finished(*given, **more):
    return executed(submitted(*given, **more))


class TestSeededDummies:
    def test_a_private_release_over_them_or_a_copy_is_refused_and_charged_nothing(self, owner_api, drawn):
        seeded = drawn(seed=5)
        answer = released(owner_api, seeded)
        error = first_error(answer)
        assert (answer.status_code, error["field"], error["value"]) == (409, "landmark_set", str(seeded.pk))
        assert "without a seed" in error["rule"]
        assert "Draw the dummies again without a seed" in error["message"]
        assert released(owner_api, duplicate_landmark_set(landmark_set=seeded)).status_code == 409
        assert not Release.objects.exists()
        assert not BudgetEntry.objects.exists()
        assert released(owner_api, seeded, seed=1).status_code == 201, "a simulation"

    def test_one_that_was_made_before_this_rule_states_so_and_one_that_failed_is_not_tried_again(
        self, owner_api, drawn
    ):
        good = drawn()
        made, failed = finished(owner_api, good), submitted(owner_api, good)
        LandmarkSet.objects.filter(pk=good.pk).update(selection=good.selection | {"private": False, "seed": 5})
        label = downloads.label(Release.objects.get(pk=made.pk))
        assert "which of the marked events are dummies, drawn from a seed" in label["not_covered"]
        assert "drawn from a seed" in label["text"]
        Release.objects.filter(pk=failed.pk).update(state="failed", finished_at=failed.created_at)
        with pytest.raises(Exception, match="drawn from a seed"):
            retry_release(release=Release.objects.get(pk=failed.pk))


class TestOneSided:
    def test_the_label_the_ledger_and_the_forecast_agree_on_the_sum(self, owner_api, drawn):
        marked = drawn()
        body = {"landmark_set": str(marked.pk), "mechanisms": [UNIFORM]}
        forecast = owner_api.post(f"{RELEASES}forecast/", body).json()
        [one] = forecast["mechanisms"]
        row = finished(owner_api, marked)
        label = downloads.label(row)
        entry = BudgetEntry.objects.get(release_id=row.pk)
        assert label["epsilon"] == entry.epsilon == one["guarantee"]["epsilon"] == 1.5
        assert forecast["budget"]["price_per_km"] == pytest.approx(1.5 / 0.2)
        assert "ε = 1.5 per 200 m" in label["text"]
        assert len({shown["guarantee"]["statement"].split(" it and ")[0] for shown in (one, label)}) == 1
        assert label["not_covered"] == ["that the events left unmarked are no landmarks, which is certain"]

    def test_a_selection_without_coins_ends_the_guarantee(self, owner_api, drawn):
        first = drawn(dummies={"name": "dummies-heuristic", "epsilon": 1.0})
        assert first.selection["one_sided_level"] is None
        second = drawn(source=first.source)
        assert second.selection["one_sided_level"] is None
        label = downloads.label(finished(owner_api, second))
        assert label["not_covered"] == ["which events are landmarks, found in positions by zones"]
        assert label["epsilon"] == 1.0
        label = downloads.label(finished(owner_api, drawn(STAYS)))  # stays have no group size
        assert label["not_covered"] == ["which events are landmarks, found in positions as stay points"]
        assert label["epsilon"] == 1.0

    def test_a_mechanism_that_reads_no_landmarks_is_not_charged_for_them(self, owner_api, drawn):
        row = finished(owner_api, drawn(), EVENT)
        assert BudgetEntry.objects.get(release_id=row.pk).epsilon == 1.0
        assert downloads.label(row)["not_covered"] == []


class TestSchedule:
    def test_a_release_over_it_covers_all_as_the_listing_states(self, owner, owner_api, ready_dataset):
        found = mark_landmarks(owner=owner, dataset=ready_dataset, method=SCHEDULE)
        label = downloads.label(finished(owner_api, found))
        assert label["not_covered"] == []
        assert "not covered" not in label["text"]
        assert "with the same times, provided that the schedule was chosen without looking" in label["text"]
        found = {one["name"]: one for one in owner_api.get("/api/v1/landmark-methods/").json()["results"]}
        assert found["schedule"]["reads"] == "times"
        assert found["schedule"]["coverage"].startswith("Covered by the promise of a release")
        assert found["stay-points"]["coverage"] == (
            "Not covered by the promise of a release: which events are landmarks, found in positions as stay points."
        )


class TestZonesOnARelease:
    @pytest.fixture
    def earlier(self, owner_api, landmark_set):
        """A finished release at event level, over landmarks selected manually, which it does not read."""
        return finished(owner_api, landmark_set, EVENT)

    def method(self, row, **changed):
        return ZONES | {"name": "released-zones", "release": str(getattr(row, "pk", row))} | changed

    def test_marks_by_released_positions_alone_and_what_was_left_out(self, owner, earlier):
        dataset = earlier.dataset
        found = mark_landmarks(owner=owner, dataset=dataset, method=self.method(earlier))
        [(published, event)] = read_release("trajectory", earlier.data_path)
        [inside] = landmark_methods.parse(ZONES).mark([published])
        expected = np.ones(len(found.mask), dtype=np.bool_)
        expected[event] = inside.mask
        assert np.array_equal(found.mask, expected)
        everywhere = [one.moved(one.lon + 1, one.lat) for one in read_data("trajectory", dataset.points_path)]
        write_data("trajectory", dataset.points_path, everywhere)
        again = mark_landmarks(owner=owner, dataset=dataset, method=self.method(earlier))
        assert np.array_equal(again.mask, found.mask)
        method = landmark_methods.parse(self.method(earlier))
        [marks] = method.mark_released([(published.moved(published.lon + 9, published.lat), event)], [len(event) + 3])
        assert marks.mask.tolist() == [False] * len(event) + [True] * 3

    def test_the_label_adds_what_the_earlier_release_spent_and_the_ledger_does_not(self, owner, owner_api, earlier):
        """ε = 1 within 200 m at every landmark and one more event; 0.5 within 100 m of its own."""
        found = mark_landmarks(owner=owner, dataset=earlier.dataset, method=self.method(earlier))
        k = found.count
        assert found.earlier == {
            "release": str(earlier.pk),
            "sha256": earlier.data_sha256,
            "spent_per_m": pytest.approx((k + (k < found.points)) / 200, rel=1e-14),
        }
        row = finished(owner_api, found, UNIFORM | {"epsilon": 0.5, "radius_m": 100.0})
        label = downloads.label(row)
        assert label["epsilon"] == pytest.approx(0.5 + 100 * found.earlier["spent_per_m"], rel=1e-14)
        assert label["not_covered"] == []
        assert "with the same times, provided that the zones were chosen without looking" in label["text"]
        assert "landmarks by zones over an earlier release, which spent" in label["text"]
        assert BudgetEntry.objects.get(release_id=row.pk).epsilon == 0.5

    def test_dummies_beside_them_count_as_landmarks_that_it_spent_on(self, owner, earlier, drawn):
        source = mark_landmarks(owner=owner, dataset=earlier.dataset, method=self.method(earlier))
        more = drawn(source=source, dummies={"name": "dummies-one-sided", "epsilon": 1e-6})
        assert more.count == more.points
        assert more.earlier["spent_per_m"] == pytest.approx(more.points / 200)

    def test_landmarks_by_schedule_are_allowed(self, owner, owner_api, ready_dataset):
        nights = mark_landmarks(owner=owner, dataset=ready_dataset, method=SCHEDULE)
        row = finished(owner_api, nights, {"name": "landmark-joint", "step_variance_m2": 100.0} | EVENT_LEVEL)
        found = mark_landmarks(owner=owner, dataset=ready_dataset, method=self.method(row))
        assert 0 < found.earlier["spent_per_m"] <= 1 / 200 * (1 + 1e-9), "its landmarks share one draw of ε at most"

    def test_fail_of_what_release_they_cannot_be(
        self, owner_api, owner, earlier, make_dataset, paris_day, landmark_set
    ):
        other = make_dataset(owner, paris_day)
        for release in ("x", "", "00000000-0000-4000-8000-000000000000", 7, None, earlier):
            for url in (SETS, f"{SETS}preview/"):
                answer = owner_api.post(url, {"dataset": str(other.pk), "method": self.method(release)})
                assert refused(answer) == (400, "method.release"), release
        seeded = executed(submitted(owner_api, landmark_set, EVENT, seed=3))
        queued, reading = submitted(owner_api, landmark_set, EVENT), finished(owner_api, landmark_set)
        for row, rule in (seeded, "without a seed"), (queued, "a finished release"), (reading, "reads no landmarks"):
            answer = owner_api.post(SETS, {"dataset": str(row.dataset_id), "method": self.method(row)})
            assert refused(answer) == (409, "method.release")
            assert rule in first_error(answer)["rule"]
        assert not LandmarkSet.objects.filter(method__name="released-zones").exists()
