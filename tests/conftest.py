"""Shared by all tests: temporary CAIRN_HOME, shared data, hypothesis profiles, time-outs, summary of skipped tests."""

import gc
import hashlib
import json
import os
import re
import secrets
import shutil
import tempfile
from collections import Counter
from datetime import date
from functools import cache
from pathlib import Path

import django
import pytest
from django.apps import apps
from django.conf import settings
from django.db import connections, transaction
from django.test import TransactionTestCase
from redis import Redis
from xdist.scheduler import LoadScopeScheduling

from tests import migrated, postgres, redis_server, watchdog
from tests.examples import kind_of_examples, register_profiles
from tests.patience import patience

_MEMORY = Path("/dev/shm")  # with enough space: then no test waits for a disk to write
_IN_MEMORY = _MEMORY.is_dir() and os.access(_MEMORY, os.W_OK) and shutil.disk_usage(_MEMORY).free > 2**31
if "PYTEST_XDIST_WORKER" not in os.environ:
    watchdog.start(_MEMORY if _IN_MEMORY else None)
_FOLDER = Path(tempfile.gettempdir())
_HOME = tempfile.mkdtemp(prefix="home-", dir=_MEMORY / _FOLDER.name if (_MEMORY / _FOLDER.name).is_dir() else None)
os.environ["CAIRN_HOME"] = _HOME
os.environ["DJANGO_SETTINGS_MODULE"] = "dashboard.config.settings"
os.environ.setdefault("CAIRN_SECRET_KEY", "not-a-secret-only-for-tests-0123456789-0123456789-0123456789")
os.environ.setdefault("REDIS_URL", "redis://127.0.0.1:1/0")  # no server: tests of the queue start their own
django.setup()  # here, because the conftest files below import models
from dashboard.accounts import lasting  # noqa: E402  models

del os.environ["DJANGO_SETTINGS_MODULE"]  # or xdist's workers would read the settings before this file
from dashboard.config.celery import app  # noqa: E402  models can be imported now
from dashboard.storage import installation  # noqa: E402

installation.require_in_server = lambda exit_code=1: None  # importing the WSGI application must not use a database
app.producer_pool  # noqa: B018  made here, without a server: it would keep that of the first test that sends a message
register_profiles()
settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher", *settings.PASSWORD_HASHERS]  # no delay
lasting.LOOK_S = 3600.0  # its thread would look into the database of another test; real servers are other processes
settings.WHITENOISE_AUTOREFRESH = True  # or every test client would list all static files first
settings.STORAGES["staticfiles"]["BACKEND"] = "django.contrib.staticfiles.storage.StaticFilesStorage"  # not collected

SHARED = Path(__file__).resolve().parent.parent.parent / "shared"


ON_CI = os.environ.get("CI") == "1"
NOT_OF_CI = (
    *("the format has no such lines", "the plan is read", "SQLite has", "new in ../shared/data"),
    *("this kernel or container", "this processor", "the history of this clone", "the packages cannot be downloaded"),
)
"""How the reasons begin for which a test is skipped on CI too; there, everything else that is missing is a failure."""


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    """Leave the global generators alone: pytest-randomly shuffles the tests, and they fix the seeds they need.

    On CI one seed of hypothesis' examples is drawn here for all processes, which is printed.
    """
    config.option.randomly_reset_seed = False
    if ON_CI and config.option.hypothesis_seed is None:
        config.option.hypothesis_seed = str(secrets.randbits(32))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    """On CI a test that was skipped has failed."""
    report = yield
    if ON_CI and report.skipped and not hasattr(report, "wasxfail"):
        reason = reason_of(report)
        if not reason.startswith(NOT_OF_CI):
            report.outcome, report.longrepr = "failed", f"{item.nodeid}: nothing may be missing on CI: {reason}"
    return report


def reason_of(report):
    """Why a test was skipped."""
    return report.longrepr[2].removeprefix("Skipped: ") if isinstance(report.longrepr, tuple) else ""


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Collect without the garbage collector, which would look through all modules again and again: 2 CPU s."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()  # nor look through what was collected
        gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config):
    """One process more than there are processors; two for long tests, which wait for servers and browsers."""
    return (os.cpu_count() or 1) + (1 if "not slow" in config.option.markexpr else 2)


SERVERS = ("test_commands.py", "test_watch.py", "test_warm.py", "test_web_memory.py")
LONG = (
    *SERVERS,
    *("test_hanging_jobs.py", "test_every_page.py", "test_wrong_database.py", "test_lasting_responses.py"),
    *("test_worker.py", "test_experiments_worker.py", "test_operations.py", "test_fuzz.py", "test_adapub.py"),
    *("test_storage_hosts.py", "test_package.py", "test_cut_uploads.py", "test_squashed_migrations.py"),
    *("test_no_network.py", "test_real_server.py"),
)
"""Files with a test, or tests of one process, of half a minute and more; the longest first."""
ONE_BY_ONE = {*SERVERS, "test_real_server.py", "test_live_streams_killed.py"}
"""Files that start whole servers: one process runs all of them, since two at once are too slow for their limits."""
SHARE_A_FIXTURE = {
    *("test_faults.py", "test_ledger_migration.py", "test_storage.py", "test_storage_s3.py", "test_worker.py"),
}
"""Files of which each is run by one process: what their tests share, such as a database, takes long to make."""


@cache
def shares_a_fixture(file):
    """Whether one process runs the file: others would make the fixtures of its module again."""
    text = (Path(__file__).parent.parent / file).read_text()
    return Path(file).name in SHARE_A_FIXTURE or bool(re.search(r'scope="module"|def \w+\([^)]*\bmade\b', text))


def scope_of(nodeid):
    """What one process runs: all files that start servers, a file, or a test alone."""
    file = nodeid.partition("::")[0]
    if Path(file).name in ONE_BY_ONE:
        return "servers"
    return file if shares_a_fixture(file) else nodeid


def is_of_day(item, day):
    """Whether CI runs a long test, or one with PostgreSQL, on this day: on one of three."""
    third = hashlib.sha256(scope_of(item.nodeid).encode()).digest()[0] % 3
    return item.path.name == "test_every_page.py" or third == day.toordinal() % 3


class FileScheduling(LoadScopeScheduling):
    """Gives each test to the next free process, but files of one scope as a whole.

    In place of xdist's groups, which the installed pytest ignores: it has no ``_nodeid`` to add their names to.
    """

    def _split_scope(self, nodeid):
        return scope_of(nodeid)

    def _reschedule(self, node):
        """Let one test wait behind the one that runs, which xdist needs; two would wait while others have none."""
        if not self.workqueue or self._pending_of(self.assigned_work[node]) < 2:
            super()._reschedule(node)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """How tests are shared by the processes."""
    return FileScheduling(config, log)


def _place(item):
    """Tests of LONG files first, in the order of their file, since the first start of a server compiles; then browsers.

    What is last takes next to no time, so that all processes end together.
    """
    name, in_browser = item.path.name, item.path.parent.name == "browser"
    return (LONG.index(name), item.location[1] or 0) if name in LONG else (len(LONG) + (not in_browser), 0)


def _uses_the_database(item):
    fixtures = {"db", "transactional_db", "live_server"} & set(getattr(item, "fixturenames", ()))
    return bool(fixtures) or item.get_closest_marker("django_db") is not None


@pytest.hookimpl(trylast=True)  # pytest-django puts tests without a database last
def pytest_collection_modifyitems(config, items):
    """Run files that one process runs alone first: last, the other process would wait.

    On PostgreSQL (`make test-postgres`) tests that use no database are left out: `make test` has run them. CI runs a
    third of the long tests and of those with PostgreSQL, so that 25 minutes hold them.
    """
    left_out = set()
    if postgresql := settings.DATABASES["default"]["ENGINE"].endswith("postgresql"):
        left_out |= {item for item in items if not _uses_the_database(item)}
    if ON_CI and (postgresql or config.option.markexpr.startswith("slow")):  # mutants run all the tests they name
        left_out |= {item for item in items if not is_of_day(item, date.today())}
    config.hook.pytest_deselected(items=list(left_out))
    items[:] = [item for item in items if item not in left_out]
    items.sort(key=_place)
    for item in items:
        if item.path.name in LONG:
            item.add_marker("processes")
        limit_s = next((mark.args[0] for mark in item.iter_markers("timeout")), float(item.config.getini("timeout")))
        item.add_marker(pytest.mark.timeout(patience(limit_s)), append=False)


@pytest.fixture(scope="session")
def shared():
    """The folder of real data and hostile inputs; the test skips where it is absent."""
    if not SHARED.is_dir():
        pytest.skip("../shared is not here: real data and hostile inputs are only on the project's machines")
    return SHARED


@pytest.fixture(scope="session")
def vectors(shared):
    """The published values of the landmark papers, by section."""
    return dict(json.loads((shared / "vectors" / "landmark.json").read_text()))


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix):
    """SQLite in a file, as in use: in memory, threads and processes would not share it."""
    for connection in connections.all():
        if connection.vendor == "sqlite":
            connection.settings_dict["TEST"]["NAME"] = f"{_HOME}/test.sqlite3"
            migrated.copy_to(Path(_HOME, "test.sqlite3"))


@pytest.fixture(scope="session")
def django_db_keepdb():
    """Take the migrated database as it is: it is in a folder of this process."""
    return connections["default"].vendor == "sqlite"


STATIC_TABLES = {"django_content_type", "auth_permission"}  # written by migrations alone


def _delete_all_rows(self):
    """Empty every table after a test with transactions of its own.

    Django's ``flush`` does so too, and then sends post_migrate, which writes STATIC_TABLES again: 0.15 s a test.
    """
    models = [model for model in apps.get_models(include_auto_created=True) if model._meta.managed]
    tables = {model._meta.db_table for model in models} - STATIC_TABLES
    for name in self._databases_names(include_mirrors=False):
        with transaction.atomic(using=name), connections[name].cursor() as cursor:
            for table in sorted(tables):  # in any order: foreign keys are checked at the commit
                cursor.execute(f"DELETE FROM {connections[name].ops.quote_name(table)}")


TransactionTestCase._fixture_teardown = _delete_all_rows


def pytest_report_header():
    """Which database the tests run on."""
    return f"database: {connections['default'].vendor}"


def pytest_terminal_summary(terminalreporter):
    """Show how to repeat the run and each failure, and in one line what was missing for the tests that were skipped."""
    option = terminalreporter.config.option
    order, seed = getattr(option, "randomly_seed", None), option.hypothesis_seed
    for report in [*terminalreporter.getreports("failed"), *terminalreporter.getreports("error")]:
        terminalreporter.line(f"repeat: {_command(report, seed)}")
    seeds = [f"--randomly-seed={order}"] * (order is not None) + [f"--hypothesis-seed={seed}"] * (seed is not None)
    if seeds:
        terminalreporter.line(f"seeds of this run: {' '.join(seeds)}")
    reasons = Counter(map(reason_of, terminalreporter.getreports("skipped")))
    if postgres.programs() is None:
        reasons["PostgreSQL is not installed: make test-slow tests the dashboard on SQLite alone"] += 1
    if reasons:
        found = "; ".join(f"{number} x {reason}" for reason, number in reasons.most_common())
        terminalreporter.line(f"not tested here: {found}")


def _command(report, seed):
    """What repeats a test, with the same examples."""
    kind = kind_of_examples(getattr(getattr(report, "node", None), "gateway", None) and report.node.gateway.id)
    fixed = kind == "fixed"
    options = "" if fixed or seed is None else f" --hypothesis-seed={seed}"
    return f"{'CAIRN_EXAMPLES=fixed ' * fixed}.venv/bin/python -m pytest '{report.nodeid}' -n 0{options}"


@pytest.fixture(scope="session")
def broker_socket():
    """The socket of a message broker for this process's tests."""
    with redis_server.running() as listens_at:
        yield listens_at


@pytest.fixture
def beats_recorded(broker_socket, settings):
    """A broker that records which processes are alive, of which there is none so far."""
    settings.CELERY_BROKER_URL = f"redis+socket://{broker_socket}"
    Redis(unix_socket_path=str(broker_socket)).flushall()
