"""Great circles: published positions, and the laws of distance and destination everywhere on the sphere."""

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from privacy_engine.core.geo import EARTH_RADIUS_M, destination, distance_m, wrap_lon
from tests.cases import each
from tests.engine.test_kernel_numbers import on_sphere
from tests.examples import examples

lons = st.one_of(st.floats(-180, 180), st.sampled_from([-180.0, -179.9999999, 0.0, 179.9999999, 180.0]))
lats = st.one_of(st.floats(-90, 90), st.sampled_from([-90.0, -89.9999999, 0.0, 89.9999999, 90.0]))
bearings = st.floats(0, 2 * math.pi)


class TestDistance:
    @example(180.0, 0.125, 0.042, 0.04296875)
    @given(lons, lats, lons, lats)
    def test_is_symmetric_and_agrees_with_vectors(self, lon, lat, lon2, lat2):
        found = float(distance_m(lon, lat, lon2, lat2))
        a, b = on_sphere(lon, lat), on_sphere(lon2, lat2)
        angle = math.atan2(float(np.linalg.norm(np.cross(a, b))), float(a @ b))
        slack = min(0.5, 1e-6 + 1e-8 / max(math.cos(angle / 2), 1e-8))  # an ulp of the haversine of antipodes is 0.2 m
        assert found == pytest.approx(float(distance_m(lon2, lat2, lon, lat)), rel=1e-12, abs=slack)
        assert found == pytest.approx(angle * EARTH_RADIUS_M, abs=slack)
        assert 0 <= found <= math.pi * EARTH_RADIUS_M
        assert distance_m(lon, lat, lon, lat) == 0.0

    def test_takes_another_radius(self):
        assert distance_m(0, 0, 0, 90, radius_m=2.0) == pytest.approx(math.pi)


class TestDestination:
    @settings(max_examples=examples(300))
    @example(0.0, 90.0, 1.0, 0.3)
    @example(0.0, -90.0, 1e-3, 4.0)
    @example(179.9999999, 89.9999999, 2.0, 1.0)
    @given(lons, lats, st.one_of(st.floats(0, 1e3), st.floats(0, 2e7)), bearings)
    def test_is_as_far_as_requested_and_on_the_map(self, lon, lat, far, bearing):
        lon2, lat2 = destination(lon, lat, far, bearing)
        assert -180 <= lon2 < 180
        assert -90 <= lat2 <= 90
        assert distance_m(lon, lat, lon2, lat2) == pytest.approx(far, rel=1e-9, abs=1e-6 if far < 1.9e7 else 0.5)

    @given(lons, st.floats(-89.9, 89.9), st.floats(1, 1e5), bearings)
    def test_lies_in_the_direction_requested(self, lon, lat, far, bearing):
        here, there = on_sphere(lon, lat), on_sphere(*(float(value) for value in destination(lon, lat, far, bearing)))
        east = np.array([-math.sin(math.radians(lon)), math.cos(math.radians(lon)), 0.0])
        north = np.cross(here, east)
        angle = far / EARTH_RADIUS_M
        expected = math.cos(angle) * here + math.sin(angle) * (math.cos(bearing) * north + math.sin(bearing) * east)
        assert np.allclose(there, expected, rtol=0, atol=1e-14)

    @each("lat", [90.0, -90.0])
    def test_from_a_pole_every_bearing_is_another_meridian(self, lat):
        bearing = np.linspace(0, 2 * np.pi, 360, endpoint=False)
        lon2, lat2 = destination(np.zeros(360), np.full(360, lat), np.full(360, 0.5), bearing)
        assert np.allclose(np.diff(np.sort(lon2)), 1.0, atol=1e-6)
        assert np.allclose(distance_m(0.0, lat, lon2, lat2), 0.5, atol=1e-6)


class TestWrapLon:
    @given(st.floats(-1e6, 1e6))
    @example(-180.00000000000003)
    @example(180.0)
    @example(-540.0)
    def test_lands_in_the_half_open_circle(self, lon):
        found = float(wrap_lon(lon))
        assert -180 <= found < 180
        assert math.cos(math.radians(found)) == pytest.approx(math.cos(math.radians(lon)), abs=1e-8)

    @given(st.floats(-180, 180, exclude_max=True))
    def test_leaves_what_is_there_already(self, lon):
        off = abs(float(wrap_lon(lon)) - lon)
        assert min(off, 360 - off) <= 3e-14  # the last value below 180 may round to it, and so to -180
