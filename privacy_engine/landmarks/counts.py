"""How many dummies there will be: exact laws of a number, added up over series, thinned out for a chart."""

import heapq
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from privacy_engine.core.arrays import Floats, ceil_div
from privacy_engine.core.on_demand import scipy

SHORT = 256  # below, a plain convolution is quicker than a Fourier transform, and exact


def option_counts(probabilities: Floats) -> Floats:
    """The law of the number of dummies where option i, of i + 1 dummies, has ``probabilities[i]``, (r + 1,)."""
    return np.concatenate(([0.0], probabilities)) if len(probabilities) else np.ones(1)


def coin_counts(coins: int, log_p: float) -> Floats:
    """The binomial law of ``coins`` coins that fall with probability exp(``log_p``) < 1, (coins + 1,)."""
    heads = np.arange(coins + 1, dtype=np.float64)
    ways = (
        scipy.special.gammaln(coins + 1) - scipy.special.gammaln(heads + 1) - scipy.special.gammaln(coins - heads + 1)
    )
    law = np.exp(ways + heads * log_p + (coins - heads) * np.log(-np.expm1(log_p)))
    return np.asarray(law / law.sum())


def summed(laws: Iterable[Floats]) -> Floats:
    """The law of the sum of independent numbers, each with its own law over 0, 1, …; of none, surely 0.

    Rounded at 1e-16 of the likeliest. The shortest two are joined first: O(R log² R) for R possible sums.
    """
    heap = [(len(law), i, law) for i, law in enumerate(laws)] or [(1, 0, np.ones(1))]
    heapq.heapify(heap)
    while len(heap) > 1:
        (_, i, a), (_, _, b) = heapq.heappop(heap), heapq.heappop(heap)
        law = _convolved(a, b)
        heapq.heappush(heap, (len(law), i, law))
    return heap[0][2]


def _convolved(a: Floats, b: Floats) -> Floats:
    if min(len(a), len(b)) <= SHORT:
        return np.convolve(a, b)
    n = len(a) + len(b) - 1
    size = 1 << (n - 1).bit_length()
    law = np.fft.irfft(np.fft.rfft(a, size) * np.fft.rfft(b, size), size)[:n].clip(min=0.0)
    return np.asarray(law / law.sum())


class Bar(NamedTuple):
    """How likely the number lies between ``first`` and ``last``, both included."""

    first: int
    last: int
    probability: float


def mean_of(law: Floats) -> float:
    """The expected number."""
    return float(np.arange(len(law)) @ law)


def bars(law: Floats, *, most: int = 16, rest: float = 1e-3) -> list[Bar]:
    """At most ``most`` equally wide bars over the numbers, without the unlikeliest ends: ``rest`` together, at most.

    >>> [tuple(bar) for bar in bars(np.array([0.0, 0.25, 0.5, 0.25]), most=2)]
    [(1, 2, 0.75), (3, 3, 0.25)]
    """
    upto = np.cumsum(law)
    first = int(np.searchsorted(upto, rest / 2, side="right"))
    last = int(np.searchsorted(upto, upto[-1] - rest / 2))
    first, last = min(first, last), min(last, len(law) - 1)
    width = ceil_div(last - first + 1, most)
    return [
        Bar(start, min(start + width - 1, last), float(law[start : min(start + width, last + 1)].sum()))
        for start in range(first, last + 1, width)
    ]
