"""How the envelope of a loss function is computed: the vertices (q, d) that decide it, see :mod:`.temporal`."""

import math

import numpy as np
from numba import f8

from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.kernels import compiled, compiled_for, inlined

Envelope = tuple[Floats, Floats, Floats]
ENVELOPE = (f8[::1], f8[::1], f8[::1])
STEEPEST = 1e300
ONE, TWO, THREE = np.uint64(1), np.uint64(2), np.uint64(3)


@compiled
def support(matrix: Floats, q_row: Ints, d_row: Ints, slope: float) -> Floats:
    """For every pair of rows the largest ``q - slope * d`` over all subsets of columns, (pairs,)."""
    n = matrix.shape[1]
    best = np.empty(len(q_row))
    for pair in range(len(q_row)):
        q, d = matrix[q_row[pair]], matrix[d_row[pair]]
        a = b = c = e = 0.0  # four sums, so that an addition need not wait for the previous
        for four in range(n // 4):
            j = np.uint64(4 * four)  # unsigned: whether an index counts from the end is not tested for every element
            a += _surplus(q, d, slope, j)
            b += _surplus(q, d, slope, j + ONE)
            c += _surplus(q, d, slope, j + TWO)
            e += _surplus(q, d, slope, j + THREE)
        for k in range(n - n % 4, n):
            a += _surplus(q, d, slope, np.uint64(k))
        best[pair] = (a + b) + (c + e)
    return best


@inlined
def _surplus(q: Floats, d: Floats, slope: float, j: np.uint64) -> float:
    left: float = q[j] - slope * d[j]
    return left if left > 0.0 else 0.0


def envelope(rows: Floats) -> Envelope:
    """The envelope of all ordered pairs of ``rows``."""
    if len(rows) < 2:
        return np.zeros(1), np.zeros(1), np.array([math.inf])
    return _hull([(min(q, 1.0), min(d, 1.0)) for q, d in _vertices(np.ascontiguousarray(rows)).tolist()])


@compiled_for(f8[:, ::1])
def _vertices(rows: Floats) -> Floats:
    """Points (q, d) of all pairs of ``rows``, among them every vertex of their envelope, computed edge by edge.

    The support function ``max over pairs and subsets of q - slope * d`` is a sum over the columns with
    ``q_j > slope * d_j``: an edge evaluates it once for its own slope and splits at the vertex it finds. The support of
    one pair is convex in the slope, so the chord between two results shows which pairs cannot matter on the edge
    between.
    """
    q_row, d_row, alone = _pairs(rows)
    left_q, steepest = alone.max(), _steepest(rows)
    flat_values = support(rows, q_row, d_row, 1.0)
    steep_values = alone if steepest < STEEPEST else support(rows, q_row, d_row, steepest)
    right = _vertex(rows, q_row, d_row, flat_values, 1.0)
    points = [(left_q, 0.0), right]
    edges = [((left_q, 0.0), right, steepest, 1.0, steep_values, flat_values, q_row, d_row)]
    while len(edges):
        left, right, steep, flat, at_left, at_right, q_row, d_row = edges.pop()
        if right[1] <= left[1] or right[0] <= left[0] or steep <= flat:
            continue
        slope = (right[0] - left[0]) / (right[1] - left[1])
        slope = min(max(slope * (1 + 1e-15), flat), steep)  # above the ties, whose rounding would hide rarer columns
        line, weight = left[0] - slope * left[1], (slope - flat) / (steep - flat)
        alive = weight * at_left + (1 - weight) * at_right > line + 1e-15 * left[0]
        if not alive.any():
            continue
        at_left, at_right, q_row, d_row = at_left[alive], at_right[alive], q_row[alive], d_row[alive]
        here = support(rows, q_row, d_row, slope)
        vertex = _vertex(rows, q_row, d_row, here, slope)
        if here.max() <= line + 1e-15 * vertex[0]:
            continue
        points.append(vertex)
        if left[1] < vertex[1] < right[1]:
            edges.append((left, vertex, steep, slope, at_left, here, q_row, d_row))
            edges.append((vertex, right, slope, flat, here, at_right, q_row, d_row))
    return np.array(points)


@compiled
def _pairs(rows: Floats) -> tuple[Ints, Ints, Floats]:
    """All ordered pairs of rows, and the mass that the first has where the second has none."""
    n = len(rows)
    count = n * (n - 1)
    q_row, d_row, alone = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64), np.zeros(count)
    for b in range(n):
        none = np.flatnonzero(rows[b] == 0.0)
        for a in range(n):
            if a != b:
                pair = a * (n - 1) + b - (b > a)
                q_row[pair], d_row[pair] = a, b
                for j in none:
                    alone[pair] += rows[a, j]
    return q_row, d_row, alone


@compiled
def _steepest(rows: Floats) -> float:
    """The largest ratio in a column: from this slope on, the best subset of any pair are the columns without d."""
    steepest = 1.0
    for j in range(rows.shape[1]):
        smallest, largest = math.inf, 0.0
        for a in range(len(rows)):
            largest = max(largest, rows[a, j])
            smallest = min(smallest, rows[a, j]) if rows[a, j] > 0.0 else smallest
        steepest = max(steepest, min(largest / smallest, STEEPEST))
    return steepest


@compiled
def _vertex(rows: Floats, q_row: Ints, d_row: Ints, values: Floats, slope: float) -> tuple[float, float]:
    best = np.argmax(values)
    q, d = rows[q_row[best]], rows[d_row[best]]
    q_sum = d_sum = 0.0
    for j in range(len(q)):
        chosen = q[j] > slope * d[j]
        q_sum += q[j] if chosen else 0.0
        d_sum += d[j] if chosen else 0.0
    return q_sum, d_sum


def _hull(points: list[tuple[float, float]]) -> Envelope:
    kept: list[tuple[float, float]] = []
    upto: list[float] = [0.0]  # where each kept vertex starts to be the maximiser
    for q, d in sorted(points, key=lambda vertex: (-vertex[1], -vertex[0])):
        while kept and (at := _crossing(*kept[-1], q, d)) <= upto[-1]:
            kept.pop()
            upto.pop()
        if not kept or at < math.inf:
            upto = [*upto, at] if kept else [0.0]
            kept.append((q, d))
    return np.array([q for q, _ in kept]), np.array([d for _, d in kept]), np.array([*upto[1:], math.inf])


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
    the bridge is P again, and its envelope, ``own``, serves every greater distance. An empty ``start`` means that the
    bridges still changed after ``most`` distances.
    """
    power, following = matrix, matrix @ matrix
    hulls: list[list[Envelope]] = [[] for _ in matrix]
    for h in range(2, longest + 1):
        if h - 1 > most:
            return own, np.empty((0, 0), dtype=np.int64)
        mixed = np.allclose(power, power[0], rtol=1e-14, atol=0.0)
        for x, condition in enumerate(hulls):
            possible = following[:, x] > 0
            bridge = matrix[possible] * power[:, x] / following[possible, x][:, None]
            condition.append(own if mixed else envelope(bridge))
        if mixed or np.array_equal(power, following):
            break
        power, following = following, matrix @ following
    flat = [hull for condition in hulls for hull in condition]
    ends, width = np.cumsum([0, *(len(q) for q, _, _ in flat)]), len(hulls[0])
    start = np.array([ends[x * width : (x + 1) * width + 1] for x in range(len(matrix))])
    q, d, upto = (np.concatenate(parts) for parts in zip(*flat, strict=True))
    return (q, d, upto), start
