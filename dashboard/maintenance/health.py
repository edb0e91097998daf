"""``/healthz``: is the service healthy? Public, so it has ages and counts only."""

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import DatabaseError
from django.db.models import Count, Min, Q
from django.db.models.functions import Now
from django.http import HttpRequest, JsonResponse

from dashboard.core.beats import Beat
from dashboard.core.broker_ping import broker_answers
from dashboard.jobs import models as job_models
from dashboard.jobs import workers
from dashboard.jobs.models import State
from dashboard.jobs.reaper import stalled_queues
from dashboard.maintenance import cleanup
from dashboard.storage.stored_path import stored_files
from dashboard.storage.uploads import SPARE_BYTES


def healthz(request: HttpRequest) -> JsonResponse:
    """200 while the database answers, 503 when it does not; not ``ok`` either while queues are ``stalled``.

    A broker or storage that is away and a disk that is nearly full are reported, and do not decide: a restart helps
    with none of them. Processes are not looked for while the broker is away: each look would wait for it.
    """
    broker = broker_answers(settings.CELERY_BROKER_URL)
    seen = workers.latest() if broker else []
    try:
        queues, expired = _queues(seen)
        oldest = max((facts["oldest_s"] for facts in queues.values() if facts["waiting"]), default=None)
        queue = {"database": True, "oldest_queued_s": oldest, "expired_leases": expired, "queues": queues}
        stalled = [] if oldest is None else stalled_queues(seen)
    except DatabaseError:
        queue = {"database": False, "oldest_queued_s": None, "expired_leases": None, "queues": None}
        stalled = []
    report: dict[str, Any] = {"ok": queue["database"] and not stalled, "stalled": stalled, **queue}
    # web servers are up without workers: that does not decide about ``ok``, jobs that wait in vain do
    report |= {"workers": workers.answering(seen), "worker_beat_s": _rounded(seen[0].age_s if seen else None)}
    report |= {"sweep_beat_s": _rounded(cleanup.last_sweep_s() if broker else None), "broker": broker}
    report |= {"disk_space": _has_disk_space(), **_storage()}
    status = 200 if queue["database"] else 503
    return JsonResponse(report, status=status, headers={"Cache-Control": "no-store"})


def _queues(seen: Sequence[Beat]) -> tuple[dict[str, dict[str, Any]], int]:
    """By queue: what waits and since when, what runs, and the workers, for an autoscaler; how many leases expired.

    The sweep requeues jobs with an expired lease: their worker did not renew it in time.
    """
    now, expired = job_models.now(), 0
    queues: dict[str, dict[str, Any]] = {
        name: {"waiting": 0, "oldest_s": None, "running": 0, "workers": n}
        for name, n in workers.answering_by_queue(seen).items()
    }
    waits, runs = Q(state=State.QUEUED), Q(state=State.RUNNING)
    for model in job_models.models_of():
        counts = model._default_manager.filter(waits | runs).aggregate(
            waiting=Count("pk", filter=waits),
            running=Count("pk", filter=runs),
            expired=Count("pk", filter=runs & Q(lease_until__lt=Now())),
            first=Min("created_at", filter=waits),
        )
        queue = queues[model.QUEUE]
        queue["waiting"] += counts["waiting"]
        queue["running"] += counts["running"]
        expired += counts["expired"]
        if counts["first"] is not None:
            age_s = round((now - counts["first"]).total_seconds(), 1)
            queue["oldest_s"] = max(age_s, queue["oldest_s"] or 0.0)
    return queues, expired


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 1)


def _storage() -> dict[str, Any]:
    """Where files are stored, and whether that answers; hosts remove what they no longer need of their caches."""
    storage = stored_files()
    storage.maintain()
    return {"storage": "s3" if storage.shared else "local", "storage_answers": storage.answers()}


def _has_disk_space() -> bool:
    """Whether the disk of the files has more than what uploads leave free."""
    home = Path(settings.CAIRN_HOME)
    return home.exists() and shutil.disk_usage(home).free > SPARE_BYTES
