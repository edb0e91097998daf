"""Dummy landmark options: in which order regular events join the landmarks, by three algorithms.

The i-th option of an order are the landmarks with its first i members. Options stay as similar to the landmarks as the
algorithm can make them; none of this is private yet, see :mod:`privacy_engine.landmarks.dummy_selection`.

Evaluations, population standard deviations over timestamps 1..n:

* ``gaps``: of the gaps between neighbours in {0} ∪ L' ∪ {n + 1};
* ``nearest``: of every event's distance to the nearest of them, 0 on a landmark.

Source: Katsomallos, PhD thesis, "Protecting landmarks": the algorithms Optimal, Heuristic and Partitioned.
"""

import math
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from privacy_engine.core.arrays import Ints, ceil_div
from privacy_engine.data import LandmarkSet
from privacy_engine.errors import ParameterError

Evaluation: TypeAlias = Literal["gaps", "nearest"]
Distance: TypeAlias = Literal["euclidean", "wasserstein"]

LONGEST = {"gaps": 1_000_000, "nearest": 100_000}
"""Longest series of Heuristic: its squared deviations, times n², are compared as 64-bit integers."""

MOST_REGULAR = 16
"""Most regular events of Optimal: it weighs r! orders."""

MOST_CELLS = 4 * 10**9
"""Most bins times regular events of Partitioned by Wasserstein: some seconds."""


def heuristic_order(is_landmark: ArrayLike, evaluation: Evaluation = "gaps") -> Ints:
    """Regular events (0-based) in the order in which Heuristic adds them, (r,).

    Each step adds the event whose evaluation is nearest to that of the landmarks alone; of those nearer than 1e-12 to
    the best, the earliest. O(r√n) for gaps, at most O(rn) for nearest.

    Parameters
    ----------
    is_landmark : (n,) array_like of bool
        At most 1,000,000 events for gaps, 100,000 for nearest.

    Raises
    ------
    DataError
        ``is_landmark`` is not an array (n,) of true and false.
    ParameterError
        It is too long, or ``evaluation`` unknown.

    Examples
    --------
    >>> heuristic_order([False, False, False, True, True, False, False, True, False, False]).tolist()
    [5, 8, 6, 9, 0, 1, 2]
    """
    from privacy_engine.kernels.heuristic_dummies import fill_by_gaps, fill_by_nearest

    landmarks = LandmarkSet(np.asarray(is_landmark))
    one_of(evaluation, "evaluation", Evaluation)
    _at_most(len(landmarks), LONGEST[evaluation], "is_landmark", f"events (Heuristic by {evaluation})")
    fill = fill_by_gaps if evaluation == "gaps" else fill_by_nearest
    return fill(_marks(landmarks)) - 1


def optimal_order(is_landmark: ArrayLike, evaluation: Evaluation = "gaps") -> Ints:
    """Regular events (0-based) in the order that Optimal finds best, (r,).

    Of all r! orders, that whose evaluations, averaged over its r options, are nearest to that of the landmarks
    alone; of those nearer than 1e-12 to the best (or to the landmarks' own), that with the earliest events first.
    Milliseconds as a rule; for 16 events half a minute at worst, where no early answer can be proved best.

    Parameters
    ----------
    is_landmark : (n,) array_like of bool
        At most 16 of them false.

    Raises
    ------
    DataError
        ``is_landmark`` is not an array (n,) of true and false.
    ParameterError
        More than 16 events are regular, there are more than 1,000,000, or ``evaluation`` is unknown.

    Examples
    --------
    >>> optimal_order([False, True, True, False, False, False, False, False]).tolist()
    [0, 3, 4, 5, 6, 7]
    """
    from privacy_engine.kernels.optimal_dummies import ONE, deviations, nearest_chain

    landmarks = LandmarkSet(np.asarray(is_landmark))
    one_of(evaluation, "evaluation", Evaluation)
    _at_most(len(landmarks), LONGEST["gaps"], "is_landmark", "events (Optimal)")
    events = np.flatnonzero(~landmarks.mask)
    r = len(events)
    _at_most(r, MOST_REGULAR, "is_landmark", "regular events (Optimal; Heuristic takes more)")
    if not r:
        return np.empty(0, dtype=np.int64)
    marks = _marks(landmarks)
    right = np.searchsorted(marks, events + 1)
    lonely = np.count_nonzero(np.diff(marks) == 1)
    by_set = deviations(
        events + 1, marks[right - 1], marks[right], np.array([lonely]), len(landmarks), evaluation == "gaps"
    )
    values = np.rint(by_set * ONE).astype(np.int64)
    return np.asarray(events[nearest_chain(values, r, int(values[0]) * r, int(1e-12 * ONE * r))])


class Histogram(NamedTuple):
    """Landmarks by bins of ``width`` events (the last may hold fewer): how many there are, how many would fit."""

    width: int
    counts: Ints
    capacity: Ints


def landmark_histogram(is_landmark: ArrayLike) -> Histogram:
    """The landmarks in bins as wide as Freedman and Diaconis advise [1]_: 2 IQR / ∛k, rounded up.

    Where the quartiles coincide, as many bins as Sturges advises, ⌈log₂ k⌉ + 1; without landmarks, a single bin.

    References
    ----------
    .. [1] Freedman, Diaconis. "On the histogram as a density estimator". Z. Wahrscheinlichkeitstheorie 57, 1981.
    """
    landmarks = LandmarkSet(np.asarray(is_landmark))
    n, k = len(landmarks), landmarks.count
    low, high = np.percentile(landmarks.events, [25, 75]) if k else (0.0, 0.0)
    if high > low:
        width = math.ceil(2 * (high - low) / k ** (1 / 3) * (1 - 1e-12))  # or 6.000000000000001 would round up to 7
    else:
        width = math.ceil(n / (math.ceil(math.log2(k)) + 1)) if k else n
    width = max(1, min(width, n))
    bins = ceil_div(n, width)
    capacity = np.full(bins, width, dtype=np.int64)
    capacity[-1:] = n - width * (bins - 1)
    return Histogram(width, np.bincount(landmarks.events // width, minlength=bins).astype(np.int64), capacity)


def partitioned_order(is_landmark: ArrayLike, distance: Distance = "euclidean") -> Ints:
    """Bins (0-based, of :func:`landmark_histogram`) in the order in which Partitioned adds an event to each, (r,).

    Each step fills the bin that leaves the relative frequencies nearest to the original ones, the first of equals:
    by Euclidean distance, O(r√k), or by Wasserstein distance (the sum of differences of cumulative frequencies), O(r)
    for each bin.

    Raises
    ------
    DataError
        ``is_landmark`` is not an array (n,) of true and false.
    ParameterError
        ``distance`` is unknown, there are more than 1,000,000 events, or Wasserstein would compare more than 4e9 bins.

    Examples
    --------
    >>> partitioned_order([True, True, False, False, True, False, False, False]).tolist()
    [0, 1, 1, 2, 2]
    """
    from privacy_engine.kernels.partitioned_dummies import fill_euclidean, fill_wasserstein

    one_of(distance, "distance", Distance)
    _, counts, capacity = landmark_histogram(is_landmark)
    events = int(capacity.sum())
    _at_most(events, LONGEST["gaps"], "is_landmark", "events (Partitioned)")
    if distance == "euclidean":
        return fill_euclidean(counts, capacity, np.argsort(counts, kind="stable")) if events else counts
    cells = len(counts) * (events - int(counts.sum()))
    _at_most(cells, MOST_CELLS, "is_landmark", "bins times regular events (Wasserstein; Euclidean takes more)")
    return fill_wasserstein(counts, capacity)


def one_of(value: Any, field: str, choices: Any) -> None:
    """Refuse a value that is none of a Literal's."""
    if value not in get_args(choices):
        raise ParameterError.must_be(field, f"one of {', '.join(get_args(choices))}", value)


def _at_most(value: int, limit: int, field: str, what: str) -> None:
    if value > limit:
        rule = f"have at most {limit:,} {what}"
        raise ParameterError(f"{field} must {rule}, got {value:,}", field=field, rule=rule, value=value)


def _marks(landmarks: LandmarkSet) -> Ints:
    """{0} ∪ L ∪ {n + 1}, as 1-based timestamps."""
    return np.concatenate(([0], landmarks.events + 1, [len(landmarks) + 1]))
