"""What BD and BA share: at each timestamp a private distance to the last release decides whether another is drawn."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from privacy_engine import noise
from privacy_engine.core.arrays import Ints
from privacy_engine.mechanisms.base.stream import RowPublisher, StreamMechanism

SHARE = 0.5
"""Of ε for the distances; the rest is for the releases."""
BLOCK = 64


class BudgetRule:
    """How a run divides the budget of its releases, (1 - :data:`SHARE`)ε in every window, over the timestamps.

    Call :meth:`offered` once for each timestamp, then :meth:`close` with what was spent of it.
    """

    @abstractmethod
    def offered(self) -> float:
        """The budget of a release at this timestamp; 0 where none may be drawn."""

    @abstractmethod
    def close(self, spent: float) -> None:
        """Go to the next timestamp; ``spent`` is 0 or what :meth:`offered` returned."""


class DissimilarityMechanism(StreamMechanism):
    r"""Base of BD and BA: the budget rule is a subclass's.

    With :math:`o` the last release (zeros at first) the sum :math:`\sum_k |x_k - o_k|` is a whole number, which
    neighbours change by at most Δ, so discrete Laplace noise of rate :math:`\epsilon / (2 w \Delta)` protects it with
    :math:`\epsilon / 2w`. A release is drawn where the noisy sum exceeds :math:`d \Delta / e`, d dimensions times the
    mean absolute noise of a release with the budget e on offer. Which budget that is follows from earlier releases.
    """

    noise_varies = True

    def rule(self) -> BudgetRule:
        """The budget rule at the first timestamp."""
        raise NotImplementedError

    def publisher(self, dimensions: int, rng: noise.RandomSource) -> DissimilarityPublisher:
        return DissimilarityPublisher(self, dimensions, rng)


class DissimilarityPublisher(RowPublisher):
    """One run of BD or BA."""

    mechanism: DissimilarityMechanism

    def __init__(self, mechanism: DissimilarityMechanism, dimensions: int, rng: noise.RandomSource) -> None:
        super().__init__(mechanism, dimensions, rng)
        self._budget = mechanism.epsilon * SHARE / mechanism.window
        self._noise = noise.BufferedLaplace(mechanism.noise_rate(self._budget), rng, block=BLOCK)
        self._rule = mechanism.rule()
        self._last = np.zeros(dimensions, dtype=np.int64)

    def _row(self, row: Ints, t: int) -> Ints:
        offered = self._rule.offered()
        drawn = offered > 0 and self._is_far(row, offered)
        if drawn:
            self.spend_more(offered)
            rate = self.mechanism.noise_rate(offered)
            self._last = row + noise.discrete_laplace(rate, self.dimensions, rng=self.rng)
        elif not offered:
            self.spend(np.zeros(1))
        self._rule.close(offered if drawn else 0.0)
        return self._last

    def _is_far(self, row: Ints, offered: float) -> bool:
        self.spend(np.array([self._budget]))
        distance = np.abs(row - self._last).sum() + self._noise.take(1)[0]  # a sum beyond 2**63 wraps after the noise
        return bool(distance > self.dimensions * self.mechanism.sensitivity / offered)
