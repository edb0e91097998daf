"""What templates show of jobs."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from dashboard.jobs.positions import positions


def queue(request: HttpRequest) -> dict[str, Any]:
    """``queue_positions``, the places in the queues by id: counted where a page shows one, and once."""
    return {"queue_positions": SimpleLazyObject(positions)}
