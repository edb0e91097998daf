"""Temporal privacy loss of a long series, of which memory holds a piece at a time."""

import numpy as np

from privacy_engine.core.arrays import Floats, Ints, Mask
from privacy_engine.core.progress import blocks
from privacy_engine.data.mapped_series import empty, leaving

Arrays = tuple[Floats, Floats, Floats]
Tables = tuple[Arrays, Arrays, Ints]


def carried(epsilons: Floats, envelope: Arrays | None) -> Floats:
    """The loss of each event after those before it, (n,); without an envelope its budget."""
    from privacy_engine.kernels.temporal import FIRST, series

    losses, state = empty(len(epsilons)), np.array(FIRST)
    for some in leaving([epsilons, losses], blocks(len(losses))):
        piece = np.ascontiguousarray(epsilons[some])
        losses[some] = piece if envelope is None else series(piece, *envelope, state)
    return losses


def longest_gap(landmark: Mask) -> int:
    """The most events from landmark to landmark, the ends of each series (..., n) counting as ones outside it."""
    n, flat, last, longest = max(landmark.shape[-1], 1), landmark.reshape(-1), -1, 1
    for some in leaving([landmark], blocks(len(flat))):
        at = np.flatnonzero(flat[some]) + some.start
        ends = np.arange(some.start // n + 1, some.stop // n + 1) * (n + 1) - 1  # each series has a place more
        at = np.sort(np.concatenate([[last], at + at // n, ends]), kind="stable")
        longest, last = max(longest, int(np.diff(at).max(initial=0))), int(at[-1])
    return longest


def landmark_losses(epsilons: Floats, landmark: Mask, ahead: Tables, back: Tables) -> tuple[Floats, Floats]:
    """:func:`privacy_engine.kernels.temporal.landmark_losses` of a series, (n,) each."""
    from privacy_engine.kernels.temporal import add_back, join

    level, n, landmarks = _level(epsilons, landmark), len(epsilons), 0.0
    own, joint = _side(epsilons, landmark, level, ahead)
    own_back, joint_back = _side(epsilons[::-1], landmark[::-1], level, back)
    columns = [epsilons, landmark, own, joint, own_back, joint_back]
    for some in leaving(columns, blocks(n)):
        mirrored = slice(n - some.stop, n - some.start)
        landmarks = add_back(epsilons[some], landmark[some], own_back[mirrored], own[some], landmarks)
    for some in leaving(columns, blocks(n)):
        mirrored = slice(n - some.stop, n - some.start)
        join(landmarks, landmark[some], own[some], joint_back[mirrored], joint[some])
    return own, joint


def _level(epsilons: Floats, landmark: Mask) -> float:
    """The budget of all regular events; -1 if there are none, -2 if they differ."""
    from privacy_engine.kernels.temporal import common_level

    pieces = leaving([epsilons, landmark], blocks(len(landmark)))
    levels = {common_level(epsilons[some], landmark[some]) for some in pieces} - {-1.0} or {-1.0}
    return levels.pop() if len(levels) == 1 else -2.0


def _side(epsilons: Floats, landmark: Mask, level: float, tables: Tables) -> tuple[Floats, Floats]:
    """What :func:`privacy_engine.kernels.temporal.windows` has for a direction, (n,) each."""
    from privacy_engine.kernels.temporal import NONE, windows

    n, (tail, ended, start) = len(epsilons), tables
    edges = [*(some.start for some in blocks(n)), n]
    rights = _next_landmarks(landmark, edges)
    if level < -1.0:  # no gap is cut
        edges = rights = sorted({0, *rights})
    longest = longest_gap(landmark) if level >= 0.0 else 1
    steps = _steps(level, longest, tail, np.array([[0, len(tail[0])]])), _steps(level, longest, ended, start)
    inside, cut, left, base = empty(n), empty(n), NONE, 0.0
    files = [epsilons, landmark, inside, cut, *steps]
    for first, last, right in leaving(files, zip(edges[:-1], edges[1:], rights[1:], strict=True)):
        spent, marks = np.ascontiguousarray(epsilons[first:last]), np.ascontiguousarray(landmark[first:last])
        place = right - first, right < n, left, base
        left, base = windows(spent, marks, level, tables, steps, place, inside[first:last], cut[first:last])
        left -= last - first
    return inside, cut


def _next_landmarks(landmark: Mask, edges: list[int]) -> list[int]:
    """The first landmark from each edge on, the last edge where there is none."""
    landmarks = edges[-1:]
    for first, last in leaving([landmark], zip(edges[-2::-1], edges[:0:-1], strict=True)):
        at = int(landmark[first:last].argmax())
        landmarks.append(first + at if landmark[first + at] else landmarks[-1])
    return landmarks[::-1]


def _steps(level: float, longest: int, envelopes: Arrays, start: Ints) -> Floats:
    """What a window adds to its first budget if the others are ``level``, by its length up to ``longest``."""
    from privacy_engine.kernels.temporal import next_steps

    added, values = empty(longest + 1), np.full(len(start), level)
    for some in leaving([added], blocks(len(added))):
        next_steps(level, some.start, envelopes, start, values, added[some])
    return added
