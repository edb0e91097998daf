"""Generated families of count streams: each is a function of a seed, (T, d) whole numbers.

No figure of a real set is in them, and stream-shrink has no constant that depends on which one it is given.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from privacy_engine.core.arrays import Floats, Ints

Rng = np.random.Generator
Family = Callable[[Rng], Floats | Ints]
FAMILIES: dict[str, Family] = {}


def family(text: str) -> Callable[[Family], Family]:
    """Register a family by its description."""

    def register(made: Family) -> Family:
        FAMILIES[text] = made
        return made

    return register


def generated(name: str, seed: int) -> Ints:
    """The stream of a family and a seed, (T, d)."""
    found = FAMILIES[name](np.random.default_rng([seed, list(FAMILIES).index(name)]))
    return np.maximum(np.rint(found), 0).astype(np.int64)


def _levels(rng: Rng, d: int, median: float, spread: float) -> Floats:
    return median * np.exp(rng.normal(0.0, spread, d))


def _walk(rng: Rng, timestamps: int, d: int, step: float) -> Floats:
    return np.exp(np.cumsum(rng.normal(0.0, step, (timestamps, d)), axis=0))


@family("departures: 229 nearly constant levels of 0.01 to 1000, 181 days")
def _departures(rng: Rng) -> Floats:
    levels = _levels(rng, 229, 4.0, 2.0)
    week = 1.0 + 0.1 * np.isin(np.arange(181) % 7, (4, 5))
    return rng.poisson(levels * week[:, None])


@family("schedule: 229 constant counts, one in ten of them one more or less, 181 days")
def _schedule(rng: Rng) -> Floats:
    levels = np.rint(_levels(rng, 229, 4.0, 1.5))
    return levels + rng.integers(-1, 2, (181, 229)) * (rng.random((181, 229)) < 0.1) * (levels > 0)


@family("large: 20 constant levels about 5000")
def _large(rng: Rng) -> Floats:
    return rng.poisson(np.tile(_levels(rng, 20, 5000.0, 0.5), (200, 1)))


@family("short: 100 constant levels about 20, 60 timestamps")
def _short(rng: Rng) -> Floats:
    return rng.poisson(np.tile(_levels(rng, 100, 20.0, 1.0), (60, 1)))


@family("few: 3 of 200 dimensions count 50, the others nothing")
def _few(rng: Rng) -> Floats:
    levels = np.zeros(200)
    levels[rng.choice(200, 3, replace=False)] = 50.0
    return rng.poisson(np.tile(levels, (200, 1)))


@family("nothing: 50 dimensions, no event")
def _nothing(rng: Rng) -> Floats:
    return np.zeros((200, 50))


@family("sparse: 300 dimensions, 0.05 events each")
def _sparse(rng: Rng) -> Ints:
    return rng.poisson(0.05, (200, 300))


@family("two sizes: 20 dimensions of 1000, 180 of 1")
def _two_sizes(rng: Rng) -> Ints:
    return rng.poisson(np.tile(np.where(np.arange(200) < 20, 1000.0, 1.0), (200, 1)))


@family("Zipf: 200 levels from 2000 down by rank")
def _zipf(rng: Rng) -> Ints:
    return rng.poisson(np.tile(2000.0 / np.arange(1, 201), (200, 1)))


@family("jump: 100 levels of 20 are fourfold from a timestamp on")
def _jump(rng: Rng) -> Ints:
    after = np.arange(200) >= rng.integers(60, 140)
    return rng.poisson(_levels(rng, 100, 20.0, 0.7) * np.where(after, 4.0, 1.0)[:, None])


@family("one jumps: of 50 levels of 20 one is twentyfold from a timestamp on")
def _one_jumps(rng: Rng) -> Ints:
    levels = np.tile(_levels(rng, 50, 20.0, 0.7), (200, 1))
    levels[rng.integers(60, 140) :, rng.integers(50)] *= 20.0
    return rng.poisson(levels)


@family("rhythm: 40 levels of 50 by the hour of the day, 14 days")
def _rhythm(rng: Rng) -> Ints:
    day = 1.0 + 0.8 * np.sin(2 * np.pi * np.arange(336) / 24)
    return rng.poisson(_levels(rng, 40, 50.0, 0.8) * day[:, None])


@family("bursts: 50 levels of 10, twentyfold for 5 timestamps at times")
def _bursts(rng: Rng) -> Ints:
    starts = rng.random((250, 50)) < 0.01
    during = np.stack([np.convolve(one, np.ones(5))[:250] for one in starts.T.astype(float)], axis=1) > 0
    return rng.poisson(_levels(rng, 50, 10.0, 0.5) * np.where(during, 20.0, 1.0))


@family("drift: 60 levels of 50 that walk by 5 % a timestamp")
def _drift(rng: Rng) -> Ints:
    return rng.poisson(50.0 * _walk(rng, 250, 60, 0.05))


@family("trend: 60 levels that grow from 10 to 100")
def _trend(rng: Rng) -> Ints:
    return rng.poisson(_levels(rng, 60, 10.0, 0.5) * np.linspace(1.0, 10.0, 200)[:, None])


@family("rough: 80 levels of 30, counts vary by their size")
def _rough(rng: Rng) -> Ints:
    return rng.poisson(_levels(rng, 80, 30.0, 0.8) * rng.gamma(1.0, 1.0, (200, 80)))


@family("switched: 60 dimensions of 40, each on or off for weeks")
def _switched(rng: Rng) -> Ints:
    on = np.cumsum(rng.random((210, 60)) < 0.03, axis=0) + rng.integers(0, 2, 60)
    return rng.poisson(40.0 * (on % 2))


@family("waves: 10 regions, an epidemic of each with a peak of 2000")
def _waves(rng: Rng) -> Ints:
    peaks, t = rng.uniform(40, 210, 10), np.arange(250)[:, None]
    return rng.poisson(2000.0 * np.exp(-0.5 * ((t - peaks) / 15.0) ** 2) + 3.0)


@family("single: one constant level of 100")
def _single(rng: Rng) -> Ints:
    return rng.poisson(100.0, (300, 1))


@family("single walk: one level of 100 that walks by 10 % a timestamp")
def _single_walk(rng: Rng) -> Ints:
    return rng.poisson(100.0 * _walk(rng, 300, 1, 0.1))
