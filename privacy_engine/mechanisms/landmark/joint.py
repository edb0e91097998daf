"""Joint: the landmarks drawn share one draw of noise, and public knowledge of movement decides which are drawn."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from privacy_engine import noise
from privacy_engine.accounting.landmark_ledger import Ledger, exact_sum, nearest_float
from privacy_engine.core.arrays import Floats, Ints, Mask
from privacy_engine.core.params import StepVarianceM2
from privacy_engine.core.progress import reported
from privacy_engine.data import Release, Trajectory
from privacy_engine.data.trajectories import only
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.mechanisms.base.trajectory import same_law_as
from privacy_engine.mechanisms.landmark.base import PlanarLaplaceMechanism, as_mask

DENSE_SPACINGS, SPARSER = 24, 1.25
"""Spacings that are compared: every one up to the first, then each so many times the last."""


class Plan(NamedTuple):
    """Which landmarks are drawn (n,), the budget they have together, and that of every other event."""

    drawn: Mask
    together: float
    regular: float


@mechanisms.register
class Joint(PlanarLaplaceMechanism):
    r"""All landmarks that are drawn share *one* joint draw of noise; which are drawn is planned from public knowledge.

    The theorem of landmark privacy [1]_ protects the landmarks *together*. Giving each of p a share of their budget
    B and independent noise is one way to do that, and not the best: here their positions z are drawn at once with
    density :math:`\propto \exp(-B \max_i d(x_i, z_i)/r)`, the K-norm mechanism [2]_. If every landmark moves by at
    most r, the maximum moves by at most r (triangle inequality), so the odds of any output change by at most
    :math:`e^B`. A position is off by (4p + 2)r/3B on average, against 2pr/B: a third less for the same promise.
    Every other event spends b on planar Laplace noise, :math:`B + b = \epsilon`; it reads one position that the joint
    draw does not, so :math:`L \cup \{t\}` together lose at most ε.

    A landmark is drawn when the last draw, of whichever event, lies J events back; those between repeat it. If
    positions take steps of variance q per axis, an event that shows a draw from j events back, with mean noise m, is
    off by about :math:`\sqrt{m^2 + \pi j q/2}`. J is the spacing with the least sum of these, and B and b are split so
    that the noise shown is least in sum. As in the planned mechanism this reads landmarks, ε and q, never a position,
    so it costs nothing; q must come from public knowledge. The first event is always drawn. Assumes independent events.

    What it gives up: one landmark *alone* is protected at level B only, as all of them together are, where independent
    noise would protect it at B/p.

    References
    ----------
    .. [1] Katsomallos, Tzompanaki, Kotzinos. "Landmark Privacy: Configurable Differential Privacy Protection for
       Time Series". CODASPY 2022. (The theorem; the mechanism is Cairn's.)
    .. [2] Hardt, Talwar. "On the Geometry of Differential Privacy". STOC 2010.
    """

    title: ClassVar[str] = "Joint"
    summary: ClassVar[str] = "Joint noise for all landmarks, a third less for the same guarantee; planned."
    joint_landmarks: ClassVar[bool] = True
    caveats: ClassVar[tuple[str, ...]] = (
        "One landmark alone is protected no better than all together; independent noise would give it a share of ε.",
        "Repeats show some of the landmarks.",
        "The step variance must be public knowledge; taken from this trace it would itself be a disclosure.",
        *PlanarLaplaceMechanism.caveats,
    )

    name: Literal["landmark-joint"] = "landmark-joint"
    step_variance_m2: StepVarianceM2

    def plan(self, is_landmark: Mask) -> Plan:
        """What is drawn, with which budgets."""
        mask = as_mask(is_landmark)
        n, event = len(mask), np.arange(len(mask))
        before = np.maximum.accumulate(np.where(mask, -1, event)) if n else event  # the last other event, or -1
        leading = before < 0
        behind = np.where(leading, event, event - before)
        # the error depends on how many landmarks lie how far behind; apart those at the start, where none is before
        start, others = np.bincount(behind[mask & leading]), np.bincount(behind[mask & ~leading])
        spacings = _spacings(int(behind.max(initial=0)) + 1)
        best = spacings[int(np.argmin([self._error(spacing, start, others, n) for spacing in spacings]))]
        drawn = mask & (behind % best == 0)
        p = int(np.count_nonzero(drawn))
        shown = int(np.count_nonzero(mask & (leading | (behind >= best))))
        together, regular = self._split(p, shown, n - shown)
        return Plan(drawn, together, regular)

    def _split(self, p: int, by_landmarks: int, by_others: int) -> tuple[float, float]:
        """(B, b) with the least sum of mean noise: ``by_landmarks`` events show the joint draw, the rest another."""
        if not p:
            return 0.0, self.epsilon
        ratio = math.sqrt(3 * by_others / ((2 * p + 1) * by_landmarks))
        return self.epsilon / (1 + ratio), self.epsilon * ratio / (1 + ratio)

    def _error(self, spacing: int, start: Ints, others: Ints, n: int) -> float:
        """Sum over all events of their expected error in metres, if a landmark waits for ``spacing`` events."""
        first, rest = np.arange(len(start)), np.arange(len(others))
        joint = rest >= spacing
        p = int(start[::spacing].sum() + others[::spacing].sum())
        by_landmarks = int(start.sum() + others[joint].sum())
        together, regular = self._split(p, by_landmarks, n - by_landmarks)
        noise_m = self._mean_m(p, together)
        regular_m = 2 * self.radius_m / regular if regular else 0.0
        moved = math.pi / 2 * self.step_variance_m2
        error = (start * np.sqrt(noise_m**2 + moved * (first % spacing))).sum()
        error += (others * np.sqrt(np.where(joint, noise_m, regular_m) ** 2 + moved * (rest % spacing))).sum()
        return float(error + regular_m * (n - start.sum() - others.sum()))

    def _mean_m(self, p: int, together: float) -> float:
        return noise.joint_mean_m(p, together / self.radius_m) if p else 0.0

    def budgets(self, is_landmark: Mask) -> Floats:
        """What each event adds to the sum over L ∪ {t}: B/p for a landmark drawn, whose noise is *not* its own."""
        mask = as_mask(is_landmark)
        drawn, together, regular = self.plan(mask)
        return np.where(drawn, together / max(int(np.count_nonzero(drawn)), 1), np.where(mask, 0.0, regular))

    def independent(self, budgets: Floats, is_landmark: Mask) -> tuple[Floats, float]:
        return np.where(is_landmark, 0.0, budgets), float(budgets[is_landmark].sum())

    def drawn_together(self, is_landmark: Mask, fresh: Mask) -> Mask:
        return is_landmark & fresh

    def joint_rate(self, budgets: Floats) -> float:
        """The rate per metre of the draw that landmarks of these budgets share."""
        return float(self.rates(np.array([nearest_float(exact_sum(budgets))]))[0])

    def draw(self, series: Trajectory, is_landmark: Mask, *, rng: noise.RandomSource) -> Release:
        budgets = Ledger(self.epsilon).spend_all(self.budgets(is_landmark), is_landmark)
        lon, lat = series.lon.copy(), series.lat.copy()
        landmark, other = is_landmark & (budgets > 0), ~is_landmark
        lon[other], lat[other] = self.perturb(lon[other], lat[other], budgets[other], rng=rng)
        if landmark.any():
            rate = self.joint_rate(budgets[landmark])
            lon[landmark], lat[landmark] = noise.joint_planar(lon[landmark], lat[landmark], rate, rng=rng)
        fresh = budgets > 0
        release = self.assemble(only(series), lon[fresh], lat[fresh], budgets)[0]
        sd_m = release.sd_m.copy()
        if landmark.any():
            sd_m[landmark] = noise.joint_sd_m(int(np.count_nonzero(landmark)), rate)
        return replace(release, sd_m=sd_m)

    @same_law_as(draw)
    def draw_many(self, series: Trajectory, is_landmark: Mask, times: int, *, rng: noise.RandomSource) -> Floats:
        """The plan once, the other events' noise at once, one joint draw after the other."""
        budgets = Ledger(self.epsilon).spend_all(self.budgets(is_landmark), is_landmark)
        landmark, other, fresh = is_landmark & (budgets > 0), ~is_landmark, budgets > 0
        drawn = np.empty((times, len(series), 2))
        if other.any():
            lon, lat, budget = (np.tile(one[other], times) for one in (series.lon, series.lat, budgets))
            drawn[:, other] = np.stack(self.perturb(lon, lat, budget, rng=rng), axis=1).reshape(times, -1, 2)
        if landmark.any():
            rate = self.joint_rate(budgets[landmark])
            lon, lat = series.lon[landmark], series.lat[landmark]
            for i in reported(range(times)):
                drawn[i, landmark] = np.stack(noise.joint_planar(lon, lat, rate, rng=rng), axis=1)
        return self.spread(drawn[:, fresh], fresh)


def _spacings(most: int) -> list[int]:
    """Spacings to compare, ascending; with the last, ``most`` or more, none but the first event is drawn."""
    found = list(range(1, min(DENSE_SPACINGS, most) + 1))
    while found[-1] < most:
        found.append(math.ceil(found[-1] * SPARSER))
    return found
