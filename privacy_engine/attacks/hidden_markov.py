"""A hidden Markov chain on a grid: movement, what is seen through noise, where the person was.

References
----------
.. [1] Rabiner. "A tutorial on hidden Markov models and selected applications in speech recognition". Proceedings of
   the IEEE 1989. (Forward-backward.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from privacy_engine.attacks.area import Grid
from privacy_engine.core.arrays import Floats, ceil_div
from privacy_engine.core.on_demand import scipy
from privacy_engine.core.progress import reported

JUMP = 1e-6
"""Probability of a jump to anywhere at the next event: what movement cannot explain must not stop the chain."""

BLOCK_CELLS = 2**19
"""Events of a block times cells: 4 MB an array, however long the series."""


@dataclass(frozen=True)
class Movement:
    """A random walk in continuous time between neighbouring cells, reflected at the border of the grid.

    Its law after an event is the heat kernel of each axis, :math:`e^{q L / 2h^2}` with L the second difference and h
    the cell: variance q per axis for cells of any size, symmetric, all cells alike in the long run. ``along`` (columns,
    columns) and ``across`` (rows, rows).
    """

    along: Floats
    across: Floats

    @classmethod
    def over(cls, grid: Grid, step_variance_m2: float) -> Movement:
        """The random walk of variance ``step_variance_m2`` per axis and event."""
        steps = step_variance_m2 / grid.cell_m**2
        return cls(_heat(grid.columns, steps), _heat(grid.rows, steps))

    def step(self, weights: Floats) -> Floats:
        """Weights of the cells (columns, rows) an event later; of those an event earlier too, by symmetry."""
        return np.asarray((1 - JUMP) * (self.along @ weights @ self.across) + JUMP * weights.mean())


def _heat(cells: int, steps: float) -> Floats:
    """exp(steps · L/2) of the path of ``cells`` cells, whose eigenvectors are cosines."""
    mode = np.arange(cells)
    waves = np.cos(np.pi * np.outer(mode + 0.5, mode) / cells) * np.sqrt((2 - (mode == 0)) / cells)
    kernel = np.maximum((waves * np.exp(-steps * (1 - np.cos(np.pi * mode / cells)))) @ waves.T, 0.0)
    return np.asarray(kernel / kernel.sum(axis=1, keepdims=True))


def posteriors(
    movement: Movement, events: int, log_likelihood: Callable[[slice], Floats]
) -> Iterator[tuple[slice, Floats]]:
    """P(cell | everything seen) by forward-backward [1]_: blocks of events, the last first, each (b, columns, rows).

    ``log_likelihood`` gives for some events that of what was seen there, (b, cells), up to a constant for each event; 0
    where nothing was. It is called twice for each block but the last; memory does not grow with the events but for a
    grid a block.
    """
    shape = len(movement.along), len(movement.across)
    size = _block_size(shape[0] * shape[1])
    blocks = [slice(start, min(start + size, events)) for start in range(0, events, size)]

    def seen(block: slice) -> Floats:
        logs = log_likelihood(block)
        return np.asarray(np.exp(logs - logs.max(axis=1, keepdims=True)).reshape(-1, *shape))

    def forward(block: slice, predicted: Floats) -> tuple[Floats, Floats, Floats]:
        likelihood = seen(block)
        filtered = np.empty_like(likelihood)
        for i, row in enumerate(reported(likelihood)):
            weights = predicted * row
            filtered[i] = weights / weights.sum()
            predicted = movement.step(filtered[i])
        return likelihood, filtered, predicted

    entering = [np.full(shape, 1 / (shape[0] * shape[1]))]
    for block in blocks[:-1]:
        entering.append(forward(block, entering[-1])[2])
    later = np.ones(shape)
    for block, predicted in zip(reversed(blocks), reversed(entering), strict=True):
        likelihood, posterior, _ = forward(block, predicted)
        for i in reported(reversed(range(len(posterior)))):
            posterior[i] *= later
            posterior[i] /= posterior[i].sum()
            later = movement.step(likelihood[i] * later)
            later /= later.max()
        yield block, posterior


def sweeps(events: int, cells: int) -> int:
    """How many times :func:`posteriors` evaluates the likelihood."""
    return 2 * ceil_div(events, _block_size(cells)) - 1


def _block_size(cells: int) -> int:
    return max(1, BLOCK_CELLS // cells)


class BestGuess:
    """The cell with the least expected distance to the truth, under a posterior: the best guess for that loss."""

    def __init__(self, grid: Grid) -> None:
        self._shape = grid.columns, grid.rows
        self._padded = tuple(scipy.fft.next_fast_len(2 * side - 1, real=True) for side in self._shape)
        x, y = (np.minimum(np.arange(side), side - np.arange(side)) for side in self._padded)
        self._distances = scipy.fft.rfft2(grid.cell_m * np.hypot(x[:, None], y))

    def of(self, posterior: Floats) -> tuple[Floats, Floats]:
        """For posteriors (b, columns, rows): the best cells, (b,), and the expected distances to them in metres, (b,).

        All cells are tried, by a convolution of the posterior with the distances.
        """
        waves = scipy.fft.rfft2(posterior, s=self._padded) * self._distances
        loss = scipy.fft.irfft2(waves, s=self._padded)[:, : self._shape[0], : self._shape[1]]
        flat = loss.reshape(len(posterior), -1)
        best = flat.argmin(axis=1)
        return best, np.maximum(flat[np.arange(len(flat)), best], 0.0)
