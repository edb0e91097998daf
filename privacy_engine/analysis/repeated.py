"""Simulate until a figure is as precise as stated, with the spread from run to run."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from privacy_engine.core.arrays import Floats

PRECISION = 0.005
"""The share of themselves that forecast figures are off by at most, at two standard deviations."""
FEWEST_RUNS, FEWEST_SLOW = 8, 4
"""From so many runs or more their spread is known; roughly from the fewer, where runs take long."""
MOST_SECONDS = 10.0
"""Where the fewest runs would take longer than this nothing is known."""
SHARES = (0.5, 0.95)
"""Of the errors: half are at most the typical error."""


@dataclass(frozen=True)
class Effort:
    """How much is simulated; with fewer runs than :data:`FEWEST_RUNS` a forecast is rough."""

    seconds: float = 0.15
    """Runs take about so long, by the estimate of the mechanism; the precision may then be less."""
    fewest: int = FEWEST_RUNS
    errors: int = 20_000
    """Where single errors are simulated, so many at first."""
    precision: float = PRECISION

    def runs(self, once_s: float) -> tuple[int, int] | None:
        """The fewest and the most runs of ``once_s`` seconds each; None where the fewest take too long."""
        most = int(self.seconds / max(once_s, 1e-6))
        fewest = min(self.fewest, max(most, FEWEST_SLOW))
        return (fewest, most) if once_s * fewest <= MOST_SECONDS else None


SHOWN, ROUGH = Effort(), Effort(seconds=0.04, fewest=2, errors=4_000, precision=0.05)


def repeated(
    draw: Callable[[int], Floats],
    within: Callable[[Floats], float],
    *,
    first: int,
    most: int,
    precision: float,
) -> tuple[Floats, float]:
    """Return the rows that ``draw`` gives of so many runs, and ``within`` of them: ``first``, and more until precise.

    ``within`` of all rows is the share of itself that a figure of them is off by; there are at most ``most`` runs, or
    ``first`` where that is more.
    """
    errors = draw(first)
    while (off := within(errors)) > precision and len(errors) < most:
        needed = len(errors) * min((off / precision) ** 2, 8.0)  # the first estimates are rough
        errors = np.concatenate([errors, draw(max(min(math.ceil(needed), most) - len(errors), 1))])
    return errors, off


def off_by(errors: Floats, *, independent: bool = False) -> float:
    """Return the share of themselves that the :data:`SHARES` of ``errors``, (runs, n), are off by; NaN is no error.

    At two standard deviations, of errors that are ``independent`` of each other, or from run to run.
    """
    known = ~np.isnan(errors)
    held = np.sort(errors[known])
    off = 0.0
    for share in SHARES if len(held) else ():
        value = float(np.quantile(held, share))
        deviation = math.sqrt(share * (1 - share) / len(held))
        if not independent:
            below = np.count_nonzero(errors <= value, axis=1) / np.maximum(np.count_nonzero(known, axis=1), 1)
            deviation = max(deviation, float(below.std(ddof=1)) / math.sqrt(len(below)))
        low, high = np.quantile(held, np.clip([share - 2 * deviation, share + 2 * deviation], 0, 1)).tolist()
        off = max(off, (high - low) / (2 * value) if value else 0.0)
    return off


def mean_off_by(values: Floats) -> float:
    """Return the share of itself that the mean of ``values``, a value of each run, is off by, at two deviations."""
    mean = abs(float(values.mean()))
    return 2 * float(values.std(ddof=1)) / math.sqrt(len(values)) / mean if mean and len(values) > 1 else 0.0
