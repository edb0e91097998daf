"""Landmark sets: invariants of marking, previewing and deleting."""

import time
from functools import partial

import numpy as np
import pytest
from django.core.exceptions import PermissionDenied
from django.db import IntegrityError, transaction

from dashboard.core.errors import Conflict
from dashboard.jobs.models import State
from dashboard.landmarks import selectors, services
from dashboard.landmarks.models import LandmarkSet
from dashboard.storage.data_files import read_data
from privacy_engine.data import Trajectory
from privacy_engine.errors import DataError
from privacy_engine.landmarks import StayPoints

PARIS = {"name": "manual", "events": [0, 2, 4, 7]}
STAYS = {"name": "stay-points", "distance_m": 200.0, "duration_s": 1800.0}


class TestMark:
    def test_a_dataset_deleted_meanwhile_is_a_refusal(self, owner, owner_api, ready_dataset, monkeypatch):
        honest = services.preview_landmarks

        def slow(**requested):
            marked = honest(**requested)
            ready_dataset.delete()
            return marked

        monkeypatch.setattr(services, "preview_landmarks", slow)
        body = {"dataset": str(ready_dataset.pk), "method": PARIS}
        answer = owner_api.post("/api/v1/landmark-sets/", body)
        assert (answer.status_code, answer.json()["errors"][0]["field"]) == (409, "dataset")
        assert "deleted meanwhile" in answer.json()["errors"][0]["message"]

    def test_counts_events_over_all_series(self, owner, make_dataset, paris_day):
        two = make_dataset(owner, paris_day, paris_day)
        made = services.mark_landmarks(owner=owner, dataset=two, method={"name": "manual", "events": [1, 9]})
        assert selectors.events_of(made)["runs"] == [[1, 2], [9, 10]]
        assert selectors.events_of(made, series=1) == {
            "count": 1, "share": 0.125, "points": 8, "runs": [[1, 2]], "average_temporal_distance": 13 / 7,
        }  # fmt: skip

    def test_fail_stay_points_without_times(self, owner, make_dataset):
        untimed = make_dataset(owner, Trajectory([2.0, 2.1], [48.0, 48.1]))
        with pytest.raises(DataError, match="need times"):
            services.mark_landmarks(owner=owner, dataset=untimed, method=STAYS)

    @pytest.mark.parametrize("state", [State.QUEUED, State.FAILED])
    def test_fail_dataset_not_ready_names_its_state(self, owner, ready_dataset, state):
        ready_dataset.state = state
        ready_dataset.finished_at = None if state == State.QUEUED else ready_dataset.finished_at
        ready_dataset.save()
        for call in (partial(services.mark_landmarks, owner=owner), services.preview_landmarks):
            with pytest.raises(Conflict, match=state):
                call(dataset=ready_dataset, method=PARIS)

    def test_fail_dataset_of_a_person_else(self, owner, stranger_dataset):
        with pytest.raises(PermissionDenied):
            services.mark_landmarks(owner=owner, dataset=stranger_dataset, method=PARIS)

    def test_fail_points_that_were_read_again_meanwhile(self, owner, ready_dataset):
        type(ready_dataset).objects.update(points_file="another.parquet")
        with pytest.raises(Conflict, match="read again meanwhile"):
            services.mark_landmarks(owner=owner, dataset=ready_dataset, method=PARIS)

    def test_deleted_meanwhile_and_more_landmarks_than_points(self, owner, ready_dataset):
        made = services.mark_landmarks(owner=owner, dataset=ready_dataset, method=PARIS, name=" Home\nand work ")
        assert made.name == "Home and work"
        with pytest.raises(IntegrityError), transaction.atomic():
            LandmarkSet.objects.filter(pk=made.pk).update(count=9)
        ready_dataset.delete()
        with pytest.raises(Conflict, match="deleted meanwhile"):
            services.delete_landmark_set(landmark_set=made)


class TestPreview:
    def test_stores_nothing_and_marks_what_marking_would(self, owner, ready_dataset):
        method = StayPoints(distance_m=900.0, duration_s=600.0)
        before = sorted(ready_dataset.folder.iterdir())
        (shown,) = services.preview_landmarks(dataset=ready_dataset, method=method)
        assert not LandmarkSet.objects.exists()
        assert sorted(ready_dataset.folder.iterdir()) == before
        (expected,) = method.mark(read_data("trajectory", ready_dataset.points_path))
        kept = services.mark_landmarks(owner=owner, dataset=ready_dataset, method=method)
        assert (shown.mask == expected.mask).all()
        assert (shown.mask == kept.mask).all()

    def test_answers_at_once_on_a_hundred_thousand_events(self, owner, owner_api, make_dataset):
        rng = np.random.default_rng(1)
        n = 100_000
        walk = np.cumsum(rng.normal(0, 2e-5, (2, n)), axis=1)
        long = make_dataset(owner, Trajectory(2.3 + walk[0], 48.8 + walk[1], np.arange(n) * 5.0))
        body = {"dataset": str(long.pk), "method": STAYS}
        owner_api.post("/api/v1/landmark-sets/preview/", body)  # compiles
        took = []
        for _ in range(5):
            started = time.perf_counter()
            answer = owner_api.post("/api/v1/landmark-sets/preview/", body)
            took.append(time.perf_counter() - started)
        assert (answer.status_code, answer.json()["points"]) == (200, n)
        assert min(took) < 0.1  # 0.01 s on an idle machine
