"""Numbers as they are typed, in every form: kept, a comma read as a decimal point, and none sent that is refused.

How a text is read is tested without a browser, in tests/js/core/number_text.test.mjs.
"""

import re

from playwright.sync_api import expect

from dashboard.datasets.models import Dataset

NO_NUMBERS = ["1,000", "abc", "0", ""]
PATH = re.compile(r"[a-z]_[a-z]|[a-z]\.[a-z]")


def typed(field, text):
    """Type as a person does, key by key."""
    field.fill("")
    field.press_sequentially(text)


def error_of(field):
    """The place of a field's error, as assistive technology finds it."""
    described = (field.get_attribute("aria-describedby") or "").split()
    return field.page.locator(f"[id='{described[-1]}']")


def refused(field, text):
    """Expect an error message beside the field, which keeps what was typed."""
    expect(field, text).to_have_attribute("aria-invalid", "true")
    expect(error_of(field), text).to_be_visible()
    message = error_of(field).inner_text()
    assert not PATH.search(message.replace(text, "")), message
    expect(field).to_have_value(text)


def refuses(field, press, *texts):
    """Each text is refused beside the field; pressed all the same, nothing is sent and the field is focused."""
    field.page.wait_for_timeout(400)  # longer than any delay before a quote is requested
    sent = []

    def record(request):
        if request.method != "GET":
            sent.append(request.post_data)

    field.page.on("request", record)
    for text in texts:
        field.fill(text)
        if text:
            refused(field, text)
        if press:
            press.click()
            refused(field, text)
            expect(field).to_be_focused()
    field.page.wait_for_timeout(400)
    field.page.remove_listener("request", record)
    assert sent == []


def test_budget_and_cleaning(page, taxi):
    page.goto(f"/datasets/{taxi.pk}/")
    page.get_by_text("Set a limit").click()
    level, radius = page.get_by_label("Level ε"), page.get_by_label("Radius r, m")
    limit = page.get_by_role("button", name="Set", exact=True)
    refuses(level, limit, *NO_NUMBERS)
    typed(level, "0,5")
    refuses(radius, limit, *NO_NUMBERS, "3e7")
    typed(radius, "200")
    limit.click()
    expect(page.locator("#budget")).to_contain_text("of ε = 0.5 within 200")

    page.get_by_role("link", name="Import settings").click()
    page.get_by_text("More options").click()
    page.get_by_label("Step to add").select_option("drop-jumps")
    page.get_by_role("button", name="Add step").click()
    speed = page.get_by_label("Highest speed, km/h", exact=True)
    again = page.locator("[data-submit-bar]").get_by_role("button", name="Import")
    refuses(speed, again, *NO_NUMBERS)
    typed(speed, "999,5")
    with page.expect_navigation():
        again.click()
    assert Dataset.objects.get().cleaning == [{"name": "drop-jumps", "highest_km_h": 999.5}]
