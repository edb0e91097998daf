"""Reads of the models that were published of check-ins."""

from __future__ import annotations

from typing import Any

from dashboard.core.errors import require_state
from dashboard.datasets.models import Dataset, Kind
from dashboard.datasets.selectors import require_kind
from dashboard.jobs.models import State
from dashboard.releases.models import Release
from dashboard.releases.selectors import visible_releases

MODELS = 12
"""Models of a dataset in a list."""


def published_model(user: Any, pk: Any) -> Release:
    """One finished release of check-ins that the user may read, with what reading its model needs alone: a fast query.

    Raises
    ------
    Release.DoesNotExist
        The user has no such release.
    Conflict
        It is not done.
    ParameterError
        It is of another kind of data.
    """
    rows = Release.objects.visible_to(user).select_related("dataset")
    row = rows.only("state", "kind", "mechanism", "data_file", "dataset__kind", "dataset__points_file").get(pk=pk)
    require_state(row, State.DONE, "release")
    require_kind(row.dataset, Kind.CHECKINS)
    return row


def models_of(user: Any, dataset: Dataset) -> list[Release]:
    """The newest finished releases of check-ins, at most :data:`MODELS`: published models before simulations."""
    done = visible_releases(user).filter(dataset=dataset, state=State.DONE).order_by("seeded", "-created_at")
    return list(done[:MODELS])
