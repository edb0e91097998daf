"""Walks of repetitions that each have landmarks of their own: one lane after another, by noise made for all at once.

``units`` has room for one more event than the stretch has; the results are those of each lane alone, to the last bit.
"""

from __future__ import annotations

from privacy_engine.data import Floats, Ints, Mask
from privacy_engine.kernels import compiled
from privacy_engine.kernels.philox import Words
from privacy_engine.kernels.walks import adaptive, fixed


@compiled
def fixed_each(
    key: Words,
    first: int,
    first_repetition: int,
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
    """As :func:`fixed` for lanes with a row each of ``scale_m`` and ``shown``, (lanes, n), and of ``state``."""
    for r in range(len(sums)):
        fixed(
            key,
            first,
            first_repetition + r,
            1,
            lon,
            lat,
            frame,
            units[r:],
            safe,
            scale_m[r],
            shown[r],
            state[r],
            sums[r : r + 1],
            by_event,
        )


@compiled
def adaptive_each(
    key: Words,
    first: int,
    first_repetition: int,
    frame: Floats,
    units: Floats,
    safe: Floats,
    is_landmark: Mask,
    epsilon: float,
    radius_m: float,
    threshold: float,
    reserved: Ints,
    landmarks: Ints,
    absorption: bool,
    state: Floats,
    sums: Floats,
    by_event: Floats,
) -> None:
    """As :func:`adaptive` for lanes with a row each of ``is_landmark``, (lanes, n), and of ``state``."""
    last = first + len(safe)
    for r in range(len(sums)):
        adaptive(
            key,
            first,
            first_repetition + r,
            1,
            frame,
            units[r:],
            safe,
            is_landmark[r, first:last],
            epsilon,
            radius_m,
            threshold,
            reserved[r],
            landmarks[r],
            absorption,
            state[r],
            sums[r : r + 1],
            by_event,
        )
