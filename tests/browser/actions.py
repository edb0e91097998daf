"""What journeys do on every page: read several texts of one place, download by a click, measure."""

from playwright.sync_api import expect


def contains(place, *texts):
    """Wait until each of the texts is there."""
    for text in texts:
        expect(place).to_contain_text(text)


def downloaded(link):
    """What a click on ``link`` downloads."""
    with link.page.expect_download() as waiting:
        link.click()
    return waiting.value


def in_address(page, text):
    page.wait_for_function("(text) => location.search.includes(text)", arg=text)


_FOCUS_IS_SEEN = """(element) => {
  const { outlineStyle, boxShadow } = getComputedStyle(element);
  const { top, bottom } = element.getBoundingClientRect();
  return (outlineStyle !== "none" || boxShadow !== "none") && bottom > 0 && top < innerHeight;
}"""


def tab_to(page, target):
    """Press Tab until ``target`` has the focus, which must then be in sight."""
    expect(target).to_be_visible()
    for _ in range(120):
        if target.evaluate("(element) => element === document.activeElement"):
            assert target.evaluate(_FOCUS_IS_SEEN), f"focus is not seen: {target}"
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{target} is not reached by Tab")


def press(page, target, key="Enter"):
    tab_to(page, target)
    page.keyboard.press(key)
