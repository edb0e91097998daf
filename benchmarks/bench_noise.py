"""Item 2: planar Laplace noise of experiments and of releases."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.floors import Floor
from benchmarks.page import Target
from benchmarks.references import noise as reference
from benchmarks.timing import Side
from privacy_engine import noise
from privacy_engine.core import geo
from privacy_engine.mechanisms.landmark import EventLevel

EVENTS, REPETITIONS, FEW = 10_000, 100, 10_000
DRAWS = EVENTS * REPETITIONS
RATE = 0.01
EPSILON = np.full(EVENTS, RATE)
LON, LAT = np.full(EVENTS, 116.4), np.full(EVENTS, 39.9)
COLUMNS = LON.tolist(), LAT.tolist(), EPSILON.tolist()
PHILOX = "Ten rounds of Philox are two fifths of it, memory for the results a quarter, the logarithm a sixth."


def repeated(draw: Callable[[np.random.Generator], object]) -> Side:
    """``draw`` of one repetition, for all of them."""
    rng = np.random.default_rng(1)
    return Side(lambda: [draw(rng) for _ in range(REPETITIONS)], DRAWS)


def follow_one_law(*draws: tuple[Any, Any]) -> None:
    """Radii are Gamma(2), bearings uniform: as far from it as chance allows once in a million."""
    for radius, bearing in draws:
        r, turns = np.sort(np.ravel(radius)) * RATE, np.sort(np.ravel(bearing)) / (2 * math.pi)
        share = (np.arange(len(r)) + 0.5) / len(r)
        allowed = math.sqrt(math.log(2e6) / (2 * len(r)))
        assert np.abs(1 - (1 + r) * np.exp(-r) - share).max() < allowed
        assert np.abs(turns - share).max() < allowed


def bench_radius_and_bearing(beside: Any) -> None:
    ours = noise.simulated_polar(EPSILON, seed=1, repetition=np.arange(REPETITIONS))
    rng, plain = np.random.default_rng(2), random.Random(3)
    others = reference.numpy_polar(np.full(DRAWS, RATE), rng), reference.lambert_polar(np.full(DRAWS, RATE), rng)
    follow_one_law(ours, *others, zip(*reference.plain_polar(COLUMNS[2], plain), strict=True))
    beside(
        "planar Laplace, experiments: radius and bearing",
        Side(lambda: noise.simulated_polar(EPSILON, seed=1, repetition=np.arange(REPETITIONS)), DRAWS),
        item="2",
        unit="a point",
        each=True,
        target=Target(3e-9, {"scipy": 235 / 3}, PHILOX),
        floors=[Floor("copy", 16 * DRAWS)],
        plain=Side(lambda: reference.plain_polar(COLUMNS[2], plain), FEW),
        numpy=repeated(lambda rng: reference.numpy_polar(EPSILON, rng)),
        scipy=repeated(lambda rng: reference.lambert_polar(EPSILON, rng)),
    )


def bench_destinations(beside: Any) -> None:
    polar = noise.simulated_polar(EPSILON, seed=1)
    ours = np.stack(noise.simulated_planar(LON, LAT, EPSILON, seed=1))
    assert np.allclose(reference.numpy_destination(LON, LAT, *polar), ours, rtol=1e-12, atol=0)
    plain, generator = (
        [reference.plain_destination(116.4, 39.9, *one) for one in zip(*polar, strict=True)],
        random.Random(3),
    )
    assert np.allclose(np.transpose(plain), ours, rtol=1e-12, atol=0)
    beside(
        "planar Laplace, experiments: destinations on the sphere",
        Side(lambda: noise.simulated_planar(LON, LAT, EPSILON, seed=1, repetition=np.arange(REPETITIONS)), DRAWS),
        unit="a point",
        each=True,
        plain=Side(lambda: reference.plain_planar(*COLUMNS, generator), FEW),
        numpy=repeated(lambda rng: reference.numpy_planar(LON, LAT, EPSILON, rng)),
    )


def bench_releases(beside: Any) -> None:
    """As a mechanism publishes them, on its grid. The references draw from generators that may not be published."""
    mechanism, source, plain = EventLevel(epsilon=RATE, radius_m=1), noise.publishable(), random.Random(3)
    lon, lat = mechanism.perturb(LON, LAT, EPSILON, rng=source)
    bearing = np.arctan2((lon - 116.4) * math.cos(math.radians(39.9)), lat - 39.9) % (2 * math.pi)
    follow_one_law((geo.distance_m(116.4, 39.9, lon, lat), bearing))
    beside(
        "planar Laplace, releases: published positions",
        Side(lambda: mechanism.perturb(LON, LAT, EPSILON, rng=source), EVENTS),
        item="2",
        unit="a point",
        each=True,
        target=Target(300e-9),
        floors=[Floor("random", 32 * EVENTS), Floor("copy", 16 * EVENTS)],
        plain=Side(lambda: reference.plain_planar(*COLUMNS, plain), FEW),
        numpy=repeated(lambda rng: reference.numpy_planar(LON, LAT, EPSILON, rng)),
    )


def bench_joint_releases(beside: Any) -> None:
    """One draw for a thousand positions: numpy's is the float sampler of a Gamma reach and uniform discs."""
    count, source, rng = 1000, noise.publishable(), np.random.default_rng(1)
    lon, lat = LON[:count], LAT[:count]
    moved = geo.distance_m(lon, lat, *noise.joint_planar(lon, lat, RATE, rng=source)).mean()
    expected = noise.joint_mean_m(count, RATE)
    assert abs(moved / expected - 1) < 0.15

    def floats() -> tuple[Any, Any]:
        reach = rng.gamma(2 * count + 1, 1 / RATE)
        return reference.numpy_destination(lon, lat, reach * np.sqrt(rng.random(count)), 2 * np.pi * rng.random(count))

    beside(
        "joint noise, releases: published positions of one draw for 1,000",
        Side(lambda: noise.joint_planar(lon, lat, RATE, rng=source), count),
        unit="a position",
        each=True,
        numpy=Side(floats, count),
    )


def bench_discrete_laplace(beside: Any) -> None:
    """A million exact whole numbers; numpy's difference of two geometric ones is neither exact nor publishable."""
    source, rng, q = noise.publishable(), np.random.default_rng(1), math.exp(-RATE)
    drawn = noise.discrete_laplace(RATE, DRAWS, rng=source)
    assert abs(np.abs(drawn).mean() / (2 * q / (1 - q * q)) - 1) < 0.01
    beside(
        "discrete Laplace, exact: whole numbers",
        Side(lambda: noise.discrete_laplace(RATE, DRAWS, rng=source), DRAWS),
        unit="a number",
        each=True,
        target=Target(250e-9),
        floors=[Floor("random", 8 * DRAWS)],
        numpy=Side(lambda: rng.geometric(1 - q, DRAWS) - rng.geometric(1 - q, DRAWS), DRAWS),
    )
