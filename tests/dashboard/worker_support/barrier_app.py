"""The Celery app with barriers: a release's name specifies what happens between sampling and the final state.

``hold:X`` waits for the file X.go and can be cancelled; ``block:X`` waits and cannot be cancelled; ``exit`` ends the
process; ``leak`` fails with the data in its message. ``spin`` never ends, ``deaf`` ignores the soft limit as well;
``hog`` takes more memory than there is. ``loop``, ``regex`` and ``sleep`` hang: in Python, in C that holds the
interpreter's lock for ever, in C that holds it for ten minutes. The file X.reached.PID.TOKEN shows that a job waits, or
hangs. CAIRN_TEST_CLOCK_S is how far the worker's clock is ahead, CAIRN_TEST_LIMITS_S its soft and its hard limit of a
job.

Every block of an experiment that is computed writes a file computed.BLOCK.PID.NUMBER. While the file blocks.hold
exists with a number in it, a process that has computed so many blocks waits and cannot be cancelled. CAIRN_TEST_PARTS
is the number of parts an experiment is divided into.
"""

import ctypes
import os
import re
import signal
import time
from pathlib import Path

import django
import numpy as np
from celery.signals import worker_ready
from django.utils import timezone

clock, ahead_s = time.time, float(os.environ.get("CAIRN_TEST_CLOCK_S", "0"))
if ahead_s:
    django_now = timezone.now
    time.time = lambda: clock() + ahead_s
    timezone.now = lambda: django_now() + timezone.timedelta(seconds=ahead_s)

django.setup()

from dashboard.config.celery import app  # noqa: E402
from dashboard.experiments import execution as experiments  # noqa: E402
from dashboard.releases import execution  # noqa: E402
from dashboard.storage.data_files import read_data  # noqa: E402
from privacy_engine.experiments import partition  # noqa: E402

__all__ = ["app"]

BARRIERS = Path(os.environ["CAIRN_TEST_BARRIERS"])
original = execution.draw_release
if limits := os.environ.get("CAIRN_TEST_LIMITS_S"):
    app.conf.task_soft_time_limit, app.conf.task_time_limit = map(float, limits.split(","))


def touch_reached(name, lease):
    (BARRIERS / f"{name}.reached.{os.getpid()}.{lease.token}").touch()


def loop():
    while True:
        pass


HANGS = {
    "loop": loop,
    "regex": lambda: re.match(r"(a+)+$", "a" * 40 + "b"),
    "sleep": lambda: ctypes.PyDLL(None).sleep(600),
}


def draw_release(row, lease):
    fields = original(row, lease)
    what, _, name = row.name.partition(":")
    if what in ("hold", "block"):
        touch_reached(name, lease)
        while not (BARRIERS / f"{name}.go").exists():
            time.sleep(0.02)
            if what == "hold":
                lease.report("Held", 0.9)
    elif what == "exit":
        os._exit(9)
    elif what in ("spin", "deaf"):
        if what == "deaf":
            signal.signal(signal.SIGUSR1, signal.SIG_IGN)  # Celery's soft limit
        while True:
            time.sleep(0.02)
    elif what in HANGS:
        lease.report("Hanging", 0.5)
        touch_reached(name, lease)
        HANGS[what]()
    elif what == "hog":
        np.ones(1 << 36)
    elif what == "leak":
        series = read_data(row.kind, row.dataset.points_path)
        raise RuntimeError(str([(one.lon.tolist(), one.lat.tolist()) for one in series]))
    return fields


execution.draw_release = draw_release

computed = experiments.compute
done = 0


def compute(material, block, *arguments):
    global done
    computed(material, block, *arguments)
    done += 1
    (BARRIERS / f"computed.{block.cell.digest}-{block.first}.{os.getpid()}.{done}").touch()
    hold = BARRIERS / "blocks.hold"
    while hold.exists() and done >= int(hold.read_text() or 0):
        (BARRIERS / f"blocks.reached.{os.getpid()}").touch()
        time.sleep(0.02)


experiments.compute = compute
partition.MOST_PARTS = int(os.environ.get("CAIRN_TEST_PARTS", partition.MOST_PARTS))


@worker_ready.connect
def touch_ready(sender, **_):
    (BARRIERS / f"ready.{sender.hostname}").touch()
