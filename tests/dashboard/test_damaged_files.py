"""Stored files of every kind with inverted bytes: noticed at their next use and by ``doctor --files``, never served."""

import io
import json
import random
import uuid
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from django.test import override_settings
from django.utils import timezone

from dashboard.account_data import services as account_data
from dashboard.accounts.models import MapFile
from dashboard.area_maps import execution as area_maps
from dashboard.core.storage_errors import DamagedFile
from dashboard.datasets import resumable, upload_file
from dashboard.datasets.models import Dataset, Upload
from dashboard.experiments import stored_blocks
from dashboard.maintenance import file_check, objects
from dashboard.publications.models import Publication
from dashboard.releases import downloads, execution
from dashboard.storage import integrity, parquet, s3_storage
from dashboard.storage.models import StoredFile
from dashboard.storage.stored_path import StoredPath, stored_files
from privacy_engine.experiments import Key
from tests.dashboard import kinds
from tests.dashboard.attack_helpers import HOME_WORK, attack_url, request_attack, run_queued_attacks
from tests.dashboard.conftest import CSV, HOME, client_of
from tests.dashboard.storages_of_tests import STORAGES, used_by_name
from tests.dashboard.test_account_data import exported
from tests.dashboard.test_area_maps import fetch
from tests.dashboard.test_base_map import archive
from tests.dashboard.test_base_map import send as send_map
from tests.dashboard.test_experiments_kinds import preset_of, submitted
from tests.dashboard.test_resumable import address, made
from tests.dashboard.test_resumable import send as send_piece
from tests.map_archive import serving, world_archive

pytestmark = pytest.mark.usefixtures("none_known")


BYTES = 200


@pytest.fixture
def publication(owner_api, done):
    answer = owner_api.post(f"/api/v1/releases/{done.pk}/publications/", {}, format="json")
    assert answer.status_code == 201
    return Publication.objects.get()


class TestEveryKind:
    @pytest.mark.parametrize("where", STORAGES)
    @pytest.mark.slow
    def test_200_inverted_bytes(self, where, owner, request, tmp_path, monkeypatch):
        monkeypatch.setattr(s3_storage, "PAUSE_S", 0.0)
        with used_by_name(where, request, HOME / "tmp" / "cache"):
            self._inverted(owner, request, tmp_path)

    def _inverted(self, owner, request, tmp_path):
        api = client_of(owner)
        released = request.getfixturevalue("done")
        request.getfixturevalue("publication")
        request_attack(api, released, HOME_WORK)
        run_queued_attacks()
        submitted(api, preset=preset_of("stream"))
        assert send_map(api, archive(tmp_path)).status_code == 201
        with serving(world_archive()) as host, override_settings(CAIRN_MAP_ARCHIVE=host.url):
            assert area_maps.run(fetch(api, released.dataset, host)["id"])
        exported(owner)
        url = address(api)
        send_piece(api, url, 0, CSV[:50])
        (released.folder / f"{downloads.KEPT}csv-{released.data_file}").kept(lambda out: out.write(CSV)).close()
        blocks = StoredPath(next(stored_files().listed("blocks/")).name.rsplit("/", 2)[0]).iterdir()
        for path in blocks[2:]:
            path.unlink()
        names = sorted(one.name for folder in objects.FOLDERS for one in stored_files().listed(f"{folder}/"))
        assert {name.partition("/")[0] for name in names} == set(objects.FOLDERS)
        rng = random.Random(5)
        paths = [StoredPath(name) for name in names]

        def damaged(path):
            return damage(path, rng.randrange(len(content_of(path))))

        before = {path: damaged(path) for path in paths}
        states = checked()
        for path in paths:
            assert states[path.key] == ("removed" if integrity.is_derived(path.key) else "damaged")
            put(path, before[path])
        assert set(checked().values()) <= {"sound", "removed"}
        for i in range(len(paths), BYTES):
            path = paths[i % len(paths)]
            content = damaged(path)
            if path.key.startswith("uploads/") and not stored_files().shared:
                assert upload_file.damaged(uuid.UUID(path.name))
            elif path.key.startswith("blocks/"):
                assert is_missing_to_experiments(path)
            else:
                with pytest.raises(DamagedFile):
                    path.read_bytes()
            put(path, content)
        assert set(checked().values()) <= {"sound", "removed"}


def is_missing_to_experiments(path):
    """A damaged block is none to who reads it: it is computed again."""
    _, owner, dataset, cell, file = path.key.split("/")
    first, count = map(int, file.removesuffix(".npy").split("-"))
    return stored_blocks.block_store(uuid.UUID(owner)).get(Key(dataset, cell, first, count)) is None


class TestAnswers:
    def test_a_byte_a_block_of_zeros_and_a_cut_have_one_answer(self, owner_api, done):
        whole = content_of(done.data_path)
        half, row = len(whole) // 2, f"{done.pk}/"
        damaged = [inverted(whole, half), whole[: half - 20] + bytes(40) + whole[half + 20 :], whole[:half], b""]
        for content in damaged:
            put(done.data_path, content)
            for path in (f"{row}data/?format=csv", f"{row}track/", f"{row}bundle/", f"bundle/?release={done.pk}"):
                found = problem(owner_api.get(f"/api/v1/releases/{path}"))
                assert f"release {done.pk} (its data)" in found["detail"]
                assert str(HOME) not in found["detail"]
        put(done.data_path, whole)
        assert owner_api.get(f"/api/v1/releases/{row}data/?format=csv").getvalue()

    def test_of_every_other_kind(self, owner, owner_api, done):
        row = exported(owner)
        damage(row.path)
        problem(owner_api.get(f"/api/v1/account-exports/{row.pk}/data/"))
        row.path.unlink()
        assert account_data.request_export(owner=owner).pk
        attack = request_attack(owner_api, done, HOME_WORK).json()["id"]
        run_queued_attacks()
        damage(StoredPath(next(stored_files().listed("attacks/")).name))
        problem(owner_api.get(attack_url(attack, "data"), {"format": "json"}))
        other = kinds.made(owner_api, CSV)
        damage(Dataset.objects.get(pk=other["id"]).original_path)
        found = problem(owner_api.post(f"{other['urls']['self']}read/", {"options": {}}, format="json"))
        assert "the file as it was uploaded" in found["detail"]

    def test_nothing_damaged_is_published(self, owner_api, done):
        before = damage(done.data_path)
        problem(owner_api.post(f"/api/v1/releases/{done.pk}/publications/", {}, format="json"))
        assert not Publication.objects.exists()
        put(done.data_path, before)
        assert owner_api.post(f"/api/v1/releases/{done.pk}/publications/", {}, format="json").status_code == 201

    def test_public_pages_and_downloads(self, client, publication):
        client.raise_request_exception = False
        before = damage(publication.data_path)
        for path in ("data/?format=csv", "track/"):
            answer = client.get(publication.path + path)
            assert answer.status_code == 503
            assert b"damaged" in answer.content
            assert str(publication.pk).encode() not in answer.content
        put(publication.data_path, before)
        assert b"".join(client.get(f"{publication.path}data/?format=csv").streaming_content)
        damage(publication.label_path)
        assert {client.get(publication.path + path).status_code for path in ("", "label/")} == {503}

    def test_what_is_kept_of_an_export_is_made_again(self, client, publication):
        url = f"{publication.path}data/?format=csv"
        first = b"".join(client.get(url).streaming_content)
        damage(publication.export_path("csv"))
        assert b"".join(client.get(url).streaming_content) == first
        assert publication.export_path("csv").read_bytes() == first

    def test_a_job_on_damaged_points_fails_and_may_be_retried(self, owner_api, ready_dataset, submit):
        row = submit()
        before = damage(ready_dataset.points_path)
        execution.run(row.pk)
        found = owner_api.get(f"/api/v1/releases/{row.pk}/").json()
        assert (found["state"], found["error"]["code"], found["error"]["again"]) == ("failed", "damaged_file", True)
        assert f"dataset {ready_dataset.pk} (its points)" in found["error"]["message"]
        put(ready_dataset.points_path, before)
        assert owner_api.post(f"/api/v1/releases/{row.pk}/retry/").status_code in (200, 202)

    def test_base_maps(self, owner, owner_api, owner_page, tmp_path):
        send_map(owner_api, archive(tmp_path))
        row = MapFile.objects.get()
        damage(row.path)
        owner_page.raise_request_exception = False
        assert owner_page.get(f"/tiles/{row.pk}/3/0/3").status_code == 503
        assert owner_api.get("/api/v1/base-map/").json()["file"] is None  # pages do without

    def test_unfinished_uploads(self, owner_api, owner):
        url = address(owner_api)
        for start in range(0, len(CSV), 40):
            send_piece(owner_api, url, start, CSV[start : start + 40])
        upload = Upload.objects.get()
        content = upload.path.read_bytes()
        upload.path.write_bytes(inverted(content, 3))
        assert checked()[f"uploads/{upload.pk}"] == "damaged"
        problem(made(owner_api, url))
        upload.path.write_bytes(content)
        assert made(owner_api, url).status_code == 201

    def test_an_upload_begun_before_there_were_checksums_goes_on(self, owner_api):
        url = address(owner_api)
        Upload.objects.update(crc32=None)
        send_piece(owner_api, url, 0, CSV)
        assert Upload.objects.get().crc32 is None
        assert resumable.finish(upload=Upload.objects.get()).pk


class TestStoredBefore:
    """Files without a digest: what their own apps know is compared; then they get one."""

    @pytest.fixture(autouse=True)
    def before(self, done, publication):
        StoredFile.objects.all().delete()

    def test_sound_ones_are_served_and_get_a_digest(self, owner_api, done):
        assert b"".join(owner_api.get(f"/api/v1/releases/{done.pk}/data/?format=csv").streaming_content)
        assert set(checked().values()) == {"sound"}
        names = {one.name for folder in objects.FOLDERS for one in stored_files().listed(f"{folder}/")}
        assert names == set(StoredFile.objects.exclude(digest="").values_list("name", flat=True))
        damage(done.budgets_path)
        with pytest.raises(DamagedFile):
            parquet.read_table(done.budgets_path)

    def test_the_digest_of_the_label_is_compared(self, owner_api, client, done, publication):
        for path in (done.data_path, publication.data_path, publication.label_path):
            table = content_of(path)
            if path.name.endswith(".parquet"):  # a file of another version of the same table: it reads without an error
                out = io.BytesIO()
                other = pq.read_table(io.BytesIO(table))
                lon = other.column("lon").to_numpy() + 1
                pq.write_table(other.set_column(other.column_names.index("lon"), "lon", [lon]), out)
                put(path, out.getvalue())
            else:
                put(path, table.replace(b'"epsilon": 1.0', b'"epsilon": 0.5'))
        problem(owner_api.get(f"/api/v1/releases/{done.pk}/data/?format=csv"))
        client.raise_request_exception = False
        assert client.get(f"{publication.path}track/").status_code == 503
        found = [str(path) for path in (done.data_path, publication.data_path, publication.label_path)]
        assert {checked()[path] for path in found} == {"damaged"}
        assert StoredFile.objects.get(name=str(done.data_path)).digest == ""

    def test_what_cannot_be_read_is_damaged_and_not_the_request(self, owner_api, done):
        whole = content_of(done.dataset.points_path)
        for content in (whole[: len(whole) // 2], bytes(len(whole)), whole[:-8] + bytes(8)):
            put(done.dataset.points_path, content)
            problem(owner_api.get(f"/api/v1/datasets/{done.dataset_id}/track/?series=0"))

    def test_files_without_page_checksums_are_read(self, tmp_path):
        pq.write_table(parquet.pa.table({"x": [1, 2]}), tmp_path / "old")
        assert parquet.read_table(tmp_path / "old")["x"].to_numpy().tolist() == [1, 2]


@pytest.fixture
def none_known():
    integrity._sound.clear()
    yield
    integrity._sound.clear()


def content_of(path):
    return b"".join(stored_files().chunks(str(path)))


def put(path, content):
    """Replace what is stored by other means than the product's, its size and digest as they were stated."""
    files = stored_files()
    if not path.exists():  # what is made again was removed
        with path.written() if integrity.is_derived(path.key) else files.written(str(path)) as out:
            out.write(content)
    elif files.shared:
        head = files._client.head_object(**files._named(str(path)))
        files._client.put_object(**files._named(str(path)), Body=content, Metadata=head["Metadata"])
        files.discard_copy(str(path))  # as another host sees it
    else:
        Path(files.path(str(path))).write_bytes(content)


def inverted(content, at):
    return content[:at] + bytes([content[at] ^ 0xFF]) + content[at + 1 :]


def damage(path, at=-1):
    content = content_of(path)
    put(path, inverted(content, len(content) // 2 if at < 0 else at))
    return content


def problem(answer):
    found = json.loads(answer.content)
    assert (answer.status_code, found["errors"][0]["code"]) == (503, "damaged_file"), found
    assert "damaged: restore it from a backup" in found["detail"]
    assert int(answer["Retry-After"]) > 0
    return found


def checked():
    return {one.name: one.state for one in file_check.check(timezone.now()) if one.state}
