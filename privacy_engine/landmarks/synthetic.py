"""Synthetic landmarks, drawn by where in the series they tend to lie, and how close to them the rest is.

The experiments of the landmark privacy paper [1]_ place landmarks by five distributions over the timestamps 1..n.

References
----------
.. [1] Katsomallos, Tzompanaki, Kotzinos. "Landmark Privacy". CODASPY 2022.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from privacy_engine import noise
from privacy_engine.core.arrays import Floats, Ints, Mask, concatenated, in_turn, over_parts, places_of
from privacy_engine.core.params import Param
from privacy_engine.core.progress import blocks
from privacy_engine.data import LandmarkSet, Trajectory
from privacy_engine.data.trajectories import EVENTS, lengths_of
from privacy_engine.errors import ParameterError
from privacy_engine.landmarks.methods import LandmarkMethod, Reads, landmark_methods, split

Distribution: TypeAlias = Literal["left-skewed", "symmetric", "right-skewed", "bimodal", "uniform"]

MODES: dict[str, tuple[float, ...]] = {
    "left-skewed": (0.75,),
    "symmetric": (0.5,),
    "right-skewed": (0.25,),
    "bimodal": (0.25, 0.75),
    "uniform": (),
}
"""Where each distribution peaks, in shares of n + 1. Left-skewed has its long tail on the left: it leans to the end."""

LONGEST = 10**8
NARROWEST, WIDEST = 1e-3, 1e12
"""Standard deviations accepted, in timestamps: inside them no weight overflows, and all order the timestamps."""


def landmark_weights(n: int, distribution: Distribution, scale: float) -> Floats:
    """Probability of each timestamp 1..n to be the first landmark drawn, (n,), summing to 1.

    Parameters
    ----------
    n : int
        Length of the series, at least 1.
    distribution : str
        Normal around 3/4 (left-skewed), 1/2 (symmetric), 1/4 (right-skewed) or both quarters (bimodal) of n + 1, cut
        to 1..n; or uniform.
    scale : float
        Standard deviation before the cut, in timestamps, from 0.001 to 1e12. Uniform has no use for it.

    Raises
    ------
    ParameterError
        Any of them lies outside its domain.

    Examples
    --------
    >>> landmark_weights(5, "symmetric", 1.0).round(3).tolist()
    [0.054, 0.244, 0.403, 0.244, 0.054]
    """
    n = _whole(n, "n", 1, LONGEST)
    scales = np.array([_scale(scale, "scale", NARROWEST, WIDEST)])
    weights = np.exp(_log_weights(np.array([n]), distribution, scales))
    return np.asarray(weights / weights.sum())


def sample_landmarks(
    n: int,
    count: int,
    distribution: Distribution,
    *,
    rng: noise.RandomSource | np.random.Generator,
    scale_divisor: float = 10,
) -> Mask:
    """``count`` landmarks in a series of ``n``, drawn without replacement by :func:`landmark_weights`, as a mask (n,).

    ``scale_divisor`` sets the standard deviation, n / ``scale_divisor`` timestamps.

    Raises
    ------
    ParameterError
        ``n`` < 1, ``count`` not within 0..n, a scale outside 0.001..1e12, or an unknown distribution.
    """
    n = _whole(n, "n", 1, LONGEST)
    count = _whole(count, "count", 0, n)
    scales = np.array([n / _scale(scale_divisor, "scale_divisor", n / WIDEST, n / NARROWEST)])
    log_weights = _log_weights(np.array([n]), distribution, scales)
    mask = np.zeros(n, dtype=np.bool_)
    mask[noise.gumbel_top(log_weights, count, rng=rng)] = True
    return mask


def average_temporal_distance(is_landmark: ArrayLike, *, between: bool = False) -> float:
    """Mean distance, in timestamps, of the regular events to the nearest landmark or end of the series.

    The ends count as landmarks at 0 and n + 1. A run of g regular events adds ⌊(g + 1)²/4⌋, so after the landmarks
    are known this takes O(k). With ``between``, the mean number of events that lie between: less by 1. 0 where no
    event is regular.

    Parameters
    ----------
    is_landmark : (n,) array_like of bool

    Raises
    ------
    DataError
        It is not an array (n,) of true and false.

    Examples
    --------
    >>> average_temporal_distance([False, True, False, False, False])
    1.25
    """
    landmarks = LandmarkSet(np.asarray(is_landmark))
    regular = len(landmarks) - landmarks.count
    if not regular:
        return 0.0
    gaps = np.diff(landmarks.events, prepend=-1, append=len(landmarks))
    return float((gaps * gaps // 4).sum()) / regular - between


def dataset_temporal_distance(is_landmark: Mask, lengths: Sequence[int]) -> float:
    """:func:`average_temporal_distance` over the regular events of all series, which lie end to end in the mask (n,).

    Each series has its own two ends: between two of them lies another mark, the end of a series and start of the next.

    >>> dataset_temporal_distance(np.array([False, True, False, False, False, False]), [5, 1])
    1.2
    """
    starts = np.cumsum(lengths, dtype=np.int64)[:-1]
    n, begun, last, total = len(is_landmark), 0, -1, 0
    for part in blocks(n):
        ends = starts[begun : np.searchsorted(starts, part.stop)]
        events = np.flatnonzero(is_landmark[part]) + part.start
        events += begun + np.searchsorted(ends, events, side="right")
        places = np.sort(np.concatenate([events, ends + np.arange(begun, begun + len(ends))]))
        gaps = np.diff(places, prepend=last)
        total += int((gaps * gaps // 4).sum())
        begun, last = begun + len(ends), int(places[-1]) if len(places) else last
    total += (n + begun - last) ** 2 // 4  # ends of series without events after the last have nothing between them
    regular = n - int(np.count_nonzero(is_landmark))
    return total / regular if regular else 0.0


def _log_weights(lengths: Ints, distribution: str, scales: Floats) -> Floats:
    """The logarithms of the weights of the timestamps of each of m series in turn; 0 is the largest."""
    if distribution not in get_args(Distribution):
        raise ParameterError.must_be("distribution", f"one of {', '.join(get_args(Distribution))}", distribution)
    starts = np.append(0, np.cumsum(lengths))
    if not MODES[distribution]:
        return np.zeros(starts[-1])
    n, scale = np.repeat(lengths, lengths), np.repeat(scales, lengths)
    place, logs = places_of(np.ones_like(lengths), lengths), np.full(len(n), -np.inf)
    for mode in MODES[distribution]:
        logs = np.logaddexp(logs, -(((place - mode * (n + 1)) / scale) ** 2) / 2)
    return np.asarray(logs - np.repeat(over_parts(np.maximum, logs, starts), lengths))


def _whole(value: int, field: str, lowest: int, highest: int) -> int:
    rule = f"a whole number from {lowest} to {highest}"
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not lowest <= value <= highest:
        raise ParameterError.must_be(field, rule, value)
    return int(value)


def _scale(value: float, field: str, lowest: float, highest: float) -> float:
    rule = f"from {lowest:g} to {highest:g}"
    if not isinstance(value, int | float | np.number) or not lowest <= value <= highest:
        raise ParameterError.must_be(field, rule, value)
    return float(value)


SHARE = Param(label="Share", help="Of the events of each series, 0 to 1.", lowest=0.0, highest=1.0, example=0.2)
DISTRIBUTION = Param(
    label="Distribution",
    help="Where in each series they lie.",
    options=(
        ("uniform", "Anywhere"),
        ("left-skewed", "Towards the end (left-skewed)"),
        ("symmetric", "Around the middle (symmetric)"),
        ("right-skewed", "Towards the start (right-skewed)"),
        ("bimodal", "Around both quarters (bimodal)"),
    ),
)
SCALE_DIVISOR = Param(
    label="Concentration",
    help="The length of a series over the standard deviation. Larger places them closer together; uniform ignores it.",
    lowest=0.001,
    highest=1000.0,
    example=10.0,
)
SEED = Param(label="Seed", help="The same seed gives the same landmarks.", lowest=0, highest=2**53 - 1, example=1)


@landmark_methods.register
class Synthetic(LandmarkMethod):
    """A share of each series' events, drawn at random. They mean nothing about the data: for experiments only.

    The ``distribution`` defines where in the series they tend to lie [1]_; uniform is a plain random share. The number
    is rounded to the nearest whole one. Every series draws from a stream of its own, by seed and place in the dataset.

    References
    ----------
    .. [1] Katsomallos, Tzompanaki, Kotzinos. "Landmark Privacy". CODASPY 2022.
    """

    title: ClassVar[str] = "Random"
    summary: ClassVar[str] = "A random share of the events. Not derived from the data: for experiments only."
    reads: ClassVar[Reads] = "nothing"

    name: Literal["synthetic"] = "synthetic"
    share: Annotated[float, SHARE]
    distribution: Annotated[Distribution, DISTRIBUTION] = "uniform"
    scale_divisor: Annotated[float, SCALE_DIVISOR] = 10.0
    seed: Annotated[int, SEED]

    def _mark(self, series: Sequence[Trajectory]) -> Sequence[LandmarkSet]:
        lengths = np.array(lengths_of(series), dtype=np.int64)
        _whole(int(lengths.max(initial=1)), "n", 1, LONGEST)
        parts = [self._drawn(some.start, lengths[some]) for some in in_turn(lengths, EVENTS)]
        return split(concatenated(parts, np.bool_), lengths)

    def _drawn(self, first: int, lengths: Ints) -> Mask:
        """The marks of successive series; ``first`` is the number of the first."""
        counts = np.minimum((self.share * lengths + 0.5).astype(np.int64), lengths)
        uniform = noise.part_uniform(self.seed, noise.Stream.LANDMARKS, first, lengths)
        weights = _log_weights(lengths, self.distribution, lengths / self.scale_divisor)
        return noise.gumbel_drawn(weights, counts, np.append(0, np.cumsum(lengths)), uniform=uniform)

    def describe(self) -> str:
        return f"random {self.share * 100:.4g} %, {self.distribution}, seed {self.seed}"
