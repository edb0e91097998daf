"""What selections of landmarks cover and are charged; budgets in several units, and lineages of every kind."""

import uuid

import numpy as np
import pytest
from django.db import IntegrityError, transaction

from dashboard.datasets import ledger, lineage, services
from dashboard.datasets.models import Budget, BudgetEntry, Dataset, Lineage, LineageEntry
from dashboard.landmarks.models import LandmarkSet
from dashboard.landmarks.services import duplicate_landmark_set, mark_landmarks
from dashboard.releases import downloads
from dashboard.releases.models import Release
from dashboard.releases.services import retry_release
from dashboard.storage.data_files import read_data, read_release, write_data
from privacy_engine import errors, landmarks
from privacy_engine.mechanisms.base.mechanism import mechanisms
from tests.dashboard import kinds
from tests.dashboard.api_helpers import RELEASES, UNIFORM, first_error, refused
from tests.dashboard.conftest import upload
from tests.dashboard.kinds import NAMES, POPULARITY, RECORDS, STREAM
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

    def test_one_made_before_this_rule_states_so_and_one_that_failed_is_not_tried_again(self, owner_api, drawn):
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
        [inside] = landmarks.landmark_methods.parse(ZONES).mark([published])
        expected = np.ones(len(found.mask), dtype=np.bool_)
        expected[event] = inside.mask
        assert np.array_equal(found.mask, expected)
        everywhere = [one.moved(one.lon + 1, one.lat) for one in read_data("trajectory", dataset.points_path)]
        write_data("trajectory", dataset.points_path, everywhere)
        again = mark_landmarks(owner=owner, dataset=dataset, method=self.method(earlier))
        assert np.array_equal(again.mask, found.mask)
        method = landmarks.landmark_methods.parse(self.method(earlier))
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

    def test_fail_of_wrong_releases(self, owner_api, owner, earlier, make_dataset, paris_day, landmark_set):
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


ROWS = kinds.checkin_rows()
COUNTS = kinds.counts()


def imported(owner, body, kind=""):
    return services.import_dataset(owner=owner, upload=upload(body, "data.csv"), kind=kind)


def spend(dataset, mechanism, epsilon=1.0):
    chosen = mechanisms.parse(mechanism | {"epsilon": epsilon})
    return ledger.reserve(dataset=dataset, release_id=uuid.uuid4(), mechanism=chosen)


def spent(dataset, unit):
    return ledger.spent(Dataset.objects.get(pk=dataset.pk), unit)["per_km"]


def both(dataset):
    return spent(dataset, "user"), spent(dataset, "record")


@pytest.fixture
def checkins(owner):
    return imported(owner, kinds.checkins(ROWS))


class TestUnits:
    def test_each_has_a_limit_of_its_own_and_those_of_another_kind_are_refused(self, checkins):
        with pytest.raises(errors.ParameterErrors) as refused:
            ledger.parse_total(checkins, {"epsilon": 1.0, "unit": "event"})
        (error,) = refused.value.errors
        assert (error.field, error.rule, error.value) == ("budget.unit", "one of user, record", "event")
        services.set_budget(dataset=checkins, epsilon=1.0, unit="user")
        spend(checkins, POPULARITY, 1.0)
        spend(checkins, RECORDS, 50.0)
        with pytest.raises(ledger.BudgetExceeded, match="of one user"):
            spend(checkins, POPULARITY, 0.001)
        assert both(checkins) == (1.0, 50.0)

    def test_of_users_and_records_are_never_added(self, checkins):
        spend(checkins, POPULARITY, 0.5)
        spend(checkins, RECORDS, 2.0)
        assert both(checkins) == (0.5, 2.0)
        assert ledger.refund(release_id=BudgetEntry.objects.get(unit="record").release_id)
        assert both(checkins) == (0.5, 0.0)
        assert checkins.source_file.lineage.budgets.count() == 2

    def test_an_upload_read_as_two_kinds_has_one_lineage(self, owner, checkins):
        spend(checkins, POPULARITY)
        other = imported(owner, kinds.checkins(ROWS), kind="trajectory")
        assert other.kind == "trajectory"
        assert other.source_file == checkins.source_file
        assert ledger.spent(other) == {"per_km": 0.0, "releases": 0, "events": 0}
        assert spent(imported(owner, kinds.checkins(ROWS)), "user") == 1.0


class TestMergingAndDividing:
    @pytest.fixture
    def other(self, owner, checkins):
        return imported(owner, kinds.checkins(kinds.checkin_rows(seed=2)))

    def test_adds_each_unit_and_divides_it_again(self, owner, checkins, other):
        spend(checkins, POPULARITY, 0.5)
        spend(checkins, RECORDS, 2.0)
        spend(other, RECORDS, 3.0)
        services.set_budget(dataset=other, epsilon=7.0, unit="record")
        united = imported(owner, kinds.checkins(ROWS + kinds.checkin_rows(seed=2)))
        assert Lineage.objects.count() == 1
        assert (both(checkins), both(other), both(united)) == ((0.5, 2.0), (0.0, 3.0), (0.5, 3.0))
        with pytest.raises(ledger.BudgetExceeded):
            spend(checkins, RECORDS, 5.001)
        lineage.record_other_people(dataset=united)
        assert (both(checkins), both(other), both(united)) == ((0.5, 2.0), (0.0, 3.0), (0.0, 0.0))
        for dataset in (checkins, other, united):
            assert ledger.budget_of(Dataset.objects.get(pk=dataset.pk), "record").total == 7_000_000
            assert ledger.budget_of(Dataset.objects.get(pk=dataset.pk), "user").total is None
        amounts = LineageEntry.objects.filter(fact="shared-events").values_list("amounts", flat=True)
        assert sorted(amounts, key=lambda units: units["record"]) == [
            {"record": [0, 2_000_000], "user": [0, 500_000]},
            {"record": [0, 3_000_000]},
        ]


COUNTS_FILE = kinds.wide(COUNTS)
SAME = {
    "columns in another order": ("stream", kinds.wide(COUNTS[:, ::-1], NAMES[::-1])),
    "a part of the days": ("stream", kinds.wide(COUNTS[5:30], first=5)),
    "long": ("stream", kinds.long(COUNTS)),
    "two of the streams": ("stream", kinds.wide(COUNTS[:, :2], NAMES[:2])),
    "others' counts": ("stream", kinds.wide(kinds.counts(seed=2))),
    "rows in another order": ("checkins", kinds.checkins(ROWS[::-1])),
    "a part of the rows": ("checkins", kinds.checkins(ROWS[20:180])),
    "no positions": ("checkins", kinds.checkins([row.rsplit(",", 2)[0] for row in ROWS], "user_id,time,venue_id")),
    "users renamed": ("checkins", kinds.checkins([f"x{row}" for row in ROWS])),
    "others' check-ins": ("checkins", kinds.checkins(kinds.checkin_rows(seed=2))),
}


class TestRecognition:
    @pytest.mark.parametrize("what", SAME)
    def test_of_most_of_the_same_rows_but_not_of_others_at_the_same_times(self, owner, what):
        kind, body = SAME[what]
        original, mechanism = (COUNTS_FILE, STREAM) if kind == "stream" else (kinds.checkins(ROWS), POPULARITY)
        first = imported(owner, original)
        spend(first, mechanism)
        second = imported(owner, body)
        assert second.kind == first.kind == kind
        same = not what.startswith("others")
        assert (second.source_file.lineage_id == Dataset.objects.get(pk=first.pk).source_file.lineage_id) is same
        assert spent(second, first.units[0]) == (1.0 if same else 0.0)


def test_the_database_refuses_rows_of_no_unit_and_no_kind(checkins):
    """Whatever code writes them."""
    spend(checkins, POPULARITY)
    columns = {"source_file": checkins.source_file, "mechanism": "x", "level": "user", "amount": 1, "epsilon": 1}
    radii = [("user", 1.0), ("record", 200.0), ("event", 1.0), ("event_per_m", None)]
    entries = [columns | {"unit": unit, "radius_m": radius_m} for unit, radius_m in radii]
    budgets = [{"unit": "user"}, {"unit": "hour"}, {"spent": -1}]  # there is one for users
    for model, wrong in [(BudgetEntry, one) for one in entries] + [(Budget, one) for one in budgets]:
        keys = {"release_id": uuid.uuid4()} if model is BudgetEntry else {"lineage": checkins.source_file.lineage}
        with pytest.raises(IntegrityError), transaction.atomic():
            model.objects.create(**keys, **wrong)
    with pytest.raises(IntegrityError), transaction.atomic():
        Dataset.objects.filter(pk=checkins.pk).update(kind="tables")
