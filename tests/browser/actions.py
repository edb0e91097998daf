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


def box_of(place):
    """Where the element is on the screen."""
    box = place.bounding_box()
    assert box
    return box


def in_address(page, text):
    """Wait until the query of the page's address has the text."""
    page.wait_for_function("(text) => location.search.includes(text)", arg=text)
