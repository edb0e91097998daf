"""Reads of the landmarks app."""

import hashlib
import hmac
from typing import Any, BinaryIO

import numpy as np
from django.conf import settings
from django.db.models import Count, QuerySet, Sum
from django.http import HttpRequest

from dashboard.core.computing import computed_where
from dashboard.core.errors import must_be
from dashboard.core.rest.json_text import as_json
from dashboard.datasets.models import Dataset
from dashboard.landmarks.models import DummyDraw, LandmarkSet
from privacy_engine.analysis.downsampling import runs
from privacy_engine.core.arrays import Mask
from privacy_engine.landmarks.dummy_methods import OneSided
from privacy_engine.landmarks.synthetic import dataset_temporal_distance


def visible_landmark_sets(user: Any) -> QuerySet[LandmarkSet]:
    """Those of the datasets that the user may read, newest first."""
    return LandmarkSet.objects.visible_to(user).select_related("dataset").defer("packed")


def sets_of_page(request: HttpRequest, dataset: Dataset) -> dict[str, Any]:
    """The landmark sets that the page of a dataset shows."""
    return {"landmark_sets": list(visible_landmark_sets(request.user).filter(dataset=dataset).defer("packed"))}


def events_of(landmark_set: LandmarkSet, *, series: int | None = None) -> dict[str, Any]:
    """Runs, count and share over the whole dataset, or over a series with its events counted from 0.

    Of a set with dummies also the runs of its ``dummies``: for its owner's eyes.

    Raises
    ------
    ParameterError
        There is no such series.
    """
    start, end, lengths = 0, landmark_set.points, landmark_set.dataset.series_lengths
    if series is not None:
        start, end = series_bounds(lengths, series)
        lengths = [end - start]
    mask = landmark_set.mask[start:end]
    facts = described(mask, lengths)
    if landmark_set.source is not None:
        facts["dummies"] = runs(mask & ~landmark_set.source.mask[start:end])
    return facts


@computed_where(lambda landmark_set, **_: landmark_set.dataset.is_large)
def events_json(landmark_set: LandmarkSet, *, series: int | None = None) -> bytes | BinaryIO:
    """:func:`events_of` as JSON."""
    return as_json(events_of(landmark_set, series=series))


def source_digest(landmark_set: LandmarkSet) -> str:
    """Which points and which of them are landmarks, under a key: what draws of dummies are counted by."""
    mac = hmac.new(settings.SECRET_KEY.encode(), b"cairn dummies 1 ", hashlib.sha256)
    mac.update(landmark_set.dataset.content_digest.encode())
    mac.update(np.packbits(landmark_set.mask).tobytes())
    return mac.hexdigest()


def draws_from(landmark_set: LandmarkSet) -> dict[str, Any]:
    """How many draws of dummies these landmarks have seen (``earlier_selections``), and the sum of their levels.

    The levels are plain numbers, added up as successive draws are (sequential composition); never per metre.
    """
    sums = _draws(landmark_set).aggregate(n=Count("pk"), level=Sum("epsilon"))
    return {"earlier_selections": sums["n"], "level_spent": sums["level"] or 0.0}


def other_draws_from(landmark_set: LandmarkSet) -> QuerySet[DummyDraw]:
    """The draws of dummies from these landmarks that were no one-sided coins."""
    return _draws(landmark_set).exclude(method=OneSided.registered_name())


def _draws(landmark_set: LandmarkSet) -> QuerySet[DummyDraw]:
    return DummyDraw.objects.filter(owner=landmark_set.dataset.owner_id, source_digest=source_digest(landmark_set))


def described(mask: Mask, lengths: list[int]) -> dict[str, Any]:
    """A mask over series of these lengths as the API shows it."""
    count = int(mask.sum())
    return {
        "count": count,
        "share": count / len(mask) if len(mask) else 0.0,
        "points": len(mask),
        "runs": runs(mask),
        "average_temporal_distance": dataset_temporal_distance(mask, lengths),
    }


def series_bounds(lengths: list[int], series: int) -> tuple[int, int]:
    """First event of a series, and the first after it, counted over the dataset."""
    if not 0 <= series < len(lengths):
        raise must_be("series", f"between 0 and {len(lengths) - 1}", series)
    start = sum(lengths[:series])
    return start, start + lengths[series]
