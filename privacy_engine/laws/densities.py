"""Exact densities of a release under two truths, by the rates at which a mechanism requests its noise.

A draw of event t has density proportional to exp(-rate_t d(x_t, z_t)); its normalisation is the same everywhere. So the
log-ratio of one output's densities under two truths is a sum of differences of distances, *if* the rates are the same
under both: given the same draws, what a mechanism requests and releases may not change by a bit.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from privacy_engine import noise
from privacy_engine.core import geo
from privacy_engine.core.arrays import Floats, Mask
from privacy_engine.data import LandmarkSet, Release, Trajectory
from privacy_engine.laws.base import Case, NotChecked, same

SAMPLERS = {"planar_laplace": noise.planar_laplace, "joint_planar": noise.joint_planar}


class Recording:
    """Replaces the noise of a mechanism: records rates and draws, or returns the draws of another recording."""

    def __init__(self, series: Trajectory, played: Any = None) -> None:
        self.series, self.played = series, played
        self.event = {lon: event for event, lon in enumerate(series.lon.tolist())}  # known by their longitudes
        self.rates, self.joint = np.zeros(len(series)), 0.0
        self.lon, self.lat = np.full((2, len(series)), math.nan)

    @contextmanager
    def _installed(self) -> Iterator[None]:
        try:
            for name, sampler in SAMPLERS.items():
                setattr(noise, name, self._in_place_of(name, sampler))
            yield
        finally:
            for name, sampler in SAMPLERS.items():
                setattr(noise, name, sampler)

    def _in_place_of(self, name: str, sampler: Any) -> Any:
        def draw(lon: Any, lat: Any, epsilon_per_m: Any, *, rng: Any, **starts: Any) -> Any:
            events = [self.event.get(one, -1) for one in np.atleast_1d(lon).tolist()]
            if -1 in events or not np.array_equal(self.series.lat[events], lat):
                raise NotChecked("it draws noise about positions that are not those of events")
            if name == "joint_planar":
                self.joint = sum(epsilon_per_m.tolist())
            self.rates[events] = self.joint if starts else epsilon_per_m
            if self.played is None:
                self.lon[events], self.lat[events] = sampler(lon, lat, epsilon_per_m, rng=rng, **starts)
                return self.lon[events], self.lat[events]
            return self.played.lon[events], self.played.lat[events]

        return draw

    def release(self, mechanism: Any, mask: Mask, seed: int) -> Release:
        """A release whose noise is recorded, or played."""
        with self._installed():
            release: Release = mechanism.release(self.series, LandmarkSet(mask), rng=noise.seeded(seed))
        return release

    def away_m(self, draws: Any) -> Floats:
        """How far each event's truth in this recording lies from the draw in the other one, (n,)."""
        return geo.distance_m(self.series.lon, self.series.lat, draws.lon, draws.lat)


def independent(here: Recording, there: Recording, mask: Mask, fresh: Mask) -> float:
    """ln(density of the draws under the truth ``here`` / under ``there``), every draw with noise of its own."""
    return float((here.rates * (there.away_m(here) - here.away_m(here)))[fresh].sum())


def joint(here: Recording, there: Recording, mask: Mask, fresh: Mask) -> float:
    """As :func:`independent`, the landmarks drawn at once with density ∝ exp(-rate · max over them of d(x_i, z_i))."""
    landmarks = mask & fresh
    ratio = independent(here, there, mask, fresh & ~mask)
    if landmarks.any():
        ratio += here.joint * float(there.away_m(here)[landmarks].max() - here.away_m(here)[landmarks].max())
    return ratio


def protected_sets(mechanism: Any, mask: Mask) -> Iterator[Mask]:
    """The events that may move together under the level a mechanism states, each set as a mask."""
    event = np.arange(len(mask))
    if mechanism.level == "user":
        yield event >= 0
    elif mechanism.level == "w-event":
        for t in event:
            yield (event >= t) & (event < t + mechanism.window)
    else:
        for t in event:
            yield (event == t) | (mask & (mechanism.level == "landmark"))


def away_from(draws: Recording, moved: Mask, metres: float) -> Trajectory:
    """The series with ``moved`` events moved along the great circle that leads away from (towards) their draws."""
    lon, lat = draws.series.lon.copy(), draws.series.lat.copy()
    moved = moved & np.isfinite(draws.lon)
    events = np.flatnonzero(moved)
    plane = [geo.LocalPlane(lon[t], lat[t]).project(draws.lon[t], draws.lat[t])[0] for t in events]
    bearing = np.array([math.atan2(-east, -north) for east, north in plane])
    lon[moved], lat[moved] = geo.destination(lon[moved], lat[moved], metres, bearing)
    return Trajectory(lon, lat, draws.series.time_s, draws.series.name)


def somewhere(series: Trajectory, moved: Mask, seed: int, radius_m: float) -> Trajectory:
    """The series with ``moved`` events moved anywhere, by up to the radius."""
    rng, lon, lat = np.random.default_rng(seed), series.lon.copy(), series.lat.copy()
    metres = radius_m * np.where(rng.random(len(lon)) < 0.5, 1, rng.random(len(lon)))
    to = geo.destination(lon, lat, metres, rng.uniform(0, 2 * math.pi, len(lon)))
    return Trajectory(np.where(moved, to[0], lon), np.where(moved, to[1], lat), series.time_s, series.name)


def losses(case: Case, mechanism: Any, series: Trajectory, mask: Mask, seed: int) -> list[float]:
    """Log-ratios of one output under the truth and its neighbours: away from the draws, towards them, anywhere."""
    found, radius_m = [], mechanism.radius_m
    here = Recording(series)
    one = here.release(mechanism, mask, seed)
    if one.fresh.any() and not here.rates[one.fresh].any():
        raise NotChecked("it draws noise of its own, which the audit alone tests")
    for moved in protected_sets(mechanism, mask):
        truths = [away_from(here, moved, metres) for metres in (radius_m, -radius_m)]
        for truth in (*truths, somewhere(here.series, moved, seed, radius_m)):
            there = Recording(truth, played=here)
            two = there.release(mechanism, mask, seed + 1)
            requested = np.array_equal(there.rates[one.fresh], here.rates[one.fresh]) and there.joint == here.joint
            case.require(requested, "noise depends on positions other than by what was drawn")
            equal = same(one, two, "event", "budgets", "fresh") and same(one.series, two.series, "lon", "lat")
            case.require(equal, "with the same draws and another truth the release is another one")
            ratio = joint if mechanism.drawn_together(mask, one.fresh).any() else independent
            found.append(ratio(here, there, mask, one.fresh))
    alone = one.fresh & ~(mask & bool(here.joint))
    declared = np.allclose(here.rates[alone] * radius_m, one.budgets[alone], rtol=3e-12)
    together = one.budgets[mask].sum() if here.joint else 0.0
    declared = declared and math.isclose(here.joint * radius_m, together, rel_tol=3e-12)
    case.require(declared, "noise is drawn at other rates than the declared budgets")
    return found
