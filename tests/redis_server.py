"""A message broker of the tests' own, on a socket in a folder of its own."""

import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from redis import Redis

from dashboard.core import beats
from dashboard.launcher import broker
from tests.patience import until


@contextmanager
def running(*options):
    folder = Path(tempfile.mkdtemp(prefix="cairn-redis-"))  # a socket's path has at most 107 characters
    listens_at = folder / "b.sock"
    command = broker.command(broker.find_server(), folder=folder, socket_path=listens_at)
    process = subprocess.Popen([*command, *options], stdout=subprocess.DEVNULL)
    try:
        until(listens_at.exists, 15)
        yield listens_at
    finally:
        process.terminate()
        process.wait()
        shutil.rmtree(folder)


def age_beat(kind, name, age_s):
    client = Redis(unix_socket_path=settings.CELERY_BROKER_URL.removeprefix("redis+socket://"))
    assert client.pexpire(f"cairn:beat:{kind}:{name}", round((beats.FORGOTTEN_S - age_s) * 1000))
