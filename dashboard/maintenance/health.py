"""``/healthz``: is the service healthy? Public, so it has ages and counts only."""

from __future__ import annotations

import shutil
import socket
import time
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urlsplit

from django.conf import settings
from django.db import DatabaseError
from django.db.models import Min
from django.db.models.functions import Now
from django.http import HttpRequest, JsonResponse

from dashboard.jobs import models as job_models
from dashboard.jobs import workers
from dashboard.jobs.models import State
from dashboard.maintenance import cleanup
from dashboard.storage.stored_path import stored_files
from dashboard.storage.uploads import SPARE_BYTES

BROKER_S = 1.0


def healthz(request: HttpRequest) -> JsonResponse:
    """200 while the database answers, 503 when it does not.

    A broker or storage that is away and a disk that is nearly full are reported, and do not decide: a restart helps
    with none of them.
    """
    try:
        queue = {"database": True, "oldest_queued_s": _oldest_queued_s(), "expired_leases": _expired_leases()}
    except DatabaseError:
        queue = {"database": False, "oldest_queued_s": None, "expired_leases": None}
    report: dict[str, Any] = {"ok": queue["database"], **queue, **_workers(), "sweep_beat_s": _since_sweep_s()}
    report |= {"broker": _broker_answers(), "disk_space": _has_disk_space(), **_storage()}
    status = 200 if report["ok"] else 503
    return JsonResponse(report, status=status, headers={"Cache-Control": "no-store"})


def _oldest_queued_s() -> float | None:
    """Seconds the longest waiting job has waited; None when none waits."""
    first = [
        model._default_manager.filter(state=State.QUEUED).aggregate(first=Min("created_at"))["first"]
        for model in job_models.models_of()
    ]
    waiting = [one for one in first if one is not None]
    return round((job_models.now() - min(waiting)).total_seconds(), 1) if waiting else None


def _expired_leases() -> int:
    """Running jobs whose worker did not renew its lease in time; the sweep requeues them."""
    running = (model._default_manager.filter(state=State.RUNNING) for model in job_models.models_of())
    return sum(rows.filter(lease_until__lt=Now()).count() for rows in running)


def _workers() -> dict[str, Any]:
    """How many workers answer, and seconds since the last beat of any; None where none ever did.

    Web servers are up without workers, so this does not decide about ``ok``.
    """
    ages = workers.ages_s()
    return {"workers": workers.answering(), "worker_beat_s": round(ages[0], 1) if ages else None}


def _since_sweep_s() -> float | None:
    """Seconds since the last sweep; None when there was none."""
    beat = cleanup.beat_path()
    return round(time.time() - beat.stat().st_mtime, 1) if beat.exists() else None


def _broker_answers() -> bool:
    """Whether Redis answers at once; with TLS, whether it accepts a connection."""
    url = urlsplit(settings.CELERY_BROKER_URL)
    try:
        # a plain socket: a connection of Celery's would stay in the web process with all that it loads
        with _connected(url) as broker:
            if url.scheme == "rediss":
                return True
            broker.sendall(b"PING\r\n")
            return broker.recv(1) in (b"+", b"-")  # it may refuse a client without a password, and answers then
    except OSError:
        return False


def _connected(url: SplitResult) -> socket.socket:
    if url.scheme != "redis+socket":
        return socket.create_connection((url.hostname or "localhost", url.port or 6379), timeout=BROKER_S)
    line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        line.settimeout(BROKER_S)
        line.connect(url.path)
    except BaseException:
        line.close()
        raise
    return line


def _storage() -> dict[str, Any]:
    """Where files are stored, and whether that answers; hosts remove what they no longer need of their caches."""
    storage = stored_files()
    storage.maintain()
    return {"storage": "s3" if storage.shared else "local", "storage_answers": storage.answers()}


def _has_disk_space() -> bool:
    """Whether the disk of the files has more than what uploads leave free."""
    home = Path(settings.CAIRN_HOME)
    return home.exists() and shutil.disk_usage(home).free > SPARE_BYTES
