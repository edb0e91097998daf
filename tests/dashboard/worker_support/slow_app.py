"""The Celery app with barriers: a release's name says what happens after it was drawn and before it is settled.

``hold:X`` waits for the file X.go and hears of cancellation; ``deaf:X`` waits and hears nothing; ``poison`` ends the
process; ``leak`` fails with the data in its message. The file X.reached.PID.TOKEN tells that a job waits.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import django
from celery.signals import worker_ready

django.setup()

from dashboard.celery import app  # noqa: E402
from dashboard.releases import execution  # noqa: E402

__all__ = ["app"]

BARRIERS = Path(os.environ["CAIRN_TEST_BARRIERS"])
honest = execution.draw_release


def draw_release(row, lease):
    fields = honest(row, lease)
    what, _, name = row.name.partition(":")
    if what in ("hold", "deaf"):
        (BARRIERS / f"{name}.reached.{os.getpid()}.{lease.token}").touch()
        while not (BARRIERS / f"{name}.go").exists():
            time.sleep(0.02)
            if what == "hold":
                lease.report("Held", 0.9)
    elif what == "poison":
        os._exit(9)
    elif what == "leak":
        raise RuntimeError(str(execution.storage.read_columns(row.dataset.points_path)))
    return fields


execution.draw_release = draw_release


@worker_ready.connect
def say_so(sender, **_):
    (BARRIERS / f"ready.{sender.hostname}").touch()
