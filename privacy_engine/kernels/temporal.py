r"""Loops of temporal privacy loss.

A loss function comes as its envelope: vertices ``(q, d)`` and ``upto``, the largest alpha at which each of them is the
maximiser (ascending, the last one infinite). Several envelopes lie one after another in the same arrays, the i-th in
``start[i]:start[i + 1]``.
"""

from __future__ import annotations

import math

import numpy as np

from privacy_engine.data import Floats, Ints, Mask
from privacy_engine.kernels import compiled

Envelope = tuple[Floats, Floats, Floats]


@compiled
def support(matrix: Floats, q_row: Ints, d_row: Ints, slope: float) -> Floats:
    """For every pair of rows the largest ``q - slope * d`` over all subsets of columns, (pairs,)."""
    n = matrix.shape[1]
    best = np.empty(len(q_row))
    for pair in range(len(q_row)):
        q, d = matrix[q_row[pair]], matrix[d_row[pair]]
        even = odd = 0.0  # two sums, so that an addition need not wait for the one before
        for j in range(0, n - 1, 2):
            even += max(q[j] - slope * d[j], 0.0)
            odd += max(q[j + 1] - slope * d[j + 1], 0.0)
        if n % 2:
            even += max(q[n - 1] - slope * d[n - 1], 0.0)
        best[pair] = even + odd
    return best


def envelope(rows: Floats) -> Envelope:
    """The envelope of all ordered pairs of ``rows``, found edge by edge.

    The support function ``max over pairs and subsets of q - slope * d`` is a sum over the columns with
    ``q_j > slope * d_j``: an edge asks it once for its own slope and splits at the vertex it finds. The support of one
    pair is convex in the slope, so the chord between two answers tells which pairs cannot matter on the edge between.
    """
    rows = np.array(rows)
    q_row, d_row = np.nonzero(~np.eye(len(rows), dtype=np.bool_))
    if not len(q_row):
        return np.zeros(1), np.zeros(1), np.array([math.inf])
    with np.errstate(over="ignore"):
        smallest = np.where(rows > 0, rows, math.inf).min(axis=0)
        steepest = min(float((rows.max(axis=0) / smallest).max()), 1e300)
    at_right, at_left = support(rows, q_row, d_row, 1.0), support(rows, q_row, d_row, steepest)
    left = (float((rows @ (rows == 0).T).max()), 0.0)
    right = _vertex(rows, q_row, d_row, at_right, 1.0)
    found = [left, right]
    edges = [(left, right, steepest, 1.0, at_left, at_right, np.arange(len(q_row)))]
    while edges:
        left, right, steep, flat, at_left, at_right, pairs = edges.pop()
        if right[1] <= left[1] or right[0] <= left[0] or steep <= flat:
            continue
        slope = (right[0] - left[0]) / (right[1] - left[1])
        slope = min(max(slope * (1 + 1e-15), flat), steep)  # above the ties, whose rounding would hide rarer columns
        line, weight = left[0] - slope * left[1], (slope - flat) / (steep - flat)
        alive = weight * at_left + (1 - weight) * at_right > line + 1e-15 * left[0]
        if not alive.any():
            continue
        at_left, at_right, pairs = at_left[alive], at_right[alive], pairs[alive]
        here = support(rows, q_row[pairs], d_row[pairs], slope)
        vertex = _vertex(rows, q_row[pairs], d_row[pairs], here, slope)
        if here.max() <= line + 1e-15 * vertex[0]:
            continue
        found.append(vertex)
        if left[1] < vertex[1] < right[1]:
            edges.append((left, vertex, steep, slope, at_left, here, pairs))
            edges.append((vertex, right, slope, flat, here, at_right, pairs))
    return _hull([(min(q, 1.0), min(d, 1.0)) for q, d in found])


def _hull(found: list[tuple[float, float]]) -> Envelope:
    kept: list[tuple[float, float]] = []
    upto: list[float] = [0.0]  # where each kept vertex starts to be the maximiser
    for q, d in sorted(found, key=lambda vertex: (-vertex[1], -vertex[0])):
        while kept and (at := _crossing(*kept[-1], q, d)) <= upto[-1]:
            kept.pop()
            upto.pop()
        if not kept or at < math.inf:
            upto = [*upto, at] if kept else [0.0]
            kept.append((q, d))
    return np.array([q for q, _ in kept]), np.array([d for _, d in kept]), np.array([*upto[1:], math.inf])


def _vertex(rows: Floats, q_row: Ints, d_row: Ints, values: Floats, slope: float) -> tuple[float, float]:
    best = np.argmax(values)
    q, d = rows[q_row[best]], rows[d_row[best]]
    chosen = q > slope * d
    return float(q[chosen].sum()), float(d[chosen].sum())


def _crossing(q: float, d: float, q2: float, d2: float) -> float:
    """The alpha from which vertex (q2, d2) beats (q, d), which comes first by falling d, then falling q."""
    if d2 >= d or q2 <= 0:
        return math.inf
    slope = (q - q2) / (d - d2)
    rest = (q2 - q * (d2 / d)) / (1 - d2 / d)  # q - slope d, without its cancellation
    if slope <= 1 or rest <= 0:
        return 0.0 if slope <= 1 else math.inf
    alpha = math.log(slope - 1) - math.log(rest)
    return alpha if alpha > 30 else math.log1p((slope - 1) / rest)


def bridges(matrix: Floats, own: Envelope, longest: int, most: int) -> tuple[Envelope, Ints]:
    """Envelopes of the chain that is known to be in state x after h = 2 .. ``longest`` steps, and ``start`` (x, h).

    B[y, z] = P[y, z] (P^{h-1})[z, x] / (P^h)[y, x] over the states y that can reach x. Once the rows of the power agree
    the bridge is P again, and its envelope, ``own``, serves every greater distance. An empty ``start`` says that the
    bridges still changed after ``most`` distances.
    """
    power, following = matrix, matrix @ matrix
    found: list[list[Envelope]] = [[] for _ in matrix]
    for h in range(2, longest + 1):
        if h - 1 > most:
            return own, np.empty((0, 0), dtype=np.int64)
        mixed = np.allclose(power, power[0], rtol=1e-14, atol=0.0)
        for x, condition in enumerate(found):
            possible = following[:, x] > 0
            bridge = matrix[possible] * power[:, x] / following[possible, x][:, None]
            condition.append(own if mixed else envelope(bridge))
        if mixed or np.array_equal(power, following):
            break
        power, following = following, matrix @ following
    flat = [one for condition in found for one in condition]
    ends, width = np.cumsum([0, *(len(q) for q, _, _ in flat)]), len(found[0])
    start = np.array([ends[x * width : (x + 1) * width + 1] for x in range(len(matrix))])
    q, d, upto = (np.concatenate(parts) for parts in zip(*flat, strict=True))
    return (q, d, upto), start


@compiled
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


@compiled
def losses(alpha: Floats, q: Floats, d: Floats, upto: Floats) -> Floats:
    """L at every entry of ``alpha``."""
    out = np.empty(len(alpha))
    for i in range(len(alpha)):
        out[i] = loss(alpha[i], q, d, upto, 0, len(q))
    return out


@compiled
def series(epsilons: Floats, q: Floats, d: Floats, upto: Floats) -> Floats:
    """The recursion a_1 = eps_1, a_t = eps_t + L(a_{t-1})."""
    out = np.empty(len(epsilons))
    value = 0.0
    for t in range(len(epsilons)):
        value = epsilons[t] + loss(value, q, d, upto, 0, len(q))
        out[t] = value
    return out


@compiled
def _steps(level: float, n: int, envelopes: Envelope, start: Ints) -> Floats:
    """By distance h = 0 .. n, what a window of that length adds to its first budget, if the others are ``level``.

    ``start`` (conditions, distances + 1) has an envelope for each distance h = 2, 3, ... to the window's end; the last
    one stands for all greater distances. The largest over the conditions counts.
    """
    q, d, upto = envelopes
    out, width = np.zeros(n + 1), start.shape[1] - 1
    for condition in range(len(start)):
        value = level
        for h in range(2, n + 1):
            k = min(h - 2, width - 1)
            step = loss(value, q, d, upto, start[condition, k], start[condition, k + 1])
            out[h] = max(out[h], step)
            value = level + step
    return out


@compiled
def _constant_row(epsilons: Floats, landmark: Mask, tail: Floats, ended: Floats, inside: Floats, cut: Floats) -> None:
    n, right, left = len(epsilons), len(epsilons), -1
    for t in range(n - 1, -1, -1):
        inside[t] = epsilons[t] + (tail[right - t] if right == n else ended[right - t])
        if landmark[t]:
            right = t
    for t in range(n):
        if landmark[t]:
            left = t
        elif left >= 0:
            cut[t] = epsilons[left] + ended[t - left] - inside[left]


@compiled
def _window(epsilons: Floats, first: int, end: int, ended: Envelope, start: Ints, chain: Floats) -> None:
    """``chain[i]`` becomes the loss at i of the window [i, ``end``), for every i from ``first``.

    With one envelope for all distances the walk stops where it meets the chain of a window that ended elsewhere.
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


@compiled
def _any_row(
    epsilons: Floats, landmark: Mask, tail: Envelope, ended: Envelope, start: Ints, inside: Floats, cut: Floats
) -> None:
    n, whole = len(epsilons), np.array([0, len(tail[0])])
    marks = np.flatnonzero(landmark)
    chain = np.full(n, -1.0)
    if n:
        first = marks[-1] if len(marks) else 0
        inside[first:] = -1.0
        _window(epsilons, first, n, tail, whole, inside)
    for condition in range(len(start)):
        for gap in range(-1, len(marks)):
            left = marks[gap] if gap >= 0 else 0
            right = marks[gap + 1] if gap + 1 < len(marks) else n
            chain[left:right] = -1.0
            if gap >= 0:
                for t in range(left + 1, right):
                    _window(epsilons, left, t, ended, start[condition], chain)
                    cut[t] = max(cut[t], chain[left])
            if right < n and right > left:
                _window(epsilons, left, right, ended, start[condition], chain)
                for t in range(left, right):
                    inside[t] = max(inside[t], chain[t])
    for gap in range(len(marks)):
        right = marks[gap + 1] if gap + 1 < len(marks) else n
        cut[marks[gap] + 1 : right] -= inside[marks[gap]]


@compiled
def landmark_windows(
    epsilons: Floats, landmark: Mask, tail: Envelope, ended: Envelope, start: Ints
) -> tuple[Floats, Floats]:
    """Forward losses between landmarks, two arrays (series, n) as ``epsilons`` and ``landmark`` are.

    ``inside[t]`` is the loss at t of the window [t, next landmark). ``cut[t]``, for a regular t, is by how much the
    loss of the landmark before t changes when its window ends at t. ``tail`` serves windows that no landmark ends,
    ``ended`` and ``start`` the others, see :func:`_steps`. O(n) where the regular events' budgets are equal.
    """
    inside, cut = np.zeros(epsilons.shape), np.zeros(epsilons.shape)
    n, level = epsilons.shape[1], -1.0
    to_end, to_landmark = np.zeros(1), np.zeros(1)
    for row in range(len(epsilons)):
        found, constant = -1.0, True
        for t in range(n):
            if not landmark[row, t]:
                constant = constant and (found < 0 or epsilons[row, t] == found)
                found = epsilons[row, t]
        if not constant:
            _any_row(epsilons[row], landmark[row], tail, ended, start, inside[row], cut[row])
            continue
        if len(to_end) == 1 or found != level:
            level = found
            to_end = _steps(max(level, 0.0), n, tail, np.array([[0, len(tail[0])]]))
            to_landmark = _steps(max(level, 0.0), n, ended, start)
        _constant_row(epsilons[row], landmark[row], to_end, to_landmark, inside[row], cut[row])
    return inside, cut
