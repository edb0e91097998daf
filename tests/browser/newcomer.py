"""A person who uses a page for the first time: what each action costs, counted as it is done.

A click is a press of the mouse (choosing a file is one, of the button that opens the chooser). A field is one that is
typed into or chosen from. A scroll is one turn of the wheel over most of a screen, for every screen that what is used
next lies outside of the window.
"""

import math
import time
from dataclasses import dataclass, field

from playwright.sync_api import Page, expect

MOST_TABS = 120
TURN = 0.8  # of the window's height, which one turn of the wheel moves by

# How far, px, an element lies outside of what is seen of the window and of the boxes it scrolls in
_OUTSIDE = """(element) => {
  let [top, bottom] = [0, innerHeight];
  for (let box = element.parentElement; box && box !== document.body; box = box.parentElement) {
    const { overflowY } = getComputedStyle(box);
    if (overflowY !== "auto" && overflowY !== "scroll") continue;
    const seen = box.getBoundingClientRect();
    [top, bottom] = [Math.max(top, seen.top), Math.min(bottom, seen.bottom)];
  }
  const place = element.getBoundingClientRect();
  return Math.max(0, place.bottom - bottom, top - place.top);
}"""

_FOCUS_IS_SEEN = """(element) => {
  const { outlineStyle, boxShadow } = getComputedStyle(element);
  const { top, bottom } = element.getBoundingClientRect();
  return (outlineStyle !== "none" || boxShadow !== "none") && bottom > 0 && top < innerHeight;
}"""


@dataclass
class Newcomer:
    """Acts on ``page`` and counts; ``cost()`` is what it came to."""

    page: Page
    clicks: int = 0
    fields: int = 0
    scrolls: int = 0
    began: float = field(default_factory=time.monotonic)

    def click(self, on):
        self._look_at(on)
        self.clicks += 1
        on.click()

    def fill(self, into, text):
        self._look_at(into)
        self.fields += 1
        into.fill(text)

    def choose_file(self, button, file):
        self._look_at(button)
        self.clicks += 1
        with self.page.expect_file_chooser() as chooser:
            button.click()
        chooser.value.set_files(file)

    def download(self, link):
        with self.page.expect_download() as download:
            self.click(link)
        return download.value

    def read(self, what):
        """What is written there, once it is scrolled to."""
        self._look_at(what)
        return what.inner_text()

    def cost(self):
        seconds = round(time.monotonic() - self.began, 1)
        return {"clicks": self.clicks, "fields": self.fields, "scrolls": self.scrolls, "seconds": seconds}

    def _look_at(self, what):
        expect(what).to_be_visible()
        turns = math.ceil(what.evaluate(_OUTSIDE) / (TURN * self.page.viewport_size["height"]))
        self.scrolls += turns
        if turns:
            what.scroll_into_view_if_needed()


def tab_to(page, target):
    """Press Tab until ``target`` has the focus, which must then be in sight."""
    expect(target).to_be_visible()
    for _ in range(MOST_TABS):
        if target.evaluate("(element) => element === document.activeElement"):
            assert target.evaluate(_FOCUS_IS_SEEN), f"focus is not seen: {target}"
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{target} is not reached by {MOST_TABS} tabs")


def press(page, target, key="Enter"):
    tab_to(page, target)
    page.keyboard.press(key)
