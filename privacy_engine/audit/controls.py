"""Mechanisms that break their claim on purpose, to show that the audit finds out. None of them is registered."""

from typing import Any, ClassVar, Literal

import numpy as np

from privacy_engine import noise
from privacy_engine.audit.numbers import NumberKind
from privacy_engine.core.arrays import Floats
from privacy_engine.core.component import Component
from privacy_engine.core.params import Epsilon, RadiusM


class Altered:
    """A mechanism under another's claim: what is claimed is ``mechanism``'s, what runs is ``runs``."""

    def __init__(self, mechanism: Any, runs: Any) -> None:
        self._mechanism, self.runs = mechanism, runs

    def __getattr__(self, name: str) -> Any:
        return getattr(self._mechanism, name)

    def repeat(self, *data: Any, rng: noise.RandomSource) -> Any:
        """What many releases of what runs in place of the mechanism publish; arguments as of the mechanism's own."""
        return self.runs.repeat(*data, rng=rng)

    def release(self, *data: Any, rng: noise.RandomSource) -> Any:
        """One release of what runs in place of the mechanism."""
        return self.runs.release(*data, rng=rng)


def half_noise(mechanism: Any) -> Altered:
    """Return ``mechanism`` with every scale of noise halved, its budgets as they were."""
    cls = type(mechanism)

    class HalfNoise(cls):  # type: ignore[misc, valid-type]
        def epsilon_per_m(self, budgets: Floats) -> Floats:
            return np.asarray(2 * super().epsilon_per_m(budgets))

        def noise_rate(self, *budget: float) -> float:
            return float(2 * super().noise_rate(*budget))

    return Altered(mechanism, HalfNoise.model_validate(mechanism.model_dump()))


def twice_budget(mechanism: Any) -> Altered:
    """Return ``mechanism`` spending twice the ε that it claims."""
    return Altered(mechanism, mechanism.model_copy(update={"epsilon": 2 * mechanism.epsilon}))


class NumpyLaplace(Component):
    """A textbook mechanism, x + numpy's Laplace noise in floats: right in real arithmetic, wrong in its low bits.

    The sum is rounded to the floats near it, which lie closer together near zero: which low bits are set reveals x
    from its neighbour [1]_.

    References
    ----------
    .. [1] Mironov. "On significance of the least significant bits for differential privacy". CCS 2012.
    """

    title: ClassVar[str] = "numpy’s Laplace noise"
    summary: ClassVar[str] = "A number plus floating-point noise: right in real arithmetic, wrong in its low bits."
    kind: ClassVar[str] = NumberKind.kind

    name: Literal["control:numpy-laplace"] = "control:numpy-laplace"
    epsilon: Epsilon
    radius_m: RadiusM

    def release(self, values: Floats, *, rng: noise.RandomSource) -> Floats:
        """``values`` with noise, (n,). numpy's generator is seeded from ``rng``."""
        seed = (rng.uniform(2) * 2.0**52).astype(np.uint64).tolist()
        return values + np.random.default_rng(seed).laplace(0.0, self.radius_m / self.epsilon, len(values))


ALTERATIONS = {"half-noise": half_noise, "twice-budget": twice_budget}
TITLES = {"half-noise": "Half the noise", "twice-budget": "Twice the budget"}
NUMPY_LAPLACE = "numpy-laplace"
PREFIX = "control:"
