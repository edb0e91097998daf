"""Which landmark set and which releases the comparison and the form of trajectories show."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any

from django.db.models import Q, QuerySet
from django.http import Http404

from dashboard.datasets.models import Dataset
from dashboard.jobs.models import State
from dashboard.landmarks.models import LandmarkSet
from dashboard.landmarks.selectors import visible_landmark_sets
from dashboard.releases.models import Release
from dashboard.releases.selectors import visible_releases

LISTED = 24
"""Releases in the legend of a comparison that names none; the others can be chosen."""


def chosen_set(
    user: Any, dataset: Dataset, requested: uuid.UUID | None, releases: Sequence[Release]
) -> LandmarkSet | None:
    """The requested landmark set, else that of the requested releases, of the newest release with a set, or the newest.

    None where the dataset has no set.
    """
    sets = visible_landmark_sets(user).filter(dataset=dataset)
    if requested is not None:
        chosen = sets.filter(pk=requested).first()
        if chosen is None:
            raise Http404("There is no such landmark set.")
        return chosen
    with_set = visible_releases(user).filter(dataset=dataset, landmark_set__isnull=False)
    newest = next((release for release in releases if release.landmark_set), None) or with_set.first()
    return newest.landmark_set if newest else sets.first()


def comparable(user: Any, dataset: Dataset, landmark_set: LandmarkSet | None) -> QuerySet[Release]:
    """The releases of the dataset that can be compared on the landmarks of a set: its own, and those without any."""
    return visible_releases(user).filter(Q(landmark_set=landmark_set) | Q(landmark_set=None), dataset=dataset)


def compared(
    user: Any, dataset: Dataset, landmark_set: LandmarkSet | None, requested: Sequence[Release]
) -> list[uuid.UUID]:
    """Ids of the releases to list: the several requested; else the newest of each title, but that requested."""
    if len(requested) > 1:
        return [release.pk for release in requested]
    listed = {_sort(release): release.pk for release in requested}
    for release in comparable(user, dataset, landmark_set).exclude(state=State.CANCELLED):
        listed.setdefault(_sort(release), release.pk)
    return list(listed.values())[:LISTED]


def _sort(release: Release) -> tuple[Any, ...]:
    """Its mechanism and level, and the steps after it."""
    level = (release.spec["mechanism"].get(name) for name in ("epsilon", "radius_m"))
    return (release.mechanism, *level, *(step["name"] for step in release.spec.get("postprocess", ())))
