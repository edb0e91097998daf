"""Forecast how good the recommendations of a model of check-ins are: HR@10 beside the public baseline's.

It is computed from the original, so it is the owner's alone. The public baseline is measured once, on the moves of all
users. Each run holds out a fifth of the users at random, fits the mechanism to the others with noise of a fixed seed,
and measures by how much its hit rate is above the baseline's on those held out. The forecast is the baseline and the
mean of these differences. Runs are repeated until it is known to :data:`~privacy_engine.analysis.repeated.PRECISION`,
or time is up. A release is fitted to all users instead.
"""

import math
from collections.abc import Callable
from itertools import count

import numpy as np

from privacy_engine import noise
from privacy_engine.analysis.repeated import MOST_SECONDS, SHOWN, Effort, repeated
from privacy_engine.analysis.results import Result
from privacy_engine.core.arrays import Floats
from privacy_engine.data import CheckIns
from privacy_engine.data.grid import Grid
from privacy_engine.evaluation import Evaluation, split_by_user
from privacy_engine.mechanisms.base.checkins import CheckInMechanism
from privacy_engine.metrics.recommendation import HitRate
from privacy_engine.recommender import NearestModel, Recommender

HIT_RATE = HitRate(k=10)
TEST_SHARE = 0.2
"""So many of the users are held out."""
CHECKIN_S, HISTORY_S, CELL_S = 1e-6, 5e-5, 2.5e-8
"""Seconds that measuring a run takes: of each check-in, of each history, and of each cell in its ranking."""
MOST_RUNS = 400
SEED = 0


class CheckinForecast(Result):
    """Hit rates to expect of a model, as shares of next cells; null where no user held out moves, or of too large data.

    A hit: the next cell of a user who was not fitted is among ten recommended ones.
    """

    runs: int
    """How many models were fitted."""
    hit_rate: float | None = None
    baseline: float | None
    """The hit rate of the ten cells nearest to the last one, which are public: the same for every mechanism."""
    gain: float | None = None
    """``hit_rate`` - ``baseline``."""
    spread: float | None = None
    """Two standard deviations of ``gain`` from one run to the next, which holds out other users."""
    within: float | None = None
    """``hit_rate`` is off by at most this share of itself, at two deviations."""


def checkin_forecast(
    mechanism: CheckInMechanism,
    checkins: CheckIns,
    how: Effort = SHOWN,
    *,
    public: Callable[[], float] | None = None,
) -> CheckinForecast:
    """Return the hit rate to expect of a model of ``checkins``; the same for every call, as the seed is fixed.

    ``public`` returns :func:`public_hit_rate` where that may be known already.

    Raises
    ------
    DataError
        The check-ins lack positions, or a list of venues that the mechanism reads.
    """
    mechanism.prepared(checkins)
    once_s, nearest = _seconds(mechanism, checkins), NearestModel(mechanism.grid)
    baseline = public() if public else public_hit_rate(mechanism.grid, checkins)
    if math.isnan(baseline) or once_s * how.fewest > MOST_SECONDS or len(np.unique(checkins.user)) < 2:
        return CheckinForecast(runs=0, baseline=None if math.isnan(baseline) else baseline)
    rng, numbers, length = noise.seeded(SEED), count(), mechanism.parameter("order", 1)

    def gain() -> float:
        fitted, others = split_by_user(checkins, TEST_SHARE, np.random.default_rng([SEED, next(numbers)]))
        model = mechanism.release(fitted, rng=rng)
        return _hit_rate(model, fitted, others, length) - _hit_rate(nearest, fitted, others, length)

    def within(gains: Floats) -> float:
        known = gains[~np.isnan(gains)]
        if len(known) < 2:
            return math.inf
        return 2 * float(known.std(ddof=1)) / math.sqrt(len(known)) / max(baseline + float(known.mean()), 1e-9)

    gains, off = repeated(
        lambda runs: np.array([gain() for _ in range(runs)]),
        within,
        first=how.fewest,
        most=min(int(how.seconds / once_s), MOST_RUNS),
    )
    if np.count_nonzero(~np.isnan(gains)) < 2:
        return CheckinForecast(runs=len(gains), baseline=baseline)
    mean, spread = float(np.nanmean(gains)), 2 * float(np.nanstd(gains, ddof=1))
    return CheckinForecast(
        runs=len(gains),
        hit_rate=baseline + mean,
        baseline=baseline,
        gain=mean,
        spread=spread,
        within=off,
    )


def public_hit_rate(grid: Grid, checkins: CheckIns) -> float:
    """Return the hit rate of the ten nearest cells, as a share; NaN where no user moves from cell to cell."""
    return _hit_rate(NearestModel(grid), checkins, checkins)


def _hit_rate(model: Recommender, fitted: CheckIns, others: CheckIns, length: int = 1) -> float:
    """Return the hit rate as a share; NaN where none of the ``others`` moves."""
    return HIT_RATE.over(Evaluation(model, fitted, others, length)) / 100


def _seconds(mechanism: CheckInMechanism, checkins: CheckIns) -> float:
    """Return about how long one run takes, on one core of a small machine."""
    cells, histories = len(mechanism.grid), TEST_SHARE * len(checkins)
    ranked = min(histories, cells ** mechanism.parameter("order", 1)) * (HISTORY_S + CELL_S * cells)
    return float(mechanism.seconds(len(checkins)) + CHECKIN_S * len(checkins) + 2 * ranked)
