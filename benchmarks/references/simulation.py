"""Landmark mechanisms run many times over: one event after another, and numpy over the repetitions.

Noise comes as every event's radius at ε = 1 per metre and bearing; what is given back are mean absolute errors.
"""

from __future__ import annotations

import math

import numpy as np

from benchmarks.references.noise import EARTH_RADIUS_M, numpy_destination, plain_destination

MEDIAN_DISTANCE = 2.6017838101439437  # of two releases of one place, times ε
Draws = list[tuple[float, float]]
Place = tuple[float, float]


def plain_distance(one: Place, other: Place) -> float:
    """Metres, by the haversine."""
    phi, phi2 = math.radians(one[1]), math.radians(other[1])
    across = math.sin(math.radians(other[0] - one[0]) / 2) ** 2
    haversine = math.sin((phi2 - phi) / 2) ** 2 + math.cos(phi) * math.cos(phi2) * across
    return 2 * EARTH_RADIUS_M * math.asin(math.sqrt(haversine))


def plain_uniform(places: list[Place], landmark: list[bool], draws: Draws) -> float:
    """ε/(k + 1) for every event; ε/n if all are landmarks."""
    share = 1 / min(sum(landmark) + 1, len(landmark))
    shown = [
        plain_destination(*place, radius / share, turn) for place, (radius, turn) in zip(places, draws, strict=True)
    ]
    return sum(map(plain_distance, places, shown)) / len(places)


def plain_skip(places: list[Place], landmark: list[bool], draws: Draws) -> float:
    """Landmarks repeat the last release, or the first later one; as user level if all are landmarks."""
    if all(landmark):
        return plain_uniform(places, landmark, draws)
    shown = [
        None if marked else plain_destination(*place, *draw)
        for place, marked, draw in zip(places, landmark, draws, strict=True)
    ]
    last, total = next(place for place in shown if place), 0.0
    for place, release in zip(places, shown, strict=True):
        last = release or last
        total += plain_distance(place, last)
    return total / len(places)


def plain_adaptive(places: list[Place], landmark: list[bool], draws: Draws) -> float:
    """Landmarks sampled at a rate that follows the releases; what is saved is shared by those to come."""
    to_come, reserved = sum(landmark), not all(landmark)
    spent, interval, waited, last, total = 0.0, 1, 0, None, 0.0
    for place, marked, (radius, turn) in zip(places, landmark, draws, strict=True):
        waited += marked
        share = (1 - spent) / (to_come + reserved)
        to_come -= marked
        if last is None or not marked or waited >= interval:
            release = plain_destination(*place, radius / share, turn)
            if marked:
                spent, waited = spent + share, 0
            if last is not None:
                interval = 1 if plain_distance(last, release) > MEDIAN_DISTANCE / share else interval + 1
            last = release
        total += plain_distance(place, last)
    return total / len(places)


def numpy_distance(lon: np.ndarray, lat: np.ndarray, lon2: np.ndarray, lat2: np.ndarray) -> np.ndarray:
    """As :func:`plain_distance`; broadcasts."""
    phi, phi2 = np.radians(lat), np.radians(lat2)
    across = np.sin(np.radians(lon2 - lon) / 2) ** 2
    haversine = np.sin((phi2 - phi) / 2) ** 2 + np.cos(phi) * np.cos(phi2) * across
    return 2 * EARTH_RADIUS_M * np.arcsin(np.sqrt(haversine))


def numpy_uniform(
    lon: np.ndarray, lat: np.ndarray, landmark: np.ndarray, radius: np.ndarray, turn: np.ndarray
) -> np.ndarray:
    """As :func:`plain_uniform` for every repetition of the noise, (repetitions, n) each."""
    share = 1 / min(landmark.sum() + 1, len(landmark))
    return numpy_distance(lon, lat, *numpy_destination(lon, lat, radius / share, turn)).mean(axis=1)


def numpy_skip(
    lon: np.ndarray, lat: np.ndarray, landmark: np.ndarray, radius: np.ndarray, turn: np.ndarray
) -> np.ndarray:
    """As :func:`plain_skip`."""
    if landmark.all():
        return numpy_uniform(lon, lat, landmark, radius, turn)
    fresh = np.flatnonzero(~landmark)
    shown = numpy_destination(lon[fresh], lat[fresh], radius[:, fresh], turn[:, fresh])
    source = np.maximum(np.cumsum(~landmark) - 1, 0)
    return numpy_distance(lon, lat, *(axis[:, source] for axis in shown)).mean(axis=1)


def numpy_adaptive(
    lon: np.ndarray, lat: np.ndarray, landmark: np.ndarray, radius: np.ndarray, turn: np.ndarray
) -> np.ndarray:
    """As :func:`plain_adaptive`: over time one by one, all repetitions at once."""
    repetitions, n = radius.shape
    to_come, reserved = int(landmark.sum()), not landmark.all()
    spent, waited, total = np.zeros(repetitions), np.zeros(repetitions), np.zeros(repetitions)
    interval, last = np.ones(repetitions), None
    for t in range(n):
        share = (1 - spent) / (to_come + reserved)
        release = numpy_destination(lon[t], lat[t], radius[:, t] / share, turn[:, t])
        drawn = np.ones(repetitions, dtype=bool)
        if landmark[t]:
            to_come, waited = to_come - 1, waited + 1
            drawn = (waited >= interval) | (last is None)
            spent, waited = np.where(drawn, spent + share, spent), np.where(drawn, 0, waited)
        if last is not None:
            moved = numpy_distance(*last, *release) > MEDIAN_DISTANCE / share
            interval = np.where(drawn, np.where(moved, 1, interval + 1), interval)
            release = tuple(np.where(drawn, now, before) for now, before in zip(release, last, strict=True))
        last = release
        total += numpy_distance(lon[t], lat[t], *last)
    return total / n
