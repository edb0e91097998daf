"""The actions that releases of one kind of data have in the API: a class a kind, of which the view set inherits."""

from __future__ import annotations

from typing import Any

from dashboard.core.by_kind import ByKind
from dashboard.datasets.selectors import require_kind
from dashboard.releases.models import Release

actions: ByKind[type[Any]] = ByKind("dashboard.releases", "api")


def finished_of_kind(view: Any, kind: str) -> Release:
    """Return the release that a request is about; refuse one that is not done, or of another kind."""
    row: Release = view.finished_object()
    require_kind(row.dataset, kind)
    return row
