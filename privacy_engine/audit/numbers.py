"""The audit of mechanisms that publish numbers: single values, ``radius_m`` apart."""

from __future__ import annotations

from typing import Any

import numpy as np

from privacy_engine import noise
from privacy_engine.audit.kinds import Observed, Pair, Statistics, residues_of
from privacy_engine.data import Floats


class NumberKind:
    """One number; the distance of two inputs is their difference, the guarantee per ``radius_m``."""

    name = "number"

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

    def statistics(self, pair: Pair, observed: Observed) -> Statistics:
        """The number, its distances to both inputs, its low bits."""
        apart = pair.second - pair.first
        here, there = np.abs(observed - pair.first) / apart, np.abs(observed - pair.second) / apart
        names, residues = residues_of(observed, None, ())
        values: Floats = np.column_stack([(observed - pair.first) / apart, here, there])
        features = np.column_stack([there - here, np.log1p(here), np.log1p(there)])
        value_names = ("value", "distance to the first input", "distance to the second input")
        return Statistics(value_names, values, names, np.column_stack(residues), features)
