"""Files in a real S3 server: retries, conditions, the cache of a host, killed processes, uploads over several hosts."""

import fcntl
import hashlib
import os
import signal
import subprocess
import sys
import time
from contextlib import ExitStack

import numpy as np
import pytest

from dashboard.core.machine_errors import machine_error
from dashboard.core.storage_errors import DamagedFile, StorageUnavailable
from dashboard.storage import read_cache, s3_storage
from dashboard.storage.stored_path import StoredPath
from tests.dashboard.conftest import HOME
from tests.dashboard.storages_of_tests import host
from tests.patience import patience
from tests.s3_server import BUCKET, ROOT

pytestmark = [pytest.mark.usefixtures("one"), pytest.mark.django_db(transaction=True)]
FILE = StoredPath("datasets/a/points.parquet")
HOLD = "import fcntl,sys; f=open(sys.argv[1]); fcntl.flock(f,1); print(1); input()"
CONTENT = np.random.default_rng(3).bytes(100_000)
LARGE = np.random.default_rng(4).bytes(12_000_000)


def stored(content=CONTENT, path=FILE):
    with path.written() as out:
        out.write(content)
    return path


def at(prefix, path=FILE):
    return f"/{BUCKET}/{prefix}/{path}"


def copies(folder="one"):
    return sorted(path for path in (HOME / "tmp" / folder).iterdir() if not path.suffix)


class TestRequests:
    def test_another_content_is_refused_and_the_first_stays(self, other):
        for first, second in ((CONTENT, CONTENT[:-1]), (LARGE, LARGE[:-1])):
            path = FILE.parent / str(len(first))
            stored(first, path)
            with pytest.raises(FileExistsError), other.written(str(path)) as out:
                out.write(second)
            with other.reader(str(path)) as file:
                assert file.read() == first

    def test_every_write_is_conditional_and_nothing_is_copied(self, s3_server, prefix):
        before = len(s3_server.requests())
        stored()
        stored(LARGE, FILE.parent / "large")
        writes = [one for one in s3_server.requests()[before:] if one.startswith(("PUT", "POST"))]
        assert len(writes) == 1 + 5  # begun, three parts, completed
        conditions = [one.rpartition(" ")[2] for one in writes]
        assert [conditions[0], conditions[-1]] == ["If-None-Match:*"] * 2
        assert all("copy-source: " in one for one in writes)

    def test_what_fails_for_a_moment_is_repeated(self, s3_server, prefix, one):
        for status in ("503", "500", "429"):
            path = FILE.parent / status
            s3_server.fail(f"PUT {at(prefix, path)} {status} 2")
            stored(path=path)
            one._cache.forget(str(path))
            s3_server.fail(f"GET {at(prefix, path)} {status} 2")
            assert path.read_bytes() == CONTENT
        stored(LARGE)
        one._cache.forget(str(FILE))
        s3_server.fail(f"GET {at(prefix)} cut 2")  # a body that is cut off
        assert FILE.read_bytes() == LARGE

    def test_what_keeps_failing_is_an_error_of_the_storage(self, s3_server, prefix, one):
        s3_server.fail(f"PUT {at(prefix)} 503 99", f"HEAD {at(prefix)} 403 99")
        with pytest.raises(StorageUnavailable):
            stored()
        with pytest.raises(StorageUnavailable):
            FILE.exists()
        assert copies() == []
        s3_server.fail(f"DELETE {at(prefix, FILE.parent)} 503 99")
        stored()
        for delete, name in ((one.remove, FILE), (one.remove_folder, FILE.parent)):
            with pytest.raises(StorageUnavailable):
                delete(str(name))
        assert machine_error(StorageUnavailable("503")).status == 503
        s3_server.fail(f"PUT {at(prefix)} 507 99")
        with pytest.raises(OSError, match="full") as error:
            stored()
        found = machine_error(error.value)
        assert (found.status, found.retry_after_s) == (507, 60)

    def test_content_that_is_not_what_was_written_is_never_read(self, one, other):
        other_means = FILE.parent / "copied there by other means"
        one._client.put_object(**one._named(str(other_means)), Body=CONTENT)
        assert other_means.read_bytes() == CONTENT
        stored()
        facts = {"Metadata": {"sha256": hashlib.sha256(CONTENT).hexdigest()}}
        one._client.put_object(**one._named(str(FILE)), Body=CONTENT[::-1], **facts)
        with pytest.raises(DamagedFile), other.local(str(FILE)):
            pass
        assert copies("other") == []

    def test_a_process_killed_while_it_writes_leaves_nothing_that_is_seen(self, s3_server, prefix, one, monkeypatch):
        code = (
            "import django, sys; django.setup()\n"
            "import os\n"
            "from dashboard.storage import s3_storage; s3_storage.PART_BYTES = 5_242_880\n"
            "s3_storage._checksums = lambda sent: os.kill(os.getpid(), 9)  # once a part was sent\n"
            "from dashboard.storage.stored_path import StoredPath\n"
            f"with StoredPath({str(FILE)!r}).written() as out: out.write(bytes(60_000_000))\n"
        )
        home = HOME / "tmp" / "killed"
        environment = os.environ | s3_server.environment(prefix) | {"CAIRN_HOME": str(home)}
        environment["DJANGO_SETTINGS_MODULE"] = "dashboard.config.settings"
        assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment).returncode == -signal.SIGKILL
        assert not FILE.exists()
        assert list(one.listed("")) == []
        monkeypatch.setattr(s3_storage, "FORGOTTEN_S", 1e12)  # moto lists every upload as begun in 2010
        assert one.abort_forgotten() == 0
        monkeypatch.undo()
        assert (one.abort_forgotten(), one.abort_forgotten()) == (1, 0)
        left = list((home / "cache").glob("*.part"))
        assert len(left) == 1
        os.utime(left[0], (0, 0))
        read_cache.ReadCache(home / "cache", 10**9).make_space()
        assert list((home / "cache").iterdir()) == []


class TestCache:
    def test_a_file_is_fetched_once(self, s3_server, prefix, other):
        stored()
        before = len(s3_server.requests())
        for _ in range(3):
            with other.local(str(FILE)) as path:
                assert path.read_bytes() == CONTENT
        assert len(s3_server.requests()) - before == 1

    def test_its_size_is_bounded_and_what_was_used_longest_ago_goes(self, s3_server, prefix):
        small = host(s3_server, prefix, HOME / "tmp" / "small", cache_bytes=350_000)
        paths = [stored(path=FILE.parent / str(i)) for i in range(4)]
        for i in (0, 1, 2, 0, 3):  # 1 was used longest ago when 3 comes
            with small.local(str(paths[i])):
                time.sleep(0.01)
        assert sum(path.stat().st_size for path in copies("small")) <= 350_000
        assert {path.name for path in copies("small")} == {small._cache._entry(str(paths[i])).name for i in (0, 2, 3)}

    def test_what_another_process_reads_stays(self, s3_server, prefix):
        small = host(s3_server, prefix, HOME / "tmp" / "small", cache_bytes=150_000)
        first, second = (stored(path=FILE.parent / name) for name in "ab")
        with small.local(str(first)) as path:
            pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "bufsize": 0}
            holder = subprocess.Popen([sys.executable, "-c", HOLD, str(path)], **pipes)
            holder.stdout.readline()
        with small.local(str(second)):
            assert len(copies("small")) == 2
        holder.kill()
        holder.communicate()
        small._cache.make_space()
        assert len(copies("small")) == 1

    def test_what_was_not_used_for_an_hour_goes(self, one):
        stored()
        (copy,) = copies()
        os.truncate(copy, 10)
        assert FILE.read_bytes() == CONTENT, "a copy that was cut off is fetched again"
        one.maintain()
        assert copies() == [copy]
        os.utime(copy, (time.time() - 3601, time.time()))
        one._cache._maintained = -1000.0
        one.maintain()
        assert list((HOME / "tmp" / "one").iterdir()) == []

    @pytest.mark.slow
    def test_many_readers_in_a_cache_that_is_too_small(self, s3_server, prefix):
        """Four processes read ten files through a cache that keeps none: each reads what was written."""
        for i in range(10):
            stored(bytes([i]) * 100_000, FILE.parent / str(i))
        code = (
            "import django, random, sys; django.setup()\n"
            "from dashboard.storage.stored_path import stored_files\n"
            "for _ in range(40):\n"
            "    i = random.randrange(10)\n"
            f"    with stored_files().local(f'{FILE.parent}/{{i}}') as path:\n"
            "        assert path.read_bytes() == bytes([i]) * 100_000\n"
        )
        environment = os.environ | s3_server.environment(prefix)
        environment |= {"CAIRN_HOME": str(HOME / "tmp" / "shared"), "CAIRN_CACHE_MB": "0"}
        environment |= {"DJANGO_SETTINGS_MODULE": "dashboard.config.settings"}
        readers = [subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, env=environment) for _ in range(4)]
        assert [reader.wait(patience(90)) for reader in readers] == [0] * 4
        read_cache.ReadCache(HOME / "tmp" / "shared" / "cache", 0).make_space()
        assert list((HOME / "tmp" / "shared" / "cache").iterdir()) == []

    def test_evicted_while_it_is_read_it_is_read_to_its_end(self, one):
        stored(LARGE)
        with FILE.local() as path, path.open("rb") as file:
            begun = file.read(5)
            assert not read_cache._removed_if_unused(path)
            one._cache.forget(str(FILE))
            assert begun + file.read() == LARGE
        with copies_lock():
            assert FILE.read_bytes() == LARGE


def copies_lock():
    stack = ExitStack()
    for path in copies():
        fcntl.flock(stack.enter_context(path.open("rb")), fcntl.LOCK_SH)
    return stack
