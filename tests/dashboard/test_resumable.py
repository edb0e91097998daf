"""Resumable uploads: the protocol's rules, broken connections, what is left behind; what a user may store."""

import base64
import hashlib
from contextlib import suppress
from datetime import timedelta
from io import BytesIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.http.request import UnreadablePostError
from django.utils import timezone

from dashboard.accounts.models import User
from dashboard.audits.models import Audit
from dashboard.audits.services import submit_audit
from dashboard.core.errors import Conflict
from dashboard.datasets import quota, resumable
from dashboard.datasets.models import Dataset, Upload
from dashboard.datasets.services import delete_dataset, import_dataset
from dashboard.jobs import queue
from dashboard.jobs.models import State
from dashboard.maintenance import cleanup
from dashboard.storage import local_files, removals, uploads
from privacy_engine.audit import AuditSpec
from tests.dashboard.api_helpers import first_error, refused
from tests.dashboard.conftest import CSV, at_once, client_of, upload
from tests.dashboard.test_passwords import logged_in

URL = "/api/v1/uploads/"
WHOLE = len(CSV)
PIECE = "application/offset+octet-stream"
AMBIGUOUS = b"time,lat,lon\n2024-06-15T10:30:00Z,52.52,13.405\n2024-06-15 10:31:00,52.53,13.406\n"


def coded(text):
    return base64.b64encode(text.encode() if isinstance(text, str) else text).decode()


def begin(api, length=WHOLE, **headers):
    return api.post(URL, headers={"Tus-Resumable": "1.0.0", "Upload-Length": str(length), **headers})


def address(api, length=WHOLE, name="run.csv"):
    return str(begin(api, length, **{"Upload-Metadata": f"filename {coded(name)},filetype {coded('x')}"})["Location"])


def send(api, url, offset, piece, **headers):
    headers = {"Tus-Resumable": "1.0.0", "Upload-Offset": str(offset), **headers}
    return api.generic("PATCH", url, piece, content_type=PIECE, headers=headers)


def stands(api, url):
    return int(api.head(url, headers={"Tus-Resumable": "1.0.0"})["Upload-Offset"])


def made(api, url, **body):
    return api.post("/api/v1/datasets/", {"upload": url.rstrip("/").split("/")[-1], **body}, format="json")


class Broken(BytesIO):
    """A piece at whose end the connection breaks."""

    def read(self, size=-1):
        if piece := super().read(size):
            return piece
        raise UnreadablePostError


class TestProtocol:
    def test_a_file_in_three_pieces_becomes_a_dataset(self, owner_api, files):
        url = address(owner_api)
        for at in range(0, len(CSV), 40):
            answer = send(owner_api, url, at, CSV[at : at + 40])
            assert (answer.status_code, answer["Upload-Offset"]) == (204, str(min(at + 40, len(CSV))))
            assert answer["Tus-Resumable"] == "1.0.0"
        answer = made(owner_api, url, sha256=hashlib.sha256(CSV).hexdigest(), first_n=2)
        reported = answer.json()
        assert (answer.status_code, reported["state"], reported["points"]) == (201, "ready", 2)
        assert (reported["file_name"], reported["name"]) == ("run.csv", "run.csv")
        row = Dataset.objects.get()
        assert row.original_path.read_bytes() == CSV
        assert Path(row.original_path).stat().st_mode & 0o777 == 0o600
        removals.finish()  # as it does after a commit
        assert not list(Upload.objects.get().path.parent.iterdir())

    def test_requested_twice_it_is_the_same_dataset(self, owner_api):
        url = address(owner_api)
        send(owner_api, url, 0, CSV)
        assert made(owner_api, url).json()["id"] == made(owner_api, url).json()["id"]
        assert Dataset.objects.count() == 1
        assert send(owner_api, url, len(CSV), b"x").status_code == 409

    def test_versions_lengths_offsets_and_names(self, owner_api, settings):
        answer = owner_api.options(URL)
        assert (answer.status_code, answer["Tus-Version"]) == (204, "1.0.0")
        assert answer["Tus-Max-Size"] == str(settings.CAIRN_UPLOAD_BYTES)
        assert set(answer["Tus-Extension"].split(",")) == {"creation", "expiration", "checksum", "termination"}
        answer = owner_api.post(URL, headers={"Tus-Resumable": "0.2.2", "Upload-Length": "3"})
        assert (answer.status_code, answer["Tus-Version"]) == (412, "1.0.0")
        assert not Upload.objects.exists()
        url = address(owner_api)
        for odd in ("", "-1", "1e3", "x", "٣", "1" * 16):
            assert refused(begin(owner_api, odd)) == (400, "Upload-Length"), odd
            assert refused(send(owner_api, url, odd, b"x")) == (400, "Upload-Offset"), odd
        for metadata, name in (
            (f"filename {coded('../../etc/passwd')}", "../../etc/passwd"),
            (f"filename {coded(b'a' * 4000)}", "a" * 255),
            (f"filename {coded(bytes([0xFF, 0x0A, 0x41]))}", "\ufffd A"),
            ("filename", ""),
            (", ,,", ""),
        ):
            answer = begin(owner_api, **{"Upload-Metadata": metadata})
            assert Upload.objects.get(pk=answer["Location"].split("/")[-2]).file_name == name

    def test_a_piece_goes_where_the_upload_stands_and_nowhere_else(self, owner_api):
        url = address(owner_api)
        send(owner_api, url, 0, CSV[:40])
        for offset in (0, 39, 41, len(CSV)):
            answer = send(owner_api, url, offset, b"x")
            assert (answer.status_code, answer.json()["errors"][0]["rule"]) == (409, "40")
        headers = {"Tus-Resumable": "1.0.0", "Upload-Offset": "40"}
        assert owner_api.patch(url, b"x", content_type="text/csv", headers=headers).status_code == 415
        assert refused(send(owner_api, url, 40, b"", **{"Transfer-Encoding": "chunked"})) == (400, "Content-Length")
        assert refused(made(owner_api, url)) == (409, "upload"), "a part is no dataset"
        assert stands(owner_api, url) == 40

    def test_more_than_was_announced_or_a_damaged_piece_is_discarded(self, owner_api):
        url = address(owner_api, 10)
        assert send(owner_api, url, 0, b"x" * 11).status_code == 413
        assert stands(owner_api, url) == 0
        assert Upload.objects.get().path.stat().st_size == 0
        for algorithm in resumable.HASHES:
            url = address(owner_api)
            right = {"Upload-Checksum": f"{algorithm} {coded(hashlib.new(algorithm, CSV[:40]).digest())}"}
            answer = send(owner_api, url, 0, CSV[1:41], **right)
            assert (answer.status_code, first_error(answer)["code"]) == (460, "checksum"), algorithm
            for odd in ("crc32 AAAA", "sha256 ***", ""):
                assert send(owner_api, url, 0, b"x", **{"Upload-Checksum": odd}).status_code == 400, odd
            assert stands(owner_api, url) == 0
            assert send(owner_api, url, 0, CSV[:40], **right).status_code == 204


class TestLimits:
    def test_the_largest_file_that_is_taken(self, owner_api, settings):
        answer = begin(owner_api, settings.CAIRN_UPLOAD_BYTES + 1)
        assert (answer.status_code, first_error(answer)["code"]) == (413, "too-large")
        assert not Upload.objects.exists()
        assert begin(owner_api, settings.CAIRN_UPLOAD_BYTES).status_code == 201

    def test_a_full_disk_is_stated_at_once(self, owner_api, monkeypatch):
        monkeypatch.setattr(uploads, "SPARE_BYTES", 1 << 60)
        assert begin(owner_api).status_code == 413
        assert not Upload.objects.exists()

    def test_unfinished_uploads_are_counted(self, owner_api, monkeypatch):
        monkeypatch.setattr(resumable, "MOST_OPEN", 1)
        url = address(owner_api)
        assert begin(owner_api).status_code == 409
        owner_api.delete(url, headers={"Tus-Resumable": "1.0.0"})
        assert begin(owner_api).status_code == 201


class TestFaults:
    def test_what_came_before_the_connection_broke_is_kept(self, owner):
        upload = resumable.begin(owner=owner, length=len(CSV))
        upload.path.write_bytes(b"half of a piece that a killed process wrote beyond what was counted, and more" * 9)
        assert resumable.append(upload=upload, offset=0, stream=Broken(CSV[:40])).received == 40
        resumable.append(upload=upload, offset=40, stream=BytesIO(CSV[40:]))
        assert upload.path.read_bytes() == CSV
        assert resumable.finish(upload=upload).points == 3

    @pytest.mark.parametrize("announced", [None, len(CSV)])
    def test_of_a_piece_that_is_cut_the_checksum_is_not_compared(self, owner, announced):
        """It is that of the whole piece; a piece that is whole and has another one is thrown away."""
        checksum = ("sha256", hashlib.sha256(CSV).digest())
        upload = resumable.begin(owner=owner, length=len(CSV))
        stream = Broken(CSV[:40]) if announced is None else BytesIO(CSV[:40])
        cut = {"offset": 0, "stream": stream, "size": announced, "checksum": checksum}
        assert resumable.append(upload=upload, **cut).received == 40
        with pytest.raises(resumable.Damaged):
            resumable.append(upload=upload, offset=40, stream=BytesIO(CSV[40:]), size=len(CSV) - 40, checksum=checksum)
        assert Upload.objects.get().received == 40

    def test_an_upload_that_goes_on_while_it_expires_is_kept(self, owner, monkeypatch, settings):
        resumable.begin(owner=owner, length=len(CSV))
        late = timezone.now() - timedelta(hours=settings.CAIRN_UPLOAD_HOURS, seconds=1)
        Upload.objects.update(touched_at=late)
        listed = Upload.objects.filter(touched_at__lt=timezone.now())
        assert len(listed) == 1  # as the sweep finds it
        monkeypatch.setattr(Upload.objects, "filter", lambda *a, **k: goes_on(listed, *a, **k))

        def goes_on(found, *args, **given):
            monkeypatch.undo()
            resumable.append(upload=Upload.objects.get(), offset=0, stream=BytesIO(CSV[:40]))
            return found

        assert resumable.forget_expired() == 0
        assert Upload.objects.get().path.read_bytes() == CSV[:40]

    def test_two_requests_do_not_write_at_once(self, owner):
        upload = resumable.begin(owner=owner, length=len(CSV))

        class Meanwhile(BytesIO):
            def read(self, size=-1):
                with pytest.raises(Conflict, match="Another request"):
                    resumable.append(upload=Upload.objects.get(), offset=0, stream=BytesIO(b"x"))
                return super().read(size)

        assert resumable.append(upload=upload, offset=0, stream=Meanwhile(CSV)).received == len(CSV)

    def test_a_refused_file_can_be_requested_again_without_being_sent_again(self, owner_api):
        url = address(owner_api, len(AMBIGUOUS))
        send(owner_api, url, 0, AMBIGUOUS)
        answer = made(owner_api, url)
        (error,) = answer.json()["errors"]
        assert answer.status_code == 422
        assert made(owner_api, url, **{error["parameter"]: error["choices"][0]["value"]}).status_code == 201
        removals.finish()  # as it does after a commit
        assert not list(Upload.objects.get().path.parent.iterdir())

    def test_a_file_with_another_digest_is_refused_and_a_dataset_needs_a_file_or_an_upload(self, owner_api):
        url = address(owner_api)
        send(owner_api, url, 0, CSV)
        for sha256 in ("0" * 64, "zz", ""):
            assert made(owner_api, url, sha256=sha256).status_code == 400
        for body in ({}, {"file": "x"}, {"upload": "x"}, {"upload": "0" * 32}):
            answer = owner_api.post("/api/v1/datasets/", body, format="json")
            assert (400 <= answer.status_code < 500, bool(first_error(answer)["message"])) == (True, True), body
        assert not Dataset.objects.exists()


class TestForgotten:
    def test_an_abandoned_upload_is_removed(self, owner, owner_api, settings, monkeypatch):
        old, young = address(owner_api), address(owner_api)
        send(owner_api, old, 0, CSV[:40])
        life, keys = timedelta(hours=settings.CAIRN_UPLOAD_HOURS), [one.split("/")[-2] for one in (old, young)]
        late = timezone.now() - life - timedelta(seconds=1)
        Upload.objects.filter(pk=keys[0]).update(touched_at=late)
        Upload.objects.filter(pk=keys[1]).update(touched_at=late + timedelta(seconds=61))
        old_row, young_row = (Upload.objects.get(pk=pk) for pk in keys)
        assert resumable.expires(young_row) == late + timedelta(seconds=61) + life
        lost = resumable.begin(owner=owner, length=3)
        Upload.objects.filter(pk=lost.pk).delete()
        monkeypatch.setattr(cleanup, "ABANDONED_S", -1.0)
        cleanup.tidy()
        assert not lost.path.exists(), "bytes without a row"
        assert not old_row.path.exists()
        assert Upload.objects.get().path.exists()
        assert stands(owner_api, young) == 0


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
        assert cleanup.apply_retention() == {"originals": 0, "failed": 0}
        assert done.dataset.original_path.exists()

    def test_removes_originals_and_nothing_made_of_them(self, owner, done, settings):
        settings.CAIRN_ORIGINAL_DAYS = 30
        young, waits = (import_dataset(owner=owner, upload=upload()) for _ in range(2))
        Dataset.objects.filter(pk=waits.pk).update(state=State.QUEUED, finished_at=None)
        self.old(Dataset, done.dataset_id)
        self.old(Dataset, young.pk, 29)
        assert cleanup.apply_retention()["originals"] == 1
        removals.finish()  # as it does after a commit
        assert [one.original_path.exists() for one in (done.dataset, young, waits)] == [False, True, True]
        assert done.dataset.points_path.exists()
        assert quota.used_bytes(owner) == 2 * SIZE
        assert cleanup.apply_retention()["originals"] == 0
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
        assert cleanup.apply_retention()["failed"] == 1
        assert set(Audit.objects.values_list("pk", flat=True)) == {young.pk, waits.pk}
