"""When stored files are compared with their digests: at their first use, weekly, after each change."""

import os
import re
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from django.db import transaction
from django.utils import timezone

from dashboard.core.failures import failure
from dashboard.core.storage_errors import DamagedFile
from dashboard.datasets.services import delete_dataset
from dashboard.maintenance import cleanup, file_check
from dashboard.maintenance.doctor import storage as checks
from dashboard.publications.models import Publication
from dashboard.publications.services import revoke_publication
from dashboard.storage import integrity, parquet
from dashboard.storage.models import StoredFile
from tests.dashboard.damage_helpers import checked, damage, inverted, none_known  # noqa: F401

pytestmark = pytest.mark.usefixtures("none_known")


class TestChecks:
    def test_pages_are_compared_at_every_read(self, tmp_path):
        values = np.random.default_rng(3).integers(0, 1 << 60, 50_000)
        parquet.write_table(tmp_path / "x", parquet.pa.table({"x": values}))
        whole = (tmp_path / "x").read_bytes()
        (tmp_path / "x").write_bytes(inverted(whole, len(whole) // 2))
        for read in (parquet.read_table, lambda path: parquet.read_rows(path, 0, 9), _batches):
            with pytest.raises(OSError, match="CRC"):
                read(tmp_path / "x")

    def test_once_a_file_and_process(self, done, monkeypatch):
        hashed = []
        original = integrity.content_at
        monkeypatch.setattr(integrity, "content_at", lambda name, path: hashed.append(name) or original(name, path))
        for _ in range(3):
            done.data_path.read_bytes()
        assert hashed == [str(done.data_path)]
        integrity.mark_damage()
        done.data_path.read_bytes()
        assert len(hashed) == 2

    def test_rows_go_with_their_files(self, owner_api, done, django_capture_on_commit_callbacks):
        assert owner_api.post(f"/api/v1/releases/{done.pk}/publications/", {}, format="json").status_code == 201
        assert StoredFile.objects.filter(name__contains=str(done.pk)).count() == 3
        with django_capture_on_commit_callbacks(execute=True):
            delete_dataset(dataset=done.dataset)
            revoke_publication(publication=Publication.objects.get())
        assert not StoredFile.objects.exclude(name__startswith="events/").exists()  # those outlive what was charged

    def test_the_sweep_checks_what_is_due_and_goes_on_where_it_was(self, done, monkeypatch):
        StoredFile.objects.update(checked_at=timezone.now() - timedelta(days=8))
        StoredFile.objects.filter(name=str(done.budgets_path)).update(checked_at=timezone.now())
        due = StoredFile.objects.count() - 1
        monkeypatch.setattr(file_check, "SLICE_S", 0.0)
        assert file_check.PacedCheck().go_on() == 0
        monkeypatch.setattr(file_check, "SLICE_S", 60.0)
        damage(done.data_path)
        assert file_check.PacedCheck().go_on() == due
        assert [one.code for one in checks.damage()] == ["files-damaged"]
        assert file_check.PacedCheck().go_on() == 0
        assert cleanup.Cleanup().round() is not None

    def test_damage_without_a_sign_of_it_is_found_by_the_sweep_and_then_by_all(self, done):
        before = done.data_path.read_bytes()
        path = Path(done.data_path)
        times = path.stat().st_atime_ns, path.stat().st_mtime_ns
        path.write_bytes(inverted(before, len(before) // 2))
        os.utime(path, ns=times)
        done.data_path.require_sound()  # compared already, and nothing shows that it changed
        StoredFile.objects.update(checked_at=timezone.now() - timedelta(days=8))
        file_check.PacedCheck().go_on()
        with pytest.raises(DamagedFile):
            done.data_path.require_sound()
        path.write_bytes(before)
        done.data_path.require_sound()

    def test_a_digest_rolled_back_is_not_known_and_the_file_not_damaged(self, ready_dataset):
        path = ready_dataset.folder / "points-other.parquet"
        with suppress(ZeroDivisionError), transaction.atomic():
            with path.written() as out:
                out.write(b"x")
            raise ZeroDivisionError
        assert not StoredFile.objects.filter(name=path.key).exists()
        assert path.read_bytes() == b"x"

    def test_another_key_makes_digests_unknown_and_no_file_damaged(self, done, settings):
        settings.CAIRN_LEDGER_KEY = "another" * 5
        assert set(checked().values()) == {"sound"}
        damage(done.budgets_path)
        with pytest.raises(DamagedFile):
            done.budgets_path.read_bytes()

    def test_it_takes_its_share_of_the_time(self, done):
        check = file_check.PacedCheck()
        check._steps = iter(lambda: file_check.Step("x", 1), None)
        check.go_on()
        assert check._next - file_check.time.monotonic() > 0.9 * file_check.SLICE_S / file_check.SHARE - 0.5
        assert check.go_on() == 0

    def test_failures_name_what_is_damaged_and_no_path(self):
        error = failure(DamagedFile("datasets/8c/points-x.parquet"), "Release 1")
        assert error["code"] == "damaged_file"
        assert re.search("dataset 8c .its points. is damaged: restore it from a backup", error["message"])


def _batches(path):
    return list(parquet.read_batches(path, 1000)[1])
