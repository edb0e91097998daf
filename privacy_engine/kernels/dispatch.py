"""Batches of simulation plans of one class over one chunk of events, in one call.

Each plan is simulated in all lanes, or, with ``one_lane_each``, plan i in lane i alone: then each repetition has its
own landmarks, and its result has the bits of that lane alone. ``units`` must then be one event longer than the chunk.
"""

from __future__ import annotations

import math

import numpy as np

from privacy_engine.data import Floats, Ints, Mask
from privacy_engine.kernels import compiled
from privacy_engine.kernels.lanes import DIRECTION, LENGTH, NOTHING, Needs
from privacy_engine.kernels.philox import Words
from privacy_engine.kernels.simulation import adaptive, fixed, start_adaptive


@compiled
def prepare_fixed(rates: Floats, shown: Ints) -> tuple[bool, Floats, Floats, Needs, Ints]:
    """Return what :func:`fixed_each` and its caller require of plans, rows of ``rates`` and ``shown``.

    Whether all rates are finite and at least 0; their scales, at most 1e300 metres and 0 where the rate is; each row's
    largest scale, inf if it shows a joint draw; the most that a row requires of each event's noise, (n,); and how many
    events each row publishes.
    """
    plans, n = rates.shape
    scales, largest = np.empty((plans, n)), np.zeros(plans)
    found, published = np.zeros(n, dtype=np.uint8), np.zeros(plans, dtype=np.int64)
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
            found[max(source, 0)] |= required if source >= 0 else NOTHING  # a branch would be mispredicted often
        largest[i], published[i] = math.inf if joint else most, count
    found = np.minimum(found, DIRECTION)
    return wrong == 0, scales, largest, found, published


@compiled
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


@compiled
def last_landmark(is_landmark: Mask) -> int:
    """Return the last event that is a landmark in any row of (plans, n), or -1."""
    event: int = is_landmark.shape[1] - 1
    while event >= 0 and not is_landmark[:, event].any():
        event -= 1
    return event


@compiled
def start_adaptive_each(
    epsilon: Floats, radius_m: Floats, threshold: Floats, landmarks: Ints, slots: Ints, states: Floats
) -> None:
    """:func:`start_adaptive` for every plan."""
    for i in range(len(states)):
        start_adaptive(epsilon[i], radius_m[i], threshold[i], landmarks[i], slots[i], states[i])


@compiled
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
