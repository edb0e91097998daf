"""The factor that estimates are published with: chosen by losses of the releases so far."""

import math

import numpy as np

from privacy_engine.core.arrays import Floats

MEDIAN = math.nan
"""Stands for the median of a count at its level."""
FACTORS = (0.2, 0.4, 0.6, 0.8, 1.0)
OPEN, STRICT = 0.5, 1.5
"""Gates of a single dimension, in standard deviations of the estimate: what is below is published as zero."""
ALWAYS_OPEN, STRICT_GROWTH, STRICT_AT_ONE, LEAST_STRICT = -1.0, 0.6, -2.03, 1.0
"""Gates of many dimensions: none, or a gate that grows with the logarithm of their number."""
FORGET_LOSS, FORGET_VARIANCE = 0.98, 0.96


class Factor:
    """Losses of all choices beyond that of the default, and the best of them.

    Each sample scores what the choices would have published of it before it was drawn, by
    :func:`~privacy_engine.kernels.stream_levels.excess_losses`. A choice replaces the default where it is better by a
    standard deviation, two where it publishes more. ``relative`` weighs each dimension by its level.
    """

    def __init__(self, dimensions: int, *, relative: bool) -> None:
        self._many, self._relative = dimensions > 1, relative
        gates = (OPEN, STRICT)
        if self._many:
            gates = ALWAYS_OPEN, max(STRICT_AT_ONE + STRICT_GROWTH * math.log(dimensions), ALWAYS_OPEN)
        self._choices = np.array([(0.0, gates[0]), *((factor, gate) for factor in FACTORS for gate in gates)])
        self._default = gates[1] if relative or not self._many else gates[0]
        self._loss, self._variance = np.zeros((2, len(self._choices)))
        self.share, self.gate = MEDIAN, gates[0] if self._many else self._default

    def learn(self, z: Floats, b: float, level: Floats, spread: Floats, signal: Floats, rms: Floats) -> None:
        """Score all choices by the samples ``z``, (d,), of noise with scale ``b``, and choose."""
        from privacy_engine.kernels.stream_levels import excess_of_choices

        average = max(float(level.mean()), 0.02)
        weight, width = self._weights(level, rms, average), max(0.3 * average, 0.05 * b, 0.2)
        default, choices = np.array([MEDIAN, self._default]), self._choices
        excess = np.empty((len(choices), 3))
        excess_of_choices(z, b, width, weight, level, spread, signal, choices, default, excess)
        self._loss = FORGET_LOSS * self._loss + excess[:, 0]
        self._variance = FORGET_VARIANCE * self._variance + (excess[:, 1] + 1e-9) / len(z)
        scores = self._loss + (1.0 + excess[:, 2]) * np.sqrt(self._variance)
        best = int(scores.argmin())
        self.share, self.gate = (choices[best] if scores[best] < 0 else default).tolist()

    def be_strict(self) -> None:
        """Publish what is above the strict gate alone, until the next sample."""
        self.gate = max(float(self._choices[:, 1].max()), LEAST_STRICT)

    def _weights(self, level: Floats, rms: Floats, average: float) -> Floats:
        if not self._many:
            return 1.0 / np.maximum(rms, 0.02)
        return 1.0 / np.maximum(level, 0.3 * average) if self._relative else np.full(len(level), 1.0 / average)
