"""What the steps share: a release as measurements in a plane, and back."""

from dataclasses import replace
from typing import ClassVar

import numpy as np

from privacy_engine.core import geo
from privacy_engine.core.arrays import Floats
from privacy_engine.core.component import Component
from privacy_engine.data import Release
from privacy_engine.noise import on_grid
from privacy_engine.registry import Registry


class PostProcess(Component):
    """Base of every step: it sees the published positions, which of them are draws, and how noisy each draw is.

    A position that repeats another is no second measurement. Time is counted in events.
    """

    causal: ClassVar[bool] = False
    """True if an event's position depends on no later release: fit for live use."""

    name: str

    def apply(self, release: Release) -> Release:
        """The release with other positions; its events, times, budgets and draws are the same."""
        measured = release.fresh[release.event]
        if not measured.any():
            return release
        lon, lat, at = release.series.lon, release.series.lat, release.event[measured]
        centre = slice(1) if self.causal else slice(None)  # the mean of all draws would reveal later ones
        plane = geo.LocalPlane.around(lon[measured][centre], lat[measured][centre])
        xy_m = np.zeros((len(release.budgets), 2))
        precision = np.zeros(len(release.budgets))
        xy_m[at] = plane.project(lon[measured], lat[measured])
        precision[at] = release.sd_m[at] ** -2.0
        estimate = self.estimate(xy_m, precision)[release.event]
        known = np.isfinite(estimate[:, 0])
        lon, lat = lon.copy(), lat.copy()
        lon[known], lat[known] = on_grid(*plane.unproject(estimate[known]))
        return replace(release, series=release.series.moved(lon, lat))

    def estimate(self, xy_m: Floats, precision: Floats) -> Floats:
        """Positions (n, 2) in metres from draws (n, 2) and their precision (n,), 1/variance per axis, 0 for no draw.

        Not a number where nothing is known: the release's own position stays.
        """
        raise NotImplementedError

    def seconds(self, events: int) -> float:
        """About how long it takes on a single core of a small machine."""
        return 1e-3 + 2e-6 * events


postprocesses: Registry[PostProcess] = Registry("step")
