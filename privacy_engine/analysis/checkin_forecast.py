"""Forecast how good the recommendations of a model of check-ins are: HR@10 beside the public baseline's.

It is computed from the original, so it is the owner's alone. The public baseline is measured once, on the moves of all
users. Each run holds out a fifth of the users, five successive ones each user once, fits the mechanism to the others
with noise of a fixed seed, and measures by how much its hit rate is above the baseline's on those held out. The
forecast is the baseline and the mean of these differences. Runs are repeated until it is known to
:data:`~privacy_engine.analysis.repeated.PRECISION`, or time is up. A release is fitted to all users instead.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count

import numpy as np

from privacy_engine import noise
from privacy_engine.analysis.repeated import MOST_SECONDS, SHOWN, Effort, repeated
from privacy_engine.analysis.results import Result
from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.data import CheckIns
from privacy_engine.data.grid import Grid
from privacy_engine.evaluation import Evaluation, split_by_user
from privacy_engine.mechanisms.base.checkins import CheckInMechanism
from privacy_engine.metrics.recommendation import HitRate
from privacy_engine.recommender import NearestModel

HIT_RATE = HitRate(k=10)
FOLDS = 5
TEST_SHARE = 1 / FOLDS
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


@dataclass(frozen=True, eq=False)
class PublicHits:
    """The moves of all users, of each its ``user``, (n,), and the probability that the baseline hits, (n,)."""

    user: Ints
    hits: Floats

    def of(self, checkins: CheckIns) -> PublicHits:
        """Return those of the users of these check-ins."""
        kept = np.isin(self.user, checkins.user)
        return PublicHits(self.user[kept], self.hits[kept])

    def rate(self) -> float:
        """Return the hit rate, as a share; NaN where none moves from cell to cell."""
        return float(self.hits.mean()) if len(self.hits) else math.nan


def checkin_forecast(
    mechanism: CheckInMechanism,
    checkins: CheckIns,
    how: Effort = SHOWN,
    *,
    public: Callable[[], PublicHits] | None = None,
) -> CheckinForecast:
    """Return the hit rate to expect of a model of ``checkins``; the same for every call, as the seed is fixed.

    ``public`` returns :func:`public_hits` where that may be known already.

    Raises
    ------
    DataError
        The check-ins lack positions, or a list of venues that the mechanism reads.
    """
    mechanism.prepared(checkins)
    once_s = _seconds(mechanism, checkins)
    runs = how.runs(once_s) if FOLDS * once_s <= MOST_SECONDS else None
    nearest = public() if public else public_hits(mechanism.grid, checkins)
    baseline = nearest.rate()
    if math.isnan(baseline) or runs is None or len(np.unique(checkins.user)) < 2:
        return CheckinForecast(runs=0, baseline=None if math.isnan(baseline) else baseline)
    rng, numbers, length = noise.seeded(SEED), count(), mechanism.parameter("order", 1)

    def gain() -> tuple[float, int]:
        order, fold = divmod(next(numbers), FOLDS)
        fitted, others = split_by_user(checkins, TEST_SHARE, np.random.default_rng([SEED, order]), fold=fold)
        model = mechanism.release(fitted, rng=rng)
        near = nearest.of(others)
        return HIT_RATE.over(Evaluation(model, fitted, others, length)) / 100 - near.rate(), len(near.hits)

    def within(gains: Floats) -> float:
        known, moves = gains[~np.isnan(gains[:, 0])].T
        if len(known) < 2:
            return math.inf
        mean, share = np.average(known, weights=moves), moves / moves.sum()
        off = math.sqrt(float((share * (known - mean)) @ (share * (known - mean))) * len(known) / (len(known) - 1))
        return 2 * off / max(baseline + float(mean), 1e-9)

    gains, off = repeated(
        lambda runs: np.array([gain() for _ in range(math.ceil(runs / FOLDS) * FOLDS)]),
        within,
        first=math.ceil(runs[0] / FOLDS) * FOLDS,
        most=min(runs[1], MOST_RUNS),
        precision=how.precision,
    )
    known, moves = gains[~np.isnan(gains[:, 0])].T
    if len(known) < 2:
        return CheckinForecast(runs=len(gains), baseline=baseline)
    mean, spread = float(np.average(known, weights=moves)), 2 * float(known.std(ddof=1))
    return CheckinForecast(
        runs=len(gains),
        hit_rate=baseline + mean,
        baseline=baseline,
        gain=mean,
        spread=spread,
        within=off,
    )


def public_hits(grid: Grid, checkins: CheckIns) -> PublicHits:
    """Return the hits of the ten nearest cells."""
    evaluation = Evaluation(NearestModel(grid), checkins, checkins)
    if (positions := evaluation.positions) is None or (ranks := evaluation.ranks) is None:
        return PublicHits(np.empty(0, dtype=np.int64), np.empty(0))
    return PublicHits(positions.sequence, ranks[positions.first].hits(HIT_RATE.k))


def _seconds(mechanism: CheckInMechanism, checkins: CheckIns) -> float:
    """Return about how long a run takes, on a single core of a small machine."""
    cells, histories = len(mechanism.grid), TEST_SHARE * len(checkins)
    ranked = min(histories, cells ** mechanism.parameter("order", 1)) * (HISTORY_S + CELL_S * cells)
    return float(mechanism.seconds(len(checkins)) + CHECKIN_S * len(checkins) + ranked)
