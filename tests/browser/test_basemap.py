"""The base map in a browser: chosen on the map, remembered; which requests go to which server, none before consent."""

import gzip
import re

import pytest
from playwright.sync_api import expect

from dashboard.accounts.base_map import choose_base_map
from dashboard.accounts.models import User
from tests.browser.conftest import PATIENCE_MS, PHONE
from tests.browser.fixtures import HOST
from tests.browser.rendering import at_rest
from tests.map_archive import AREA, mvt, write_archive
from tests.pmtiles import streets

SENTENCE = "tiles.example.org: its operator learns your IP address, the area and the zoom you view."


@pytest.fixture
def requested(page, monitor):
    """The headers of every request to the tile server, which answers them all."""
    found = []

    def answer(route):
        found.append(route.request.all_headers())
        route.fulfill(content_type="image/png", body=streets(13, 0, 0))

    monitor.others = (HOST,)
    page.context.route(f"{HOST}/**", answer)
    return found


def open_map(page, walk):
    page.goto(f"/datasets/{walk.pk}/")
    page.wait_for_selector(".map canvas[data-drawn]")
    page.wait_for_load_state("networkidle")
    return page.locator(".map-note")


def open_panel(page):
    """The panel of base maps, open."""
    panel = page.get_by_role("dialog", name="Base map")
    if not panel.is_visible():
        page.get_by_role("button", name=re.compile("^Base map:")).click()
    expect(panel).to_be_visible()
    return panel


def choose(page, name):
    """Choose a base map that needs no agreement, and wait until it is remembered."""
    panel = open_panel(page)
    with page.expect_response(lambda answer: "/api/v1/base-map/" in answer.url and answer.ok):
        panel.get_by_role("radio", name=name, exact=True).check()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name=f"Base map: {name.lower()}")).to_be_focused()


def open_search(page):
    """The search for a city, open by keyboard and ready to type."""
    page.get_by_role("button", name="Find a place").press("Enter")
    expect(page.get_by_role("combobox", name="Find a city")).to_be_focused()


def loaded(page):
    """How many tiles are shown."""
    return page.evaluate(
        "[...document.querySelectorAll('.base-tiles img')].filter((one) => one.naturalWidth === 256).length"
    )


def wait_for_tiles(page):
    expect(page.locator(".base-tiles img.leaflet-tile-loaded").first).to_be_attached()


def height(page, selector):
    """How far above the ground a pane of the map lies."""
    return int(page.eval_on_selector(selector, "(pane) => getComputedStyle(pane).zIndex"))


@pytest.mark.journey
def test_none_then_built_in_then_a_city_by_keyboard(page, walk, monitor):
    open_map(page, walk)
    expect(page.get_by_role("button", name="Base map: none")).to_be_visible()
    panel = open_panel(page)
    none = panel.get_by_role("radio", name="None")
    expect(none).to_be_focused()
    expect(none).to_have_accessible_description("Nothing is requested: no tile server sees which area you view.")
    assert [url for url in monitor.requests if "/tiles/" in url or "/static/base-map/" in url] == []
    panel.get_by_role("radio", name="File").check()
    expect(panel).to_contain_text("None yet")
    for _ in range(8):
        page.get_by_role("button", name="Zoom out").click()  # it is not drawn closer than zoom 10
        at_rest(page)
    monitor.expect(503)
    page.route("**/base-map/world.*", lambda route: route.fulfill(status=503))
    choose(page, "Built in")
    whose = page.locator(".map-note__whose")
    expect(whose).to_contain_text("could not be loaded")
    page.unroute("**/base-map/world.*")
    page.get_by_role("button", name="Zoom in").click()
    expect(whose).to_have_text("Natural Earth")

    expect(open_map(page, walk)).to_contain_text("Natural Earth")  # remembered
    page.wait_for_selector("canvas[data-layer=names][data-drawn]")
    open_search(page)
    page.keyboard.type("san")
    options = page.get_by_role("listbox", name="Cities").get_by_role("option")
    expect(options).to_have_count(8)
    page.keyboard.press("ArrowUp")
    expect(options.nth(7)).to_have_attribute("aria-selected", "true")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(options.nth(1)).to_have_attribute("aria-selected", "true")
    field = page.get_by_role("combobox", name="Find a city")
    assert field.get_attribute("aria-activedescendant") == options.nth(1).get_attribute("id")
    page.keyboard.press("Escape")
    expect(field).to_be_hidden()
    open_search(page)
    page.keyboard.type("zur")
    expect(page.get_by_role("option", name="Zürich Switzerland")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Enter")
    expect(page.locator("#announcer")).to_have_text("The map shows Zürich, Switzerland.")
    expect(page.get_by_role("button", name="Find a place")).to_be_focused()
    page.wait_for_function(
        "[...document.querySelectorAll('canvas[data-layer=names]')].every((one) => Number(one.dataset.drawn) > 1)"
    )


def test_of_this_server_then_a_file_of_ones_own(page, walk, served, monitor, tmp_path):
    expect(open_map(page, walk)).to_contain_text("Streets made up")
    wait_for_tiles(page)
    assert loaded(page) > 0
    assert height(page, ".leaflet-tile-pane") < height(page, ".leaflet-overlay-pane")
    expect(page.locator(".leaflet-tile-pane .base-tiles")).to_have_count(1)
    for _ in range(8):
        page.get_by_role("button", name="Zoom out").click()
    at_rest(page)
    zooms = {url.split("/tiles/")[1].split("/")[0] for url in monitor.requests if "/tiles/" in url}
    assert "12" in zooms or "13" in zooms
    assert zooms <= {"12", "13"}, "nothing beyond the file's zooms"
    choose(page, "None")
    expect(page.locator(".base-tiles")).to_have_count(0)
    open_map(page, walk)
    expect(page.get_by_role("button", name="Base map: none")).to_be_visible()
    expect(page.locator(".base-tiles")).to_have_count(0)

    monitor.expect(400)
    choose(page, "File")
    wait_for_tiles(page)
    panel = open_panel(page)
    file = panel.get_by_label("Upload a file")
    (tmp_path / "notes.pmtiles").write_text("no map")
    file.set_input_files(tmp_path / "notes.pmtiles")
    expect(panel.get_by_role("alert")).to_have_text(
        "The file must be readable, in PMTiles version 3, got something else."
    )
    river = {"water": [(AREA, [(0, 0), (2734, 0), (2734, 4096), (0, 4096)], {"kind": "river"})]}  # west of 2.345° E
    body = gzip.compress(mvt(river))
    file.set_input_files(write_archive(tmp_path / "own.pmtiles", {(8, 129, 88): body}, bounds=(1.41, 48.0, 2.81, 48.9)))
    expect(panel).to_contain_text("own.pmtiles")
    expect(page.locator(".base-tiles canvas.leaflet-tile-loaded").first).to_be_attached()
    page.wait_for_function(f"({SIDES})().join() === '--map-water,--map'", timeout=PATIENCE_MS)  # in the page's colours
    panel.get_by_role("button", name="Remove it").click()
    expect(panel).not_to_contain_text("own.pmtiles")


# The tokens whose colours the westernmost and the easternmost vector tile have
SIDES = """() => {
  const at = (tile) => tile.getBoundingClientRect().left;
  const tiles = [...document.querySelectorAll(".base-tiles canvas.leaflet-tile-loaded")].sort((a, b) => at(a) - at(b));
  if (tiles.length < 2) return [];
  const style = getComputedStyle(document.documentElement);
  const colour = (token) => [1, 3, 5].map((i) => parseInt(style.getPropertyValue(token).trim().slice(i, i + 2), 16));
  return [tiles[0], tiles.at(-1)].map((tile) => {
    const data = tile.getContext("2d").getImageData(tile.width / 2, tile.height / 2, 1, 1).data;
    return ["--map-water", "--map"].find((token) => colour(token).every((value, i) => value === data[i]));
  });
}"""


def test_of_another_server_with_consent_only(page, owner, walk, elsewhere, requested, monitor):
    choose_base_map(user=owner, choice="server", host="tiles.example.org")
    User.objects.update(tile_host="other.example.org")  # consent to one host is none to another
    open_map(page, walk)
    expect(page.get_by_role("button", name="Base map: none")).to_be_visible()
    page.set_viewport_size(PHONE)
    panel = open_panel(page)
    server, allow = (
        panel.get_by_role("radio", name="Tile server"),
        panel.get_by_role("button", name="Allow and reload the page"),
    )
    server.check()
    expect(server).to_have_accessible_description(SENTENCE)
    expect(panel.get_by_text(SENTENCE)).to_be_visible()
    expect(allow).to_be_visible()
    box = panel.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= PHONE["width"]
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Base map: none")).to_be_focused()
    # and a script that requests a tile all the same is stopped by the page's policy
    refused = page.evaluate(
        """(url) => new Promise((done) => {
          document.addEventListener("securitypolicyviolation", ({ blockedURI }) => done(blockedURI));
          new Image().src = url;
        })""",
        f"{HOST}/1/0/0.png",
    )
    assert refused.startswith(HOST)
    assert requested == []
    while not monitor.faults:  # reported by the page a moment later
        page.wait_for_timeout(20)
    assert monitor.faults == [f"CSP: img-src {HOST}/1/0/0.png :0"]
    monitor.faults.clear()

    open_panel(page)
    server.check()
    with page.expect_navigation():
        allow.click()
    wait_for_tiles(page)
    assert loaded(page) > 0
    assert [headers for headers in requested if "referer" in headers or "cookie" in headers] == []
    expect(open_map(page, walk)).to_contain_text("Streets of another server")
    wait_for_tiles(page)
    choose(page, "None")
    before = len(requested)
    open_map(page, walk)
    page.get_by_role("button", name="Zoom in").click()
    at_rest(page)
    assert len(requested) == before
