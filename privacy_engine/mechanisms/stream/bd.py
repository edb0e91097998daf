"""BD, budget distribution: each release spends half of what the window has left."""

from typing import ClassVar, Literal

from privacy_engine import noise
from privacy_engine.accounting.window_ledger import WindowLedger
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.mechanisms.stream.dissimilarity import SHARE, BudgetRule, DissimilarityMechanism


class BudgetDistribution(BudgetRule):
    """Offer half of what releases of the last w - 1 timestamps left of ``epsilon``; less than ``least`` counts as 0."""

    def __init__(self, epsilon: float, window: int, *, least: float = 0.0) -> None:
        self._ledger, self._least = WindowLedger(epsilon, window), least

    def offered(self) -> float:
        half = self._ledger.left / 2
        return half if half > self._least else 0.0

    def close(self, spent: float) -> None:
        self._ledger.spend(spent)


@mechanisms.register
class StreamBD(DissimilarityMechanism):
    r"""Budget distribution: a timestamp that differs enough from the last release spends half of what is left.

    Every timestamp spends :math:`\epsilon / 2w` on its noisy distance to the last release, at most :math:`\epsilon / 2`
    in a window. A release spends half of what releases of the last w - 1 timestamps left of the other
    :math:`\epsilon / 2`, so no window spends more than ε, w-event privacy [1]_. Distances and counts are whole
    numbers, and the noise of both is that of [2]_. Whether events are independent does not matter. Where less than
    the smallest budget with a declared noise is left, nothing is drawn.

    References
    ----------
    .. [1] Kellaris, Papadopoulos, Xiao, Papadias. "Differentially private event sequences over infinite streams".
       VLDB 2014.
    .. [2] Ghosh, Roughgarden, Sundararajan. "Universally Utility-Maximizing Privacy Mechanisms". STOC 2009.
    """

    title: ClassVar[str] = "Stream BD"
    summary: ClassVar[str] = "New noise where counts moved away from the last release, with half of what is left."
    work: ClassVar[tuple[float, float, float]] = (4e-4, 2.2e-5, 1e-8)

    name: Literal["stream-bd"] = "stream-bd"

    def rule(self) -> BudgetDistribution:
        least = noise.SMALLEST_RATE * self.sensitivity * (1 + 1e-9)
        return BudgetDistribution(self.epsilon * (1 - SHARE), self.window, least=least)

    def noise_sd(self) -> float:
        return noise.discrete_laplace_sd(self.noise_rate(self.rule().offered()))
