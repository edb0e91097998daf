"""Releases of count streams and check-ins: what pages and the API show of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from dashboard.datasets import cells, counts, ledger
from dashboard.datasets.models import unit_text
from dashboard.releases.models import Release
from dashboard.storage import data_files
from privacy_engine.accounting.promise import Context
from privacy_engine.analysis.stream_detection import Detection, detection
from privacy_engine.core.arrays import Floats
from privacy_engine.mechanisms.base.checkins import CheckInMechanism
from privacy_engine.mechanisms.base.mechanism import Mechanism
from privacy_engine.mechanisms.recommendation.beside_nearest import not_better
from privacy_engine.metrics.stream_events import Event
from privacy_engine.recommender import Recommender


def read_release(row: Release) -> Any:
    """Return what a finished release published."""
    return data_files.read_release(row.kind, row.data_path)


def released_counts(row: Release, which: int | None, points: int) -> dict[str, Any]:
    """Return one stream of a release, or the total, beside the upload's, thinned out for a chart."""
    return counts.shown(_original(row), which, points, released=read_release(row))


def detected(row: Release, *, event: Event, length: int, threshold: float) -> Detection:
    """Return how well events of the upload are detected in a release, over all dimensions."""
    published = read_release(row).counts.astype(np.float64)
    return detection(_original(row).counts, published, event, length, threshold)


def released_cells(row: Release, k: int) -> dict[str, Any]:
    """Return the cells that a release ranks first, beside the upload's counts of them."""
    model = read_release(row)
    uploaded = cells.counted(model.grid, _original(row))
    return cells.ranked(model.grid, masses_of(model), uploaded, k)


def masses_of(model: Recommender) -> Floats:
    """Return what a model published of every cell, (cells,): its masses, or its scores without a history."""
    masses = model.densities()
    return model.scores([]) if masses is None else masses


def promise_of(mechanism: Mechanism, context: Context) -> dict[str, Any]:
    """Return what a mechanism promises in a context, and how large its noise is; no data are read."""
    guarantee = mechanism.guarantee(context)
    return {
        "name": mechanism.name,
        "title": mechanism.title,
        "statement": guarantee.statement,
        "not_covered": list(guarantee.not_covered),
        "neighbours": guarantee.neighbours.words,
        "assumptions": list(guarantee.assumptions),
        "caveats": list(guarantee.caveats),
        "publishable": not mechanism.unsound,
        "noise_sd": mechanism.noise_sd(),  # type: ignore[attr-defined]
        "noise_varies": mechanism.noise_varies,
        "better_elsewhere": mechanism.better_elsewhere,
        "public_baseline": not_better(mechanism) if isinstance(mechanism, CheckInMechanism) else "",
    }


def price_of(price: ledger.Price) -> dict[str, Any]:
    """Return a price of the ledger in ε."""
    return {"unit": price.unit, "label": unit_text(price.unit), **price.levels(), "fits": price.fits}


def _original(row: Release) -> Any:
    return data_files.cached_data(row.kind, row.dataset.points_path)
