"""Batches of simulation plans of the same class over a chunk of events, in a single call.

Each plan is simulated in all lanes, or, with ``one_lane_each``, plan i in lane i alone: then each repetition has its
own landmarks, and its result has the bits of that lane alone. ``units`` must then be an event longer than the chunk.
"""

import math

import numpy as np
from numba import b1, f8, i8, u8

from privacy_engine.core.arrays import Floats, Ints, Mask
from privacy_engine.kernels import compiled_for, out
from privacy_engine.kernels.lanes import DIRECTION, LENGTH, NOTHING, Needs
from privacy_engine.kernels.philox import Words
from privacy_engine.kernels.simulation import adaptive, fixed, start_adaptive


@compiled_for(f8[:, ::1], i8[:, ::1])
def prepare_fixed(rates: Floats, shown: Ints) -> tuple[bool, Floats, Floats, Needs, Floats]:
    """Return what :func:`fixed_each` and its caller require of plans, rows of ``rates`` and ``shown``.

    Whether all rates are finite and at least 0; their scales, at most 1e300 metres and 0 where the rate is; each row's
    largest scale, inf if it shows a joint draw; the most that a row requires of each event's noise, (n,); and how many
    events each row publishes, NaN if none.
    """
    plans, n = rates.shape
    scales, largest = np.empty((plans, n)), np.zeros(plans)
    needs, published = np.zeros(n, dtype=np.uint8), np.empty(plans)
    wrong = 0
    for i in range(plans):
        for event in range(n):
            rate = rates[i, event]
            wrong += not 0.0 <= rate < math.inf
            scale = min(1.0 / rate, 1e300)
            scales[i, event] = scale if rate > 0.0 else 0.0
        most, joint, count = 0.0, 0, 0
        for event in range(n):
            source = shown[i, event]
            count += source >= 0
            joint += source >= 0 and rates[i, source] == 0.0
            most = scales[i, event] if scales[i, event] > most else most
            required = LENGTH if source == event else DIRECTION
            needs[max(source, 0)] |= required if source >= 0 else NOTHING  # a branch would be mispredicted often
        largest[i], published[i] = math.inf if joint else most, count if count else math.nan
    for event in range(n):
        needs[event] = min(needs[event], DIRECTION)
    return wrong == 0, scales, largest, needs, published


@compiled_for(f8[:, ::1], b1[:, ::1], b1)
def shown_each(budgets: Floats, protected: Mask, leading_gap: bool) -> tuple[Ints, float]:
    """Return the event whose draw each event shows for rows of budgets, (plans, n), as the mechanisms' ``shown`` does.

    Also the largest sum in floats of a row's protected budgets and another; inf if a budget is not at least 0.
    """
    plans, n = budgets.shape
    shown, wrong, most = np.empty((plans, n), dtype=np.int64), 0, 0.0
    for i in range(plans):
        total, largest, source, leading = 0.0, 0.0, -1, 0
        for event in range(n):
            budget = budgets[i, event]
            wrong += not budget >= 0.0
            total += budget if protected[i, event] else 0.0
            largest = max(largest, 0.0 if protected[i, event] else budget)
            source = event if budget > 0.0 else source
            leading += source < 0
            shown[i, event] = source
        if not leading_gap:
            shown[i, :leading] = leading if leading < n else 0
        most = max(most, total + largest)
    return shown, math.inf if wrong else most


@compiled_for(
    u8[::1],
    i8,
    i8,
    i8,
    b1,
    f8[::1],
    f8[::1],
    f8[:, ::1],
    out(f8[::1]),
    f8[::1],
    f8[:, ::1],
    i8[:, ::1],
    f8,
    f8[::1],
    out(f8[:, ::1]),
    out(f8[:, ::1]),
)
def fixed_each(
    key: Words,
    first: int,
    first_repetition: int,
    lanes: int,
    one_lane_each: bool,
    lon: Floats,
    lat: Floats,
    frame: Floats,
    units: Floats,
    safe: Floats,
    scale_m: Floats,
    shown: Ints,
    extent: float,
    largest: Floats,
    state: Floats,
    by_event: Floats,
) -> None:
    """:func:`fixed` for every row of ``scale_m`` and ``shown``, (plans, n), of ``state`` and of ``by_event``."""
    for i in range(len(state)):
        lane = i if one_lane_each else 0
        fixed(
            key,
            first,
            first_repetition + lane,
            1 if one_lane_each else lanes,
            lon,
            lat,
            frame,
            units[lane:],
            safe,
            scale_m[i],
            shown[i],
            extent,
            largest[i],
            state[i],
            by_event[i],
        )


@compiled_for(b1[:, ::1])
def prepare_adaptive(is_landmark: Mask) -> tuple[Ints, Ints, Needs, Floats]:
    """Return what :func:`adaptive_each` and its caller require of plans, rows of ``is_landmark`` (plans, n).

    Each row's number of landmarks; whether it has other events, which need a slot, 1 or 0; the most that a row
    requires of each event's noise, (n,): directions up to the last landmark, the last event whose result depends on
    earlier positions; and how many events each row publishes, NaN if none.
    """
    plans, n = is_landmark.shape
    landmarks, until = np.zeros(plans, dtype=np.int64), 0
    for i in range(plans):
        for event in range(n):
            landmarks[i] += is_landmark[i, event]
            until = max(until, event + 1 if is_landmark[i, event] else 0)
    needs = np.full(n, LENGTH, dtype=np.uint8)
    needs[:until] = DIRECTION
    reserved = (landmarks < n).astype(np.int64)
    return landmarks, reserved, needs, np.full(plans, float(n) if n else math.nan)


@compiled_for(f8[::1], f8[::1], f8[::1], i8[::1], i8[::1], out(f8[:, ::1]))
def start_adaptive_each(
    epsilon: Floats, radius_m: Floats, threshold: Floats, landmarks: Ints, slots: Ints, states: Floats
) -> None:
    """:func:`start_adaptive` for every plan."""
    for i in range(len(states)):
        start_adaptive(epsilon[i], radius_m[i], threshold[i], landmarks[i], slots[i], states[i])


@compiled_for(
    u8[::1],
    i8,
    i8,
    i8,
    b1,
    f8[:, ::1],
    f8[::1],
    f8[::1],
    b1[:, ::1],
    f8[::1],
    f8[::1],
    f8[::1],
    i8[::1],
    i8[::1],
    b1[::1],
    f8,
    out(f8[:, ::1]),
    out(f8[:, ::1]),
)
def adaptive_each(
    key: Words,
    first: int,
    first_repetition: int,
    lanes: int,
    one_lane_each: bool,
    frame: Floats,
    units: Floats,
    safe: Floats,
    is_landmark: Mask,
    epsilon: Floats,
    radius_m: Floats,
    threshold: Floats,
    reserved: Ints,
    landmarks: Ints,
    absorption: Mask,
    extent: float,
    state: Floats,
    by_event: Floats,
) -> None:
    """:func:`adaptive` for every row of ``is_landmark``, (plans, n), of ``state`` and of ``by_event``."""
    for i in range(len(state)):
        lane = i if one_lane_each else 0
        adaptive(
            key,
            first,
            first_repetition + lane,
            1 if one_lane_each else lanes,
            frame,
            units[lane:],
            safe,
            is_landmark[i],
            epsilon[i],
            radius_m[i],
            threshold[i],
            reserved[i],
            landmarks[i],
            absorption[i],
            extent,
            state[i],
            by_event[i],
        )
