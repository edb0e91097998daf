"""Series that come as runs, each sorted by time, put together in the order of time: they may be larger than memory."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from privacy_engine.core.arrays import Floats, Ints, in_turn
from privacy_engine.core.progress import reported
from privacy_engine.data.mapped_series import column, leaving, parts_at

MOST = 1 << 20
"""Events that are sorted at once."""
_EVERY = 64


def merged(columns: Sequence[Floats], numbers: Ints, begins: Ints, sizes: Ints) -> list[Floats]:
    """The ``columns``, of which the last is the time, series after series, each sorted by time, in files if long.

    ``numbers`` (m,) state whose each run is, ascending; ``begins`` and ``sizes`` where its events are. Events of
    equal time stay in the order of the runs.
    """
    many = np.bincount(numbers, sizes).astype(np.int64)
    files = [column(np.float64, int(many.sum())) for _ in columns]
    first = numbers.searchsorted(np.arange(len(many) + 1))
    for some in in_turn(many, MOST):
        runs = slice(first[some.start], first[some.stop])
        begun, held = begins[runs], sizes[runs]
        pieces = _pieces(columns[-1], begun, held) if many[some.start] > MOST else [(begun, held)]
        for begin, size in reported(pieces):
            values = [parts_at(whole, begin, size) for whole in columns]
            whose = [np.repeat(numbers[runs], size)] if len(size) == len(held) else []
            order = np.lexsort((values[-1], *whose))
            for target, taken in zip(files, values, strict=True):
                target.add(taken[order])
    return [file.taken() for file in files]


def _pieces(times: Floats, begins: Ints, sizes: Ints) -> Iterator[tuple[Ints, Ints]]:
    """The runs of a series in pieces of no more than ``MOST`` events or so, each later than that before.

    Cut at some of the times, before and after all events of it: those of equal times need no sorting, however many.
    """
    runs = [times[begin : begin + size] for begin, size in zip(begins, sizes, strict=True)]
    samples = np.sort(np.concatenate([run[::_EVERY] for run in leaving([times], reported(runs))]))
    cuts = np.unique(samples[:: max(MOST // _EVERY, 1)])
    sides = [np.stack([run.searchsorted(cuts, side) for side in ("left", "right")], axis=1) for run in runs]
    edges = np.stack([np.concatenate([[0], side.ravel(), [len(run)]]) for side, run in zip(sides, runs, strict=True)])
    for at, (first, last) in enumerate(pairwise(edges.T)):
        for some in in_turn(last - first, MOST) if at % 2 else [slice(None)]:
            yield (begins + first)[some], (last - first)[some]
