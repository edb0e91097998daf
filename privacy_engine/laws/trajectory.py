"""Laws of the mechanisms of trajectories. With another seed a statistical one fails once in 10^5."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from privacy_engine import noise
from privacy_engine.accounting.landmark_ledger import TOLERANCE, Ledger
from privacy_engine.analysis.simulation import simulate_errors
from privacy_engine.core import geo
from privacy_engine.core.arrays import Floats, Mask
from privacy_engine.core.on_demand import scipy
from privacy_engine.data import LandmarkSet, Release, Trajectory
from privacy_engine.laws.base import (
    SEED,
    Case,
    Laws,
    Mechanisms,
    example,
    same,
    variants,
)
from privacy_engine.laws.densities import losses
from privacy_engine.metrics import mean_absolute_error_m

GIVEN = {"epsilon": 0.7, "radius_m": 130.0}
ADAPTER = LAWS = Laws(Trajectory.kind, GIVEN)
OTHER_NUMBERS = {"window": (1, 3), "step_variance_m2": (1.0, 1e12)}
SIZES = (1, 2, 3, 7, 40)
TRIALS = 20_000
MANY = 2_000


def walk(n: int, seed: int = 1) -> Any:
    """A random walk of ``n`` events, one a minute."""
    rng = np.random.default_rng(seed)
    lon, lat = (centre + np.cumsum(rng.normal(0, 0.002, n)) for centre in (116.4, 39.9))
    return Trajectory(lon, lat, 60 * np.arange(n, dtype=np.float64), "w")


def adversarial_masks(n: int) -> dict[str, Mask]:
    """Landmark sets that rules with an off-by-one get wrong."""
    event = np.arange(n)
    return {
        "all": event >= 0,
        "none": event < 0,
        "first": event == 0,
        "last": event == n - 1,
        "all but the first": event > 0,
        "all but the last": event < n - 1,
        "alternating": event % 2 == 0,
        "alternating from the second": event % 2 == 1,
        "first half": event < n // 2,
        "second half": event >= n // 2,
    }


def cases(cls: Mechanisms, *sizes: int, **given: Any) -> Iterator[tuple[Case, Any, Mask]]:
    """Each variant over series of these sizes with each adversarial set, the least first."""
    for n in sizes or SIZES:
        for name, mask in adversarial_masks(n).items():
            for mechanism in variants(cls, OTHER_NUMBERS, **GIVEN | given):
                yield Case(mechanism, f"{n} events, landmarks: {name}"), mechanism, mask


def same_release(one: Release, two: Release) -> bool:
    """Whether two releases are equal to the bit."""
    return same(one, two, "event", "budgets", "fresh") and same(one.series, two.series, "lon", "lat")


@LAWS.add("shape", "A release has a budget of every event, draws where it is above 0, and leaves its input as it was.")
def keeps_its_input(cls: Mechanisms) -> None:
    for case, mechanism, mask in cases(cls):
        series, marks = walk(len(mask)), LandmarkSet(mask)
        before = series.lon.copy(), series.lat.copy(), mask.copy()
        release = mechanism.release(series, marks, rng=noise.publishable())
        after = series.lon, series.lat, marks.mask
        case.require(all(map(np.array_equal, before, after)), "the input was changed")
        case.require(release.budgets.shape == release.fresh.shape == mask.shape, "budgets are not as many as events")
        case.require(np.array_equal(release.fresh, release.budgets > 0), "draws are not where budgets are above 0")
        gap = ~np.logical_or.accumulate(release.fresh) & (mechanism.parameter("leading") == "gap")
        case.require(np.array_equal(release.event, np.flatnonzero(~gap)), "events are left out or repeated")
        case.require(np.array_equal(release.series.time_s, series.time_s[release.event]), "times were changed")
        case.require(release.private, "it is not private though its noise is publishable")


@LAWS.add("ends", "A series without events and one with a single event are released.")
def short_ones(cls: Mechanisms) -> None:
    for n in (0, 1):
        for mask in (np.zeros(n, np.bool_), np.ones(n, np.bool_)):
            mechanism = example(cls, **GIVEN)
            release = mechanism.release(walk(n), LandmarkSet(mask), rng=noise.publishable())
            Case(mechanism, f"{n} events").require(len(release.series) == n, f"{len(release.series)} were released")


@LAWS.add("seed", "The same seed gives the same release to the bit, and another seed another one.")
def seed_decides(cls: Mechanisms) -> None:
    for case, mechanism, mask in cases(cls):
        marks = LandmarkSet(mask)
        one, two, other = (mechanism.release(walk(len(mask)), marks, rng=noise.seeded(s)) for s in (SEED, SEED, 8))
        case.require(same_release(one, two), f"two releases with seed {SEED} differ")
        case.require(not np.array_equal(one.series.lon, other.series.lon), f"seeds {SEED} and 8 give one release")


@LAWS.add("budget", "At every event, the budgets of what is protected together sum to at most ε.")
def within_the_budget(cls: Mechanisms) -> None:
    for case, mechanism, mask in cases(cls, epsilon=0.3):
        release = mechanism.release(walk(len(mask)), LandmarkSet(mask), rng=noise.seeded(SEED))
        ledger, protected = Ledger(1e9), mechanism.protected(mask)
        for budget, counts in zip(release.budgets.tolist(), protected.tolist(), strict=True):
            ledger.spend(budget, is_landmark=counts)
        spent = ledger.landmarks + ledger.largest_regular
        case.require(spent <= mechanism.epsilon * (1 + TOLERANCE), f"{spent:.6g} is spent of {mechanism.epsilon:g}")


@LAWS.add("grid", "Published positions are multiples of the declared grid.")
def on_the_grid(cls: Mechanisms) -> None:
    for case, mechanism, mask in cases(cls):
        release = mechanism.release(walk(len(mask)), LandmarkSet(mask), rng=noise.seeded(SEED))
        for axis in (release.series.lon, release.series.lat):
            off = np.abs(axis / noise.GRID_DEG - np.round(axis / noise.GRID_DEG)).max(initial=0.0)
            case.require(off < 1e-4, f"a position is {off:.2g} of a step off the grid of {noise.GRID_DEG:g} degrees")


@LAWS.add("place", "A series turned about the pole is released as before, turned.")
def anywhere(cls: Mechanisms) -> None:
    for case, mechanism, mask in cases(cls):
        series = walk(len(mask))
        for degrees in (1.0, 180.0):
            turned = Trajectory(geo.wrap_lon(series.lon + degrees), series.lat, series.time_s, series.name)
            here, there = (
                mechanism.release(one, LandmarkSet(mask), rng=noise.seeded(SEED)) for one in (series, turned)
            )
            case.require(np.array_equal(here.budgets, there.budgets), f"turned by {degrees:g}° the budgets are others")
            apart = np.abs(geo.wrap_lon(there.series.lon - here.series.lon - degrees)).max(initial=0.0)
            apart = max(apart, np.abs(there.series.lat - here.series.lat).max(initial=0.0))
            case.require(apart <= 1.01 * noise.GRID_DEG, f"turned by {degrees:g}° a position is {apart:.2g}° off")


@LAWS.add("densities", "No neighbour changes the odds of an output by more than ε, and truths are read by noise alone.")
def odds(cls: Mechanisms) -> None:
    for case, mechanism, mask in cases(cls, 1, 2, 3, 9):
        for loss in losses(case, mechanism, walk(len(mask)), mask, SEED):
            allowed = mechanism.epsilon * (1 + 1e-9)
            case.require(abs(loss) <= allowed, f"the log-odds of an output change by {loss:.6g}, above ε")


@LAWS.add("unread", "The position of an event that is not drawn is not read.")
def unread(cls: Mechanisms) -> None:
    rng = np.random.default_rng(SEED)
    mask, n = rng.random(200) < 0.6, 200
    still: Any = Trajectory(
        116.4 + 1e-9 * np.arange(n, dtype=np.float64), np.full(n, 39.9)
    )  # so that adaptive ones skip
    for mechanism in variants(cls, OTHER_NUMBERS, **GIVEN):
        one = mechanism.release(still, LandmarkSet(mask), rng=noise.seeded(SEED))
        away = [np.where(one.fresh, axis, axis - 20 * rng.random(n)) for axis in (still.lon, still.lat)]
        two = mechanism.release(Trajectory(away[0], away[1]), LandmarkSet(mask), rng=noise.seeded(SEED))
        case = Case(mechanism, f"{n} events, {np.count_nonzero(~one.fresh)} not drawn")
        case.require(same_release(one, two), "with other positions there the release is another one")


def moments(mechanism: Any, mask: Mask, budgets: Floats) -> tuple[Floats, Floats]:
    """Mean displacement and standard deviation per axis, metres, that draws with these budgets are to have, (n,).

    Planar Laplace noise: 2r/ε and √3 r/ε. Landmarks drawn jointly at B = their sum: a disc whose radius is
    Gamma(2p + 1, r/B), so (4p + 2) r/3B and √((2p + 1)(2p + 2)) r/2B.
    """
    fresh = budgets > 0
    scale = np.divide(mechanism.radius_m, budgets, where=fresh, out=np.zeros(len(budgets)))
    mean, sd = 2 * scale, math.sqrt(3) * scale
    drawn = mechanism.drawn_together(mask, fresh)
    if drawn.any():
        p, together = np.count_nonzero(drawn), mechanism.radius_m / budgets[drawn].sum()
        mean[drawn] = (4 * p + 2) / 3 * together
        sd[drawn] = math.sqrt((2 * p + 1) * (2 * p + 2)) / 2 * together
    return mean, sd


@LAWS.add("noise", "A release declares the noise of its draws, and draws have it.")
def noise_as_declared(cls: Mechanisms) -> None:
    """Of the draws' own standard deviation, by the mean square of both axes: within five standard errors."""
    mask = np.arange(40) % 4 == 0
    series, plane = Trajectory(np.full(40, 116.4), np.full(40, 39.9)), geo.LocalPlane(116.4, 39.9)
    for mechanism in variants(cls, OTHER_NUMBERS, epsilon=2.0, radius_m=50.0):
        source, of_runs = noise.seeded(SEED), []
        for _ in range(400):
            release = mechanism.release(series, LandmarkSet(mask), rng=source)
            drawn = np.flatnonzero(release.fresh)
            at = np.searchsorted(release.event, drawn)
            axes = plane.project(release.series.lon[at], release.series.lat[at]) / release.sd_m[drawn, None]
            of_runs.append(float((axes**2).mean()))
        off, error = np.mean(of_runs) - 1, np.std(of_runs) / math.sqrt(len(of_runs))
        case = Case(mechanism, "40 events at one place, each fourth a landmark")
        case.require(abs(off) < 5 * error, f"draws have {math.sqrt(1 + off):.3g} times the declared noise")


def positions(release: Release, n: int) -> Floats:
    """What every event shows, (n, 2); not a number where nothing is published."""
    found = np.full((n, 2), np.nan)
    found[release.event] = np.column_stack([release.series.lon, release.series.lat])
    return found


@LAWS.add("many", "Many releases at once have the law of one after another.")
def many_at_once(cls: Mechanisms) -> None:
    """Two-sample Kolmogorov-Smirnov of how far events move and of how far successive ones lie apart; at 1e-6 each."""
    mask = np.array([True, False, True, True])
    series, marks = Trajectory(np.full(4, 116.4), np.full(4, 39.9)), LandmarkSet(mask)
    mechanism, source = example(cls, **GIVEN), noise.seeded(8)
    many = mechanism.repeat(series, marks, MANY, rng=noise.seeded(SEED))
    each = np.stack([positions(mechanism.release(series, marks, rng=source), 4) for _ in range(MANY)])
    for one, other in zip(_statistics(many, series), _statistics(each, series), strict=True):
        found = scipy.stats.ks_2samp(one, other)
        what = f"{MANY:,} at once and {MANY:,} one by one differ by {found.statistic:.2g} (Kolmogorov-Smirnov)"
        Case(mechanism, "4 events at one place, landmarks 1, 3 and 4").require(found.pvalue > 1e-6, what)


def _statistics(drawn: Floats, series: Trajectory) -> list[Floats]:
    lon, lat = drawn[:, :, 0], drawn[:, :, 1]
    moved = geo.distance_m(series.lon, series.lat, lon, lat)
    return [*moved.T, *geo.distance_m(lon[:, :-1], lat[:, :-1], lon[:, 1:], lat[:, 1:]).T]


@LAWS.add("forecast", "Simulated errors, by which pages forecast, are those of releases.")
def forecast(cls: Mechanisms) -> None:
    """Mean errors of 300 simulations and of 300 releases: within five standard errors of their difference."""
    series, mask = walk(60), np.arange(60) % 3 == 0
    for mechanism in variants(cls, OTHER_NUMBERS, epsilon=2.0, radius_m=50.0):
        simulated = simulate_errors(mechanism, series, LandmarkSet(mask), seed=SEED, repetitions=300)
        source = noise.seeded(8)
        releases = (mechanism.release(series, LandmarkSet(mask), rng=source) for _ in range(300))
        drawn = np.array([mean_absolute_error_m(series, release) for release in releases])
        off, allowed = simulated.mean() - drawn.mean(), 5 * math.sqrt((simulated.var() + drawn.var()) / 300)
        what = f"forecast is a mean error of {simulated.mean():.4g} m, releases have {drawn.mean():.4g} m"
        Case(mechanism, "60 events, each third a landmark").require(abs(off) <= allowed, what)


LAWS.add_audit({"epsilon": 1.0, "radius_m": 200.0}, TRIALS)
