"""What charts compute without a page: rolling medians, ticks of time, levels within another radius, texts of values."""

from __future__ import annotations

import math
import random
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from playwright.sync_api import Page

from privacy_engine.analysis.reference_radius import within
from tests.browser.conftest import run_cases
from tests.dashboard.test_filenames import CASES as NAMES

CALL = """async ([path, name, calls]) => { const module = await import(`/static/js/${path}.js`);
  return calls.map((given) => module[name](...given)); }"""
ZONES = ("UTC", "Europe/Berlin", "Asia/Kolkata", "America/New_York")
MINUTE, HOUR, DAY = 60, 3600, 86_400
NEW_YEAR = datetime(2024, 1, 1, tzinfo=UTC).timestamp()


def call(page: Page, path: str, name: str, *calls: list[Any]) -> list[Any]:
    """The answers of one function of a module to several calls."""
    return page.evaluate(CALL, [path, name, list(calls)])


def slow_median(values: list[float | None], window: int) -> list[float | None]:
    half, found = window // 2, []
    for i, value in enumerate(values):
        known = [one for one in values[max(0, i - half) : i + half + 1] if one is not None]
        found.append(None if value is None else float(np.median(known)))
    return found


@pytest.mark.journey
def test_logic_of_charts(page: Page, subtests: pytest.Subtests) -> None:
    page.goto("/")
    cases = (
        rolling_medians,
        windows,
        ticks_of_time,
        texts_of_times,
        levels,
        values_with_units,
        linear_axes,
        titles_in_lines,
        levels_of_experiments,
        names_of_files,
    )
    run_cases(subtests, cases, page)


def names_of_files(page: Page) -> None:
    found = call(page, "core/file_name", "fileName", *([parts, "gpkg"] for parts, _ in NAMES))
    assert found == [name for _, name in NAMES]


def rolling_medians(page: Page) -> None:
    rng = random.Random(1)
    calls: list[list[Any]] = [[[], 5], [[None, None], 5], [[3.0], 5], [[2.0, 2.0, 2.0, 1.0], 3]]
    for _ in range(200):
        n, gaps = rng.randrange(1, 60), rng.choice([0.0, 0.3])
        values = [None if rng.random() < gaps else float(rng.choice([0, 1, 5, rng.random()])) for _ in range(n)]
        calls.append([values, rng.randrange(1, 20, 2)])
    assert call(page, "charts/rolling_median", "rollingMedian", *calls) == [slow_median(*one) for one in calls]


def windows(page: Page) -> None:
    found = call(page, "charts/rolling_median", "windowOf", *([n] for n in range(1000)))
    assert all(one % 2 == 1 and one >= 5 for one in found)
    assert found[260] == 13


def ticks_of_time(page: Page) -> None:
    lengths = (30, 10 * MINUTE, 3 * HOUR, 26 * HOUR, 5 * DAY, 40 * DAY, 400 * DAY, 4000 * DAY, 40_000 * DAY)
    starts = [NEW_YEAR + 17 * DAY + 4321.5, NEW_YEAR + 88 * DAY]  # the second spans the change to summer time
    calls = [
        [[start, start + length], most, zone]
        for start in starts
        for length in lengths
        for most in (2, 5, 12)
        for zone in ZONES
    ]
    for (span, most, zone), ticks in zip(calls, call(page, "charts/zoned_time", "timeTicks", *calls), strict=True):
        times = [time for time, _ in ticks]
        assert times == sorted(set(times))
        assert all(span[0] - 1 <= time <= span[1] + 1 for time in times)
        assert len(ticks) <= most + 1
        for time, text in ticks:
            clock = datetime.fromtimestamp(time, ZoneInfo(zone))
            texts = {f"{clock:%H:%M}", f"{clock:%H:%M:%S}", f"{clock.day} {clock:%b}", f"{clock:%b %Y}", f"{clock:%Y}"}
            assert text in texts, (zone, clock)
            assert ":" in text or clock.hour == 0 or span[1] - span[0] > DAY


def texts_of_times(page: Page) -> None:
    moments = call(page, "charts/zoned_time", "momentText", *([NEW_YEAR, zone] for zone in (*ZONES, "Nowhere/Land")))
    assert moments == [
        "1 Jan 2024, 00:00:00",
        "1 Jan 2024, 01:00:00",
        "1 Jan 2024, 05:30:00",
        "31 Dec 2023, 19:00:00",
        "1 Jan 2024, 00:00:00",
    ]
    spans = [[NEW_YEAR, NEW_YEAR + 5], [NEW_YEAR, NEW_YEAR + DAY], [NEW_YEAR - DAY, NEW_YEAR]]
    assert call(page, "charts/zoned_time", "daysText", *([span, "UTC"] for span in spans)) == [
        "1 Jan 2024",
        "1 Jan to 2 Jan 2024",
        "31 Dec 2023 to 1 Jan 2024",
    ]


def levels(page: Page) -> None:
    calls = [[0.01, 1.0, 200.0], [1.0, 200.0, 200.0], [1.0, 200.0, 1000.0], [3.0, 7.0, 1.0]]
    assert call(page, "core/level", "within", *calls) == [within(*one) for one in calls]
    assert call(page, "core/level", "levelText", *calls[:2]) == [
        "ε 2 within 200\u202fm (set as 0.01 within 1\u202fm)",
        "ε 1 within 200\u202fm",
    ]
    marked = [
        [f"Skip · ε {epsilon:g} / {radius:g}\u202fm", {"epsilon": epsilon, "radius_m": radius}, 200.0]
        for epsilon, radius, _ in calls[:2]
    ]
    assert call(page, "core/level", "markedTitle", *marked) == [
        "Skip · ε 2 within 200\u202fm (set as 0.01 within 1\u202fm)",
        "Skip · ε 1 / 200\u202fm",
    ]
    metre, block = {"epsilon": 0.01, "radius_m": 1.0}, {"epsilon": 1.0, "radius_m": 200.0}
    titled = [["Skip · ε 0.01 / 1 m (2)", metre, 200.0], ["Skip · ε 1 / 200 m (2)", block, 200.0]]
    assert call(page, "core/level", "markedTitle", *titled) == [
        "Skip (2) · ε 2 within 200\u202fm (set as 0.01 within 1\u202fm)",
        "Skip · ε 1 / 200 m (2)",
    ]


def values_with_units(page: Page) -> None:
    calls = [[1234.0, "m"], [0.0123456, "ε"], [1234.4, "count"], [0.4, "share"], [12.5, "%"], [7.0, ""], [None, "m"]]
    texts = [one.replace("\u202f", " ") for one in call(page, "core/tooltip", "valueText", *calls)]
    assert texts == ["1.23 km", "ε 0.0123", "1,234", "40 %", "12.5 %", "7", "–"]


def linear_axes(page: Page) -> None:
    calls: list[list[Any]] = [
        [[[1, 3, None], [2]]],
        [[[-40, 20], [None]]],
        [[[-0.02, -0.01]]],
        [[[0], []]],
        [[[-3e9, 1]]],
    ]
    axes = [one["axis"] for one in call(page, "charts/axes", "linearAxis", *calls)]
    assert [one["ticktext"] for one in axes] == [
        ["0", "1", "2", "3"],
        ["-40", "-20", "0", "20"],
        ["-0.02", "-0.015", "-0.01", "-0.005", "0"],
        ["0", "0.2", "0.4", "0.6", "0.8", "1"],
        ["-3e9", "-2e9", "-1e9", "0"],
    ]
    for (arrays,), axis in zip(calls, axes, strict=True):
        low, high = axis["range"]
        assert low < high
        assert all(low <= value <= high for values in arrays for value in values if value is not None)


def titles_in_lines(page: Page) -> None:
    font = {"family": "sans-serif", "size": 11}
    text = "Each event's own loss, mean over events, ε, log"
    for width in (40, 120, 10_000):
        (lines,) = call(page, "charts/text_width", "wrapped", [text, width, font])
        assert " ".join(lines) == text
        widths = call(page, "charts/text_width", "widthOf", *([line, font] for line in lines))
        assert all(one <= width or " " not in line for one, line in zip(widths, lines, strict=True))
        assert math.isclose(len(lines), 1) == (width == 10_000)
    assert call(page, "charts/text_width", "wrapped", ["", 100, font]) == [[]]


def results_of(level: dict[str, Any] | None, *, radii: bool = False) -> dict[str, Any]:
    """Axes of an experiment as the API gives them: levels, and radii."""
    values = [{"label": str(one), "number": one} for one in (0.01, 1.0)]
    axes = [{"name": "release.mechanism.epsilon", "title": "Level", "symbol": "ε", "unit": "", "values": values}]
    if radii:
        numbers = [{"label": str(one), "number": one} for one in (1.0, 200.0)]
        axes.append(
            {"name": "release.mechanism.radius_m", "title": "Radius", "symbol": "r", "unit": "m", "values": numbers}
        )
    return {"axes": axes, "level": level}


def levels_of_experiments(page: Page) -> None:
    path = "components/experiment/levels"
    metre = results_of({"reference_m": 200.0, "axis": None, "radii": [1.0]})
    block = results_of({"reference_m": 200.0, "axis": None, "radii": [200.0]})
    both = results_of({"reference_m": 200.0, "axis": 1, "radii": [1.0, 200.0]}, radii=True)
    other = results_of(None)
    calls = [[metre, 0, 0, [0]], [block, 0, 0, [0]], [both, 0, 0, [0, 0]], [both, 0, 0, [0, 1]], [both, 1, 1, [0, 1]]]
    assert call(page, path, "numberOf", *calls, [other, 0, 0, [0]]) == [2.0, 0.01, 2.0, 0.01, 200.0, 0.01]
    assert call(page, path, "labelOf", [metre, 0, 0], [block, 0, 1], [both, 0, 1], [other, 0, 1], [both, 1, 0]) == [
        "ε 2 within 200\u202fm (set as 0.01 within 1\u202fm)",
        "ε 1 within 200\u202fm",
        "1.0 within its radius",
        "1.0",
        "1.0",
    ]
    axes = [[one, one["axes"][0]] for one in (metre, block, both, other)]
    assert call(page, path, "axisTitle", *axes, [both, both["axes"][1]]) == [
        "Level ε within 200\u202fm (set within 1\u202fm)",
        "Level ε within 200\u202fm",
        "Level ε within 200\u202fm (set within 1\u202fm)",
        "Level ε",
        "Radius r, m",
    ]
    turned = {"axes": both["axes"][::-1], "level": {"reference_m": 7.0, "axis": 0, "radii": [1.0, 200.0]}}
    (aligned,) = call(page, path, "alignedLevel", [both, turned])
    assert aligned == {"axis": 1, "radii": [1.0, 200.0], "reference_m": 200.0}
