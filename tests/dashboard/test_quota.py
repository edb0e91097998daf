"""What a user may store, and what is deleted after the days that the operator set."""

from contextlib import suppress
from datetime import timedelta
from io import BytesIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from dashboard.accounts.models import User
from dashboard.audits.models import Audit
from dashboard.audits.services import submit_audit
from dashboard.datasets import quota, resumable
from dashboard.datasets.models import Dataset, Upload
from dashboard.datasets.services import delete_dataset, import_dataset
from dashboard.jobs import queue
from dashboard.jobs.models import State
from dashboard.maintenance import retention
from dashboard.storage import local_files, removals
from privacy_engine.audit import AuditSpec
from tests.dashboard.conftest import CSV, at_once, client_of, upload
from tests.dashboard.test_passwords import logged_in

API = "/api/v1/datasets/"
SIZE = len(CSV)


@pytest.fixture
def limited(owner):
    owner.quota_bytes = SIZE * 5 // 2
    owner.save()
    return owner


class TestQuota:
    def test_counts_originals_and_uploads_under_way(self, owner):
        first = import_dataset(owner=owner, upload=upload())
        resumable.begin(owner=owner, length=1000)
        assert quota.used_bytes(owner) == SIZE + 1000
        delete_dataset(dataset=first)
        assert quota.used_bytes(owner) == 1000
        resumable.abandon(upload=Upload.objects.get())
        assert quota.used_bytes(owner) == 0

    def test_refuses_what_exceeds_it_and_names_limit_use_and_file(self, limited, files):
        api, most = client_of(limited), SIZE * 5 // 2
        assert [api.post(API, {"file": upload()}, format="multipart").status_code for _ in range(2)] == [201, 201]
        before = files()
        answer = api.post(API, {"file": upload(name="third.csv")}, format="multipart")
        (error,) = answer.json()["errors"]
        assert (answer.status_code, error["code"], error["field"], error["value"]) == (413, "quota", "file", SIZE)
        assert "“third.csv” has" in error["message"]
        assert f"{2 * SIZE / 1e6:g} MB of the {most / 1e6:g} MB" in error["message"]
        assert error["rule"] == f"at most {most - 2 * SIZE} bytes, what is left of {most}"
        assert (Dataset.objects.count(), files()) == (2, before)

    def test_an_upload_in_pieces_counts_once_when_it_becomes_a_dataset(self, limited):
        limited.quota_bytes = SIZE
        limited.save()
        row = resumable.begin(owner=limited, length=SIZE, file_name="run.csv")
        resumable.append(upload=row, offset=0, stream=BytesIO(CSV))
        assert resumable.finish(upload=row).state == State.READY
        assert quota.used_bytes(limited) == SIZE
        with pytest.raises(quota.QuotaExceeded):
            resumable.begin(owner=limited, length=1)

    def test_an_upload_in_pieces_is_refused_before_its_first_byte(self, limited):
        headers = {"Tus-Resumable": "1.0.0", "Upload-Length": str(SIZE * 3)}
        answer = client_of(limited).post("/api/v1/uploads/", headers=headers)
        assert (answer.status_code, answer.json()["errors"][0]["code"]) == (413, "quota")
        assert not Upload.objects.exists()
        assert list(local_files.home("uploads").iterdir()) == []

    @pytest.mark.django_db(transaction=True)
    def test_of_eight_uploads_at_once_two_fit(self):
        owner = User.objects.create_user("owner", quota_bytes=2000)

        def attempt(_):
            with suppress(quota.QuotaExceeded):
                return resumable.begin(owner=User.objects.get(pk=owner.pk), length=1000)

        assert sum(one is not None for one in at_once(8, attempt)) == 2

    def test_the_users_own_limit_precedes_the_setting(self, settings):
        for setting, own, limit in ((0, None, None), (7, None, 7), (7, 3, 3), (7, -1, None), (7, 0, 0), (0, 3, 3)):
            settings.CAIRN_QUOTA_BYTES = setting
            assert quota.quota_of(User(quota_bytes=own)) == limit, (setting, own)

    def test_a_command_shows_and_sets_it(self, owner, capsys):
        for text, stored, shown in (
            ("1.5", 1_500_000_000, "0 GB used; 1.5 GB (of this user)"),
            ("unlimited", -1, "0 GB used; no limit (of this user)"),
            ("default", None, "0 GB used; no limit (CAIRN_QUOTA_GB)"),
        ):
            call_command("quota", "owner", f"--set={text}")
            owner.refresh_from_db()
            assert (owner.quota_bytes, capsys.readouterr().out.strip()) == (stored, shown)
        for text in ("-1", "nan", "x", "1e9"):
            with pytest.raises(CommandError, match="must be gigabytes"):
                call_command("quota", "owner", f"--set={text}")

    def test_the_account_page_shows_it(self, limited):
        import_dataset(owner=limited, upload=upload())
        page = logged_in(limited).get("/account/").content.decode()
        assert f'value="{SIZE}"' in page
        assert f'max="{SIZE * 5 // 2}"' in page


class TestRetention:
    def old(self, model, pk, days=31):
        model.objects.filter(pk=pk).update(finished_at=timezone.now() - timedelta(days=days))

    def test_keeps_everything_unless_it_is_set(self, owner, done):
        self.old(Dataset, done.dataset_id, 10_000)
        assert retention.apply() == {"originals": 0, "failed": 0}
        assert done.dataset.original_path.exists()

    def test_removes_originals_and_nothing_made_of_them(self, owner, done, settings):
        settings.CAIRN_ORIGINAL_DAYS = 30
        young, waits = (import_dataset(owner=owner, upload=upload()) for _ in range(2))
        Dataset.objects.filter(pk=waits.pk).update(state=State.QUEUED, finished_at=None)
        self.old(Dataset, done.dataset_id)
        self.old(Dataset, young.pk, 29)
        assert retention.apply()["originals"] == 1
        removals.finish()  # as it does after a commit
        assert [one.original_path.exists() for one in (done.dataset, young, waits)] == [False, True, True]
        assert done.dataset.points_path.exists()
        assert quota.used_bytes(owner) == 2 * SIZE
        assert retention.apply()["originals"] == 0
        answer = logged_in(owner).post(f"{API}{done.dataset_id}/read/", {}, content_type="application/json")
        assert answer.status_code == 409

    def test_deletes_failed_and_cancelled_jobs(self, owner, settings):
        settings.CAIRN_FAILED_DAYS = 30
        mechanism = {"name": "landmark-uniform", "epsilon": 1.0, "radius_m": 200.0}
        spec = AuditSpec.parse({"mechanism": mechanism, "trials": 1000})
        old, young, waits = (submit_audit(owner=owner, spec=spec) for _ in range(3))
        for row in (old, young):
            queue.request_cancel(row)
        self.old(Audit, old.pk)
        assert retention.apply()["failed"] == 1
        assert set(Audit.objects.values_list("pk", flat=True)) == {young.pk, waits.pk}
