"""Mechanisms are distinguished in colour, in grey and with colour blindness, with enough contrast."""

import re
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest
from django.contrib.staticfiles import finders

from dashboard.core.palette import DASHES, GROUND, HUES, SEEN, Assignment, contrast, palette, variants
from privacy_engine.data import KINDS

# Linear RGB as a person without one kind of cone sees it: Viénot, Brettel, Mollon, Color Res. Appl. 24 (1999)
FEWER_COLOURS = {
    "protanopia": [[0.11238, 0.88762, 0.0], [0.11238, 0.88762, 0.0], [0.00401, -0.00401, 1.0]],
    "deuteranopia": [[0.29275, 0.70725, 0.0], [0.29275, 0.70725, 0.0], [-0.02234, 0.02234, 1.0]],
}


def tokens(sheet):
    text = Path(finders.find(f"css/{sheet}.css")).read_text()
    return dict(re.findall(r"--([a-z0-9]+): (#[0-9a-f]{6});", text))


def linear(colour):
    shares = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(shares <= 0.04045, shares / 12.92, ((shares + 0.055) / 1.055) ** 2.4)


@pytest.mark.parametrize("kind", KINDS)
def test_every_mechanism_has_a_colour_and_a_dash_of_its_own_and_every_release_a_shade(kind):
    styles = palette(kind).values()
    assert len(styles) >= 9
    for part in ("light", "dark", "name"):
        assert len({style["colour"][part] for style in styles}) == len(styles)
    assert len({style["dash"] for style in styles}) == len(styles)
    assert {style["dash"] for style in styles} <= set(DASHES.values())
    for styles in variants(kind).values():
        assert len({style["dash"] for style in styles}) == len(DASHES) == len(styles)
        assert len({style["colour"]["name"] for style in styles}) == 1
        for theme in ("light", "dark"):
            shades = {style["colour"][theme] for style in styles}
            assert len(shades) == 3
            assert all(np.abs(linear(one) - linear(other)).max() > 0.02 for one, other in combinations(shades, 2))


def test_styles_are_assigned_one_after_another_for_any_number_of_releases():
    assignment = Assignment("trajectory")
    found = [assignment.next("landmark-skip") for _ in range(30)]
    assert found[: len(DASHES)] == variants()["landmark-skip"]
    assert assignment.next("landmark-joint") == palette()["landmark-joint"]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_colour_contrasts_with_its_background(theme):
    grounds = tokens("tokens" if theme == "light" else "dark")
    lightest = [grounds[ground] for ground in ("map", "paper", "panel") if ground in grounds]
    for colour in (style["colour"][theme] for kind in KINDS for styles in variants(kind).values() for style in styles):
        assert min(contrast(colour, ground) for ground in lightest) >= SEEN


def test_the_style_sheets_have_the_same_colours():
    for sheet, place in (("tokens", 1), ("dark", 2)):
        assert [tokens(sheet)[f"m{i}"] for i in range(1, 7)] == [hue[place] for hue in HUES[:6]]
        assert tokens(sheet)["map" if place == 1 else "panel"] == GROUND["light" if place == 1 else "dark"]


def test_colours_differ_with_colour_blindness():
    for sight, place in product(FEWER_COLOURS, (1, 2)):
        seen = [np.clip(FEWER_COLOURS[sight] @ linear(hue[place]), 0, 1) ** (1 / 2.2) for hue in HUES]
        assert min(np.abs(one - other).max() for one, other in combinations(seen, 2)) > 0.08, (sight, place)


def test_contrast_is_the_standards():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)
    assert contrast("#faf8f5", "#faf8f5") == 1
