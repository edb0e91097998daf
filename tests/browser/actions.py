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


def act_on(page, release, action, host="[data-summary]"):
    """Choose an action of the menu of a release, whose title begins so."""
    menu = page.locator(f"{host} details.menu").filter(has=page.get_by_label(f"Actions of {release}")).first
    menu.locator("summary").first.press("Enter")
    chosen = menu.locator(".menu__panel > :is(a, button), .release-menu__fold > summary").filter(has_text=action).first
    chosen.press("Enter")
    return menu


def in_address(page, text, expected=True):
    """Wait until the address has a text, or no longer; it follows what was chosen after a moment."""
    page.wait_for_function("([text, expected]) => location.search.includes(text) === expected", arg=[text, expected])


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
