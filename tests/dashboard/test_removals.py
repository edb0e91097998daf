"""What is removed on request goes at once and for good; the sweep removes a few other files, and keeps many."""

import uuid
from datetime import UTC, datetime, timedelta
from unittest.mock import Mock

import pytest
from django.utils import timezone

from dashboard.account_data import execution as exports
from dashboard.account_data.models import AccountExport
from dashboard.account_data.services import delete_account
from dashboard.accounts.models import MapFile
from dashboard.core.storage_errors import StorageUnavailable
from dashboard.datasets.models import Dataset
from dashboard.datasets.services import delete_dataset, import_dataset, reread_dataset
from dashboard.experiments.models import Experiment
from dashboard.experiments.services import submit_experiment
from dashboard.jobs import queue
from dashboard.maintenance import cleanup, objects, orphans
from dashboard.releases.models import Release
from dashboard.storage import installation, removals, stored_path, trash
from dashboard.storage.models import Removal
from privacy_engine.experiments import presets
from tests.dashboard.conftest import HOME, upload
from tests.dashboard.rows import rows_of
from tests.dashboard.storages_of_tests import STORAGES, used_by_name

MANY = orphans.MOST + 1


@pytest.fixture(params=STORAGES, autouse=True)
def storage(request, monkeypatch):
    monkeypatch.setattr(queue, "enqueue", lambda job: None)
    for module, name in ((cleanup, "ABANDONED_S"), (cleanup, "STALE_S"), (objects, "STALE_S")):
        monkeypatch.setattr(module, name, -1.0)
    with used_by_name(request.param, request, HOME / "tmp" / "cache") as used:
        yield used


def names(prefix=""):
    """All stored files, but what belongs to no row."""
    found = [one.name for one in stored_path.stored_files().listed(prefix)]
    return [name for name in found if "/" in name and not name.startswith(("tmp/", "run/"))]


def stored(name):
    with stored_path.StoredPath(name).written() as out:
        out.write(b"x")
    return name


def strays(count):
    return sorted(stored(f"datasets/{uuid.uuid4()}/original") for _ in range(count))


def sweep():
    return cleanup.tidy(list_objects=True)


def in_trash():
    return sorted("/".join(name.split("/")[2:]) for name in names("trash/"))


class TestStrays:
    def test_many_are_moved_to_the_trash_and_back(self, owner, caplog, monkeypatch):
        strays(orphans.MOST)
        sweep()
        assert names() == [], "a few are removed"
        found = strays(MANY)
        sweep()
        (folder,) = trash.contents()
        assert (names("datasets/"), in_trash(), trash.contents()[folder]) == ([], found, MANY)
        assert f"{MANY} files that no row names were moved to {folder}, where they stay for 7 days" in caplog.text
        sweep()
        assert in_trash() == found
        assert trash.restore(folder) == MANY
        assert (names("datasets/"), trash.contents()) == (found, {})
        for name in found:
            stored_path.StoredPath(name).unlink()
        for i in range(MANY):  # files are counted and not folders
            stored(f"publications/{uuid.UUID(int=7)}/export.{i}")
        sweep()
        assert len(in_trash()) == MANY
        monkeypatch.setattr(trash, "KEPT", timedelta(days=-1))
        sweep()
        assert names() == [], "after a week they go for good"
        assert list((HOME / "trash").glob("*")) == []

    def test_of_an_older_database_even_one_is_kept(self, owner):
        installation.require()
        sweep()
        installation.Installation.objects.update(swept_at=datetime(2024, 1, 1, tzinfo=UTC))
        found = strays(1)
        assert installation.is_older_copy()
        sweep()
        assert in_trash() == found
        assert not installation.is_older_copy()


class TestRequested:
    def test_every_row_takes_its_files_along(self, owner, ready_dataset, django_capture_on_commit_callbacks):
        """By whatever way the owner is deleted; among many strays nothing of it is in the trash."""
        rows_of(owner, ready_dataset)
        exports.run(AccountExport.objects.get().pk)
        MapFile.objects.create(user=owner, name="x", size=1)
        stored(str(MapFile.objects.get().path))
        folders = {name.split("/")[0] for name in names()}
        assert folders >= set(removals.folders()) - {"attacks", "uploads"}  # no worker did it, and no piece has arrived
        owner.delete()  # the process is killed before anything is removed
        mine, others = names(), strays(MANY)
        assert len(mine) > 30
        sweep()
        assert (names("datasets/"), in_trash()) == ([], others)
        left = [name for name in names() if not name.startswith("trash/")]
        assert left == names("events/")  # of what was charged, which outlives the account
        assert not Removal.objects.filter(done_at=None).exists()

    def test_a_storage_may_be_away(self, owner, ready_dataset, monkeypatch, django_capture_on_commit_callbacks):
        row = import_dataset(owner=owner, upload=upload())
        earlier = row.points_path
        row = reread_dataset(dataset=row, options={"first_n": 2})
        assert str(earlier) in names(f"datasets/{row.pk}")
        removals.finish()
        assert names(f"datasets/{row.pk}") == sorted([str(row.original_path), str(row.points_path)])
        with django_capture_on_commit_callbacks(execute=True):
            delete_dataset(dataset=row)
        assert names(f"datasets/{row.pk}") == [], "after the commit they are gone"
        with monkeypatch.context() as patch, django_capture_on_commit_callbacks(execute=True):
            patch.setattr(removals, "remove", Mock(side_effect=StorageUnavailable("503")))
            delete_dataset(dataset=ready_dataset)
            assert removals.finish() == 0
        assert len(names()) == 3
        assert removals.finish() == 2  # the dataset's folder, and that of the hashes of its events
        assert names() == []

    def test_what_a_worker_writes_afterwards_goes_too(self, ready_dataset):
        pk = ready_dataset.pk
        delete_dataset(dataset=ready_dataset)
        sweep()
        stored(f"datasets/{pk}/points-{uuid.uuid4()}.parquet")
        others = strays(MANY)
        sweep()
        assert in_trash() == others
        stored(f"datasets/{pk}/points-{uuid.uuid4()}.parquet")
        Removal.objects.update(requested_at=timezone.now() - removals.REMEMBERED)
        removals.conclude()
        assert names("datasets/") == []
        assert not Removal.objects.exists()

    def test_errors_of_a_release_go_and_those_of_others_stay(self, ready_dataset, submit):
        first, second = submit(), submit()
        mine, other = (stored(f"datasets/{ready_dataset.pk}/errors-{one.pk}-x.parquet") for one in (first, second))
        Release.objects.filter(pk=first.pk).delete()
        removals.finish()
        assert mine not in names()
        assert other in names()

    def test_an_account_takes_its_trash_along(self, owner, ready_dataset, django_capture_on_commit_callbacks):
        mine = sorted(names("datasets/"))
        others = strays(MANY)
        blocks = [stored(f"blocks/{owner.pk}/{'0' * 64}/cell/0-1.npy")]
        trash.put(stored=[*mine, *others, *blocks])
        assert in_trash() == sorted([*mine, *others, *blocks])
        with django_capture_on_commit_callbacks(execute=True):
            delete_account(user=owner)
        assert in_trash() == others

    def test_originals_go_by_retention_also_after_a_kill(self, ready_dataset, settings):
        settings.CAIRN_ORIGINAL_DAYS = 1
        Dataset.objects.update(finished_at=timezone.now() - timedelta(days=2))
        assert cleanup.apply_retention()["originals"] == 1  # no callback after the commit: it was killed there
        assert str(ready_dataset.original_path) in names()
        removals.finish()
        assert names("datasets/") == [str(ready_dataset.points_path)]

    def test_blocks_that_another_experiment_needs_stay(self, owner):
        few = presets.parse({"name": "temporal-distance", "repetitions": 2})
        first, second = (submit_experiment(owner=owner, preset=few) for _ in range(2))
        blocks = names("blocks/")
        assert blocks
        queue.delete(first)
        removals.finish()
        assert names("blocks/") == blocks
        queue.delete(Experiment.objects.get(pk=second.pk))
        removals.finish()
        assert names() == []
