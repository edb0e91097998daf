"""Planar Laplace noise, one point at a time and in arrays: a gamma radius, a bearing, a destination."""

from __future__ import annotations

import math
import random

import numpy as np
from scipy.special import lambertw

EARTH_RADIUS_M = 6371008.8


def plain_polar(epsilons: list[float], rng: random.Random) -> list[tuple[float, float]]:
    """Radius in metres and bearing, without the sphere's thinning."""
    return [(rng.gammavariate(2, 1 / epsilon), 2 * math.pi * rng.random()) for epsilon in epsilons]


def numpy_polar(epsilons: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """As :func:`plain_polar`, (n,) each."""
    return rng.gamma(2.0, 1 / epsilons), 2 * np.pi * rng.random(len(epsilons))


def lambert_polar(epsilons: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """The same by inverting the distribution, as printed in the paper that introduced the noise."""
    radius = -(lambertw((rng.random(len(epsilons)) - 1) / math.e, k=-1).real + 1) / epsilons
    return radius, 2 * np.pi * rng.random(len(epsilons))


def plain_destination(lon: float, lat: float, radius_m: float, bearing: float) -> tuple[float, float]:
    """Where a walk along a great circle ends, degrees."""
    angle, phi = radius_m / EARTH_RADIUS_M, math.radians(lat)
    sin_phi2 = math.sin(phi) * math.cos(angle) + math.cos(phi) * math.sin(angle) * math.cos(bearing)
    east = math.sin(bearing) * math.sin(angle) * math.cos(phi)
    turned = math.degrees(math.atan2(east, math.cos(angle) - math.sin(phi) * sin_phi2))
    return (lon + turned + 180) % 360 - 180, math.degrees(math.asin(sin_phi2))


def numpy_destination(
    lon: np.ndarray, lat: np.ndarray, radius_m: np.ndarray, bearing: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """As :func:`plain_destination`, (n,) each."""
    angle, phi = radius_m / EARTH_RADIUS_M, np.radians(lat)
    sin_phi2 = np.sin(phi) * np.cos(angle) + np.cos(phi) * np.sin(angle) * np.cos(bearing)
    east = np.sin(bearing) * np.sin(angle) * np.cos(phi)
    turned = np.degrees(np.arctan2(east, np.cos(angle) - np.sin(phi) * sin_phi2))
    return (lon + turned + 180) % 360 - 180, np.degrees(np.arcsin(sin_phi2))


def plain_planar(
    lon: list[float], lat: list[float], epsilons: list[float], rng: random.Random
) -> list[tuple[float, float]]:
    """Noisy positions."""
    polar = plain_polar(epsilons, rng)
    return [plain_destination(x, y, *drawn) for x, y, drawn in zip(lon, lat, polar, strict=True)]


def numpy_planar(
    lon: np.ndarray, lat: np.ndarray, epsilons: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Noisy positions."""
    return numpy_destination(lon, lat, *numpy_polar(epsilons, rng))
