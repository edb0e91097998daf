"""Chart data of a release: error, budget and temporal loss per event, thinned out for display."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from dashboard import storage
from dashboard.landmarks.queries import series_bounds
from dashboard.releases import files
from dashboard.releases.models import Release
from privacy_engine.accounting.temporal import LossFunction, smoothing_matrix, temporal_loss
from privacy_engine.data import Floats, Ints
from privacy_engine.errors import ParameterError

MAX_SHOWN_STATES = 10
MAX_S = 1e6
MAX_TEXT = 60_000
POINTS = (10, 20_000)


@dataclass(frozen=True)
class Correlation:
    """How neighbouring positions hang together: given matrices, or ``n`` states smoothed by ``s``."""

    backward: LossFunction | None
    forward: LossFunction | None
    s: float | None = None
    n: int | None = None

    @classmethod
    def smoothed(cls, n: int, s: float) -> Correlation:
        """The same smoothing matrix both ways.

        Raises
        ------
        ParameterError
            ``n`` or ``s`` lies outside its domain.
        """
        if not 0 <= s <= MAX_S:
            raise _refused("s", f"between 0 and {MAX_S:,.0f}", s)
        carried = _smoothed(n, s)
        return cls(carried, carried, s, n)

    @classmethod
    def given(cls, backward: str, forward: str) -> Correlation:
        """Matrices as JSON text; without one there is no correlation in that direction.

        Raises
        ------
        EngineError
            Not a square matrix of numbers whose rows sum to 1, or too large.
        """
        return cls(_matrix(backward, "backward"), _matrix(forward, "forward"))

    @classmethod
    def asked(cls, *, n: int, s: float, backward: str, forward: str) -> Correlation:
        """:meth:`given` where there is a matrix, else :meth:`smoothed`; errors as there."""
        return cls.given(backward, forward) if backward or forward else cls.smoothed(n, s)

    def shown(self) -> dict[str, Any]:
        """What a chart says about it."""
        found: dict[str, Any] = {"s": self.s, "n": self.n}
        for name, carried in (("backward_matrix", self.backward), ("forward_matrix", self.forward)):
            if carried is not None and len(carried.matrix) <= MAX_SHOWN_STATES:
                found[name] = carried.matrix.tolist()
        return found


def _refused(field: str, rule: str, value: Any) -> ParameterError:
    return ParameterError(f"{field} must be {rule}, got {value!r:.60}", field=field, rule=rule, value=value)


@functools.lru_cache(maxsize=64)
def _smoothed(n: int, s: float) -> LossFunction:
    return LossFunction(smoothing_matrix(n, s))


def _matrix(text: str, field: str) -> LossFunction | None:
    if not text:
        return None
    if len(text) > MAX_TEXT:
        raise _refused(field, f"at most {MAX_TEXT:,} characters", len(text))
    try:
        rows = json.loads(text, parse_int=float)
    except (ValueError, RecursionError):
        rows = None
    square = isinstance(rows, list) and all(isinstance(row, list) and len(row) == len(rows) for row in rows)
    if not square or not all(isinstance(value, float) for row in rows for value in row):
        raise _refused(field, "a square matrix of numbers as JSON, [[…], …]", text)
    return LossFunction(rows, field=field)


def chart_data(row: Release, *, series: int, correlation: Correlation, points: int) -> dict[str, Any]:
    """Error, budget and temporal loss over the events of one series, for its owner.

    Raises
    ------
    ParameterError
        There is no such series, or ``points`` lies outside its domain.
    """
    if not POINTS[0] <= points <= POINTS[1]:
        raise _refused("points", f"between {POINTS[0]} and {POINTS[1]:,}", points)
    found = files.read_curves(row, series)
    loss = temporal_loss(found.budget, backward=correlation.backward, forward=correlation.forward)
    start, end = series_bounds(row.dataset.series_lengths, series)
    curves = [found.error_m, found.budget, loss.backward, loss.forward, loss.total]
    at = decimated(curves, points)
    return {
        "series": series,
        "event": at.tolist(),
        "time_s": None if found.time_s is None else _json(found.time_s[at]),
        "error_m": _json(found.error_m[at]),
        "budget": found.budget[at].tolist(),
        "loss": {
            "backward": loss.backward[at].tolist(),
            "forward": loss.forward[at].tolist(),
            "total": loss.total[at].tolist(),
            **correlation.shown(),
        },
        "landmarks": storage.runs(row.landmark_set.mask[start:end]),
        "points": len(found.budget),
        "decimated": len(at) < len(found.budget),
    }


def decimated(curves: list[Floats], points: int) -> Ints:
    """At most ``points`` indices that keep every curve's lowest and highest value in each of equal bins."""
    n = len(curves[0])
    if n <= points:
        return np.arange(n)
    bins = max((points - 2) // (2 * len(curves)), 1)
    edges = np.linspace(0, n, bins + 1).astype(np.int64)
    size = int(np.diff(edges).max())
    index = np.minimum(edges[:-1, None] + np.arange(size), edges[1:, None] - 1)  # (bins, size), the last repeated
    kept = [np.array([0, n - 1])]
    for curve in curves:
        values = curve[index]
        kept.append(index[np.arange(bins), np.where(np.isnan(values), np.inf, values).argmin(axis=1)])
        kept.append(index[np.arange(bins), np.where(np.isnan(values), -np.inf, values).argmax(axis=1)])
    return np.unique(np.concatenate(kept))


def _json(values: Floats) -> list[float | None]:
    return [None if value != value else value for value in values.tolist()]
