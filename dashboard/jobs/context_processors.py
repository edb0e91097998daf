"""What templates show of jobs."""

from typing import Any

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from dashboard.jobs.positions import positions
from privacy_engine.core import kernel_folder


def queue(request: HttpRequest) -> dict[str, Any]:
    """``queue_positions``, the places in the queues by id: counted where a page shows a place, and once.

    ``compiling``: whether a part of the engine may have to be compiled first.
    """
    return {"queue_positions": SimpleLazyObject(positions), "compiling": lambda: not kernel_folder.is_complete()}
