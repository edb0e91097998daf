"""What a release costs in use. These read the truth: they are the owner's, never a part of a release."""

from __future__ import annotations

import numpy as np

from privacy_engine import geo
from privacy_engine.data import Floats, Release, Trajectory


def error_m(truth: Trajectory, release: Release) -> Floats:
    """Great-circle distance from each published position to its event's true one, metres, (m,)."""
    at = release.event
    return geo.distance_m(truth.lon[at], truth.lat[at], release.series.lon, release.series.lat)


def mean_absolute_error_m(truth: Trajectory, release: Release) -> float:
    """Mean of :func:`error_m`; not a number for an empty release."""
    errors = error_m(truth, release)
    return float(errors.mean()) if errors.size else float(np.nan)
