"""Starts of Cairn with a database and files that do not belong together: nothing is lost, each states what to do."""

import shutil
import signal
import sqlite3
import subprocess
import sys
import uuid
from contextlib import closing
from dataclasses import replace

import pytest

from tests import postgres
from tests.dashboard.storages_of_tests import host
from tests.installations import DATASETS, Cairn, age, assert_refused, fresh_database, stored
from tests.patience import patience
from tests.s3_server import running_s3
from tests.server import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    return Cairn(tmp_path_factory.mktemp("sqlite") / "home").set_up().home


@pytest.fixture
def sqlite(template, tmp_path):
    shutil.copytree(template, tmp_path / "home")
    return Cairn(tmp_path / "home")


@pytest.fixture
def other(template, tmp_path):
    """Another installation, with rows and files of its own."""
    shutil.copytree(template, tmp_path / "other")
    found, fresh = Cairn(tmp_path / "other"), uuid.uuid4()
    (found.home / "installation").write_text(f"{fresh}\n")
    with closing(sqlite3.connect(found.home / "cairn.sqlite3")) as database, database:
        database.execute("UPDATE storage_installation SET id = ?", [fresh.hex])
    age(found.home)
    return found


@pytest.fixture(scope="module")
def cluster():
    programs = postgres.programs()
    if programs is None:
        pytest.skip("PostgreSQL is not installed here")
    with postgres.cluster(programs) as url:
        yield url


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    pytest.importorskip("moto", reason="the packages of an S3 storage are not installed here")
    with running_s3(tmp_path_factory.mktemp("s3")) as found:
        yield found


@pytest.fixture(scope="module")
def migrated(cluster, tmp_path_factory):
    cairn = Cairn(tmp_path_factory.mktemp("migrated"), fresh_database(cluster, "migrated"))
    done = cairn.python("-m", "tests.earlier_migrations", "squashed")
    assert done.returncode == 0, done.stderr
    return "migrated"


@pytest.fixture(scope="module")
def on_postgres(cluster, migrated, tmp_path_factory):
    url = fresh_database(cluster, "first", migrated)
    return Cairn(tmp_path_factory.mktemp("postgres") / "home", url).set_up()


@pytest.fixture(scope="module")
def on_s3(cluster, migrated, server, tmp_path_factory):
    url = fresh_database(cluster, "shared", migrated)
    return Cairn(tmp_path_factory.mktemp("s3host") / "home", url, server.environment("first")).set_up()


def names_in(server, prefix, folder):
    return sorted(one.name for one in host(server, prefix, folder).listed(""))


class TestSQLite:
    def test_a_database_made_afresh(self, on_postgres):
        """1: DATABASE_URL is left out, and the home's own database would be made."""
        assert_refused(replace(on_postgres, url=""), "Set DATABASE_URL", on_postgres.id())
        for arguments in (("manage.py", "migrate"), ("manage.py", "run")):
            done = replace(on_postgres, url="").python(*arguments)
            assert (done.returncode, done.stdout) == (1, "")
            assert "Set DATABASE_URL" in done.stderr
            assert "Traceback" not in done.stderr
        assert not (on_postgres.home / "cairn.sqlite3").exists()

    def test_the_file_of_the_database_is_gone(self, sqlite):
        (sqlite.home / "cairn.sqlite3").unlink()
        assert_refused(sqlite, "Set DATABASE_URL", str(sqlite.home / "cairn.sqlite3"))
        assert not (sqlite.home / "cairn.sqlite3").exists()

    def test_the_database_of_another_home(self, sqlite, other):
        shutil.copy(other.home / "cairn.sqlite3", sqlite.home / "cairn.sqlite3")
        assert_refused(sqlite, "Different installations", sqlite.id(), other.id())

    def test_another_home(self, sqlite, other):
        assert_refused(replace(other, url=f"sqlite:///{sqlite.home}/cairn.sqlite3"), "Different", "Set CAIRN_HOME")

    @pytest.mark.parametrize("newer", [DATASETS, 1])
    def test_an_older_copy_of_the_database(self, sqlite, tmp_path, newer):
        """11: the ids are equal; what the older database does not know goes to the trash, and back from there."""
        before, database = stored(sqlite.home), sqlite.home / "cairn.sqlite3"
        sqlite.manage("sweep|--once")
        shutil.copy(database, tmp_path / "newer.sqlite3")
        with closing(sqlite3.connect(database)) as older, older:
            older.execute("DELETE FROM datasets_dataset WHERE rowid > ?", [DATASETS - newer])
            older.execute("UPDATE storage_installation SET swept_at = '2024-01-01 00:00:00'")
        (_, swept), (_, report), (_, listed) = sqlite.commands("sweep|--once", "doctor", "trash")
        (folder,) = (sqlite.home / "trash").iterdir()
        moved = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
        assert len(moved) == 2 * newer
        assert sorted([*stored(sqlite.home), *moved]) == before
        assert f"{len(moved)} files that no row names were moved to trash/{folder.name}" in swept
        assert "WARNING trash: " in report
        assert listed == f"trash/{folder.name}  {len(moved)} files\n"
        shutil.copy(tmp_path / "newer.sqlite3", database)
        report = sqlite.commands(f"trash|--restore|trash/{folder.name}", "sweep|--once", "doctor")[-1][1]
        assert stored(sqlite.home) == before
        assert "files-missing" not in report
        assert "trash" not in report

    def test_an_older_copy_of_the_files(self, sqlite):
        """12: rows lack their files, which doctor reports; nothing else goes."""
        gone = sorted((sqlite.home / "datasets").iterdir())[0]
        shutil.rmtree(gone)
        before = stored(sqlite.home)
        (code, _), (failed, report) = sqlite.commands("sweep|--once", "doctor")
        assert (code, failed) == (0, 1)
        assert stored(sqlite.home) == before
        assert "files-missing: 1 of the newest" in report
        assert gone.name in report


class TestPostgreSQL:
    def test_an_empty_database(self, on_postgres, cluster):
        empty = replace(on_postgres, url=fresh_database(cluster, "empty"))
        assert_refused(empty, "Set DATABASE_URL", on_postgres.id())
        assert empty.python("-c", TABLES).stdout.strip() == "0"

    def test_the_database_of_another_installation(self, on_postgres, cluster, migrated, tmp_path):
        url = fresh_database(cluster, "second", migrated)
        second = Cairn(tmp_path / "second", url)
        second.manage("migrate|-v0")
        assert_refused(replace(on_postgres, url=url), "Different installations", on_postgres.id(), second.id())

    def test_another_folder(self, on_postgres, tmp_path):
        """6: CAIRN_HOME is left out or typed wrongly."""
        assert_refused(replace(on_postgres, home=tmp_path / "typo"), "Set CAIRN_HOME", str(tmp_path / "typo"))

    def test_an_empty_volume(self, on_postgres, tmp_path):
        (tmp_path / "volume").mkdir()
        empty = replace(on_postgres, home=tmp_path / "volume")
        assert_refused(empty, "Set CAIRN_HOME", "mount its volume")
        for code, arguments in SERVERS:
            done = empty.python(*arguments)
            assert done.returncode == code, (arguments, done.stdout, done.stderr)
            assert "Set CAIRN_HOME" in done.stderr
        assert not list((tmp_path / "volume").glob("installation"))

    def test_a_database_that_was_away_is_compared_before_it_is_used(self, on_postgres, cluster, migrated):
        """The web server starts all the same; what then answers is the database of another installation."""
        late = replace(on_postgres, url=f"{cluster.rpartition('/')[0]}/late")
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        with subprocess.Popen([sys.executable, "-c", LATE], cwd=ROOT, env=late.env, **pipes) as process:
            assert process.stdout.readline() == "started\n"
            fresh_database(cluster, "late", migrated)
            first, second = process.communicate("go\n", patience(60))[0].splitlines()
        assert "OperationalError" in first
        assert f"the installation {on_postgres.id()}" in first
        assert "OperationalError" in second


LATE = """
import dashboard.config.wsgi
from dashboard.accounts.models import User
print("started", flush=True)
input()
for _ in range(2):
    try:
        print(User.objects.count())
    except Exception as error:
        print(type(error).__name__, str(error).replace(chr(10), " "))
"""
TABLES = """
import django; django.setup()
from django.db import connection
print(len(connection.introspection.table_names()))
"""
SERVERS = (
    (1, ("-c", "import dashboard.config.wsgi")),
    (3, ("-m", "gunicorn", "dashboard.config.wsgi:application", "--bind", "127.0.0.1:0", "--no-control-socket")),
    (1, ("-m", "celery", "-A", "dashboard.config.celery:app", "worker", "--pool", "solo")),
)


class TestSharedStorage:
    def test_the_bucket_of_another_installation(self, on_s3, server, cluster, migrated, tmp_path):
        url = fresh_database(cluster, "of-second", migrated)
        second = Cairn(tmp_path / "second", url, server.environment("second"))
        second.manage("migrate|-v0")
        before = names_in(server, "first", tmp_path / "cache"), names_in(server, "second", tmp_path / "cache")
        assert_refused(replace(on_s3, storage=second.storage), "Set CAIRN_STORAGE", on_s3.id(), second.id())
        assert_refused(replace(second, storage=on_s3.storage), "Set CAIRN_STORAGE", on_s3.id(), second.id())
        assert (names_in(server, "first", tmp_path / "cache"), names_in(server, "second", tmp_path / "cache")) == before

    def test_an_empty_bucket(self, on_s3, server, tmp_path):
        assert_refused(replace(on_s3, storage=server.environment("empty")), "Set CAIRN_STORAGE", on_s3.id())
        assert names_in(server, "empty", tmp_path / "cache") == []

    def test_an_empty_database(self, on_s3, server, cluster, tmp_path):
        before = names_in(server, "first", tmp_path / "cache")
        fresh = replace(on_s3, home=tmp_path / "fresh", url=fresh_database(cluster, "fresh"))
        assert_refused(fresh, "Set DATABASE_URL", on_s3.id())
        assert names_in(server, "first", tmp_path / "cache") == before

    def test_a_further_host_joins(self, on_s3, server, tmp_path):
        before = names_in(server, "first", tmp_path / "cache")
        further = replace(on_s3, home=tmp_path / "further")
        further.manage("migrate|-v0", "sweep|--once")
        assert further.id() == on_s3.id()
        assert names_in(server, "first", tmp_path / "cache") == before

    def test_many_objects_without_a_row_go_to_the_trash(self, server, cluster, migrated, tmp_path):
        url = fresh_database(cluster, "older", migrated)
        cairn = Cairn(tmp_path / "home", url, server.environment("older")).set_up()
        before = names_in(server, "older", tmp_path / "cache")
        forget = "from dashboard.datasets.models import Dataset\nDataset.objects.all()._raw_delete('default')"
        swept, report = cairn.manage(f"shell|-v0|-c|{forget}", "sweep|--once"), cairn.commands("doctor")[0][1]
        moved = [name for name in names_in(server, "older", tmp_path / "cache") if name.startswith("trash/")]
        kept = ["installation", *(name for name in before if name.startswith("events/"))]  # whose rows are there
        assert sorted([*kept, *("/".join(name.split("/")[2:]) for name in moved)]) == before
        assert f"{len(moved)} files that no row names were moved" in swept
        assert "WARNING trash: " in report
        cairn.manage(f"trash|--restore|{'/'.join(moved[0].split('/')[:2])}")
        assert names_in(server, "older", tmp_path / "cache") == before


def test_what_an_owner_deletes_is_removed_after_a_kill_and_never_in_the_trash(sqlite):
    killed = sqlite.python("-c", KILLED_AT_REMOVAL)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert len(stored(sqlite.home)) == 2 * DATASETS - 1  # a file of one dataset went
    sqlite.manage("sweep|--once")
    assert stored(sqlite.home) == []
    assert not (sqlite.home / "trash").exists()


KILLED_AT_REMOVAL = """
import django; django.setup()
import os, signal
from pathlib import Path
from django.db import transaction
from dashboard.datasets.models import Dataset
from dashboard.datasets.services import delete_dataset
from dashboard.storage import removals
def killed(key):
    next(Path(os.environ["CAIRN_HOME"], key).glob("*")).unlink()
    os.kill(os.getpid(), signal.SIGKILL)
removals.remove = killed
with transaction.atomic():
    for dataset in Dataset.objects.all():
        delete_dataset(dataset=dataset)
"""


class TestWithoutIds:
    """Installations from before there were ids."""

    def test_one_of_today_is_upgraded(self, sqlite):
        sqlite.forget_ids()
        before = stored(sqlite.home)
        sqlite.manage("migrate|-v0", "sweep|--once")
        with closing(sqlite3.connect(sqlite.home / "cairn.sqlite3")) as database:
            ((found,),) = database.execute("SELECT id FROM storage_installation").fetchall()
        assert sqlite.id().replace("-", "") == found
        assert stored(sqlite.home) == before

    def test_files_that_the_database_does_not_know(self, sqlite):
        sqlite.forget_ids()
        (sqlite.home / "cairn.sqlite3").unlink()
        assert_refused(sqlite, "names none", "Set DATABASE_URL")

    def test_rows_without_any_file(self, sqlite, tmp_path):
        sqlite.forget_ids()
        away = replace(sqlite, home=tmp_path / "away", url=f"sqlite:///{sqlite.home}/cairn.sqlite3")
        assert_refused(away, "there are none in", "Set CAIRN_HOME")
        assert not (tmp_path / "away" / "installation").exists()


class TestAdopt:
    def test_counts_first_and_then_declares(self, sqlite):
        (sqlite.home / "cairn.sqlite3").unlink()
        files, known = stored(sqlite.home, "datasets", "events"), sqlite.id()
        ((code, printed),) = sqlite.commands("adopt")
        assert code == 1
        assert f"{len(files)} files that no row of the database names; 0 rows without the file" in printed
        assert not (sqlite.home / "cairn.sqlite3").exists()
        sqlite.manage("adopt|--yes", "sweep|--once")
        assert sqlite.id() == known
        (folder,) = (sqlite.home / "trash").iterdir()
        assert sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()) == files

    def test_two_ids_become_a_third(self, sqlite, other):
        mixed = replace(other, url=f"sqlite:///{sqlite.home}/cairn.sqlite3")
        earlier = {sqlite.id(), other.id()}
        mixed.manage("adopt|--yes", "migrate|-v0")
        assert mixed.id() not in earlier
        assert_refused(sqlite, "Different installations")


class TestFirstStart:
    @pytest.mark.parametrize("step", ["begin", "share", "confirm"])
    def test_killed_at_any_step_it_is_completed_by_the_next(self, step, template, tmp_path):
        cairn = Cairn(tmp_path / "home")
        shutil.copytree(template, cairn.home)
        cairn.forget_ids()
        for when in ("before", "after"):
            killed = cairn.python("-c", KILLED.format(step=step, when=when))
            assert killed.returncode == -signal.SIGKILL, killed.stderr
        cairn.manage("migrate|-v0", "sweep|--once")
        assert "not yet" not in cairn.id()
        assert stored(cairn.home) == stored(template)

    def test_of_several_processes_and_hosts_writes_one_id(self, server, cluster, migrated, tmp_path):
        url = fresh_database(cluster, "together", migrated)
        hosts = [Cairn(tmp_path / f"host{i // 2}", url, server.environment("together")) for i in range(4)]
        command = [sys.executable, "manage.py", "sweep", "--once"]
        running = [subprocess.Popen(command, cwd=ROOT, env=one.env) for one in hosts]
        assert [process.wait(patience(120)) for process in running] == [0] * 4
        assert len({one.id() for one in hosts}) == 1
        shared = host(server, "together", tmp_path / "cache")
        with shared.reader("installation") as file:
            assert file.read().decode().strip() == hosts[0].id()


KILLED = """
import os, signal, sys
sys.argv = ["manage.py", "migrate", "-v0"]
import django; django.setup()
from dashboard.storage import installation
step = getattr(installation, "{step}")
def killed(*arguments):
    "{when}" == "after" and step(*arguments)
    os.kill(os.getpid(), signal.SIGKILL)
installation.{step} = killed
from dashboard.launcher.commands import execute
execute(sys.argv)
"""
