"""The map of an area in a browser: two clicks to streets, requested by the server alone, then offline, legible."""

import re
from contextlib import ExitStack

import pytest
from django.core.files.base import ContentFile
from playwright.sync_api import expect

from dashboard.accounts.models import User
from dashboard.area_maps.models import AreaMap
from dashboard.datasets.services import import_dataset
from dashboard.maps import remote_archive
from dashboard.projects.models import Role
from dashboard.projects.services import add_member, create_project, move_row
from tests.browser.conftest import PHONE, accessibility_faults
from tests.browser.jobs import run_jobs
from tests.browser.rendering import at_rest
from tests.map_archive import serving, tiles_below, write_archive

PARIS = (129, 88)  # of zoom 8
SHOWN = ".base-tiles canvas.leaflet-tile-loaded"

# Every name that is drawn on a tile: its text, its height on the screen in pixels, its colour and that of its rim
RECORD = """() => {
  globalThis.names = [];
  const draw = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function (text, ...at) {
    const size = Number(this.font.match(/([0-9.]+)px/)[1]);
    if (this.canvas.classList.contains("leaflet-tile"))
      globalThis.names.push({ text, canvas: this.canvas, size, fill: this.fillStyle, rim: this.strokeStyle });
    return draw.call(this, text, ...at);
  };
}"""
NAMES = """() => names.filter(({ canvas }) => canvas.isConnected && canvas.width).map(({ canvas, size, ...name }) =>
  ({ ...name, height: (size * canvas.getBoundingClientRect().width) / 256 }))"""
CONTRAST = """([one, other]) => {
  const light = (colour) => {
    const [r, g, b] = [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16) / 255)
      .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [low, high] = [light(one), light(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}"""


@pytest.fixture
def archive(settings, tmp_path, monkeypatch):
    """The archive of the operator, on a host of its own; ``archive.close()`` ends the host."""
    monkeypatch.setattr(remote_archive, "PAUSE_S", 0.0)
    body = write_archive(tmp_path / "planet.pmtiles", tiles_below(*PARIS, 12)).read_bytes()
    with ExitStack() as stack:
        host = stack.enter_context(serving(body))
        host.close = stack.close
        settings.CAIRN_MAP_ARCHIVE = host.url
        yield host


def open_map(page, path):
    page.goto(path)
    page.wait_for_selector(".map canvas[data-drawn]")
    page.wait_for_load_state("networkidle")


def fetch(panel):
    """Allow it, and let a worker do it."""
    panel.get_by_role("button", name="Allow and fetch").click()
    expect(panel.get_by_role("button", name="Cancel")).to_be_visible()
    assert run_jobs() == 1


def panel_of(page):
    page.get_by_role("button", name=re.compile("^Base map:")).click()
    return page.get_by_role("dialog", name="Base map")


@pytest.mark.journey
def test_two_clicks_to_a_map_with_streets_that_stays_without_the_host(page, walk, archive, monitor):
    page.add_init_script(f"({RECORD})()")
    open_map(page, f"/datasets/{walk.pk}/")
    panel = panel_of(page)  # the first click
    for part in (archive.host, "47.990° N to 48.922° N, 1.406° E to 2.813° E", "1 tile of zoom 8", "at most 100 MB"):
        expect(panel).to_contain_text(part)
    west, south, east, north = walk.summary["bounds"]
    expect(panel).to_contain_text(f"{south:.3f}° N to {north:.3f}° N, {west:.3f}° E to {east:.3f}° E")
    expect(panel).to_contain_text("Without encryption")  # the host of the test has none
    assert archive.requests == []
    assert accessibility_faults(page) == []
    expect(panel.get_by_role("radio", name="Map of the area")).to_have_count(0)  # until there is a map to choose
    fetch(panel)  # the second
    expect(page.locator(SHOWN).first).to_be_attached()
    expect(page.get_by_role("button", name="Base map: map of the area")).to_be_visible()
    expect(panel.get_by_role("radio", name="Map of the area")).to_be_checked()
    expect(panel).to_contain_text("to zoom 12")
    assert accessibility_faults(page) == []
    page.wait_for_function("names.some(({ text }) => text.endsWith('Street'))")
    assert [url for url in monitor.requests if archive.host in url] == []

    archive.close()
    for path in (f"/datasets/{walk.pk}/", f"/datasets/{walk.pk}/landmarks/new/"):
        open_map(page, path)
        expect(page.locator(SHOWN).first).to_be_attached()
        expect(page.locator(".map-note__whose")).to_have_text(archive.host)
    panel = panel_of(page)
    panel.get_by_role("button", name="Remove it").click()
    expect(page.get_by_role("button", name="Base map: none")).to_be_visible()
    expect(page.locator(SHOWN)).to_have_count(0)
    assert not AreaMap.objects.exists()


@pytest.mark.parametrize("colour", ["light", "dark"])
def test_names_are_legible_at_every_zoom(open_page, owner, walk, archive, colour):
    page = open_page(owner, colour=colour)
    page.add_init_script(f"({RECORD})()")
    open_map(page, f"/datasets/{walk.pk}/")
    fetch(panel_of(page))
    expect(page.locator(SHOWN).first).to_be_attached()
    page.keyboard.press("Escape")
    for _ in range(5):
        page.evaluate("names.length = 0")
        page.get_by_role("button", name="Zoom in").click()  # by three quarters: tiles are scaled by other shares
        at_rest(page)
        page.wait_for_function("names.some(({ canvas }) => canvas.isConnected && canvas.width)")
        page.wait_for_timeout(300)
        found = page.evaluate(NAMES)
        assert found
        for name in found:
            assert page.evaluate(CONTRAST, [name["fill"], name["rim"]]) >= 4.5, name
        last = {name["text"]: name["height"] for name in found}  # those drawn before were replaced
        assert min(last.values()) >= 11.5, last
        assert max(last.values()) <= 15, last


def test_a_fetch_that_fails_states_why_and_can_be_allowed_again(page, walk, archive, monitor):
    archive.fault = lambda handler, *span: handler.part(*span, status=200) or True
    page.set_viewport_size(PHONE)
    open_map(page, f"/datasets/{walk.pk}/")
    panel = panel_of(page)
    allow = panel.get_by_role("button", name="Allow and fetch")
    fetch(panel)
    expect(panel).to_contain_text("must answer with the status 206, got 200")
    box = panel.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= PHONE["width"]
    archive.fault = None
    allow.click()
    panel.get_by_role("button", name="Cancel").click()
    expect(allow).to_be_visible()
    fetch(panel)
    expect(page.locator(SHOWN).first).to_be_attached()


def test_members_see_it_and_need_not_agree(open_page, owner, walk, archive):
    colleague = User.objects.create_user("colleague")
    project = create_project(owner=owner, name="Study")
    add_member(project=project, username=colleague.username, role=Role.VIEWER)
    move_row(user=owner, row=walk, project=project.pk)
    viewer, page = open_page(colleague), open_page(owner)
    open_map(viewer, f"/datasets/{walk.pk}/")
    expect(panel_of(viewer).get_by_role("radio", name="Map of the area")).to_have_count(0)
    open_map(page, f"/datasets/{walk.pk}/")
    fetch(panel_of(page))
    expect(page.locator(SHOWN).first).to_be_attached()
    open_map(viewer, f"/datasets/{walk.pk}/")  # who never chose has it
    expect(viewer.locator(SHOWN).first).to_be_attached()
    panel = panel_of(viewer)
    expect(panel.get_by_role("button", name="Remove it")).to_have_count(0)
    panel.get_by_role("radio", name="None", exact=True).check()
    expect(viewer.locator(SHOWN)).to_have_count(0)


def test_another_dataset_in_the_area_uses_the_map_without_a_request(page, owner, walk, archive):
    rows = b"time,lat,lon\n2024-06-01T10:00:00Z,48.83,2.31\n2024-06-01T10:05:00Z,48.84,2.32\n"
    other = import_dataset(owner=owner, upload=ContentFile(rows, name="other.csv"), name="Other")
    open_map(page, f"/datasets/{walk.pk}/")
    fetch(panel_of(page))
    expect(page.locator(SHOWN).first).to_be_attached()
    before = len(archive.requests)
    open_map(page, f"/datasets/{other.pk}/")
    panel = panel_of(page)
    expect(panel).to_contain_text("it is copied, and nothing is requested")
    panel.get_by_role("button", name="Use it").click()
    expect(panel.get_by_role("button", name="Cancel")).to_be_visible()
    assert run_jobs() == 1
    expect(page.locator(SHOWN).first).to_be_attached()
    expect(panel).to_contain_text(f"from {archive.host}, here since")
    assert len(archive.requests) == before


def test_without_an_archive_the_choice_is_absent(page, walk):
    open_map(page, f"/datasets/{walk.pk}/")
    panel = panel_of(page)
    expect(panel.get_by_role("radio")).to_have_count(4)
    expect(panel).not_to_contain_text("Map of the area")
