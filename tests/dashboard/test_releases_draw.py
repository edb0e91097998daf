"""What a worker draws, and that an attempt without a result leaves no files."""

import json
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest

from dashboard.datasets import services as datasets
from dashboard.jobs import leases, reaper
from dashboard.jobs.models import State
from dashboard.landmarks.services import mark_landmarks
from dashboard.releases import downloads, execution, services
from dashboard.releases.models import Release
from dashboard.storage import parquet
from dashboard.storage.data_files import read_data, read_release
from privacy_engine import metrics
from privacy_engine.data import LandmarkSet, Trajectory
from privacy_engine.mechanism import mechanisms
from privacy_engine.noise import planar_quantile_m
from privacy_engine.published import trajectories_digest
from privacy_engine.spec import ReleaseSpec
from tests.dashboard.release_runs import charges, executed, expire, fail, interrupted

NAMES = [cls.registered_name() for cls in mechanisms.of("trajectory")]


class TestDraw:
    @pytest.mark.parametrize("name", NAMES)
    def test_every_mechanism_publishes_its_points_budgets_and_label(self, submit, name, paris_day):
        release = executed(submit(name))
        assert (release.state, release.progress, release.stage, release.attempt) == (State.DONE, 1.0, "", 1)
        ((published, event),) = read_release("trajectory", release.data_path)
        assert len(published) == len(event) == release.summary["published"]
        assert published.time_s.tolist() == paris_day.time_s[event].tolist()
        assert len(parquet.read_columns(release.budgets_path)["budget"]) == len(paris_day)
        assert downloads.label(release)["guarantee"]["epsilon"] == 1.0
        assert release.data_sha256 == trajectories_digest(read_data("trajectory", release.data_path))
        errors = metrics.error_m(paris_day, Mock(event=event, series=published))
        assert release.owner_view["mae_m"] == pytest.approx(errors.mean(), abs=0.01)
        assert release.owner_view["max_error_m"] == pytest.approx(errors.max(), abs=0.01)
        assert parquet.read_columns(release.errors_path)["error_m"] == pytest.approx(errors, abs=0.01)

    def test_two_releases_of_one_description_differ_and_neither_is_original(self, submit, paris_day):
        one, other = executed(submit("event-level")), executed(submit("event-level"))
        assert one.data_sha256 != other.data_sha256
        ((published, _),) = read_release("trajectory", one.data_path)
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
        marks = LandmarkSet.at([0, 2, 4, 7], 8)
        (expected,) = release.parsed_spec.release([paris_day], [marks])
        ((published, event),) = read_release("trajectory", release.data_path)
        assert published.lon == pytest.approx(expected.series.lon, abs=1e-9)
        assert event.tolist() == expected.event.tolist()
        assert downloads.label(release)["guarantee"] is None
        assert downloads.label(release)["text"].startswith("NOT PRIVATE")

    def test_series_of_a_dataset_get_noise_of_their_own(self, owner, make_dataset, paris_day):
        two = make_dataset(owner, paris_day, paris_day)
        marks = mark_landmarks(owner=owner, dataset=two, method={"name": "manual", "events": [0]})
        mechanism = {"name": "event-level", "epsilon": 1.0, "radius_m": 200.0}
        for seed in (None, 7):
            spec = ReleaseSpec.parse({"mechanism": mechanism, "seed": seed})
            release = executed(services.submit_release(owner=owner, dataset=two, landmark_set=marks, spec=spec))
            (first, _), (second, _) = read_release("trajectory", release.data_path)
            assert not set(first.lon.tolist()) & set(second.lon.tolist())

    def test_summary_states_only_what_the_release_shows(self, submit):
        release = executed(submit("landmark-skip"))
        distinct = [{"budget": 0.0, "events": 4}, {"budget": 1.0, "events": 4}]
        noise = float(planar_quantile_m(1 / release.parsed_spec.mechanism.radius_m, 0.95))
        expected = {"mechanism": "landmark-skip", "points": 8, "series": 1, "people": 1, "published": 8, "drawn": 4}
        expected |= {"landmarks": 4, "landmarks_per_person": 4, "whole_trace": 4.0, "noise_p95_m": pytest.approx(noise)}
        assert release.summary == expected | {"budgets": {"min": 0.0, "max": 1.0, "distinct": distinct}}


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

    def test_a_dataset_deleted_while_its_release_runs_leaves_nothing(
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
        one = make_dataset(owner, Trajectory(np.linspace(2, 3, n), np.linspace(48, 49, n), np.arange(n)))
        marks = mark_landmarks(owner=owner, dataset=one, method={"name": "manual", "events": []})
        mechanism = {"name": "landmark-adaptive", "epsilon": 1.0, "radius_m": 200.0}
        spec = ReleaseSpec.parse({"mechanism": mechanism})
        row = services.submit_release(owner=owner, dataset=one, landmark_set=marks, spec=spec)
        received = []

        def report(stage, progress):
            received.append((stage, progress))
            if len(received) == 20:
                raise leases.Cancelled

        with pytest.raises(leases.Cancelled):
            execution.draw_release(row, Mock(report=report, token=row.pk))
        assert {stage for stage, _ in received} == {"Reading", "Drawing"}
        assert received[-1][1] < 0.75
