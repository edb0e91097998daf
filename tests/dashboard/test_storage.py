"""What every storage of files promises, over a local folder and over a real S3 server."""

import hashlib
import io
import threading
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.files.base import ContentFile
from environ import Env

from dashboard.experiments import stored_blocks
from dashboard.storage import parquet, s3_storage, settings
from dashboard.storage.read_cache import content_of
from dashboard.storage.stored_path import StoredPath
from privacy_engine.experiments import Key
from tests.dashboard.conftest import HOME, at_once
from tests.dashboard.storages_of_tests import STORAGES, used_by_name
from tests.patience import patience

pytestmark = pytest.mark.django_db(transaction=True)
FOLDER = StoredPath("datasets/5b2d1f0e-0000-4000-8000-000000000000")
FILE = FOLDER / "points.parquet"
LARGE = np.random.default_rng(7).bytes(12_000_000)


@pytest.fixture(params=STORAGES, autouse=True)
def storage(request, monkeypatch):
    monkeypatch.setattr(s3_storage, "PART_BYTES", 5_242_880)  # the smallest that S3 takes
    with used_by_name(request.param, request, HOME / "tmp" / "cache") as used:
        yield used


def stored(path, content=b"content"):
    with path.written() as out:
        out.write(content)
    return path


def names(storage):
    return [one.name for one in storage.listed("datasets/")]


@pytest.mark.parametrize("content", [b"", b"x", LARGE])
def test_what_is_written_is_read_in_every_way(storage, content):
    stored(FILE, content)
    with FILE.local() as path, FILE.open() as file:
        assert path.read_bytes() == file.read() == FILE.read_bytes() == content
        assert path.stat().st_mode & 0o777 == 0o600
        assert not content or bytes(np.memmap(path, np.uint8, "r")) == content
    out = io.BytesIO()
    storage.fetch(str(FILE), out)
    assert out.getvalue() == content
    assert FILE.exists()
    assert storage.size(str(FILE)) == len(content)
    stored(FILE, content)  # again, as after an answer that was lost
    assert FILE.read_bytes() == content


def test_absent_deleted_and_being_read(storage):
    assert not FILE.exists()
    for read in (FILE.open, FILE.read_bytes, lambda: FILE.local().__enter__(), lambda: storage.size(str(FILE))):
        with pytest.raises(FileNotFoundError):
            read()
    FILE.unlink()
    FOLDER.remove_folder()
    FOLDER.remove_empty()
    assert FOLDER.iterdir() == []
    kept = [stored(FOLDER / "b"), stored(StoredPath(f"{FOLDER}0") / "a"), stored(StoredPath("datasets/other/a"))]
    gone = stored(FOLDER / "a")
    gone.unlink()
    assert [path.exists() for path in (gone, *kept)] == [False, True, True, True]
    FOLDER.remove_folder()
    assert [path.exists() for path in kept] == [False, True, True]
    stored(FILE, LARGE)
    with FILE.open() as file:
        begun = file.read(10)
        FILE.unlink()
        assert begun + file.read() == LARGE
    assert not FILE.exists()


def test_a_file_appears_when_it_is_whole_and_an_error_leaves_nothing(storage):
    def broken():
        with FILE.written() as out:
            out.write(LARGE)
            raise ValueError("no")

    with FILE.written() as out:
        out.write(b"half")
        out.flush()
        assert not FILE.exists()
        assert str(FILE) not in names(storage)
    assert FILE.read_bytes() == b"half"
    FILE.unlink()
    with pytest.raises(ValueError, match="no"):
        broken()
    assert not FILE.exists()
    assert names(storage) == []
    assert not list((HOME / "tmp").rglob("*.part"))


def test_a_file_and_a_folder_of_this_host_are_taken_whole(storage):
    staging = HOME / "tmp" / "staging"
    staging.mkdir(parents=True)
    (staging / "original").write_bytes(b"as it came")
    (staging / "points").write_bytes(LARGE)
    FOLDER.take_folder(staging)
    assert not staging.exists()
    assert ((FOLDER / "original").read_bytes(), (FOLDER / "points").read_bytes()) == (b"as it came", LARGE)
    single = HOME / "tmp" / "single"
    single.write_bytes(b"alone")
    (FOLDER / "single").take(single)
    assert not single.exists()
    assert (FOLDER / "single").read_bytes() == b"alone"


def test_files_of_a_folder_by_their_beginning(storage):
    for name in ("errors-1-a", "errors-2-a", "errors-1-b", "points"):
        stored(FOLDER / name)
    assert sorted(path.name for path in FOLDER.iterdir()) == ["errors-1-a", "errors-1-b", "errors-2-a", "points"]
    assert sorted(FOLDER.iterdir("errors-1-")) == [FOLDER / "errors-1-a", FOLDER / "errors-1-b"]
    assert all(one.age_s < patience(60) for one in storage.listed("datasets/"))
    assert FILE.parent == FOLDER


def test_it_is_one_of_djangos_storages(storage):
    name = storage.save(str(FILE), ContentFile(LARGE))
    with storage.open(name) as file:
        assert file.read() == LARGE
    assert (storage.exists(name), storage.size(name)) == (True, len(LARGE))
    assert storage.listdir(str(FOLDER)) == ([], [FILE.name])
    storage.delete(name)
    assert not storage.exists(name)
    with pytest.raises(ValueError, match="address|URL"):
        storage.url(name)


def test_of_two_writers_at_once_one_file_is_left_and_it_is_whole(storage):
    together = threading.Barrier(4)

    def write(which):
        with suppress(FileExistsError), FILE.written() as out:
            out.write(bytes([which]) * 6_000_000)
            together.wait()
            return True

    wrote = at_once(4, write)
    content = FILE.read_bytes()
    assert content in [bytes([which]) * 6_000_000 for which in range(4)]
    assert wrote[content[0]]
    assert not storage.shared or sum(map(bool, wrote)) == 1  # objects never change
    assert names(storage) == [str(FILE)]


def test_tables_and_blocks_of_results(storage):
    column = np.random.default_rng(1).random(1000)
    parquet.write_columns(FILE, [{"a": column}])
    assert parquet.read_table(FILE)["a"].to_numpy().tolist() == column.tolist()
    assert parquet.read_schema(FILE).names == ["a"]
    owner = "5b2d1f0e-0000-4000-8000-000000000001"
    store = stored_blocks.block_store(owner)
    key, values = Key("d" * 64, "c" * 64, 0, 5), np.arange(10.0).reshape(2, 5)
    assert (store.get(key), store.begun(key.dataset)) == (None, set())
    for _ in range(2):
        store.put(key, values)
        assert store.get(key).tolist() == values.tolist()
    assert store.begun(key.dataset) == {key.cell}
    (stored_blocks.blocks_of(owner) / key.dataset).remove_folder()
    assert (store.get(key), store.begun(key.dataset)) == (None, set())


class TestSetting:
    def backend(self, monkeypatch, **environment):
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        return settings.storage_backend(Env(), Path("/home"))

    def test_names_what_it_must_be_and_local_is_the_default(self, monkeypatch):
        monkeypatch.delenv("CAIRN_STORAGE", raising=False)
        assert settings.storage_backend(Env(), Path("/home"))["BACKEND"].endswith("LocalFiles")
        assert self.backend(monkeypatch, CAIRN_STORAGE="local")["BACKEND"].endswith("LocalFiles")
        for value in (
            *("s3", "s3://", "s3:///x", "http://b/c", "s3://B/c", "s3://b/../c", "s3://bucket/a?b", "/a/folder"),
        ):
            with pytest.raises(ImproperlyConfigured, match=r"CAIRN_STORAGE must be local or s3://bucket/prefix"):
                self.backend(monkeypatch, CAIRN_STORAGE=value)
        monkeypatch.setattr("dashboard.storage.settings.find_spec", lambda name: None)
        with pytest.raises(ImproperlyConfigured, match=r"cairn-privacy\[s3\]"):
            self.backend(monkeypatch, CAIRN_STORAGE="s3://bucket")

    def test_a_bucket_with_secrets_from_files(self, monkeypatch, tmp_path):
        (tmp_path / "key").write_text("of a file\n")
        given = {"CAIRN_STORAGE": "s3://bucket/some/prefix/", "CAIRN_S3_ENDPOINT": "https://s3.example"}
        given |= {"CAIRN_S3_ACCESS_KEY": "name", "CAIRN_S3_SECRET_KEY_FILE": str(tmp_path / "key")}
        found = self.backend(monkeypatch, **given, CAIRN_CACHE_MB="7")["OPTIONS"]
        assert (found["bucket_name"], found["location"]) == ("bucket", "some/prefix")
        assert (found["access_key"], found["secret_key"]) == ("name", "of a file")
        assert (found["cache_folder"], found["cache_bytes"]) == ("/home/cache", 7_000_000)
        monkeypatch.setenv("CAIRN_S3_SECRET_KEY_FILE", str(tmp_path / "none"))
        with pytest.raises(ImproperlyConfigured, match="CAIRN_S3_SECRET_KEY_FILE must name a readable file"):
            settings.storage_backend(Env(), Path("/home"))


def test_what_follows_in_a_file_has_its_own_size_and_digest():
    assert content_of(io.BytesIO(b"before after"), 7) == (5, hashlib.sha256(b"after").hexdigest())
