"""Walks through time, all repetitions at each event: the errors of mechanisms by the noise of :mod:`.lanes`.

A walk takes a stretch of events from ``first`` on, with their ``frames``, ``units`` and ``safe`` scales, carries its
lanes on in ``state`` and adds every event's errors, metres, to ``sums`` and ``by_event``. A fresh event's error is the
radius of its noise; a held one's is the distance from what it shows to where it was.
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np

from privacy_engine.data import Floats, Ints, Mask
from privacy_engine.kernels import compiled, inlined
from privacy_engine.kernels.elementary import sincos
from privacy_engine.kernels.lanes import (
    COS,
    HELD,
    LANES,
    LARGEST_UNIT,
    MANY,
    RADIUS,
    ROWS,
    SCALE,
    SIN,
    SMALL,
    UNITS,
    X,
    Y,
    Z,
    add,
    copy,
    draw,
    draw_joint,
    fill,
    frames,
    measure,
    short_sincos,
)
from privacy_engine.kernels.philox import PER_RADIUS, Words

HALF_SINE, SOURCE = ROWS, ROWS + LANES  # of the reach of a joint draw; which event's draw the positions are
FIXED_STATE = SOURCE + 1
LIMIT, SHARE, SPENT, INTERVAL, WAITED, TO_COME = (ROWS + i * LANES for i in range(6))
ADAPTIVE_STATE = TO_COME + 1
NOWHERE = 9.0  # a coordinate so far away that the first draw has always moved


@compiled
def _short(scale_m: float) -> bool:
    """Whether no noise of this scale is longer than SMALL."""
    return scale_m * LARGEST_UNIT * PER_RADIUS <= SMALL


Axes: TypeAlias = tuple[float, float, float, float, float, float, float, float]


@inlined
def _axes(frame: Floats, t: int) -> Axes:
    """Where event ``t`` is, and which way north and east are there: numbers of their own, which no store can change."""
    x, y, z, north_x, north_y, north_z = frame[t, 0], frame[t, 1], frame[t, 2], frame[t, 3], frame[t, 4], frame[t, 5]
    return x, y, z, north_x, north_y, north_z, frame[t, 6], frame[t, 7]


@inlined
def _position(radius_m: float, sin_b: float, cos_b: float, axes: Axes, short: bool) -> tuple[float, float, float]:
    """The event of ``axes`` moved by a distance in a direction."""
    angle = radius_m * PER_RADIUS
    s, c = short_sincos(angle) if short else sincos(angle)
    north, east = s * cos_b, s * sin_b
    return (
        c * axes[0] + north * axes[3] + east * axes[6],
        c * axes[1] + north * axes[4] + east * axes[7],
        c * axes[2] + north * axes[5],
    )


@compiled
def _move(frame: Floats, t: int, units: Floats, short: bool, lanes: int, state: Floats) -> None:
    """Every lane's position: the event of ``frame`` moved by RADIUS in the direction of ``units``."""
    lanes = min(lanes, LANES)
    axes = _axes(frame, t)
    for r in range(lanes):
        x, y, z = _position(state[RADIUS + r], units[SIN + r], units[COS + r], axes, short)
        state[X + r], state[Y + r], state[Z + r] = x, y, z


@compiled
def fixed(
    key: Words,
    first: int,
    first_repetition: int,
    lanes: int,
    lon: Floats,
    lat: Floats,
    frame: Floats,
    units: Floats,
    safe: Floats,
    scale_m: Floats,
    shown: Ints,
    state: Floats,
    sums: Floats,
    by_event: Floats,
) -> None:
    """Events whose scales, and whose draws they show, do not depend on the run.

    A scale of 0 is a position of the joint draw whose reach is in HALF_SINE. An event that shows -1 shows nothing.
    ``lon``, ``lat``, ``scale_m`` and ``shown`` are the whole series' (n,): an event may show a later one's draw.
    """
    lanes, last = min(lanes, LANES), first + len(safe)
    spare, bearing = np.empty(UNITS), np.ones(1, dtype=np.bool_)
    for t in range(len(safe)):
        source = shown[first + t]
        if source == first + t:
            at, scale = (t & MANY) * UNITS, scale_m[source]
            if scale == 0.0:
                draw_joint(key, source, first_repetition, lanes, HALF_SINE, state)
            elif scale <= safe[t]:
                for r in range(lanes):
                    state[RADIUS + r] = units[at + r] * scale
            else:
                copy(units, at, lanes, spare)
                state[SCALE : SCALE + lanes] = scale
                draw(key, source, first_repetition, lanes, spare, 0, False, state)
            add(state, RADIUS, lanes, t, sums, by_event)
        elif source >= 0:
            if state[SOURCE] != source:
                state[SOURCE] = source
                if first <= source < last:
                    copy(units, (source - first) * UNITS, lanes, spare)
                    known = safe[source - first]
                else:
                    known = fill(key, source, first_repetition, lanes, bearing, spare)[0]
                _look(key, source, first_repetition, lanes, lon, lat, scale_m[source], known, spare, state)
            measure(frame, t, lanes, state)
            add(state, HELD, lanes, t, sums, by_event)


@compiled
def _look(
    key: Words,
    event: int,
    first_repetition: int,
    lanes: int,
    lon: Floats,
    lat: Floats,
    scale: float,
    safe: float,
    units: Floats,
    state: Floats,
) -> None:
    """Every lane's position: the draw of ``event``, whose noise is ``units`` (a copy)."""
    if scale == 0.0:
        draw_joint(key, event, first_repetition, lanes, HALF_SINE, state)
    else:
        state[SCALE : SCALE + lanes] = scale
        draw(key, event, first_repetition, lanes, units, 0, scale <= safe, state)
    short = scale > 0.0 and _short(scale)
    _move(frames(lon[event : event + 1], lat[event : event + 1]), 0, units, short, lanes, state)


@compiled
def start_adaptive(epsilon: float, radius_m: float, threshold: float, landmarks: int, slots: int, lanes: int) -> Floats:
    """The state before the first event."""
    state = np.zeros(ADAPTIVE_STATE)
    state[X : X + LANES], state[INTERVAL : INTERVAL + LANES], state[TO_COME] = NOWHERE, 1.0, landmarks
    _settle(epsilon, radius_m, threshold, slots, False, lanes, state)
    return state


@compiled
def adaptive(
    key: Words,
    first: int,
    first_repetition: int,
    lanes: int,
    frame: Floats,
    units: Floats,
    safe: Floats,
    is_landmark: Mask,
    epsilon: float,
    radius_m: float,
    threshold: float,
    reserved: int,
    landmarks: int,
    absorption: bool,
    state: Floats,
    sums: Floats,
    by_event: Floats,
) -> None:
    """The adaptive mechanism: ``is_landmark`` (events,) of this stretch, ``landmarks`` of the whole series.

    ``reserved`` is 1 if the other events need a slot, 0 if there are none. Shares never shrink, so the first scale is
    the largest. Positions are for the landmarks to come; after the last one there are none, and no directions.
    """
    lanes, spare = min(lanes, LANES), np.empty(UNITS)
    first_share = epsilon / max(landmarks + reserved, 1)
    largest = radius_m / first_share * (1.0 + 1e-9)
    short = _short(largest)
    for t in range(len(is_landmark)):
        landmark, source, at = is_landmark[t], units, (t & MANY) * UNITS
        if landmark:
            for r in range(lanes):
                state[WAITED + r] += 1.0
            measure(frame, t, lanes, state)
            if absorption:
                _absorb(first_share, radius_m, threshold, short, lanes, state)
        if largest <= safe[t]:
            draw(key, first + t, first_repetition, lanes, units, at, True, state)
        else:
            copy(units, at, lanes, spare)
            source, at = spare, 0
            draw(key, first + t, first_repetition, lanes, spare, 0, False, state)
        if landmark:
            _landmark(frame, t, source, at, short, lanes, state)
            state[TO_COME] -= 1.0
            if absorption:
                state[SPENT : SPENT + lanes] = 0.0
                _settle(first_share, radius_m, threshold, 1.0, short, lanes, state)
            else:
                _settle(epsilon, radius_m, threshold, max(state[TO_COME] + reserved, 1.0), short, lanes, state)
        elif state[TO_COME] > 0.0:
            _regular(frame, t, source, at, short, lanes, state)
        add(state, RADIUS, lanes, t, sums, by_event)


@inlined
def _regular(frame: Floats, t: int, units: Floats, at: int, short: bool, lanes: int, state: Floats) -> None:
    """Every lane's position moves on to its draw, and the sampling interval follows the distance."""
    lanes, at = min(lanes, LANES), at & MANY
    axes = _axes(frame, t)
    for r in range(lanes):
        x, y, z = _position(state[RADIUS + r], units[at + SIN + r], units[at + COS + r], axes, short)
        dx, dy, dz = x - state[X + r], y - state[Y + r], z - state[Z + r]
        moved = dx * dx + dy * dy + dz * dz > state[LIMIT + r]
        state[INTERVAL + r] = 1.0 if moved else state[INTERVAL + r] + 1.0
        state[X + r], state[Y + r], state[Z + r] = x, y, z


@inlined
def _landmark(frame: Floats, t: int, units: Floats, at: int, short: bool, lanes: int, state: Floats) -> None:
    """As :func:`_regular` for the lanes that draw; the others keep their position, and RADIUS becomes HELD."""
    lanes, at = min(lanes, LANES), at & MANY
    axes = _axes(frame, t)
    for r in range(lanes):
        held = state[WAITED + r] < state[INTERVAL + r]
        x, y, z = _position(state[RADIUS + r], units[at + SIN + r], units[at + COS + r], axes, short)
        dx, dy, dz = x - state[X + r], y - state[Y + r], z - state[Z + r]
        moved = dx * dx + dy * dy + dz * dz > state[LIMIT + r]
        interval = 1.0 if moved else state[INTERVAL + r] + 1.0
        state[INTERVAL + r] = state[INTERVAL + r] if held else interval
        state[X + r] = state[X + r] if held else x
        state[Y + r] = state[Y + r] if held else y
        state[Z + r] = state[Z + r] if held else z
        state[RADIUS + r] = state[HELD + r] if held else state[RADIUS + r]
        state[SPENT + r] += 0.0 if held else state[SHARE + r]
        state[WAITED + r] = state[WAITED + r] if held else 0.0


@inlined
def _settle(
    epsilon: float, radius_m: float, threshold: float, slots: float, short: bool, lanes: int, state: Floats
) -> None:
    """Every lane's share of what is left of ``epsilon``, its scale, and the squared chord beyond which it has moved."""
    lanes, part = min(lanes, LANES), 1.0 / slots
    half = threshold * 0.5 * PER_RADIUS
    for r in range(lanes):
        share = max(epsilon - state[SPENT + r], 0.0) * part
        scale = radius_m / share
        s = short_sincos(half * scale)[0] if short else sincos(min(half * scale, 0.5 * math.pi))[0]
        state[SHARE + r], state[SCALE + r], state[LIMIT + r] = share, scale, 4.0 * s * s


@inlined
def _absorb(first_share: float, radius_m: float, threshold: float, short: bool, lanes: int, state: Floats) -> None:
    """As :func:`_settle`: the shares of all landmarks since the last one drawn."""
    lanes, half = min(lanes, LANES), threshold * 0.5 * PER_RADIUS
    for r in range(lanes):
        share = first_share * state[WAITED + r]
        scale = radius_m / share
        s = short_sincos(half * scale)[0] if short else sincos(min(half * scale, 0.5 * math.pi))[0]
        state[SHARE + r], state[SCALE + r], state[LIMIT + r] = share, scale, 4.0 * s * s
