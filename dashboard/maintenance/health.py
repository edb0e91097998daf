"""``/healthz``: is the service healthy? Public, so it has ages and counts only."""

from __future__ import annotations

import time
from typing import Any

from django.db import DatabaseError
from django.db.models import Min
from django.db.models.functions import Now
from django.http import HttpRequest, JsonResponse

from dashboard.jobs import models as job_models
from dashboard.jobs import workers
from dashboard.jobs.models import State
from dashboard.maintenance import cleanup


def healthz(request: HttpRequest) -> JsonResponse:
    """200 while the database answers, 503 when it does not."""
    try:
        queue = {"database": True, "oldest_queued_s": _oldest_queued_s(), "expired_leases": _expired_leases()}
    except DatabaseError:
        queue = {"database": False, "oldest_queued_s": None, "expired_leases": None}
    report: dict[str, Any] = {"ok": queue["database"], **queue, **_workers(), "sweep_beat_s": _since_sweep_s()}
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
