"""The usual step of series, and how much of their time lies in gaps."""

from collections.abc import Iterable

import numpy as np

from privacy_engine.analysis.quantiles import Quantiles
from privacy_engine.analysis.results import Result
from privacy_engine.core import geo
from privacy_engine.core.arrays import Floats

GAP_STEPS = 10
"""A gap is a step that takes longer than this many median steps."""

Columns = tuple[Floats, Floats, Floats | None]
"""Longitudes and latitudes (n,) in degrees of a series, its times in seconds or None."""


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


def step_facts(series: Iterable[Columns]) -> StepFacts:
    """Return the facts of the steps of ``series``; no step leads from a series to the next.

    >>> step_facts([(np.zeros(4), np.zeros(4), np.array([0.0, 60.0, 120.0, 1320.0]))]).gap_share
    0.9090909090909091
    """
    far, long = Quantiles(), Quantiles()
    for lon, lat, time_s in series:
        far.add(geo.distance_m(lon[:-1], lat[:-1], lon[1:], lat[1:]))
        if time_s is not None:
            long.add(np.diff(time_s))
    if not far.count or long.count < far.count:
        return StepFacts(median_m=far.median(), median_s=None, gap_s=None, gap_share=None)
    total, usual = long.total(), long.median()
    assert usual is not None
    share = long.total(above=GAP_STEPS * usual) / total if total else 0.0
    return StepFacts(median_m=far.median(), median_s=usual, gap_s=GAP_STEPS * usual, gap_share=share)
