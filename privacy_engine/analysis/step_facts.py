"""The usual step of series, and how much of their time lies in gaps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from privacy_engine.analysis.results import Result
from privacy_engine.core import geo
from privacy_engine.core.arrays import Floats
from privacy_engine.core.growing_column import gathered

GAP_STEPS = 10
"""A gap is a step that takes longer than this many median steps."""

Columns = tuple[Floats, Floats, Floats | None]
"""Longitudes and latitudes (n,) in degrees of one series, its times in seconds or None."""


class StepFacts(Result):
    """Steps between successive events of a series, of all series together."""

    median_m: float | None
    """Half of the steps are at most this long; null without two events in a series."""
    median_s: float | None
    """Half of the steps take at most this long; null without times."""
    gap_s: float | None
    """A step that takes longer is a gap: ten median steps; null without times."""
    gap_share: float | None
    """The share of the time that lies in gaps; null without times."""


def step_facts(series: Sequence[Columns]) -> StepFacts:
    """Return the facts of the steps of ``series``; no step leads from one series to the next.

    >>> step_facts([(np.zeros(4), np.zeros(4), np.array([0.0, 60.0, 120.0, 1320.0]))]).gap_share
    0.9090909090909091
    """
    far = gathered(geo.distance_m(lon[:-1], lat[:-1], lon[1:], lat[1:]) for lon, lat, _ in series)
    steps, median_m = len(far), _median(far)
    del far  # one of both columns of a large file in memory, not two
    long = gathered(np.diff(time_s) for _, _, time_s in series if time_s is not None)
    if not steps or len(long) < steps:
        return StepFacts(median_m=median_m, median_s=None, gap_s=None, gap_share=None)
    total, usual = float(long.sum()), _median(long)
    assert usual is not None
    share = float(long[long > GAP_STEPS * usual].sum()) / total if total else 0.0
    return StepFacts(median_m=median_m, median_s=usual, gap_s=GAP_STEPS * usual, gap_share=share)


def _median(values: Floats) -> float | None:
    """The median; the order of ``values`` changes."""
    return float(np.median(values, overwrite_input=True)) if len(values) else None
