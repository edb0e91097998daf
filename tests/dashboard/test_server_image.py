"""Maps that the server draws: every position is counted once, in the nearest hexagon, at a scale that is stated."""

import re

import numpy as np
import pytest

from dashboard.core.axis import round_below, ticks
from dashboard.maps import server_image
from dashboard.maps.server_image import Frame
from privacy_engine.core import geo
from tests.cases import each

LYON = 4.83, 45.77


def around(place, metres, n=500, seed=1):
    rng = np.random.default_rng(seed)
    return geo.LocalPlane(*place).unproject(rng.normal(0, metres, (n, 2)))


def test_every_place_is_in_the_nearest_hexagon():
    places = np.random.default_rng(2).random((2000, 2)) * [server_image.WIDTH, server_image.HEIGHT]
    middles, counts = server_image.hexagons(places)
    assert counts.sum() == 2000
    nearest = ((places[:, None] - middles) ** 2).sum(axis=2).argmin(axis=1)
    assert np.bincount(nearest, minlength=len(middles)).tolist() == counts.tolist()
    assert np.sqrt(((places - middles[nearest]) ** 2).sum(axis=1)).max() <= server_image.RADIUS * 1.001


@each("place", [LYON, (179.999, -17.0), (0.0, 89.9)])
@each("coarsest_m", [0.0, 200.0])
def test_a_frame_holds_what_it_is_around_and_states_its_scale(place, coarsest_m):
    lon, lat = around(place, 3000)
    frame = Frame.around(lon, lat, coarsest_m=coarsest_m)
    places, size = frame.places(lon, lat), np.array([server_image.WIDTH, server_image.HEIGHT])
    beside_card = [server_image.CARD * bool(coarsest_m), 0]
    assert ((places >= 0) & (places <= size - beside_card)).all(axis=1).mean() >= 0.98
    drawn = frame.drawn()
    apart = np.hypot(*(places[0] - places[1])) * frame.m_per_px
    assert apart == pytest.approx(float(geo.distance_m(lon[0], lat[0], lon[1], lat[1])), rel=0.001)
    assert drawn["bar"] == pytest.approx(drawn["bar_m"] / frame.m_per_px)
    assert 40 < drawn["bar"] <= 110
    found, seen = server_image.density(places), ((places >= 0) & (places <= size)).all(axis=1)
    assert found["outside"] == int((~seen).sum())
    assert sum(one["path"].count("M") for one in found["shades"]) == len(server_image.hexagons(places[seen])[0])
    assert all(re.fullmatch(r"(M-?[\d.]+ -?[\d.]+[lvz\d. -]+)*", one["path"]) for one in found["shades"])


def test_one_position_and_large_noise_have_a_frame():
    lon, lat = np.array([LYON[0]]), np.array([LYON[1]])
    assert Frame.around(lon, lat).m_per_px == server_image.FINEST
    frame = Frame.around(lon, lat, coarsest_m=43_000.0)
    assert frame.m_per_px == pytest.approx(1000.0)
    names = [one["name"] for one in frame.drawn()["cities"]]
    assert "Lyon" in names
    assert 2 <= len(names) <= server_image.CITIES


def test_shades_are_of_one_and_more():
    assert server_image.shades(np.array([1])) == [1, 2, 3, 4]
    least = server_image.shades(np.arange(1, 1001))
    assert least[0] == 1
    assert least == sorted(set(least))
    assert least[-1] == 951


@each(("low", "high"), [(0.0, 1.0), (-3.0, 11.0), (2.5, 2.5), (1e6, 1e6 + 10), (0.001, 0.0017), (-180.0, 3.3e7)])
def test_ticks_are_few_round_and_inside(low, high):
    found = ticks(low, high)
    assert 1 <= len(found) <= 6
    assert all(low - 1e-9 <= one <= high + 1e-9 for one in found)
    if len(found) > 1:
        step = found[1] - found[0]
        assert round_below(step * 1.000001) == pytest.approx(step)
