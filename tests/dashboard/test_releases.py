"""Releases: submitting, drawing, cancelling, retrying and discarding; an attempt without a result leaves no files."""

import json
from functools import partial
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
from django.core.exceptions import PermissionDenied
from django.db import IntegrityError, transaction
from django.utils import timezone

from dashboard.core.errors import Conflict
from dashboard.datasets import ledger
from dashboard.datasets import services as datasets
from dashboard.datasets.models import BudgetEntry, Dataset
from dashboard.jobs import leases, queue, reaper
from dashboard.jobs import models as job_models
from dashboard.jobs.models import State
from dashboard.landmarks.models import LandmarkSet
from dashboard.landmarks.services import mark_landmarks
from dashboard.releases import downloads, execution, services
from dashboard.releases import files as files_of
from dashboard.releases.models import Release
from dashboard.storage import data_files, parquet
from privacy_engine import data, metrics
from privacy_engine.data.points_digest import trajectories_digest
from privacy_engine.errors import ParameterError
from privacy_engine.mechanisms.base import mechanism
from privacy_engine.mechanisms.landmark.joint import Joint
from privacy_engine.noise import planar_quantile_m
from privacy_engine.releases.spec import ReleaseSpec
from tests.cases import refreshed
from tests.dashboard.release_runs import charges, drawn, executed, expire, fail, interrupted, submitted


class TestSubmit:
    def test_stores_the_one_description_and_charges_once(self, submit, ready_dataset):
        release = submit("landmark-skip", leading="gap")
        assert release.state == State.QUEUED
        assert release.parsed_spec.model_dump() == release.spec
        assert release.mechanism == "landmark-skip"
        assert charges(release) == [1]
        assert ledger.spent(ready_dataset) == {"per_km": 5.0, "releases": 1, "events": 8}

    def test_enqueues_only_after_the_commit(self, submit, django_capture_on_commit_callbacks, monkeypatch):
        with django_capture_on_commit_callbacks(execute=True):
            release = submit()  # a broker that is away is no error
        assert (refreshed(release).state, release.enqueued_at) == (State.QUEUED, None)
        enqueue = Mock()
        monkeypatch.setattr(queue, "enqueue", enqueue)
        with django_capture_on_commit_callbacks(execute=True):
            release = submit()
            enqueue.assert_not_called()
        enqueue.assert_called_once_with(release)

    def test_fail_of_another_persons_and_of_what_is_not_ready(self, submit, stranger, ready_dataset, landmark_set):
        spec = ReleaseSpec.parse({"mechanism": {"name": "event-level", "epsilon": 1.0, "radius_m": 1.0}})
        with pytest.raises(PermissionDenied):
            services.submit_release(owner=stranger, dataset=ready_dataset, landmark_set=landmark_set, spec=spec)
        ready_dataset.state, ready_dataset.finished_at = State.QUEUED, None
        ready_dataset.save()
        with pytest.raises(Conflict, match="queued"):
            submit()

    def test_fail_of_more_events_of_a_person_than_memory_is_to_have(self, submit, ready_dataset, monkeypatch):
        monkeypatch.setattr(Joint, "most_events", ready_dataset.points)
        assert submit("landmark-joint", step_variance_m2=1e4)
        monkeypatch.setattr(Joint, "most_events", ready_dataset.points - 1)
        before = BudgetEntry.objects.count()
        with pytest.raises(ParameterError, match=f"of whom one has {ready_dataset.points}, got landmark-joint"):
            submit("landmark-joint", step_variance_m2=1e4)
        assert BudgetEntry.objects.count() == before

    def test_fail_deleted_since_it_was_looked_up(self, submit, landmark_set, ready_dataset):
        LandmarkSet.objects.all().delete()
        with pytest.raises(Conflict, match="landmark set was deleted meanwhile"):
            submit()
        Dataset.objects.all().delete()
        with pytest.raises(Conflict, match="dataset was deleted meanwhile"):
            submit()
        assert not BudgetEntry.objects.exists()


class TestIdempotencyKey:
    def test_fail_another_request_or_landmark_set_under_the_same_key(self, submit, ready_dataset):
        first = submit(key="monday")
        with pytest.raises(Conflict, match="another request"):
            submit(key="monday", epsilon=2.0)
        marks = {"name": "manual", "events": [0]}
        other = mark_landmarks(owner=first.owner, dataset=ready_dataset, method=marks, name="other")
        given = {"owner": first.owner, "dataset": ready_dataset, "landmark_set": other, "spec": first.parsed_spec}
        with pytest.raises(Conflict, match="another request"):
            services.submit_release(**given, idempotency_key="monday")
        assert submit(key="tuesday").pk != first.pk
        for key in ("two parts", "x" * 101, "clé", "a\nb"):
            with pytest.raises(ParameterError) as refused:
                submit(key=key)
            assert refused.value.field == "Idempotency-Key"

    def test_the_database_refuses_it_where_the_query_before_cannot(self, submit, monkeypatch):
        first = submit(key="monday")
        answers = iter([None, first])  # as if the other request committed between our query and our write
        monkeypatch.setattr(services, "earlier_row", lambda *_: next(answers))
        assert submit(key="monday") == first
        assert charges(first) == [1]
        assert BudgetEntry.objects.count() == 1


class TestLedger:
    def test_charged_once_however_often_tried(self, submit, ready_dataset):
        release = submit()
        for _ in range(2):
            assert leases.claim(Release, release.pk)
            expire(release)
            assert reaper.sweep(Release)["requeued"] == 1
        assert executed(release).attempt == 3
        assert charges(release) == [1]
        assert ledger.spent(ready_dataset)["releases"] == 1

    def test_kept_on_cancelling_where_a_worker_claimed_it_and_on_every_retry(self, submit):
        release = submit()
        token = leases.claim(Release, release.pk)
        services.cancel_release(release=release)
        assert release.state == State.RUNNING
        with pytest.raises(leases.Cancelled):
            leases.Lease(Release, release.pk, token).report("Drawing", 0.5)
        expire(release)
        assert reaper.sweep(Release)["cancelled"] == 1
        assert (refreshed(release).state, charges(release)) == (State.CANCELLED, [1])
        again = services.retry_release(release=release)
        services.cancel_release(release=again)
        assert (again.pk, again.state, charges(again)) == (release.pk, State.CANCELLED, [1])
        done = executed(services.retry_release(release=again))
        assert (done.pk, done.state, charges(done)) == (release.pk, State.DONE, [1])
        for refused, error in (
            (services.cancel_release, job_models.NotOpen),
            (services.retry_release, job_models.NotRetryable),
        ):
            with pytest.raises(error):
                refused(release=done)
        assert charges(done) == [1]

    def test_kept_where_its_worker_was_lost_and_it_was_then_cancelled(self, submit):
        release = submit()
        leases.claim(Release, release.pk)
        expire(release)
        reaper.sweep(Release)
        services.cancel_release(release=release)
        assert (release.state, charges(release)) == (State.CANCELLED, [1])


class TestRetry:
    def test_of_a_failed_one_is_the_same_release_on_the_same_charge(self, submit, ready_dataset, monkeypatch):
        failed = interrupted(submit(), monkeypatch, fail)
        for _ in range(3):
            again = services.retry_release(release=failed)
            assert (again.pk, again.state, again.attempt, again.error) == (failed.pk, State.QUEUED, 0, None)
            failed = interrupted(again, monkeypatch, fail)
            assert failed.state == State.FAILED
            assert charges(failed) == [1]
        assert executed(services.retry_release(release=failed)).state == State.DONE
        assert charges(failed) == [1]
        assert ledger.spent(ready_dataset) == {"per_km": 5.0, "releases": 1, "events": 8}
        assert Release.objects.count() == 1

    def test_noise_of_the_failed_attempt_is_nowhere(self, submit, files, monkeypatch):
        release, before = submit(), files()
        drew = []
        failed = interrupted(release, monkeypatch, lambda row: (drew.append(row.data_path), fail(row)))
        assert (len(drew), drew[0].exists(), files()) == (1, False, before)
        done = executed(services.retry_release(release=failed))
        published = [path for path in files() if f"releases/{release.pk}/" in path]
        assert len(published) == 2  # points and budgets, of one attempt
        assert all(done.data_file in path for path in published)

    def test_a_late_attempt_publishes_nothing_beside_it(self, submit):
        release = submit()
        zombie = leases.Lease(Release, release.pk, leases.claim(Release, release.pk))
        for _ in range(3):  # each worker is lost, and the job given up, still charged
            expire(release)
            reaper.sweep(Release)
            leases.claim(Release, release.pk)
        assert (refreshed(release).state, release.error["code"], charges(release)) == (State.FAILED, "crashed", [1])
        done = executed(services.retry_release(release=release))
        with pytest.raises(leases.LeaseLost):
            zombie.finish(State.DONE, data_file="late.parquet", data_sha256="0" * 64)
        assert (refreshed(release).data_sha256, charges(release)) == (done.data_sha256, [1])

    def test_of_one_whose_charge_was_given_back_is_a_new_release_with_its_own(self, submit, ready_dataset):
        cancelled = submit()
        services.cancel_release(release=cancelled)
        assert ledger.spent(ready_dataset) == {"per_km": 0.0, "releases": 0, "events": 0}
        assert executed(cancelled).attempt == 0
        again = services.retry_release(release=cancelled)
        assert again.pk != cancelled.pk
        assert again.spec == cancelled.spec
        assert (charges(cancelled), charges(again)) == ([1, -1], [1])
        assert ledger.spent(ready_dataset)["releases"] == 1
        assert executed(again).state == State.DONE

    def test_twice_at_once_is_one_retry(self, submit, monkeypatch):
        failed = interrupted(submit(), monkeypatch, fail)
        seen = [Release.objects.get(pk=failed.pk) for _ in range(2)]
        services.retry_release(release=seen[0])
        with pytest.raises(job_models.NotRetryable):
            services.retry_release(release=seen[1])


class TestDiscard:
    def test_files_go_and_the_charge_stays(self, submit, files, ready_dataset, django_capture_on_commit_callbacks):
        before = files()
        release = executed(submit())
        with django_capture_on_commit_callbacks(execute=True):
            services.discard_release(release=release)
            assert files() != before
        assert [path for path in files() if path not in before] == []
        assert ledger.spent(ready_dataset)["releases"] == 1
        waiting = submit()
        with pytest.raises(IntegrityError), transaction.atomic():  # done without data
            Release.objects.filter(pk=waiting.pk).update(state=State.DONE, finished_at=timezone.now())
        services.discard_release(release=waiting)  # one that never ran is given back
        assert ledger.spent(ready_dataset)["releases"] == 1
        assert not Release.objects.exists()


NAMES = [cls.registered_name() for cls in mechanism.mechanisms.of("trajectory")]


class TestDraw:
    @pytest.mark.parametrize("name", NAMES)
    def test_every_mechanism_publishes_its_points_budgets_and_label(self, submit, name, paris_day):
        release = executed(submit(name))
        assert (release.state, release.progress, release.stage, release.attempt) == (State.DONE, 1.0, "", 1)
        ((published, event),) = data_files.read_release("trajectory", release.data_path)
        assert len(published) == len(event) == release.summary["published"]
        assert published.time_s.tolist() == paris_day.time_s[event].tolist()
        assert len(parquet.read_table(release.budgets_path)["budget"].to_numpy()) == len(paris_day)
        assert downloads.label(release)["guarantee"]["epsilon"] == 1.0
        assert release.data_sha256 == trajectories_digest(data_files.read_data("trajectory", release.data_path))
        errors = metrics.error_m(paris_day, Mock(event=event, series=published))
        assert release.owner_view["mae_m"] == pytest.approx(errors.mean(), abs=0.01)
        assert release.owner_view["max_error_m"] == pytest.approx(errors.max(), abs=0.01)
        errors_mm = parquet.read_table(release.errors_path)["error_mm"].to_numpy()
        assert errors_mm == pytest.approx(errors * 1000, abs=0.51)

    def test_errors_that_an_earlier_version_stored_in_metres_are_read(self, submit):
        release = executed(submit("event-level"))
        now = files_of.read_curves(release, 0).error_m
        metres = parquet.read_table(release.errors_path)["error_mm"].to_numpy() / 1000
        release.errors_path.unlink()
        parquet.write_columns(release.errors_path, [{"error_m": metres}])
        assert files_of.read_curves(release, 0).error_m.tolist() == now.tolist()

    def test_two_releases_of_one_description_differ_and_neither_is_original(self, submit, paris_day):
        one, other = executed(submit("event-level")), executed(submit("event-level"))
        assert one.data_sha256 != other.data_sha256
        ((published, _),) = data_files.read_release("trajectory", one.data_path)
        assert not set(published.lon.tolist()) & set(paris_day.lon.tolist())
        assert not set(published.lat.tolist()) & set(paris_day.lat.tolist())
        names = {path.name for path in one.folder.iterdir()}  # measured errors are stored apart from published data
        assert names == {one.data_file, f"budgets-{one.data_file}"}
        assert one.errors_path.parent == one.dataset.folder
        assert all(Path(path).stat().st_mode & 0o077 == 0 for path in one.folder.iterdir())
        before = one.data_sha256
        assert executed(one).data_sha256 == before, "a message delivered twice draws once"
        assert (one.attempt, charges(one)) == (1, [1])

    def test_a_seeded_release_is_the_engines_and_not_private(self, submit, paris_day):
        release = executed(submit("landmark-adaptive", seed=7))
        (expected,) = release.parsed_spec.release([paris_day], [data.LandmarkSet.at([0, 2, 4, 7], 8)])
        ((published, event),) = data_files.read_release("trajectory", release.data_path)
        assert published.lon == pytest.approx(expected.series.lon, abs=1e-9)
        assert event.tolist() == expected.event.tolist()
        assert downloads.label(release)["guarantee"] is None
        assert downloads.label(release)["text"].startswith("NOT PRIVATE")
        release = executed(submit("landmark-skip"))
        distinct = [{"budget": 0.0, "events": 4}, {"budget": 1.0, "events": 4}]
        noise = float(planar_quantile_m(1 / release.parsed_spec.mechanism.radius_m, 0.95))
        expected = {"mechanism": "landmark-skip", "points": 8, "series": 1, "people": 1, "published": 8, "drawn": 4}
        expected |= {"landmarks": 4, "landmarks_per_person": 4, "whole_trace": 4.0, "noise_p95_m": pytest.approx(noise)}
        assert release.summary == expected | {"budgets": {"min": 0.0, "max": 1.0, "distinct": distinct}}

    def test_series_of_a_dataset_get_noise_of_their_own(self, owner, make_dataset, paris_day):
        two = make_dataset(owner, paris_day, paris_day)
        for seed in (None, 7):
            release = drawn(owner, two, mechanism={"name": "event-level", "epsilon": 1.0, "radius_m": 200.0}, seed=seed)
            (first, _), (second, _) = data_files.read_release("trajectory", release.data_path)
            assert not set(first.lon.tolist()) & set(second.lon.tolist())


class TestAttemptsThatPublishNothing:
    def test_a_failure_leaves_no_file_and_reports_no_value(self, submit, files, monkeypatch, caplog):
        release, before = submit(), files()
        release = interrupted(release, monkeypatch, fail)
        assert (release.state, release.error["code"]) == (State.FAILED, "internal")
        assert "48.8703" not in json.dumps(release.error) + caplog.text
        assert (files(), charges(release)) == (before, [1])

    def test_a_cancelled_or_a_lost_run_leaves_no_file_and_stays_charged(self, submit, files, monkeypatch):
        release, before = submit(), files()

        def cancel(row):
            services.cancel_release(release=Release.objects.get(pk=row.pk))
            raise leases.Cancelled

        release = interrupted(release, monkeypatch, cancel)
        assert (release.state, files(), charges(release)) == (State.CANCELLED, before, [1])
        release = services.retry_release(release=release)
        release = interrupted(release, monkeypatch, lambda row: (expire(row), reaper.sweep(Release)))
        assert (release.state, files(), charges(release)) == (State.QUEUED, before, [1])
        row = interrupted(release, monkeypatch, lambda row: services.discard_release(release=row))
        assert (row, files()) == (None, before)

    def test_a_stale_worker_publishes_nothing_and_removes_only_its_own_files(self, submit, monkeypatch):
        release = submit()

        def replaced(row):
            expire(row)
            reaper.sweep(Release)
            with monkeypatch.context() as patch:
                patch.setattr(execution, "draw_release", honest)
                execution.run(row.pk)

        honest = execution.draw_release
        release = interrupted(release, monkeypatch, replaced)
        assert (release.state, release.attempt) == (State.DONE, 2)
        assert all(path.exists() for path in (release.data_path, release.budgets_path, release.errors_path))
        assert len(list(release.folder.iterdir())) == 2
        assert len(release.dataset.folder.iterdir("errors-")) == 1
        assert charges(release) == [1]

    def test_a_dataset_deleted_meanwhile_leaves_nothing(
        self, submit, files, monkeypatch, django_capture_on_commit_callbacks
    ):
        release = submit()
        with django_capture_on_commit_callbacks(execute=True):
            row = interrupted(release, monkeypatch, lambda row: datasets.delete_dataset(dataset=row.dataset))
        assert row is None
        assert files() == []


class TestLong:
    def test_a_long_series_can_be_stopped_in_its_middle(self, owner, make_dataset):
        n = 50_000
        one = make_dataset(owner, data.Trajectory(np.linspace(2, 3, n), np.linspace(48, 49, n), np.arange(n)))
        marks = mark_landmarks(owner=owner, dataset=one, method={"name": "manual", "events": []})
        row = submitted(marks, {"name": "landmark-adaptive", "epsilon": 1.0, "radius_m": 200.0})
        received = []

        def report(stage, progress):
            received.append((stage, progress))
            if len(received) == 3:
                raise leases.Cancelled

        lease = Mock(report=report, token=row.pk)
        lease.reporting = partial(leases.Lease.reporting, lease)
        with pytest.raises(leases.Cancelled):
            execution.draw_release(row, lease)
        assert {stage for stage, _ in received} == {"Reading", "Drawing"}
        assert received[-1][1] < 0.75
