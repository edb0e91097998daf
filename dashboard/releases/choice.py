"""What the comparison and the release form show: which landmark set, which releases, which shares of the budget."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any

import numpy as np
from django.http import Http404

from dashboard.datasets.models import Dataset
from dashboard.jobs import State
from dashboard.landmarks.models import LandmarkSet
from dashboard.landmarks.queries import visible_landmark_sets
from dashboard.releases.models import Release
from dashboard.releases.queries import visible_releases
from privacy_engine.data import Mask
from privacy_engine.registry import mechanisms

MANY = 5_000_000  # events; beyond, shares are worked out for the first landmark sets only


def chosen_set(user: Any, dataset: Dataset, asked: uuid.UUID | None, releases: Sequence[Release]) -> LandmarkSet | None:
    """The landmark set asked for, else that of the releases asked for, of the newest release, or the newest."""
    sets = visible_landmark_sets(user).filter(dataset=dataset)
    if asked is not None:
        found = sets.filter(pk=asked).first()
        if found is None:
            raise Http404("There is no such landmark set.")
        return found
    newest = releases[0] if releases else visible_releases(user).filter(dataset=dataset).first()
    return newest.landmark_set if newest else sets.first()


def asked_releases(user: Any, dataset: Dataset, asked: Sequence[uuid.UUID]) -> list[Release]:
    """The releases asked for by id."""
    found = list(visible_releases(user).filter(dataset=dataset, pk__in=asked))
    if len(found) != len(set(asked)):
        raise Http404("There is no such release.")
    return found


def compared(user: Any, landmark_set: LandmarkSet, asked: Sequence[Release]) -> list[uuid.UUID]:
    """Ids of the releases to show: the several asked for; else the newest of each mechanism, but the one asked for."""
    if len(asked) > 1:
        return [release.pk for release in asked]
    shown = {release.mechanism: release.pk for release in asked}
    for release in visible_releases(user).filter(landmark_set=landmark_set).exclude(state=State.CANCELLED):
        shown.setdefault(release.mechanism, release.pk)
    return list(shown.values())


def shares(landmark_sets: Sequence[LandmarkSet]) -> dict[str, dict[str, Any]]:
    """For each landmark set and mechanism, the least and greatest share of ε that landmarks and others get.

    None where the budgets depend on the run or on parameters of the mechanism's own, or where working them out would
    take long.
    """
    found: dict[str, dict[str, Any]] = {}
    events = 0
    for one in landmark_sets:
        events += one.points
        parts = _parts(one) if events <= MANY else []
        found[str(one.pk)] = {cls.registered_name(): _share(cls, parts) for cls in mechanisms}
    return found


def _parts(landmark_set: LandmarkSet) -> list[Mask]:
    ends = np.cumsum(landmark_set.dataset.series_lengths)[:-1]
    return [np.asarray(part) for part in np.split(landmark_set.mask, ends)]


def _share(cls: Any, parts: list[Mask]) -> dict[str, list[float] | None] | None:
    needed = {field["name"] for field in cls.fields() if field["required"]}
    if not parts or not hasattr(cls, "budgets") or needed != {"epsilon", "radius_m"}:
        return None
    mechanism = cls(epsilon=1.0, radius_m=1.0)  # budgets are linear in ε
    try:
        budgets = np.concatenate([mechanism.budgets(part) for part in parts])
    except NotImplementedError:
        return None
    mask = np.concatenate(parts)
    return {"landmark": _range(budgets[mask]), "regular": _range(budgets[~mask])}


def _range(values: np.ndarray) -> list[float] | None:
    return [float(values.min()), float(values.max())] if values.size else None
