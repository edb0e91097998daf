"""``manage.py loadsamples``, the drawer of jobs, and real files through the API."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from dashboard.datasets import execution
from dashboard.datasets.models import Dataset
from dashboard.datasets.services import import_dataset
from dashboard.jobs import leases
from dashboard.landmarks.generated_samples import load_samples
from dashboard.landmarks.models import LandmarkSet
from dashboard.storage.data_files import read_data
from privacy_engine.samples import samples
from tests.dashboard.conftest import upload

API = "/api/v1/"


class TestSamples:
    def test_are_loaded_once_as_the_engine_made_them(self, owner):
        for _ in range(2):
            call_command("loadsamples", "owner", stdout=StringIO())
        rows = Dataset.objects.order_by("created_at")
        assert [row.name for row in rows] == [sample.title for sample in samples()]
        assert all(row.sample and row.state == "ready" and row.owner == owner for row in rows)
        for row, sample in zip(rows, samples(), strict=True):
            [stored] = read_data("trajectory", row.points_path)
            for name, digits in (("lon", 7), ("lat", 7), ("time_s", 3)):
                assert abs(getattr(stored, name) - getattr(sample.series, name)).max() < 10**-digits
            assert row.report["guesses"] == []
        assert LandmarkSet.objects.count() == 3
        marks = LandmarkSet.objects.get(dataset__points=8)
        assert marks.mask.nonzero()[0].tolist() == [0, 2, 4, 7], "the paper's"
        with pytest.raises(CommandError, match="There is no user 'unknown'"):
            call_command("loadsamples", "unknown")

    def test_a_worker_reads_those_of_the_first_start_and_marks_their_landmarks(self, owner):
        rows = load_samples(owner=owner, queued=True)
        assert [row.state for row in rows] == ["queued"] * 3
        browser = Client()
        browser.force_login(owner)
        for path in ("/", *(f"/datasets/{row.pk}/" for row in rows)):
            page = browser.get(path)
            assert (page.status_code, b"aiting for a worker" in page.content) == (200, True)
        for row in rows:
            assert execution.run(row.pk)
        assert {row.state for row in Dataset.objects.all()} == {"ready"}
        assert sorted(one.dataset.name for one in LandmarkSet.objects.all()) == sorted(one.title for one in samples())
        LandmarkSet.objects.all().delete()
        upload_of_others = import_dataset(owner=owner, upload=upload(b"time,lat,lon\n1,2,3\n"), queued=True)
        execution.run(upload_of_others.pk)
        assert not LandmarkSet.objects.exists()


def test_the_list_of_jobs_has_stage_progress_and_time_left(owner_api, submit):
    release = submit()
    (job,) = owner_api.get(f"{API}jobs/").json()["results"]
    assert (job["state"], job["progress"], job["eta_s"]) == ("queued", 0.0, None)
    leases.claim(type(release), release.pk)
    type(release).objects.update(stage="Drawing", progress=0.5)
    (job,) = owner_api.get(f"{API}jobs/").json()["results"]
    assert (job["state"], job["stage"], job["progress"], job["eta_s"] >= 0) == ("running", "Drawing", 0.5, True)
