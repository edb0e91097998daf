"""Batches of simulation plans of one class over one chunk of events, in one call.

Each plan is simulated in all lanes, or, with ``one_lane_each``, plan i in lane i alone: then each repetition has its
own landmarks, and its result has the bits of that lane alone. ``units`` must then be one event longer than the chunk.
"""

from __future__ import annotations

import numpy as np

from privacy_engine.data import Floats, Ints, Mask
from privacy_engine.kernels import compiled
from privacy_engine.kernels.lanes import DIRECTION, LENGTH, Needs
from privacy_engine.kernels.philox import Words
from privacy_engine.kernels.simulation import ADAPTIVE_STATE, adaptive, fixed, start_adaptive


@compiled
def needs_fixed(shown: Ints) -> tuple[Needs, Ints]:
    """Return the most that a row of ``shown`` requires of each event's noise, (n,), and each row's events, (plans,)."""
    found, published = np.zeros(shown.shape[1], dtype=np.uint8), np.zeros(len(shown), dtype=np.int64)
    for i in range(len(shown)):
        for event in range(shown.shape[1]):
            source = shown[i, event]
            if source >= 0:
                found[source] = max(found[source], LENGTH if source == event else DIRECTION)
                published[i] += 1
    return found, published


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
def start_adaptive_each(epsilon: Floats, radius_m: Floats, threshold: Floats, landmarks: Ints, slots: Ints) -> Floats:
    """:func:`start_adaptive` for every plan."""
    states = np.zeros((len(epsilon), ADAPTIVE_STATE))
    for i in range(len(states)):
        start_adaptive(epsilon[i], radius_m[i], threshold[i], landmarks[i], slots[i], states[i])
    return states


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
