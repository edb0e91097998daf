"""Joint: the landmarks drawn share a draw of noise, and public knowledge of movement decides which are drawn."""

from typing import ClassVar, Literal

import numpy as np

from privacy_engine import noise
from privacy_engine.accounting.landmark_ledger import exact_sum, nearest_float
from privacy_engine.core.arrays import Floats, Ints, Mask, counts_over, over_parts
from privacy_engine.core.params import StepVarianceM2
from privacy_engine.core.progress import reported
from privacy_engine.data import Trajectory
from privacy_engine.data.releases import Releases
from privacy_engine.data.trajectories import Trajectories, only
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.mechanisms.base.trajectory import TrajectoryMechanism, same_law_as
from privacy_engine.mechanisms.landmark.base import PlanarLaplaceMechanism


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
    noise would protect it at B/p. Memory has all events of a person at once, at most ``most_events``.

    References
    ----------
    .. [1] Katsomallos, Tzompanaki, Kotzinos. "Landmark Privacy: Configurable Differential Privacy Protection for
       Time Series". CODASPY 2022. (The theorem; the mechanism is Cairn's.)
    .. [2] Hardt, Talwar. "On the Geometry of Differential Privacy". STOC 2010.
    """

    title: ClassVar[str] = "Joint"
    summary: ClassVar[str] = "Joint noise for all landmarks, a third less for the same guarantee; planned."
    most_events: ClassVar[int | None] = 4_000_000
    caveats: ClassVar[tuple[str, ...]] = (
        "One landmark alone is protected no better than all together; independent noise would give it a share of ε.",
        "Repeats show some of the landmarks.",
        "The step variance must be public knowledge; taken from this trace it would itself be a disclosure.",
        *PlanarLaplaceMechanism.caveats,
    )

    name: Literal["landmark-joint"] = "landmark-joint"
    step_variance_m2: StepVarianceM2

    def budgets_at_once(self, is_landmark: Mask, starts: Ints) -> Floats:
        """What each event adds to the sum over L ∪ {t}: B/p for a landmark drawn, whose noise is *not* its own."""
        from privacy_engine.kernels.joint_plan import joint_budgets

        how, budgets = np.array([self.epsilon, self.radius_m, self.step_variance_m2]), np.empty(len(is_landmark))
        joint_budgets(is_landmark, starts, how, budgets)
        return budgets

    def independent(self, budgets: Floats, is_landmark: Mask) -> tuple[Floats, float]:
        return np.where(is_landmark, 0.0, budgets), float(budgets[is_landmark].sum())

    def drawn_together(self, is_landmark: Mask, fresh: Mask) -> Mask:
        return is_landmark & fresh

    def _moved(
        self, lon: Floats, lat: Floats, is_landmark: Mask, budgets: Floats, starts: Ints, rng: noise.RandomSource
    ) -> tuple[Floats, Floats, Floats]:
        """The draws of several people, at the events with a budget, (n,); the deviation of each joint draw, (k,)."""
        joint, other, (lon, lat) = is_landmark & (budgets > 0), ~is_landmark, np.array([lon, lat])
        lon[other], lat[other] = self.perturb(lon[other], lat[other], budgets[other], rng=rng)
        counts = counts_over(joint, starts)
        counts, budgets = counts[counts > 0], budgets[joint]
        starts = np.append(0, np.cumsum(counts))
        least, most = (over_parts(end, budgets, starts) for end in (np.minimum, np.maximum))
        sums = counts * most  # rounded once
        for i in reported(np.flatnonzero(least < most)):
            sums[i] = nearest_float(exact_sum(budgets[starts[i] : starts[i + 1]]))
        rates = self.rates(sums)
        lon[joint], lat[joint] = noise.joint_planar(lon[joint], lat[joint], rates, rng=rng, starts=starts)
        return lon, lat, np.repeat(noise.joint_sd_m(counts, rates), counts)

    @same_law_as(PlanarLaplaceMechanism.draw)
    def draw_each(self, people: Trajectories, is_landmark: Mask, *, rng: noise.RandomSource) -> Releases:
        if len(people) > 1 and not rng.private:
            return TrajectoryMechanism.draw_each(self, people, is_landmark, rng=rng)
        budgets = self._spent(is_landmark, people.starts)
        lon, lat, sd_m = self._moved(people.lon, people.lat, is_landmark, budgets, people.starts, rng)
        fresh = budgets > 0
        releases = self.assemble(people, lon[fresh], lat[fresh], budgets)
        releases.sd_m[is_landmark & fresh] = sd_m
        return releases

    @same_law_as(draw_each)
    def draw_many(self, series: Trajectory, is_landmark: Mask, times: int, *, rng: noise.RandomSource) -> Floats:
        """The plan once, the noise of the other events at once, then the joint draws."""
        n, budgets = len(series), self._spent(is_landmark, only(series).starts)
        lon, lat, each = (np.tile(values, times) for values in (series.lon, series.lat, budgets))
        moved = self._moved(lon, lat, np.tile(is_landmark, times), each, np.arange(times + 1) * n, rng)
        drawn = np.stack(moved[:2], axis=1)
        return self.spread(drawn.reshape(times, n, 2)[:, budgets > 0], budgets > 0)
