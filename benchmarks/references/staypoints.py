"""Stay points by haversines: one for every step, or a block of them at once."""

from __future__ import annotations

import math

import numpy as np

EARTH_RADIUS_M = 6371000.0
BLOCK = 64


def plain_stays(
    lon: list[float], lat: list[float], time_s: list[float], distance_m: float, duration_s: float
) -> list[list[int]]:
    """Stays as half-open groups."""

    def away(i: int, j: int) -> float:
        phi, phi2 = math.radians(lat[i]), math.radians(lat[j])
        across = math.sin(math.radians(lon[j] - lon[i]) / 2) ** 2
        haversine = math.sin((phi2 - phi) / 2) ** 2 + math.cos(phi) * math.cos(phi2) * across
        return 2 * EARTH_RADIUS_M * math.asin(math.sqrt(haversine))

    i, groups = 0, []
    while i < len(lon):
        j = i + 1
        while j < len(lon) and away(i, j) <= distance_m:
            j += 1
        if time_s[j - 1] - time_s[i] >= duration_s:
            groups.append([i, j])
        i = j
    return groups


def numpy_stays(
    lon: np.ndarray, lat: np.ndarray, time_s: np.ndarray, distance_m: float, duration_s: float
) -> list[list[int]]:
    """As :func:`plain_stays`, the distances of ever longer blocks at once until one leaves the circle."""
    lam, phi = np.radians(lon), np.radians(lat)
    cos_phi = np.cos(phi)
    i, groups = 0, []
    while i < len(lon):
        j, block = i + 1, BLOCK
        while j < len(lon):
            ahead = slice(j, j + block)
            haversine = (
                np.sin((phi[ahead] - phi[i]) / 2) ** 2
                + cos_phi[i] * cos_phi[ahead] * np.sin((lam[ahead] - lam[i]) / 2) ** 2
            )
            outside = 2 * EARTH_RADIUS_M * np.arcsin(np.sqrt(haversine)) > distance_m
            if outside.any():
                j += int(np.argmax(outside))
                break
            j, block = min(j + block, len(lon)), 2 * block
        if time_s[j - 1] - time_s[i] >= duration_s:
            groups.append([i, j])
        i = j
    return groups
