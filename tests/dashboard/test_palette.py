"""Mechanisms are distinguished in colour, in grey and with colour blindness, with enough contrast."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from django.contrib.staticfiles import finders

from dashboard.core.palette import DARK, FOREGROUND, GROUND, LIGHT, SEEN, contrast, palette

# Linear RGB as a person without one kind of cone sees it: Viénot, Brettel, Mollon, Color Res. Appl. 24 (1999)
FEWER_COLOURS = {
    "protanopia": [[0.11238, 0.88762, 0.0], [0.11238, 0.88762, 0.0], [0.00401, -0.00401, 1.0]],
    "deuteranopia": [[0.29275, 0.70725, 0.0], [0.29275, 0.70725, 0.0], [-0.02234, 0.02234, 1.0]],
}


def tokens(sheet: str) -> dict[str, str]:
    text = Path(finders.find(f"css/{sheet}.css")).read_text()
    return dict(re.findall(r"--([a-z0-9]+): (#[0-9a-f]{6});", text))


def linear(colour: str) -> np.ndarray:
    shares = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(shares <= 0.04045, shares / 12.92, ((shares + 0.055) / 1.055) ** 2.4)


def test_no_two_have_dash_and_marker_in_common() -> None:
    reported = [(style["dash"], style["marker"]) for style in palette().values()]
    assert len(reported) >= 9
    assert len(set(reported)) == len(reported)


def test_equal_colours_have_different_dashes_and_markers() -> None:
    for one, other in combinations(palette().values(), 2):
        if one["colour"] == other["colour"]:
            assert one["dash"] != other["dash"]
            assert one["marker"] != other["marker"]


@pytest.mark.parametrize("name", sorted(palette()))
def test_every_colour_or_its_rim_contrasts_with_its_background(name: str) -> None:
    light, dark = tokens("tokens"), tokens("dark")
    assert light["map"] == GROUND
    assert light["foreground"] == FOREGROUND
    colour = palette()[name]["colour"]
    assert min(contrast(colour["rim"], light[ground]) for ground in ("map", "paper")) >= SEEN
    assert min(contrast(colour["dark"], dark[ground]) for ground in ("map", "paper", "panel")) >= SEEN
    assert colour["rim"] == colour["light"] or contrast(colour["light"], GROUND) < SEEN


def test_the_style_sheets_have_the_same_colours() -> None:
    assert tuple(tokens("tokens")[f"m{i}"] for i in range(1, 7)) == LIGHT
    assert tuple(tokens("dark")[f"m{i}"] for i in range(1, 7)) == DARK


@pytest.mark.parametrize("sight", sorted(FEWER_COLOURS))
@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_colours_differ_with_colour_blindness(colours: tuple[str, ...], sight: str) -> None:
    seen = [np.clip(FEWER_COLOURS[sight] @ linear(colour), 0, 1) ** (1 / 2.2) for colour in colours]
    assert min(np.abs(one - other).max() for one, other in combinations(seen, 2)) > 0.08


def test_contrast_is_the_standards() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)
    assert contrast("#faf8f5", "#faf8f5") == 1
