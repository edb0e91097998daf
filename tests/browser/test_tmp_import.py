from tests.browser.test_preview import *  # noqa
from tests.browser.conftest import choose, table, card
import pytest
import tests.browser.test_every_page as m
from tests.browser.test_every_page import test_nothing_is_wrong_with_any_page  # noqa
NAMES = {"import", "import-unread", "import-checkins", "dataset", "unread", "first-dataset", "datasets", "count-on-a-grid", "landmarks", "stays-as-checkins", "release"}
m.cases_of_today = lambda size: [c for c in m.CASES if c.name in NAMES]

@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [(1440, 900), (390, 844)])
def test_shots(page, owner, monitor, scheme, size):
    monitor.expect(400)
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size(dict(zip(("width", "height"), size)))
    upload = ContentFile((SPANISH + TOTAL).encode(), name="reparto.csv")
    ds = import_dataset(owner=owner, upload=upload, options={"date_order": "dmy", "id": "#6"})
    open_settings(page, ds)
    page.wait_for_timeout(500)
    page.screenshot(path=f"/tmp/h/import/shot-{scheme}-{size[0]}.png")
    page.get_by_text("More options").click()
    page.wait_for_timeout(300)
    page.screenshot(path=f"/tmp/h/import/shot-{scheme}-{size[0]}-more.png", full_page=True)
    page.goto(f"/datasets/{ds.pk}/")
    page.wait_for_timeout(1500)
    page.screenshot(path=f"/tmp/h/import/report-{scheme}-{size[0]}.png", full_page=True)
    page.goto("/")
    choose(page, table("reparto2.csv", (SPANISH.replace("03/06", "13/06") + TOTAL).encode()))
    expect(card(page, "reparto2.csv")).to_contain_text("ready")
    page.wait_for_timeout(300)
    page.screenshot(path=f"/tmp/h/import/card-{scheme}-{size[0]}.png", full_page=True)
