"""The plots of a count stream's comparison: ticks of time below a day, labels of several budgets, the limit of pins."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from dashboard.accounts.models import User
from tests.browser.conftest import DESKTOP, PHONE
from tests.browser.test_stream_compare import COUNTS, compared, opened
from tests.dashboard import kinds

RECORD = """() => {
  const { prototype } = HTMLCanvasElement;
  const width = Object.getOwnPropertyDescriptor(prototype, "width");
  Object.defineProperty(prototype, "width", { ...width, set(value) { this.texts = []; width.set.call(this, value); } });
  const { prototype: context } = CanvasRenderingContext2D;
  const fillText = context.fillText;
  context.fillText = function (text, x, y) {
    fillText.call(this, text, x, y);
    if (this.getTransform().b) return; // upright
    const { actualBoundingBoxLeft: left, actualBoundingBoxRight: right } = this.measureText(text);
    const { actualBoundingBoxAscent: up, actualBoundingBoxDescent: down } = this.measureText(text);
    this.canvas.texts?.push({ text, left: x - left, right: x + right, top: y - up, bottom: y + down });
  };
}"""
"""Every canvas has the texts that were drawn since it was cleared, with their boxes, px."""
TEXTS = """(selector) => [...document.querySelectorAll(`${selector} canvas`)].map((canvas) =>
  ({ texts: canvas.texts, width: canvas.clientWidth, height: canvas.clientHeight }))"""
TICKS = """async (calls) => { const { ticksOf } = await import("/static/js/stream/plot_scale.js");
  return calls.map(([labels, time_s, width]) => ticksOf({ labels, time_s }, [0, labels.length], width)); }"""
START = datetime(2024, 2, 2, tzinfo=UTC)


def axis(count: int, step: timedelta, *, zone: str = "Z", start: datetime = START, width: int = 640) -> list[Any]:
    times = [start + i * step for i in range(count)]
    return [[f"{one:%Y-%m-%dT%H:%M:%S}{zone}" for one in times], [one.timestamp() for one in times], width]


def texts_of(page: Page, selector: str) -> list[dict[str, Any]]:
    """The canvases of a plot: their sizes and texts."""
    found: list[dict[str, Any]] = page.evaluate(TEXTS, selector)
    assert found
    return found


def assert_apart(texts: list[dict[str, Any]]) -> None:
    for one, other in combinations(texts, 2):
        beside = one["right"] <= other["left"] or other["right"] <= one["left"]
        assert beside or one["bottom"] <= other["top"] or other["bottom"] <= one["top"], (one, other)


@pytest.mark.journey
def test_ticks_of_time_are_distinct(page: Page) -> None:
    page.goto("/")
    second, minute, hour, day = (timedelta(**{unit: 1}) for unit in ("seconds", "minutes", "hours", "days"))
    offset = axis(5, hour, zone="+02:00", start=START + timedelta(hours=10))
    offset[1] = [time - 7200 for time in offset[1]]
    calls = [
        axis(30, hour),
        axis(6, 10 * minute),
        axis(60, 10 * second),
        axis(1000, hour),
        axis(8, day),
        axis(8, day, start=START + 17 * hour),
        axis(2, hour),
        offset,
    ]
    found = page.evaluate(TICKS, calls)
    assert [[text for _, text in ticks][:3] for ticks in found] == [
        ["2 Feb 06:00", "2 Feb 12:00", "2 Feb 18:00"],
        ["2 Feb 00:10", "2 Feb 00:20", "2 Feb 00:30"],
        ["2 Feb 00:02", "2 Feb 00:04", "2 Feb 00:06"],
        ["5 Feb", "12 Feb", "19 Feb"],
        ["3 Feb", "4 Feb", "5 Feb"],
        ["3 Feb", "4 Feb", "5 Feb"],
        ["2 Feb 00:00", "2 Feb 01:00"],
        ["2 Feb 11:00", "2 Feb 12:00", "2 Feb 13:00"],
    ]
    for ticks in found:
        texts = [text for _, text in ticks]
        assert len(set(texts)) == len(texts) >= 2


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_labels_of_hours_and_budgets_are_apart(
    open_page: Callable[..., Page], owner: User, size: dict[str, int]
) -> None:
    labels, *_ = axis(30, timedelta(hours=1))
    rows = [",".join([label, *map(str, row)]) for label, row in zip(labels, COUNTS.tolist(), strict=False)]
    body = "\n".join([",".join(["time", *kinds.NAMES]), *rows, ""]).encode()
    levels = [{"epsilon": 2.0, "window": 20}, {"epsilon": 50.0, "window": 10}]
    page = open_page(owner, size=size)
    page.add_init_script(f"({RECORD})()")
    opened(page, compared(owner, body, *(kinds.STREAM | level for level in levels)))
    for plot in ("[data-axis]", "[data-multiples]"):
        for canvas in texts_of(page, plot):
            ticks = [one for one in canvas["texts"] if "Feb" in one["text"]]
            assert len({one["text"] for one in ticks}) == len(ticks) >= 2
            assert_apart(canvas["texts"])
            assert all(one["left"] >= -1 and one["right"] <= canvas["width"] + 1 for one in ticks)
    shown = page.get_by_label("Release in the heat map")
    for epsilon in (50, 2):
        shown.select_option(label=shown.locator("option", has_text=f"ε {epsilon} ").inner_text())
        canvas = page.locator("[data-budget] canvas")
        expect(canvas).to_have_attribute("aria-label", re.compile(f"limit ε = {epsilon}\\."))
        expect(page.locator("[data-budget-title]")).to_have_text("Budget spent in each release’s window, ε")
        note = f"Uniform · ε {epsilon} .*: never above ε = {epsilon}"
        expect(page.locator("[data-budget-note]")).to_have_text(re.compile(note))
        (budget,) = texts_of(page, "[data-budget]")
        tops = {one["text"]: one["top"] for one in budget["texts"]}
        assert tops[f"ε = {epsilon}"] < tops.get("0", budget["height"])
        assert_apart(budget["texts"])
        assert all(one["top"] >= 0 and one["bottom"] <= budget["height"] for one in budget["texts"])
    page.get_by_role("checkbox", name="ε 50").uncheck()
    expect(page.locator("[data-budget-title]")).to_have_text("Budget spent in the last 20 timestamps, ε")


def test_the_limit_of_pinned_dimensions_is_shown(open_page: Callable[..., Page], owner: User) -> None:
    names = [f"cell {i}" for i in range(14)]
    table = np.arange(14 * 6).reshape(6, 14)
    page = opened(open_page(owner), compared(owner, kinds.wide(table, names), kinds.STREAM))
    limit = page.locator("[data-pin-limit]")
    boxes = page.locator("[data-dimension-list]").get_by_role("checkbox")
    for i in range(6, 12):
        boxes.nth(i).check()
    expect(page.locator("[data-pinned-count]")).to_have_text("12 of 14 pinned")
    expect(limit).to_be_hidden()
    boxes.nth(12).click()
    expect(boxes.nth(12)).not_to_be_checked()
    expect(limit).to_be_in_viewport()
    expect(limit).to_contain_text("At most 12 dimensions")
    boxes.nth(3).uncheck()
    expect(limit).to_be_hidden()
    boxes.nth(12).check()
    expect(page.locator("[data-pinned-count]")).to_have_text("12 of 14 pinned")
