"""Loops of the pairwise temporal privacy loss, which is a number for every ordered pair of states."""

import numpy as np
from numba import f8, i8

from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.kernels import compiled, compiled_for, out
from privacy_engine.kernels.envelope import ENVELOPE, Envelope
from privacy_engine.kernels.temporal import loss

LARGEST = 600.0
"""Losses up to here have an exponential that is a number, sums of 400 of them too."""

Direction = tuple[Floats, Ints, Ints, Envelope]
DIRECTION = (f8[:, ::1], i8[:, :, ::1], i8[:, ::1], ENVELOPE)
"""A matrix, its columns in order of falling ratio for each pair, how many of these count, and its envelope."""


@compiled_for(f8[:, ::1])
def columns(matrix: Floats) -> tuple[Ints, Ints]:
    """For states i and j the columns with matrix[i] > matrix[j], by falling ratio: (n, n, n), and how many: (n, n)."""
    n = len(matrix)
    order, count = np.zeros((n, n, n), dtype=np.int64), np.zeros((n, n), dtype=np.int64)
    ratio = np.empty(n)
    for i in range(n):
        for j in range(n):
            for k in range(n):
                above = matrix[i, k] > matrix[j, k]
                ratio[k] = -matrix[i, k] / matrix[j, k] if above and matrix[j, k] > 0.0 else (-np.inf if above else 1.0)
                count[i, j] += above
            by_ratio = np.argsort(ratio)
            for k in range(n):
                order[i, j, k] = by_ratio[k]
    return order, count


@compiled
def carried(losses: Floats, side: Direction, out: Floats) -> None:
    """``out[i, j]``: what ``losses`` (n, n) of the previous event add to the loss between i and j, an upper bound."""
    matrix, order, count, envelope = side
    n, most = len(matrix), losses.max()
    if most > LARGEST:
        step = loss(most, envelope[0], envelope[1], envelope[2], 0, len(envelope[0]))
        for i in range(n):
            for j in range(n):
                out[i, j] = 0.0 if i == j else step
        return
    odds = np.expm1(losses).T.copy()  # row l: how much more likely than in state l
    for i in range(n):
        for j in range(n):
            worst = 0.0
            for lowest in range(n):
                if count[i, j] and (matrix[i, lowest] > 0.0 or matrix[j, lowest] > 0.0):
                    gain, base = 0.0, 1.0
                    for at in range(count[i, j]):
                        k = order[i, j, at]
                        q, d = matrix[i, k], matrix[j, k]
                        if q * base <= (base + gain) * d:
                            break
                        gain += (q - d) * odds[lowest, k]
                        base += d * odds[lowest, k]
                    worst = max(worst, gain / base)
            out[i, j] = min(np.log1p(worst), most)


@compiled_for(f8[:, ::1], f8[::1], f8[:, ::1], DIRECTION, out(f8[:, :, ::1]))
def recursion(losses: Floats, epsilons: Floats, apart: Floats, side: Direction, out: Floats) -> None:
    """Go on from ``losses`` (n, n) with the budgets ``epsilons``; ``out`` (events, n, n) has the loss after each."""
    step, done = np.zeros_like(losses), False
    for t in range(len(epsilons)):
        if not done:
            carried(losses, side, step)
        done = True
        for i in range(len(step)):
            for j in range(len(step)):
                out[t, i, j] = epsilons[t] * apart[i, j] + step[i, j]
                done = done and out[t, i, j] == losses[i, j]
        losses = out[t]


@compiled_for(f8[::1], f8[:, ::1], DIRECTION, DIRECTION)
def series(epsilons: Floats, apart: Floats, back: Direction, ahead: Direction) -> tuple[Floats, Floats, Floats]:
    """The largest backward, forward and total loss over all pairs of states at every event, three arrays (events,).

    The forward losses are computed block by block from the end; those at the blocks' borders are kept, and each block
    is computed again beside the backward losses, in memory of the order of the root of the events.
    """
    events, n = len(epsilons), len(apart)
    block = int(np.sqrt(events)) + 1
    blocks = (events + block - 1) // block
    borders = np.zeros((blocks + 1, n, n))
    later, earlier = np.empty((block, n, n)), np.empty((block, n, n))
    for b in range(blocks - 1, -1, -1):
        part = epsilons[b * block : (b + 1) * block][::-1].copy()
        recursion(borders[b + 1], part, apart, ahead, later)
        for i in range(n):
            for j in range(n):
                borders[b, i, j] = later[len(part) - 1, i, j]
    backward, forward, total = np.zeros(events), np.zeros(events), np.zeros(events)
    losses = np.zeros((n, n))
    for b in range(blocks):
        part = epsilons[b * block : (b + 1) * block]
        recursion(losses, part, apart, back, earlier)
        losses = earlier[len(part) - 1].copy()
        recursion(borders[b + 1], part[::-1].copy(), apart, ahead, later)
        for i in range(len(part)):
            t, mirrored = b * block + i, len(part) - 1 - i
            backward[t], forward[t] = earlier[i].max(), later[mirrored].max()
            total[t] = (earlier[i] + (later[mirrored] - part[i] * apart)).max()
    return backward, forward, total
