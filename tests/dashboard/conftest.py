"""The users of the tests, and fixtures of what they own."""

import shutil
import uuid
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from django.conf import settings as django_settings
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection, transaction
from django.test import override_settings
from django.utils import timezone
from rest_framework.test import APIClient

from dashboard.accounts import access_trail
from dashboard.accounts.models import User
from dashboard.datasets import execution, lineage, services
from dashboard.datasets.models import Dataset
from dashboard.jobs.models import State
from dashboard.landmarks.services import mark_landmarks
from dashboard.releases.services import submit_release
from privacy_engine.landmarks.samples import samples
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.releases.spec import ReleaseSpec
from tests.dashboard.api_helpers import UNIFORM
from tests.dashboard.attack_helpers import crowd, queued_attack, taxi_release  # noqa: F401
from tests.dashboard.command_runner import day  # noqa: F401
from tests.dashboard.project_helpers import lead, member, project, shared_dataset  # noqa: F401
from tests.dashboard.release_runs import executed

HOME = Path(django_settings.CAIRN_HOME)
MAP_HOST = "maps.example.invalid"
SHARED = []
"""What a fixture of a module has made: its files stay between tests."""
CSV = b"time,lat,lon\n" + b"".join(b"2024-06-15T10:3%d:00Z,52.5%d,13.4\n" % (i, i) for i in range(3))


def upload(body=CSV, name="run.csv"):
    return SimpleUploadedFile(name, body)


def at_once(many, work):
    """What ``work(i)`` returns in ``many`` threads at once, each with a connection of its own."""

    def attempt(i):
        try:
            return work(i)
        finally:
            connection.close()

    with ThreadPoolExecutor(many) as pool:
        return list(pool.map(attempt, range(many)))


@pytest.fixture(autouse=True)
def map_archive(settings):
    """An archive of maps that is configured and does not answer."""
    settings.CAIRN_MAP_ARCHIVE = f"https://{MAP_HOST}/planet.pmtiles"


@pytest.fixture(autouse=True)
def clean_home():
    """Every test starts and ends without stored files but those of :func:`made`, and with an empty cache."""
    cache.clear()
    access_trail.forget_in_memory()
    yield
    if not SHARED:
        remove_files()


def remove_files():
    own = ("datasets", "releases", "publications", "experiments", "attacks", "blocks", "uploads", "base-maps")
    own += ("area-maps", "accountexports", "events")
    for folder in (*own, "tmp", "trash"):
        shutil.rmtree(HOME / folder, ignore_errors=True)
    for path in HOME.glob("run/*"):
        if path.is_dir() and path.name != "static":
            shutil.rmtree(path)
        elif path.is_file() and path.name != "static.sha256":  # the files are what tests of pages collected
            path.unlink()
    (HOME / "installation").unlink(missing_ok=True)


@pytest.fixture(scope="module")
def made(django_db_setup, django_db_blocker):
    """Rows of every kind, for all tests of a module, which need a database too; what each changes is undone."""
    from tests.dashboard.every_operation import world

    with django_db_blocker.unblock(), transaction.atomic():
        with override_settings(CAIRN_LEASE_S=600.0):
            owner = User.objects.create_user("owner")
            User.objects.create_user("stranger")
            SHARED.append(world(owner, client_of(owner)))
        yield SHARED[0]
        SHARED.clear()
        transaction.set_rollback(True)
    remove_files()


@pytest.fixture(scope="module")
def built():
    """A broker, a database and a sweep, for all tests of a module."""
    from tests.dashboard.worker_support.server import temporary_server

    with temporary_server() as running:
        yield running


@pytest.fixture
def server(built):
    """It, without workers."""
    yield built
    built.kill_workers()
    built.control("cancel_open")  # what a test that failed left would run in the next one


@pytest.fixture(autouse=True)
def long_leases(settings):
    """No heartbeat but where a test sets a lease: its connection does not see rows of the test's transaction."""
    settings.CAIRN_LEASE_S = 600.0


@pytest.fixture
def files():
    def found():
        folders = (HOME / name for name in ("datasets", "releases", "tmp"))
        return sorted(str(path.relative_to(HOME)) for folder in folders for path in folder.rglob("*"))

    return found


@pytest.fixture
def owner(db):
    return User.objects.create_user("owner")


@pytest.fixture
def stranger(db):
    return User.objects.create_user("stranger")


def client_of(user):
    """An API client of ``user``, authenticated as by a token; None: anonymous."""
    client = APIClient()
    client.raise_request_exception = False  # a 500 is a response to be checked
    if user is not None:
        client.force_authenticate(user)
    return client


@pytest.fixture
def owner_api(owner):
    return client_of(owner)


@pytest.fixture
def stranger_api(stranger):
    return client_of(stranger)


@pytest.fixture
def anonymous_api(db):
    return client_of(None)


@pytest.fixture
def owner_page(owner, client):
    client.force_login(owner)
    return client


@pytest.fixture
def make_dataset():
    """``make_dataset(owner, *series, name=…)``: a ready dataset without a file having been read.

    Series that name no person are of different people.
    """

    def make(owner, *series, name="Test", **columns):
        series = tuple(one if one.person else replace(one, person=f"person {i}") for i, one in enumerate(series))
        row = Dataset(owner=owner, name=name, state=State.READY, progress=1.0, finished_at=timezone.now(), **columns)
        for column, value in execution.store(row.folder, series, token=uuid.uuid4(), kind="trajectory").items():
            setattr(row, column, value)
        with row.original_path.written() as out:
            out.write(b"lon,lat\n")
        evidence = lineage.evidence_of(row.points_path, series, "trajectory")
        row.source_file = lineage.register(owner_id=owner.pk, evidence=evidence)
        row.save(force_insert=True)
        return row

    return make


@pytest.fixture(scope="session")
def paris_day():
    """Eight events, of which 0, 2, 4, 7 are landmarks in the paper's example."""
    return samples()[2].series


@pytest.fixture
def ready_dataset(owner, make_dataset, paris_day):
    return make_dataset(owner, paris_day, name="A day in Paris")


@pytest.fixture
def stranger_dataset(stranger, make_dataset, paris_day):
    return make_dataset(stranger, paris_day, name="A stranger's day")


@pytest.fixture
def landmark_set(owner, ready_dataset):
    return mark_landmarks(owner=owner, dataset=ready_dataset, method={"name": "manual", "events": [0, 2, 4, 7]})


@pytest.fixture
def submit(owner, ready_dataset, landmark_set):
    """``submit("landmark-skip", epsilon=…, seed=…, steps=[…])``: a waiting release of the owner's day."""

    def make(name="landmark-uniform", *, seed=None, key="", steps=(), **parameters):
        needed = {field["name"]: field["example"] for field in mechanisms[name].fields() if field["required"]}
        mechanism = needed | {"name": name, "epsilon": 1.0, "radius_m": 200.0} | parameters
        return submit_release(
            owner=owner,
            dataset=ready_dataset,
            landmark_set=landmark_set,
            spec=ReleaseSpec.parse({"mechanism": mechanism, "seed": seed, "postprocess": list(steps)}),
            idempotency_key=key,
        )

    return make


@pytest.fixture
def everything_is_large(monkeypatch):
    monkeypatch.setattr(services, "NOW_PLAIN_BYTES", -1)
    monkeypatch.setattr(services, "NOW_PACKED_BYTES", -1)


@pytest.fixture
def body(landmark_set):
    return {"dataset": str(landmark_set.dataset_id), "landmark_set": str(landmark_set.pk), "mechanism": UNIFORM}


@pytest.fixture
def done(submit):
    return executed(submit("landmark-skip", leading="gap"))


@pytest.fixture(scope="session")
def s3_server(tmp_path_factory):
    from tests.s3_server import running_s3

    with running_s3(tmp_path_factory.mktemp("s3")) as running:
        yield running


@pytest.fixture
def prefix():
    from tests.dashboard.storages_of_tests import fresh_prefix

    return fresh_prefix()


@pytest.fixture
def one(s3_server, prefix, monkeypatch):
    """The storage in S3 as one host has it, and the one that the settings name."""
    from dashboard.storage import s3_storage
    from tests.dashboard.storages_of_tests import host, used

    monkeypatch.setattr(s3_storage, "PAUSE_S", 0.01)
    monkeypatch.setattr("botocore.retries.standard.ExponentialBackoff.delay_amount", lambda *_: 0.01)  # seconds
    monkeypatch.setattr(s3_storage, "PART_BYTES", 5_242_880)  # the smallest that S3 takes
    s3_server.fail()
    with used(host(s3_server, prefix, HOME / "tmp" / "one")) as storage:
        yield storage
    s3_server.fail()


@pytest.fixture
def other(s3_server, prefix):
    from tests.dashboard.storages_of_tests import host

    return host(s3_server, prefix, HOME / "tmp" / "other")
