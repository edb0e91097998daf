"""What every test shares: a throwaway CAIRN_HOME, where the shared data lie, a few named actors."""

import os
import shutil
import tempfile
from pathlib import Path

import django
import pytest
from django.conf import settings

_HOME = tempfile.mkdtemp(prefix="cairn-test-")
os.environ["CAIRN_HOME"] = _HOME
os.environ["DJANGO_SETTINGS_MODULE"] = "dashboard.config.settings"
os.environ.setdefault("CAIRN_SECRET_KEY", "not-a-secret-only-for-tests-0123456789-0123456789-0123456789")
os.environ.setdefault("REDIS_URL", "redis://127.0.0.1:1/0")  # nobody listens: tests of the queue start their own
django.setup()  # here, because the conftest files below import models
del os.environ["DJANGO_SETTINGS_MODULE"]  # or xdist's workers would read the settings before this file
settings.WHITENOISE_AUTOREFRESH = True  # or every test client would list all static files first

SHARED = Path(__file__).resolve().parent.parent.parent / "shared"


LONG = ("test_commands.py", "test_start_from_nothing.py", "test_warm.py")


@pytest.hookimpl(trylast=True)  # pytest-django puts tests without a database last
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What starts whole houses comes before the engine's quick tests: last, it would keep one process busy alone."""
    quick = next((i for i, item in enumerate(items) if "engine" in item.path.parts), len(items))
    items[quick:] = sorted(items[quick:], key=lambda item: item.path.name not in LONG)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data and hostile inputs; the test skips where it is absent."""
    if not SHARED.is_dir():
        pytest.skip("../shared is not here: real data and hostile inputs are only on the project's machines")
    return SHARED


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix: None) -> None:
    """SQLite in a file, as in use: in memory, threads and processes would not meet in it."""
    from django.db import connections

    for connection in connections.all():
        if connection.vendor == "sqlite":
            connection.settings_dict["TEST"]["NAME"] = f"{_HOME}/test.sqlite3"


def pytest_report_header() -> str:
    """Which database the tests run on."""
    from django.db import connection

    return f"database: {connection.vendor}"


def pytest_unconfigure() -> None:
    """Leave nothing in the folder for temporary files."""
    shutil.rmtree(_HOME, ignore_errors=True)
