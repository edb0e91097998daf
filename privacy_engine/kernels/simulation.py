"""Simulation kernels: errors of mechanisms, all repetitions at each event, with the noise of :mod:`.lanes`.

A kernel advances ``state`` over the chunk of events from ``first`` on, with their ``frames``, ``units`` and ``safe``
scales, and adds every event's errors, metres, to its SUM and, unless that is empty, to ``by_event`` (n,). The error of
an event with a draw is the radius of its noise; of another, the distance from what it shows to its true position.
"""

import math
from typing import TypeAlias

import numpy as np
from numba import f8, i8, u8

from privacy_engine.core.arrays import Floats, Ints, Mask
from privacy_engine.kernels import compiled, compiled_for, inlined, out
from privacy_engine.kernels.elementary import sincos
from privacy_engine.kernels.lanes import (
    COS,
    DIRECTION,
    HELD,
    LANES,
    LARGEST_UNIT,
    MANY,
    ROWS,
    SCALE,
    SIN,
    SMALL,
    SUM,
    UNITS,
    X,
    Y,
    Z,
    add,
    add_four,
    add_near,
    distance_near,
    draw_joint,
    fill,
    four_drawn,
    frames,
    measure,
    near,
    padded,
    redraw,
    short_sincos,
)
from privacy_engine.kernels.philox import PER_RADIUS, Words

HALF_SINE, SOURCE = ROWS, ROWS + LANES  # of the joint draw's reach; the event whose draw the positions are
FIXED_STATE = SOURCE + 1
LIMIT, SHARE, SPENT, INTERVAL, WAITED, TO_COME = (ROWS + i * LANES for i in range(6))
ADAPTIVE_STATE = TO_COME + 1
FAR = 9.0  # a coordinate so far away that the first draw always counts as moved


@compiled
def _short(scale_m: float) -> bool:
    """Return whether no noise of this scale is longer than SMALL."""
    return scale_m * LARGEST_UNIT * PER_RADIUS <= SMALL


Axes: TypeAlias = tuple[float, float, float, float, float, float, float, float]


@inlined
def _axes(frame: Floats, t: int) -> Axes:
    """Return the position of event ``t``, north and east there, as scalars: no store to an array may alias them."""
    x, y, z, north_x, north_y, north_z = frame[t, 0], frame[t, 1], frame[t, 2], frame[t, 3], frame[t, 4], frame[t, 5]
    return x, y, z, north_x, north_y, north_z, frame[t, 6], frame[t, 7]


@inlined
def _position(radius_m: float, sin_b: float, cos_b: float, axes: Axes, short: bool) -> tuple[float, float, float]:
    """Return the event of ``axes`` moved by a distance in a direction."""
    angle = radius_m * PER_RADIUS
    s, c = short_sincos(angle) if short else sincos(angle)
    north, east = s * cos_b, s * sin_b
    return (
        c * axes[0] + north * axes[3] + east * axes[6],
        c * axes[1] + north * axes[4] + east * axes[7],
        c * axes[2] + north * axes[5],
    )


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
    extent: float,
    largest: float,
    state: Floats,
    by_event: Floats,
) -> None:
    """Simulate a plan whose scales and shown draws do not depend on the run.

    A scale of 0 is a position of the joint draw whose reach is in HALF_SINE. An event that shows -1 is not published.
    ``lon``, ``lat``, ``scale_m`` and ``shown`` are the whole series' (n,), in ``extent`` radians: an event may show a
    later event's draw. ``largest`` is the largest scale, inf if there is a joint draw.
    """
    spare, all_near, t_next = np.empty(UNITS), near(largest, extent), 0
    for t in range(len(safe)):
        event, at = first + t, (t & MANY) * UNITS
        source = shown[event]
        if t < t_next:
            continue
        if len(by_event) == 0 and four_drawn(first, t, safe, scale_m, shown):
            scales = scale_m[event], scale_m[event + 1], scale_m[event + 2], scale_m[event + 3]
            add_four(units, at, scales, lanes, state)
            t_next = t + 4
        elif source == event:
            if 0.0 < scale_m[event] <= safe[t]:
                _add_drawn(units, at, scale_m[event], lanes, event, state, by_event)
            else:
                _draw(key, event, first_repetition, lanes, scale_m[event], units, at, state, spare)
                _add_drawn(spare, 0, 1.0, lanes, event, state, by_event)
        elif source >= 0:
            measured = False
            if state[SOURCE] != source:
                state[SOURCE], t_source = source, source - first
                if 0 <= t_source < len(safe):
                    places, noise, known = frame[t_source:], units[t_source * UNITS :], safe[t_source]
                else:
                    places, noise = frames(lon[source : source + 1], lat[source : source + 1]), np.empty(UNITS)
                    known = fill(key, source, first_repetition, lanes, np.full(1, DIRECTION, np.uint8), noise)[0]
                measured = all_near and 0.0 < scale_m[source] <= known
                if measured:
                    _move_near(places, noise, scale_m[source], frame, t, lanes, state)
                else:
                    _show(key, source, first_repetition, lanes, places, noise, known, scale_m[source], state, spare)
            if all_near and not measured:
                add_near(frame, t, lanes, state)
            elif not measured:
                measure(frame, t, lanes, state)
                for r in range(padded(lanes)):
                    state[SUM + r] += state[HELD + r]
            add(state, HELD, 1.0, lanes, event, by_event)


@compiled_for(u8[::1], i8, i8, i8, f8, f8[::1], i8, out(f8[::1]), out(f8[::1]))
def _draw(
    key: Words, event: int, first: int, lanes: int, scale: float, units: Floats, at: int, state: Floats, spare: Floats
) -> None:
    """Write the noise of ``event`` to ``spare``, metres: of a scale that may be resampled, or of the joint draw."""
    if scale == 0.0:
        draw_joint(key, event, first, lanes, HALF_SINE, units, at, state, spare)
    else:
        state[SCALE : SCALE + LANES] = scale
        redraw(key, event, first, lanes, units, at, state, spare)


@inlined
def _add_drawn(units: Floats, at: int, scale: float, lanes: int, event: int, state: Floats, by_event: Floats) -> None:
    """Add the errors of an event with the same scale in every lane."""
    at = at & MANY
    for r in range(padded(lanes)):
        state[SUM + r] += units[at + r] * scale
    add(units, at, scale, lanes, event, by_event)


@compiled
def _show(
    key: Words,
    event: int,
    first_repetition: int,
    lanes: int,
    frame: Floats,
    units: Floats,
    safe: float,
    scale: float,
    state: Floats,
    spare: Floats,
) -> None:
    """Set every lane's position to the draw of ``event``, the first of ``frame`` and ``units``."""
    if 0.0 < scale <= safe:
        _move(frame, units, scale, _short(scale), lanes, state)
    else:
        _draw(key, event, first_repetition, lanes, scale, units, 0, state, spare)
        _move(frame, spare, 1.0, scale > 0.0 and _short(scale), lanes, state)


@compiled
def _move(frame: Floats, units: Floats, scale: float, short: bool, lanes: int, state: Floats) -> None:
    """Set every lane's position to the first event of ``frame``, moved by the first noise of ``units``."""
    if short:
        _move_lanes(frame, units, scale, True, lanes, state)
    else:
        _move_lanes(frame, units, scale, False, lanes, state)


@inlined
def _move_lanes(frame: Floats, units: Floats, scale: float, short: bool, lanes: int, state: Floats) -> None:
    axes = _axes(frame, 0)
    for r in range(padded(lanes)):
        x, y, z = _position(units[r] * scale, units[SIN + r], units[COS + r], axes, short)
        state[X + r], state[Y + r], state[Z + r] = x, y, z


@inlined
def _move_near(places: Floats, units: Floats, scale: float, frame: Floats, t: int, lanes: int, state: Floats) -> None:
    """:func:`_move` and :func:`add_near` in a loop: the square root takes its time while positions are computed."""
    axes, px, py, pz = _axes(places, 0), frame[t, 0], frame[t, 1], frame[t, 2]
    for r in range(padded(lanes)):
        x, y, z = _position(units[r] * scale, units[SIN + r], units[COS + r], axes, True)
        distance = distance_near(x, y, z, px, py, pz)[0]
        state[X + r], state[Y + r], state[Z + r] = x, y, z
        state[HELD + r] = distance
        state[SUM + r] += distance


@compiled
def start_adaptive(
    epsilon: float, radius_m: float, threshold: float, landmarks: int, slots: int, state: Floats
) -> None:
    """Write the state before the first event to a state of zeros."""
    for row, value in ((X, FAR), (INTERVAL, 1.0)):
        state[row : row + LANES] = value
    state[TO_COME] = landmarks
    _set_share(epsilon * (1.0 / slots), radius_m, threshold, False, state)


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
    extent: float,
    state: Floats,
    by_event: Floats,
) -> None:
    """Simulate Adaptive: ``is_landmark`` (n,) of the whole series, with ``landmarks`` of them, in ``extent`` radians.

    ``reserved`` is 1 if the other events need a slot, 0 if there are none. Shares never shrink, so the first scale is
    the largest. Positions are for the landmarks to come; after the last there are none, and no directions.
    """
    spare, scales = np.empty(UNITS), np.empty(LANES)
    first_share = epsilon / max(landmarks + reserved, 1)
    largest = radius_m / first_share * (1.0 + 1e-9)
    short = _short(largest)
    all_near = near(largest, extent)
    for t in range(len(safe)):
        landmark, source, at = is_landmark[first + t], units, (t & MANY) * UNITS
        if landmark:
            if not all_near:
                measure(frame, t, lanes, state)
            if absorption:
                _absorb(first_share, radius_m, threshold, short, lanes, state)
        if largest > safe[t]:  # its noise is then in metres, and every scale 1 for this event
            redraw(key, first + t, first_repetition, lanes, units, at, state, spare)
            source, at = spare, 0
            for r in range(LANES):
                scales[r], state[SCALE + r] = state[SCALE + r], 1.0
        if landmark:
            state[TO_COME] -= 1.0
            part = 1.0 / max(state[TO_COME] + reserved, 1.0)
            if all_near:
                _landmark(frame, t, source, at, True, True, epsilon, part, radius_m, threshold, lanes, state)
            elif short:
                _landmark(frame, t, source, at, False, True, epsilon, part, radius_m, threshold, lanes, state)
            else:
                _landmark(frame, t, source, at, False, False, epsilon, part, radius_m, threshold, lanes, state)
            if absorption:
                state[SPENT : SPENT + LANES] = 0.0
                _set_share(first_share, radius_m, threshold, short, state)
        elif state[TO_COME] > 0.0:
            if short:
                _regular(frame, t, source, at, True, lanes, state)
            else:
                _regular(frame, t, source, at, False, lanes, state)
        else:
            for r in range(padded(lanes)):
                state[SUM + r] += source[at + r] * state[SCALE + r]
        if len(by_event) and not landmark:
            for r in range(lanes):
                state[HELD + r] = source[at + r] * state[SCALE + r]
        add(state, HELD, 1.0, lanes, first + t, by_event)
        if largest > safe[t] and not landmark:
            for r in range(LANES):
                state[SCALE + r] = scales[r]


@inlined
def _regular(frame: Floats, t: int, units: Floats, at: int, short: bool, lanes: int, state: Floats) -> None:
    """Set every lane's position to its draw and adapt its sampling interval to the distance moved."""
    at = at & MANY
    axes = _axes(frame, t)
    for r in range(padded(lanes)):
        radius = units[at + r] * state[SCALE + r]
        x, y, z = _position(radius, units[at + SIN + r], units[at + COS + r], axes, short)
        dx, dy, dz = x - state[X + r], y - state[Y + r], z - state[Z + r]
        moved = dx * dx + dy * dy + dz * dz > state[LIMIT + r]
        state[INTERVAL + r] = 1.0 if moved else state[INTERVAL + r] + 1.0
        state[X + r], state[Y + r], state[Z + r] = x, y, z
        state[SUM + r] += radius


@inlined
def _landmark(
    frame: Floats,
    t: int,
    units: Floats,
    at: int,
    near: bool,
    short: bool,
    epsilon: float,
    part: float,
    radius_m: float,
    threshold: float,
    lanes: int,
    state: Floats,
) -> None:
    """As :func:`_regular` for the lanes that sample; the others keep their position. All shares are computed again.

    The distance of positions that are kept is computed here where all are ``near``; otherwise it is in HELD.
    """
    at = at & MANY
    axes, turn = _axes(frame, t), threshold * PER_RADIUS
    for r in range(padded(lanes)):
        waited = state[WAITED + r] + 1.0
        held = waited < state[INTERVAL + r]
        radius = units[at + r] * state[SCALE + r]
        x, y, z = _position(radius, units[at + SIN + r], units[at + COS + r], axes, short)
        dx, dy, dz = x - state[X + r], y - state[Y + r], z - state[Z + r]
        moved = dx * dx + dy * dy + dz * dz > state[LIMIT + r]
        interval = 1.0 if moved else state[INTERVAL + r] + 1.0
        error = state[HELD + r]
        if near:
            error = distance_near(state[X + r], state[Y + r], state[Z + r], axes[0], axes[1], axes[2])[0]
        error = error if held else radius
        state[INTERVAL + r] = state[INTERVAL + r] if held else interval
        state[X + r] = state[X + r] if held else x
        state[Y + r] = state[Y + r] if held else y
        state[Z + r] = state[Z + r] if held else z
        state[WAITED + r] = waited if held else 0.0
        state[HELD + r] = error
        state[SUM + r] += error
        spent = state[SPENT + r] + (0.0 if held else state[SHARE + r])
        share = max(epsilon - spent, 0.0) * part
        scale, limit = _scale(share, radius_m, turn, short)
        state[SPENT + r], state[SHARE + r], state[SCALE + r], state[LIMIT + r] = spent, share, scale, limit


@inlined
def _scale(share: float, radius_m: float, turn: float, short: bool) -> tuple[float, float]:
    """Return the scale of a share of the budget, and the squared chord beyond which a release counts as moved.

    ``turn`` is the threshold in radians per scale. A squared chord is (2 sin(a/2))² = a² - a⁴/12 + a⁶/360 - ...; the
    next term, a⁸/20160, is below a double's last bit of it for the thresholds of Adaptive where noise is short.
    """
    scale = radius_m / share
    angle = turn * scale
    square = angle * angle
    if short:
        return scale, square * (1.0 - square * (1.0 / 12.0 - square * (1.0 / 360.0)))
    s = sincos(min(0.5 * angle, 0.5 * math.pi))[0]
    return scale, 4.0 * s * s


@inlined
def _set_share(share: float, radius_m: float, threshold: float, short: bool, state: Floats) -> None:
    """Set the same share for every lane."""
    scale, limit = _scale(share, radius_m, threshold * PER_RADIUS, short)
    for row, value in ((SHARE, share), (SCALE, scale), (LIMIT, limit)):
        state[row : row + LANES] = value


@inlined
def _absorb(first_share: float, radius_m: float, threshold: float, short: bool, lanes: int, state: Floats) -> None:
    """Set every lane's share to those of all landmarks since the last sampled, including this landmark's."""
    turn = threshold * PER_RADIUS
    for r in range(padded(lanes)):
        share = first_share * (state[WAITED + r] + 1.0)
        scale, limit = _scale(share, radius_m, turn, short)
        state[SHARE + r], state[SCALE + r], state[LIMIT + r] = share, scale, limit
