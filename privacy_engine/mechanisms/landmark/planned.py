"""Planned: only every so many-th landmark is drawn, as often as is best by public knowledge of movement."""

from typing import ClassVar, Literal

import numpy as np

from privacy_engine.core.arrays import Floats, Ints, Mask, counts_over, of_parts, starts_within
from privacy_engine.core.params import StepVarianceM2
from privacy_engine.core.progress import blocks
from privacy_engine.data.mapped_series import column, empty, leaving, piecewise
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.mechanisms.landmark.base import PlanarLaplaceMechanism


@mechanisms.register
class Planned(PlanarLaplaceMechanism):
    r"""Every I-th landmark is drawn with I times the share; the landmarks between repeat the last *release*.

    With k landmarks and the budget B they have under the optimal split, in per metre, drawing every I-th gives each
    draw :math:`BI/k`, so a variance per axis of :math:`3k^2/(B^2I^2)`. A position held for j steps is off by a
    movement of variance jq, on average :math:`qI/2` over the held run. The sum of the two is least at

    .. math:: I^* = (12 k^2 / (B^2 q))^{1/3},

    rounded, at least 1 and at most k. The first landmark is always drawn, so p = ⌈k/I⌉ are. Which events show a
    landmark's draw (:math:`W_L` of them, held ones included) and which a regular event's (:math:`W_R`) is then known,
    and the noise of all published positions is off by :math:`2W_L/a + 2W_R/b` in sum [2]_. Under
    :math:`pa + b = \epsilon` that is least where :math:`b = a\sqrt{pW_R/W_L}`: these are the budgets, all of ε is
    used, and what movement adds does not depend on them. With I = 1 this is the optimal split.

    The plan reads which events are landmarks, ε and q, never a position: budgets do not depend on the run, and
    repeating a release is post-processing. So :math:`L \cup \{t\}` spends at most ``epsilon`` [1]_, whether or not q
    is right. It must come from public knowledge: estimated from this trace it would be a disclosure without
    noise. If unsure choose it too large: more is drawn, and too little is never held. Assumes independent events.

    References
    ----------
    .. [1] Katsomallos, Tzompanaki, Kotzinos. "Landmark Privacy: Configurable Differential Privacy Protection for
       Time Series". CODASPY 2022. (The theorem; the plan is Cairn's.)
    .. [2] Andrés, Bordenabe, Chatzikokolakis, Palamidessi. "Geo-indistinguishability". CCS 2013.
    """

    title: ClassVar[str] = "Planned"
    summary: ClassVar[str] = "Samples landmarks at a planned interval, from public knowledge, and repeats in between."
    caveats: ClassVar[tuple[str, ...]] = (
        "Repeats show some of the landmarks.",
        "The step variance must be public knowledge; taken from this trace it would itself be a disclosure.",
        *PlanarLaplaceMechanism.caveats,
    )

    name: Literal["landmark-planned"] = "landmark-planned"
    step_variance_m2: StepVarianceM2

    def intervals(self, n: Ints, k: Ints) -> Ints:
        """I of people with n (m,) events, k (m,) of them landmarks: every I-th of these is drawn."""
        per_budget_m = (k + np.sqrt(n - k)) * self.radius_m / self.epsilon  # k/B
        best = np.cbrt(12 * per_budget_m**2 / self.step_variance_m2)
        return np.asarray(np.maximum(1, np.rint(np.minimum(best, k))), dtype=np.int64)

    def budgets_at_once(self, is_landmark: Mask, starts: Ints) -> Floats:
        n, k = np.diff(starts), counts_over(is_landmark, starts)
        every, first, passed = self.intervals(n, k), np.cumsum(k) - k, 0
        drawn, draws = empty(len(is_landmark), np.bool_), column(np.bool_, len(is_landmark))
        for some in leaving([is_landmark, drawn], blocks(len(drawn))):
            mask = is_landmark[some]
            number = passed - of_parts(first, some, starts) + np.cumsum(mask) - mask  # of the landmark
            drawn[some] = mask & (number % of_parts(every, some, starts) == 0)
            draws.add(drawn[some][drawn[some] | ~mask])
            passed += int(np.count_nonzero(mask))
        fresh = piecewise(lambda own, mask: own | ~mask, drawn, is_landmark, dtype=np.bool_)
        by_landmark, p, of_landmark = np.zeros(len(n), dtype=np.int64), counts_over(drawn, starts), draws.taken()
        for some, numbers in leaving([fresh, of_landmark], self.draws_shown(fresh, starts)):
            by_landmark += counts_over(of_landmark[numbers], starts_within(some, starts))
        ratio = np.sqrt(p * (n - by_landmark) / np.maximum(by_landmark, 1))
        landmark = self.epsilon / np.maximum(p + ratio, 1)
        other, budgets = np.where(p == 0, self.epsilon, landmark * ratio), empty(len(drawn))
        for some in leaving([is_landmark, drawn, budgets], blocks(len(drawn))):
            beside = np.where(is_landmark[some], 0.0, of_parts(other, some, starts))
            budgets[some] = np.where(drawn[some], of_parts(landmark, some, starts), beside)
        return budgets
