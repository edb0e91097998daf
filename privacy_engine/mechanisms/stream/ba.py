"""BA, budget absorption: a release spends its share and those that timestamps before it did not use."""

from typing import ClassVar, Literal

from privacy_engine import noise
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.mechanisms.stream.dissimilarity import SHARE, BudgetRule, DissimilarityMechanism


class BudgetAbsorption(BudgetRule):
    """Offer a share ``epsilon``/w for each timestamp since the last release that did not pay for it, w at most.

    A release that spends k shares is followed by k - 1 timestamps without an offer, which pay for it.
    """

    def __init__(self, epsilon: float, window: int) -> None:
        self._share, self._window = epsilon / window, window
        self._paying = self._unused = 0

    def offered(self) -> float:
        return 0.0 if self._paying else self._share * self._shares

    @property
    def _shares(self) -> int:
        return min(self._unused + 1, self._window)

    def close(self, spent: float) -> None:
        if self._paying:
            self._paying -= 1
        elif spent:
            self._paying, self._unused = self._shares - 1, 0
        else:
            self._unused += 1


@mechanisms.register
class StreamBA(DissimilarityMechanism):
    r"""Budget absorption: a timestamp that differs enough from the last release spends unused shares of others too.

    Every timestamp has :math:`\epsilon / 2w` for its noisy distance to the last release and a share of
    :math:`\epsilon / 2w` for a release. A release takes its own share and those that at most w - 1 timestamps since
    the last release did not use; as many timestamps after it as it took from others publish nothing new, without
    measuring a distance. So every window spends at most :math:`\epsilon / 2` on releases and ε in all, w-event privacy
    [1]_. Distances and counts are whole numbers, and the noise of both is that of [2]_. Whether events are independent
    does not matter.

    References
    ----------
    .. [1] Kellaris, Papadopoulos, Xiao, Papadias. "Differentially private event sequences over infinite streams".
       VLDB 2014.
    .. [2] Ghosh, Roughgarden, Sundararajan. "Universally Utility-Maximizing Privacy Mechanisms". STOC 2009.
    """

    title: ClassVar[str] = "Stream BA"
    summary: ClassVar[str] = "New noise where counts moved away from the last release, with the unused shares."
    work: ClassVar[tuple[float, float, float]] = (4e-4, 2e-5, 1e-8)

    name: Literal["stream-ba"] = "stream-ba"

    def rule(self) -> BudgetAbsorption:
        return BudgetAbsorption(self.epsilon * (1 - SHARE), self.window)

    def noise_sd(self) -> float:
        return noise.discrete_laplace_sd(self.noise_rate(self.epsilon * (1 - SHARE)))
