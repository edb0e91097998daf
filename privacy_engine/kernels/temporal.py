r"""Loops of temporal privacy loss.

A loss function comes as its envelope: vertices ``(q, d)`` and ``upto``, the largest alpha at which each of them is the
maximiser (ascending, the last infinite). Several envelopes lie end to end in the same arrays, the i-th in
``start[i]:start[i + 1]``.
"""

import numpy as np
from numba import b1, f8, i8

from privacy_engine.core.arrays import Floats, Ints, Mask
from privacy_engine.kernels import compiled, compiled_for, out
from privacy_engine.kernels.elementary import log1p
from privacy_engine.kernels.envelope import ENVELOPE, Envelope

Tables = tuple[Envelope, Envelope, Ints]
TABLES = (ENVELOPE, ENVELOPE, i8[:, ::1])
LARGEST, BLOCK = 1e13, 16  # of e^a - 1; and its power to the steps of a block is a number yet
FIRST = (0.0, 1.0, 0.0)
NONE = -(1 << 60)  # a landmark before all events


@compiled_for(f8, f8[::1], f8[::1], f8[::1], i8, i8)
def loss(alpha: float, q: Floats, d: Floats, upto: Floats, low: int, high: int) -> float:
    """L(alpha) by the envelope in ``low:high``; never negative, never above alpha."""
    last = high - 1
    while low < last:
        middle = (low + last) // 2
        if alpha <= upto[middle]:
            last = middle
        else:
            low = middle + 1
    q0, d0 = q[low], d[low]
    if q0 <= d0:
        return 0.0
    if alpha < 30.0:
        odds = np.expm1(alpha)
        value = np.log1p((q0 - d0) * odds / (1.0 + d0 * odds))
    elif d0 > 0.0:
        small = np.exp(-alpha)
        value = np.log(q0 + (1.0 - q0) * small) - np.log(d0 + (1.0 - d0) * small)
    else:
        value = alpha + np.log(q0 + (1.0 - q0) * np.exp(-alpha))
    carried: float = min(max(value, 0.0), alpha)
    return carried


@compiled_for(f8[::1], f8[::1], f8[::1], f8[::1])
def losses(alpha: Floats, q: Floats, d: Floats, upto: Floats) -> Floats:
    """L at every entry of ``alpha``."""
    out = np.empty(len(alpha))
    for i in range(len(alpha)):
        out[i] = loss(alpha[i], q, d, upto, 0, len(q))
    return out


@compiled_for(f8[::1], f8[::1], f8[::1], f8[::1], out(f8[::1]))
def series(epsilons: Floats, q: Floats, d: Floats, upto: Floats, state: Floats) -> Floats:
    """The recursion a_1 = eps_1, a_t = eps_t + L(a_{t-1}), of a series or of its next piece.

    Up to 30 it goes on in A = e^a - 1, where a step is e^eps (q - d) A / (1 + d A) + e^eps - 1. With A = x/y that is a
    product of (x, y) and a matrix of positive numbers: no step waits for the division or the logarithm of another.

    ``state`` is :data:`FIRST` ahead of the series, then A, whether it goes on in A, and the last a. Pieces but the last
    have a multiple of ``BLOCK`` events.
    """
    n, last = len(epsilons), len(q) - 1
    out, ends = np.empty(n), np.expm1(upto)
    x, y, at, t, small = state[0], 1.0, 0, 0, state[1] > 0.0
    spent, vertex, grown, kept = -1.0, -1, 0.0, 0.0
    while t < n and small:
        x, y = x / y, 1.0  # between blocks: they would overflow, and a test at every step would wait for the division
        end = min(t + BLOCK, n)
        while t < end:
            while at > 0 and x <= ends[at - 1] * y:
                at -= 1
            while at < last and x > ends[at] * y:
                at += 1
            if epsilons[t] != spent or at != vertex:
                spent, vertex = epsilons[t], at
                grown, gain = np.expm1(spent), max(q[at] - d[at], 0.0)
                kept = gain + (gain + d[at]) * grown
            carried = x > 0.0 and q[at] > d[at]
            x, y = kept * x + grown * y, y + d[at] * x
            small = x < LARGEST * y
            if not small:
                break
            out[t] = x / y if carried else -1.0  # nothing carried over: the budget itself, to the last bit
            t += 1
    for i in range(t):
        value = log1p(out[i])
        out[i] = value if out[i] >= 0.0 else epsilons[i]
    value = out[t - 1] if t else state[2]
    for i in range(t, n):
        value = epsilons[i] + loss(value, q, d, upto, 0, len(q))
        out[i] = value
    state[0], state[1], state[2] = x / y, 1.0 if small else 0.0, value
    return out


@compiled_for(f8, i8, ENVELOPE, i8[:, ::1], out(f8[::1]), out(f8[::1]))
def next_steps(level: float, first: int, envelopes: Envelope, start: Ints, values: Floats, steps: Floats) -> None:
    """By distance from ``first`` on, what a window so long adds to its first budget, if the others are ``level``.

    ``start`` (conditions, distances + 1) has an envelope for each distance h = 2, 3, ... to the window's end; the last
    envelope stands for all greater distances. The largest over the conditions counts. ``values`` (conditions,) are
    ``level`` at first, then the losses of the windows that were last.
    """
    q, d, upto = envelopes
    steps[:], width = 0.0, start.shape[1] - 1
    for condition in range(len(start)):
        value = values[condition]
        for h in range(max(first, 2), first + len(steps)):
            k = min(h - 2, width - 1)
            step = loss(value, q, d, upto, start[condition, k], start[condition, k + 1])
            steps[h - first] = max(steps[h - first], step)
            value = level + step
        values[condition] = value


@compiled_for(f8, i8, ENVELOPE, i8[:, ::1])
def _steps(level: float, n: int, envelopes: Envelope, start: Ints) -> Floats:
    """:func:`next_steps` of the distances 0 .. n."""
    steps = np.empty(n + 1)
    next_steps(level, 0, envelopes, start, np.full(len(start), level), steps)
    return steps


PLACE = (i8, b1, i8, f8)
"""Where a piece lies: the next landmark, at its end or later, or the end of the series, and whether it is a landmark;
the last landmark before the piece, less than 0, and how much less its budget is than the loss from there on.
"""


@compiled_for(f8[::1], b1[::1], f8[::1], f8[::1], PLACE, out(f8[::1]), out(f8[::1]))
def _constant_row(
    epsilons: Floats,
    landmark: Mask,
    tail: Floats,
    ended: Floats,
    place: tuple[int, bool, int, float],
    inside: Floats,
    cut: Floats,
) -> tuple[int, float]:
    # no branch depends on where the landmarks are: a processor could not foresee it
    right, is_ended, left, base = place
    last = len(epsilons) - 1
    if not is_ended:
        while last >= 0 and not landmark[last]:
            inside[last] = epsilons[last] + tail[right - last]
            last -= 1
        if last >= 0:
            inside[last] = epsilons[last] + tail[right - last]
            right = last
            last -= 1
    for t in range(last, -1, -1):
        inside[t] = epsilons[t] + ended[right - t]
        right = t if landmark[t] else right
    for t in range(len(epsilons)):
        here = landmark[t]
        left = t if here else left
        base = epsilons[t] - inside[t] if here else base
        cut[t] = 0.0 if here or left <= NONE else base + ended[t - left]
    return left, base


@compiled_for(f8[::1], i8, i8, ENVELOPE, i8[::1], out(f8[::1]))
def _window(epsilons: Floats, first: int, end: int, ended: Envelope, start: Ints, chain: Floats) -> None:
    """``chain[i]`` becomes the loss at i of the window [i, ``end``), for every i from ``first``.

    With a single envelope for all distances the loop stops where it meets the chain of a window that ended elsewhere.
    """
    q, d, upto = ended
    width = len(start) - 1
    value = epsilons[end - 1]
    chain[end - 1] = value
    for i in range(end - 2, first - 1, -1):
        k = min(end - i - 2, width - 1)
        value = epsilons[i] + loss(value, q, d, upto, start[k], start[k + 1])
        if width == 1 and value == chain[i]:
            break
        chain[i] = value


@compiled_for(f8[::1], b1[::1], TABLES, b1, out(f8[::1]), out(f8[::1]))
def _any_row(epsilons: Floats, landmark: Mask, tables: Tables, is_ended: bool, inside: Floats, cut: Floats) -> None:
    """Gap by gap: O(gap) where its regular events spend alike (as between two draws of Adaptive), else O(gap²).

    Of a piece from a landmark, or from the first event, to before another, or to the last event.
    """
    tail, ended, start = tables
    n, whole = len(epsilons), np.array([0, len(tail[0])])
    marks = np.flatnonzero(landmark)
    chain = np.full(n, -1.0)
    if n and not is_ended:
        first = marks[-1] if len(marks) else 0
        inside[first:] = -1.0
        _window(epsilons, first, n, tail, whole, inside)
    for gap in range(-1, len(marks)):
        left = marks[gap] if gap >= 0 else 0
        right = marks[gap + 1] if gap + 1 < len(marks) else n
        level = common_level(epsilons[left:right], landmark[left:right])
        if level >= -1.0:
            steps = _steps(level, right - left, ended, start)
            if right < n or is_ended:
                for t in range(left, right):
                    inside[t] = epsilons[t] + steps[right - t]
            if gap >= 0:
                for t in range(left + 1, right):
                    cut[t] = epsilons[left] + steps[t - left]
        else:
            for condition in range(len(start)):
                chain[left:right] = -1.0
                if gap >= 0:
                    for t in range(left + 1, right):
                        _window(epsilons, left, t, ended, start[condition], chain)
                        cut[t] = max(cut[t], chain[left])
                if right < n or is_ended:
                    _window(epsilons, left, right, ended, start[condition], chain)
                    for t in range(left, right):
                        inside[t] = max(inside[t], chain[t])
    for gap in range(len(marks)):
        right = marks[gap + 1] if gap + 1 < len(marks) else n
        for t in range(marks[gap] + 1, right):
            cut[t] -= inside[marks[gap]]


@compiled_for(f8[::1], b1[::1], f8, TABLES, (f8[::1], f8[::1]), PLACE, out(f8[::1]), out(f8[::1]))
def windows(
    epsilons: Floats,
    landmark: Mask,
    level: float,
    tables: Tables,
    steps: tuple[Floats, Floats],
    place: tuple[int, bool, int, float],
    inside: Floats,
    cut: Floats,
) -> tuple[int, float]:
    inside[:], cut[:] = 0.0, 0.0
    if level >= -1.0:
        return _constant_row(epsilons, landmark, steps[0], steps[1], place, inside, cut)
    _any_row(epsilons, landmark, tables, place[1], inside, cut)
    return place[2], place[3]


@compiled_for(f8[::1], b1[::1])
def common_level(epsilons: Floats, landmark: Mask) -> float:
    """The budget of all regular events; -1 if there are none, -2 if they differ."""
    level, constant = -1.0, True
    for t in range(len(epsilons)):
        regular = not landmark[t]
        constant &= not regular or level < 0 or epsilons[t] == level
        level = epsilons[t] if regular else level
    return level if constant else -2.0


@compiled_for(f8[:, ::1], b1[:, ::1], TABLES, TABLES, b1, b1)
def landmark_losses(
    epsilons: Floats, landmark: Mask, ahead: Tables, back: Tables, own: bool, joint: bool
) -> tuple[Floats, Floats]:
    """Each event's own loss, and that of all landmarks and it, as requested: (series, n), or (0, n) where not.

    ``epsilons`` may be a single row for all series.

    ``ahead`` and ``back`` are, for either direction: the envelope for windows that no landmark ends, the envelopes for
    the others, and where these start, see :func:`next_steps`. For each direction ``inside[t]`` is the loss at t of the
    window from t to the next landmark, ``cut[t]``, for a regular t, by how much the loss of the landmark before t
    changes when its window ends at t. O(n) where the regular events between two landmarks spend alike. Row by row, in
    little memory.
    """
    series, n = landmark.shape
    alone, together = np.empty((series if own else 1, n)), np.empty((series if joint else 1, n))
    none = np.zeros(2)
    inside_back, cut_back = np.empty(n), np.empty(n)
    level, reach, steps, steps_back, place = -1.0, 1, (none, none), (none, none), (n, False, NONE, 0.0)
    for row in range(series):
        budgets, marks = epsilons[row if len(epsilons) > 1 else 0], landmark[row]
        inside, cut = alone[row if own else 0], together[row if joint else 0]
        regular, gap = common_level(budgets, marks), _longest(marks)
        if regular >= 0.0 and (regular != level or gap > reach):
            level, reach = regular, max(gap, reach)
            steps = _both_steps(level, reach, ahead)
            steps_back = _both_steps(level, reach, back)
        windows(budgets, marks, regular, ahead, steps, place, inside, cut)
        windows(budgets[::-1].copy(), marks[::-1].copy(), regular, back, steps_back, place, inside_back, cut_back)
        landmarks = add_back(budgets, marks, inside_back, inside, 0.0)
        if joint:
            join(landmarks, marks, inside, cut_back, cut)
    return alone[: series if own else 0], together[: series if joint else 0]


@compiled_for(f8[::1], b1[::1], f8[::1], out(f8[::1]), f8)
def add_back(epsilons: Floats, landmark: Mask, back: Floats, inside: Floats, landmarks: float) -> float:
    """Make ``inside`` each event's own loss; return what the landmarks leak together, ``landmarks`` so far."""
    for t in range(len(epsilons)):
        inside[t] += back[len(back) - 1 - t] - epsilons[t]
        landmarks += inside[t] if landmark[t] else 0.0
    return landmarks


@compiled_for(f8, b1[::1], f8[::1], f8[::1], out(f8[::1]))
def join(landmarks: float, landmark: Mask, own: Floats, back: Floats, cut: Floats) -> None:
    """Make ``cut`` the loss of all landmarks and each event."""
    for t in range(len(cut)):
        added = own[t] + (cut[t] + back[len(back) - 1 - t])
        cut[t] = landmarks + (0.0 if landmark[t] else added)


@compiled_for(b1[::1])
def _longest(landmark: Mask) -> int:
    """The most events from a landmark, or from before the first, to the next landmark, or the end."""
    longest, last = 0, -1
    for t in range(len(landmark)):
        longest = max(longest, t - last)
        last = t if landmark[t] else last
    return max(longest, len(landmark) - last)


@compiled_for(f8[::1], b1[::1], i8, out(f8[::1]))
def uneven(epsilons: Floats, landmark: Mask, lasts: int, gap: Floats) -> float:
    """Pairs of events, at most ``lasts`` apart, in the gaps whose regular events do not all spend the same.

    ``gap`` is what the piece before had of the last gap, whose end it did not see: its length, least and greatest
    budget.
    """
    pairs, (length, least, most) = 0.0, gap
    for t in range(len(epsilons)):
        if landmark[t]:
            pairs += length * min(length, lasts) if least < most else 0.0
            length, least, most = 0.0, np.inf, -np.inf
        else:
            length, least, most = length + 1.0, min(least, epsilons[t]), max(most, epsilons[t])
    gap[0], gap[1], gap[2] = length, least, most
    return pairs


@compiled
def _both_steps(level: float, n: int, tables: Tables) -> tuple[Floats, Floats]:
    tail, ended, start = tables
    return _steps(level, n, tail, np.array([[0, len(tail[0])]])), _steps(level, n, ended, start)
