"""Releases that a request names by id."""

import uuid
from collections.abc import Iterable, Sequence
from typing import Any

from django.http import Http404

from dashboard.datasets.models import Dataset
from dashboard.releases.models import Release
from dashboard.releases.selectors import visible_releases


def requested_releases(user: Any, dataset: Dataset, requested: Sequence[uuid.UUID]) -> list[Release]:
    """The releases of the dataset requested by id."""
    return _all(visible_releases(user).filter(dataset=dataset, pk__in=requested), requested)


def releases_by_id(user: Any, requested: Sequence[uuid.UUID]) -> list[Release]:
    """The releases requested by id, of whichever dataset."""
    return _all(visible_releases(user).filter(pk__in=requested), requested)


def _all(releases: Iterable[Release], requested: Sequence[uuid.UUID]) -> list[Release]:
    rows = list(releases)
    if len(rows) != len(set(requested)):
        raise Http404("There is no such release.")
    return rows
