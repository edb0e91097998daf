"""The audit of mechanisms that publish numbers: single values, ``radius_m`` apart."""

from typing import Any

import numpy as np

from privacy_engine import noise
from privacy_engine.audit.kinds import Column, Observed, Pair, residue_columns
from privacy_engine.core.arrays import Floats


class NumberKind:
    """One number; the distance of two inputs is their difference, the guarantee per ``radius_m``."""

    kind = "number"

    def per(self, mechanism: Any) -> str:
        """A radius: a distance of s of them may lose s·ε."""
        return "radius"

    def pairs(self, mechanism: Any) -> list[Pair]:
        """From zero, from a number that is none of the machine's round ones, from a thousand times the radius."""
        radius = float(mechanism.radius_m)
        return [
            Pair(f"{start:g} moved by {radius:g}", start, start + radius, 1.0, float(mechanism.epsilon))
            for start in (0.0, radius / 3, 1000.0 * radius)
        ]

    def draw(self, mechanism: Any, given: float, times: int, rng: noise.RandomSource) -> Observed:
        """Published numbers of ``times`` runs, (times,)."""
        return np.asarray(mechanism.release(np.full(times, given), rng=rng), dtype=np.float64)

    def values(self, pair: Pair) -> list[Column]:
        """The number and its distances to both inputs, in units of their distance."""
        apart = pair.second - pair.first
        return [
            Column("value", lambda observed: (observed - pair.first) / apart),
            Column("distance to the first input", lambda observed: np.abs(observed - pair.first) / apart),
            Column("distance to the second input", lambda observed: np.abs(observed - pair.second) / apart),
        ]

    def residues(self, pair: Pair) -> list[Column]:
        """Its low bits."""
        return residue_columns("value", lambda observed: observed)

    def features(self, pair: Pair, observed: Observed) -> Floats:
        """How much nearer it is to which input, and both distances."""
        here, there = (column.of(observed) for column in self.values(pair)[1:])
        return np.column_stack([there - here, np.log1p(here), np.log1p(there)])


ADAPTER = NumberKind()
