"""Terms of the glossary: shown on hover, focus and tap, and hidden again."""

import re

from playwright.sync_api import expect

from dashboard.core.templatetags.glossary import GLOSSARY
from dashboard.landmarks.services import mark_landmarks
from tests.browser.conftest import PHONE, assert_fits


def term(page, name):
    return page.locator(f".term[popovertarget=term-{name}]")


def note(page, name):
    return page.locator(f"#term-{name}")


def test_a_term_is_explained_on_hover_focus_key_and_tap_and_without_scripts(page, phone, open_page, owner, walk):
    home = mark_landmarks(owner=owner, dataset=walk, method={"name": "manual", "events": [1, 2, 3]}, name="Home")
    composer = f"/datasets/{walk.pk}/releases/new/"
    page.goto(composer)
    page.wait_for_selector("[data-form][data-ready=all]")
    page.get_by_role("button", name="What this means").click()
    term(page, "fresh-noise").hover()
    expect(note(page, "fresh-noise")).to_be_visible()
    expect(note(page, "fresh-noise")).to_contain_text(GLOSSARY["fresh-noise"].meaning)
    assert_fits(page)
    note(page, "fresh-noise").hover()
    page.wait_for_timeout(300)  # longer than the grace for the way there
    expect(note(page, "fresh-noise")).to_be_visible()
    page.mouse.move(5, 5)
    expect(note(page, "fresh-noise")).to_be_hidden()

    term(page, "user-level").focus()
    expect(note(page, "user-level")).to_be_visible()
    page.keyboard.press("Tab")
    expect(note(page, "user-level")).to_be_hidden()
    expect(note(page, "radius")).to_be_visible()
    page.keyboard.press("Escape")
    expect(note(page, "radius")).to_be_hidden()
    expect(term(page, "radius")).to_be_focused()
    page.keyboard.press("Enter")
    expect(note(page, "radius")).to_be_visible()
    expect(page.get_by_role("button", name="level", exact=True)).to_have_accessible_description(
        f"Level {GLOSSARY['level'].meaning}"
    )
    title = re.compile(r"^New ?release$")  # browsers may put spaces around its buttons
    expect(page.get_by_role("heading", name=title)).to_be_visible()

    # in what scripts write: the editor, and the guarantee of a comparison
    page.goto(f"/datasets/{walk.pk}/landmarks/new/?from={home.pk}")
    term(page, "regular-event").hover()
    expect(note(page, "regular-event")).to_contain_text("not a landmark")

    phone.goto(composer)
    phone.wait_for_selector("[data-form][data-ready=all]")
    phone.get_by_role("button", name="What this means").tap()
    for _ in range(2):
        term(phone, "w-event").tap()
        expect(note(phone, "w-event")).to_be_visible()
    box, width = note(phone, "w-event").bounding_box(), PHONE["width"]
    assert box["x"] >= 12
    assert box["x"] + box["width"] <= width - 12
    phone.get_by_role("heading", name="Which release can I use?").tap()
    expect(note(phone, "w-event")).to_be_hidden()
    plain = open_page(owner, java_script_enabled=False)
    plain.goto("/")
    term(plain, "release").click()
    expect(note(plain, "release")).to_be_visible()
