"""Releases: what submitting, drawing, cancelling, retrying and discarding keep true."""

from __future__ import annotations

import hashlib
import json
from unittest.mock import Mock

import numpy as np
import pytest
from django.core.exceptions import PermissionDenied
from django.db import IntegrityError, transaction
from django.utils import timezone

from dashboard import jobs, storage
from dashboard.datasets import ledger
from dashboard.datasets import services as datasets
from dashboard.datasets.models import BudgetEntry
from dashboard.errors import Conflict
from dashboard.jobs import State
from dashboard.landmarks.services import mark_landmarks
from dashboard.releases import downloads, execution, services
from dashboard.releases.models import Release
from privacy_engine import metrics
from privacy_engine.data import LandmarkSet, Trajectory
from privacy_engine.errors import ParameterError
from privacy_engine.registry import mechanisms
from privacy_engine.spec import ReleaseSpec

NAMES = [cls.registered_name() for cls in mechanisms]


def drawn(release: Release) -> Release:
    """The release after a worker had its turn."""
    execution.run(release.pk)
    release.refresh_from_db()
    return release


def charges(release: Release) -> list[int]:
    entries = BudgetEntry.objects.filter(release_id=release.pk).order_by("pk")
    return [np.sign(amount) for amount in entries.values_list("amount", flat=True)]


class TestSubmit:
    def test_stores_the_one_description_and_charges_once(self, submit, ready_dataset):
        release = submit("landmark-skip", leading="gap")
        assert release.state == State.QUEUED
        assert release.parsed_spec.model_dump() == release.spec
        assert release.mechanism == "landmark-skip"
        assert charges(release) == [1]
        assert ledger.spent(ready_dataset) == {"per_km": 5.0, "releases": 1}

    def test_seeded_release_charges_nothing(self, submit, ready_dataset):
        release = submit(seed=7)
        assert release.seeded
        assert charges(release) == []
        assert ledger.spent(ready_dataset)["per_km"] == 0

    def test_rings_only_after_the_commit(self, submit, django_capture_on_commit_callbacks, monkeypatch):
        rung = Mock()
        monkeypatch.setattr(jobs, "ring", rung)
        with django_capture_on_commit_callbacks(execute=True):
            release = submit()
            rung.assert_not_called()
        rung.assert_called_once_with(release)

    def test_a_broker_that_is_away_is_no_error(self, submit, django_capture_on_commit_callbacks):
        with django_capture_on_commit_callbacks(execute=True):
            release = submit()
        release.refresh_from_db()
        assert (release.state, release.rung_at) == (State.QUEUED, None)

    def test_fail_budget_exceeded_leaves_no_row_and_no_charge(self, submit, ready_dataset):
        datasets.set_budget(dataset=ready_dataset, epsilon=1.0, radius_m=1000.0)
        with pytest.raises(Conflict) as refused:
            submit()
        assert refused.value.code == "budget"
        assert not Release.objects.exists()
        assert not BudgetEntry.objects.exists()

    def test_fail_dataset_not_ready(self, submit, ready_dataset):
        ready_dataset.state, ready_dataset.finished_at = State.QUEUED, None
        ready_dataset.save()
        with pytest.raises(Conflict, match="queued"):
            submit()

    def test_fail_landmark_set_of_another_dataset(self, owner, ready_dataset, make_dataset, paris_day):
        other = make_dataset(owner, paris_day)
        marks = mark_landmarks(owner=owner, dataset=other, method={"name": "manual", "events": [0]})
        spec = ReleaseSpec.parse({"mechanism": {"name": "event-level", "epsilon": 1.0, "radius_m": 1.0}})
        with pytest.raises(ParameterError, match="landmark_set must be a landmark set of this dataset"):
            services.submit_release(owner=owner, dataset=ready_dataset, landmark_set=marks, spec=spec)

    def test_fail_somebody_elses_dataset(self, stranger, ready_dataset, landmark_set):
        spec = ReleaseSpec.parse({"mechanism": {"name": "event-level", "epsilon": 1.0, "radius_m": 1.0}})
        with pytest.raises(PermissionDenied):
            services.submit_release(owner=stranger, dataset=ready_dataset, landmark_set=landmark_set, spec=spec)


class TestIdempotencyKey:
    def test_same_request_same_release_one_charge(self, submit, ready_dataset):
        assert len({submit(key="monday").pk for _ in range(10)}) == 1
        assert ledger.spent(ready_dataset)["releases"] == 1

    def test_another_key_another_release(self, submit):
        assert submit(key="monday").pk != submit(key="tuesday").pk

    def test_fail_another_request_under_the_same_key(self, submit):
        submit(key="monday")
        with pytest.raises(Conflict, match="another request"):
            submit(key="monday", epsilon=2.0)

    @pytest.mark.parametrize("key", ["two words", "x" * 101, "clé", "a\nb"])
    def test_fail_key_that_is_no_key(self, submit, key):
        with pytest.raises(ParameterError) as refused:
            submit(key=key)
        assert refused.value.field == "Idempotency-Key"

    def test_the_database_holds_it_where_the_look_ahead_cannot(self, submit, monkeypatch):
        first = submit(key="monday")
        answers = iter([None, first])  # as if the other request committed between our look and our write
        monkeypatch.setattr(services, "_earlier", lambda fresh: next(answers))
        assert submit(key="monday") == first
        assert charges(first) == [1]
        assert BudgetEntry.objects.count() == 1


class TestDraw:
    @pytest.mark.parametrize("name", NAMES)
    def test_every_mechanism_publishes_its_points_budgets_and_label(self, submit, name, paris_day):
        release = drawn(submit(name))
        assert (release.state, release.progress, release.stage, release.attempt) == (State.DONE, 1.0, "", 1)
        ((published, event),) = storage.read_release(release.data_path)
        assert len(published) == len(event) == release.summary["published"]
        assert published.time_s.tolist() == paris_day.time_s[event].tolist()
        assert len(storage.read_columns(release.budgets_path)["budget"]) == len(paris_day)
        assert downloads.label(release)["guarantee"]["epsilon"] == 1.0

    def test_the_digest_is_the_published_files(self, submit):
        release = drawn(submit())
        assert release.data_sha256 == hashlib.sha256(release.data_path.read_bytes()).hexdigest()

    def test_nothing_published_is_original(self, submit, paris_day):
        release = drawn(submit("event-level"))
        ((published, _),) = storage.read_release(release.data_path)
        assert not set(published.lon.tolist()) & set(paris_day.lon.tolist())
        assert not set(published.lat.tolist()) & set(paris_day.lat.tolist())

    def test_a_seeded_release_is_the_engines_and_not_private(self, submit, paris_day):
        release = drawn(submit("landmark-adaptive", seed=7))
        marks = LandmarkSet.at([0, 2, 4, 7], 8)
        (expected,) = release.parsed_spec.release([paris_day], [marks])
        ((published, event),) = storage.read_release(release.data_path)
        assert published.lon == pytest.approx(expected.series.lon, abs=1e-9)
        assert event.tolist() == expected.event.tolist()
        assert downloads.label(release)["guarantee"] is None
        assert downloads.label(release)["text"].startswith("NOT PRIVATE")

    def test_two_releases_of_one_description_differ(self, submit):
        one, other = drawn(submit()), drawn(submit())
        assert one.data_sha256 != other.data_sha256

    def test_series_of_a_dataset_get_noise_of_their_own(self, owner, make_dataset, paris_day):
        two = make_dataset(owner, paris_day, paris_day)
        marks = mark_landmarks(owner=owner, dataset=two, method={"name": "manual", "events": [0]})
        mechanism = {"name": "event-level", "epsilon": 1.0, "radius_m": 200.0}
        for seed in (None, 7):
            spec = ReleaseSpec.parse({"mechanism": mechanism, "seed": seed})
            release = drawn(services.submit_release(owner=owner, dataset=two, landmark_set=marks, spec=spec))
            (first, _), (second, _) = storage.read_release(release.data_path)
            assert not set(first.lon.tolist()) & set(second.lon.tolist())

    def test_owner_view_is_the_engines_error(self, submit, paris_day):
        release = drawn(submit("landmark-skip", leading="gap"))
        ((published, event),) = storage.read_release(release.data_path)
        errors = metrics.error_m(paris_day, Mock(event=event, series=published))
        assert release.owner_view["mae_m"] == pytest.approx(errors.mean(), abs=0.01)
        assert release.owner_view["max_error_m"] == pytest.approx(errors.max(), abs=0.01)
        assert storage.read_columns(release.errors_path)["error_m"] == pytest.approx(errors, abs=0.01)

    def test_summary_says_only_what_the_release_shows(self, submit):
        release = drawn(submit("landmark-skip"))
        assert release.summary == {
            "mechanism": "landmark-skip",
            "points": 8,
            "series": 1,
            "landmarks": 4,
            "published": 8,
            "drawn": 4,
            "budgets": {
                "min": 0.0,
                "max": 1.0,
                "distinct": [{"budget": 0.0, "events": 4}, {"budget": 1.0, "events": 4}],
            },
        }

    def test_what_was_measured_lies_apart_from_what_was_published(self, submit):
        release = drawn(submit())
        assert sorted(path.name for path in release.folder.iterdir()) == sorted(
            [release.data_file, f"budgets-{release.data_file}"]
        )
        assert release.errors_path.parent == release.dataset.folder
        assert all(path.stat().st_mode & 0o077 == 0 for path in release.folder.iterdir())

    def test_a_doorbell_that_rings_twice_draws_once(self, submit):
        release = drawn(submit())
        before = release.data_sha256
        assert drawn(release).data_sha256 == before
        assert (release.attempt, charges(release)) == (1, [1])


def interrupted(release: Release, monkeypatch, interrupt) -> Release:
    """The release after a turn in which ``interrupt(row)`` happened just before its files were settled."""
    honest = execution.draw_release

    def disturbed(row, lease):
        fields = honest(row, lease)
        interrupt(row)
        return fields

    monkeypatch.setattr(execution, "draw_release", disturbed)
    execution.run(release.pk)
    monkeypatch.setattr(execution, "draw_release", honest)
    return Release.objects.filter(pk=release.pk).first()


def fail(_: Release) -> None:
    raise RuntimeError("48.8703 is a coordinate and must not be told")


class TestAttemptsThatPublishNothing:
    def test_a_failure_leaves_no_file_and_tells_no_value(self, submit, files, monkeypatch, caplog):
        release = submit()
        before = files()
        release = interrupted(release, monkeypatch, fail)
        assert (release.state, release.error["code"]) == (State.FAILED, "internal")
        assert "48.8703" not in json.dumps(release.error) + caplog.text
        assert files() == before
        assert charges(release) == [1]

    def test_a_cancelled_run_leaves_no_file_and_stays_charged(self, submit, files, monkeypatch):
        release = submit()
        before = files()

        def cancel(row):
            services.cancel_release(release=Release.objects.get(pk=row.pk))
            raise jobs.Cancelled

        release = interrupted(release, monkeypatch, cancel)
        assert release.state == State.CANCELLED
        assert files() == before
        assert charges(release) == [1]

    def test_a_zombie_publishes_nothing_and_touches_nobody_elses_files(self, submit, monkeypatch):
        release = submit()

        def replaced(row):
            expire(row)
            jobs.sweep(Release)
            with monkeypatch.context() as patch:
                patch.setattr(execution, "draw_release", honest)
                execution.run(row.pk)

        honest = execution.draw_release
        release = interrupted(release, monkeypatch, replaced)
        assert (release.state, release.attempt) == (State.DONE, 2)
        assert release.data_path.exists()
        assert release.budgets_path.exists()
        assert release.errors_path.exists()
        assert len(list(release.folder.iterdir())) == 2
        assert len(list(release.dataset.folder.glob("errors-*"))) == 1
        assert charges(release) == [1]

    def test_a_zombie_that_lost_to_a_waiting_row_takes_only_its_own_files(self, submit, files, monkeypatch):
        release = submit()
        before = [path for path in files() if path.endswith(".parquet")]
        release = interrupted(release, monkeypatch, lambda row: (expire(row), jobs.sweep(Release)))
        assert release.state == State.QUEUED
        assert [path for path in files() if path.endswith(".parquet")] == before

    def test_a_release_discarded_while_it_runs_leaves_nothing(self, submit, files, monkeypatch):
        release = submit()
        before = files()
        row = interrupted(release, monkeypatch, lambda row: services.discard_release(release=row))
        assert row is None
        assert files() == before

    def test_a_dataset_deleted_while_its_release_runs_leaves_nothing(
        self, submit, files, monkeypatch, django_capture_on_commit_callbacks
    ):
        release = submit()
        with django_capture_on_commit_callbacks(execute=True):
            row = interrupted(release, monkeypatch, lambda row: datasets.delete_dataset(dataset=row.dataset))
        assert row is None
        assert files() == []


def expire(row: Release) -> None:
    """Let the lease run out."""
    Release.objects.filter(pk=row.pk).update(lease_until=timezone.now() - timezone.timedelta(seconds=1))


class TestLedger:
    def test_charged_once_however_often_tried(self, submit, ready_dataset):
        release = submit()
        for _ in range(2):
            assert jobs.claim(Release, release.pk)
            expire(release)
            assert jobs.sweep(Release)["requeued"] == 1
        assert drawn(release).attempt == 3
        assert charges(release) == [1]
        assert ledger.spent(ready_dataset)["releases"] == 1

    def test_given_back_where_no_worker_ever_claimed_it(self, submit, ready_dataset):
        release = submit()
        services.cancel_release(release=release)
        assert (release.state, charges(release)) == (State.CANCELLED, [1, -1])
        assert ledger.spent(ready_dataset) == {"per_km": 0.0, "releases": 0}

    def test_kept_where_one_did(self, submit):
        release = submit()
        jobs.claim(Release, release.pk)
        expire(release)
        jobs.sweep(Release)
        services.cancel_release(release=release)
        assert (release.state, charges(release)) == (State.CANCELLED, [1])

    def test_given_up_after_three_attempts_and_still_charged(self, submit):
        release = submit()
        for _ in range(3):
            assert jobs.claim(Release, release.pk)
            expire(release)
            jobs.sweep(Release)
        release.refresh_from_db()
        assert (release.state, release.error["code"]) == (State.FAILED, "crashed")
        assert charges(release) == [1]


class TestCancel:
    def test_a_waiting_release_never_runs(self, submit):
        release = submit()
        services.cancel_release(release=release)
        assert drawn(release).state == State.CANCELLED
        assert release.attempt == 0

    def test_a_running_release_hears_of_it_and_stops(self, submit):
        release = submit()
        token = jobs.claim(Release, release.pk)
        services.cancel_release(release=release)
        assert release.state == State.RUNNING
        with pytest.raises(jobs.Cancelled):
            jobs.Lease(Release, release.pk, token).report("Drawing", 0.5)

    def test_fail_over_already(self, submit):
        release = drawn(submit())
        with pytest.raises(jobs.NotOpen):
            services.cancel_release(release=release)
        assert charges(release) == [1]


class TestRetry:
    def test_a_new_release_of_the_same_description_with_its_own_charge(self, submit, monkeypatch):
        failed = interrupted(submit(), monkeypatch, fail)
        again = services.retry_release(release=failed)
        assert again.pk != failed.pk
        assert again.spec == failed.spec
        assert (charges(failed), charges(again)) == ([1], [1])
        assert drawn(again).state == State.DONE

    def test_fail_where_it_neither_failed_nor_was_cancelled(self, submit):
        with pytest.raises(Conflict, match="this one is queued"):
            services.retry_release(release=submit())
        with pytest.raises(Conflict, match="this one is done"):
            services.retry_release(release=drawn(submit()))


class TestDiscard:
    def test_files_go_after_the_commit_and_the_charge_stays(
        self, submit, files, ready_dataset, django_capture_on_commit_callbacks
    ):
        before = files()
        release = drawn(submit())
        with django_capture_on_commit_callbacks(execute=True):
            services.discard_release(release=release)
            assert files() != before
        assert [path for path in files() if path not in before] == []
        assert ledger.spent(ready_dataset)["releases"] == 1

    def test_one_that_never_ran_is_given_back(self, submit, ready_dataset):
        services.discard_release(release=submit())
        assert ledger.spent(ready_dataset)["releases"] == 0
        assert not Release.objects.exists()


class TestRow:
    def test_the_database_refuses_a_done_release_without_data(self, submit):
        release = submit()
        with pytest.raises(IntegrityError), transaction.atomic():
            Release.objects.filter(pk=release.pk).update(state=State.DONE, finished_at=timezone.now())


class TestLong:
    def test_a_long_series_can_be_stopped_in_its_middle(self, owner, make_dataset):
        n = 50_000
        one = make_dataset(owner, Trajectory(np.linspace(2, 3, n), np.linspace(48, 49, n), np.arange(n)))
        marks = mark_landmarks(owner=owner, dataset=one, method={"name": "manual", "events": []})
        mechanism = {"name": "landmark-adaptive", "epsilon": 1.0, "radius_m": 200.0}
        spec = ReleaseSpec.parse({"mechanism": mechanism})
        row = services.submit_release(owner=owner, dataset=one, landmark_set=marks, spec=spec)
        heard = []

        def report(stage, progress):
            heard.append((stage, progress))
            if len(heard) == 20:
                raise jobs.Cancelled

        with pytest.raises(jobs.Cancelled):
            execution.draw_release(row, Mock(report=report, token=row.pk))
        assert {stage for stage, _ in heard} == {"Reading", "Drawing"}
        assert heard[-1][1] < 0.75
