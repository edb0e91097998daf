"""Images of a map: tiles, layers in order and cut as on the screen, with and without the original."""

import base64
from xml.etree import ElementTree

from playwright.sync_api import expect

from tests.browser.conftest import check_page
from tests.browser.fixtures import HOST, PRECISE
from tests.browser.rendering import at_rest, compare, painted
from tests.browser.test_basemap import choose, open_map, open_panel, wait_for_tiles
from tests.patience import patience
from tests.pmtiles import streets

SVG = "{http://www.w3.org/2000/svg}"
WARNING = "Contains the original: not for publication."
EDGE, HEAD = 16, 80  # pixels of the page: beside the map of an image, and above what is surely map alone
RATIO = 2
# Of the map in a saved image: how many pixels there are of each of some colours, left and right of a share of its width
COUNT = """async ([base64, colours, at, near, [edge, head]]) => {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
  const sheet = new OffscreenCanvas(bitmap.width, bitmap.height);
  const ctx = sheet.getContext("2d");
  ctx.drawImage(bitmap, 0, 0);
  const width = sheet.width - 2 * edge;
  const { data } = ctx.getImageData(edge, head, width, sheet.height - head);
  const like = (i, rgb) => rgb.every((value, k) => Math.abs(data[i + k] - value) < near);
  const found = colours.map(() => [0, 0]);
  for (let i = 0; i < data.length; i += 4) {
    const side = (i / 4) % width < at * width ? 0 : 1;
    colours.forEach((rgb, c) => (found[c][side] += like(i, rgb)));
  }
  return { width, height: sheet.height, found };
}"""
TRACK = [34, 32, 28]
BLOCK = [230, 226, 220]  # what the made-up city has between its streets, as pale as a base map is
ORIGINAL, OF_UNIFORM = "#22201c", "#0054a5"  # the colours of lines in light pages
BLUE = [38, 134, 189]  # Uniform's line, as pale as a release is


def saved_file(page, format="PNG", *, published=False):
    """What the first map's dialog saves in a format."""
    at_rest(page)
    page.get_by_role("button", name="Save the map", exact=True).first.click()
    dialog = page.get_by_role("dialog", name="Save the map")
    dialog.get_by_role("radio", name=format).check()
    if published:
        dialog.get_by_role("checkbox", name="Published positions only").check()
    with page.expect_download(timeout=patience(60_000)) as waiting:
        dialog.get_by_role("button", name="Save", exact=True).click()
    expect(dialog).to_have_count(0)
    return waiting.value


def saved(page, colours, at=0.5, near=24):
    """The pixels of the image that the first map's dialog saves."""
    file = saved_file(page)
    assert file.suggested_filename.endswith(".png")
    body = base64.b64encode(file.path().read_bytes()).decode()
    found = page.evaluate(COUNT, [body, colours, at, near, [RATIO * EDGE, RATIO * HEAD]])
    found["found"] = [[n / RATIO**2 for n in both] for both in found["found"]]  # as the page counts them
    return dict(found)


def texts(svg):
    return [one.text or "" for one in svg.iter(f"{SVG}text")]


def strokes(svg):
    """The colours of long lines: tracks, not marks."""
    return {one.get("stroke", "") for one in svg.iter(f"{SVG}path") if len(one.get("d", "")) > 1000} - {""}


def test_an_image_is_cut_as_the_screen_and_leaves_the_original_out(page, taxi, seeded_pair):
    skip, uniform = (str(one.pk)[-8:] for one in seeded_pair)
    compare(page, taxi, f"?mode=swipe&left=original&right={uniform}&split=50&hide=landmarks")
    image = saved(page, [TRACK, BLUE])
    box = page.locator("[data-map]").bounding_box()
    assert image["width"] == RATIO * round(box["width"])
    assert image["height"] > RATIO * round(box["height"])
    [track_left, _], [blue_left, blue_right] = image["found"]
    assert track_left > 1000
    assert blue_left < 30  # of the line none; the rim of the chosen event's dot is there on both sides
    assert blue_right > 200

    compare(page, taxi, f"?hide={skip}")
    file = saved_file(page, "SVG")
    assert file.suggested_filename.endswith(f"map_landmark-uniform_eps{PRECISE['epsilon']:g}_D20m.svg")
    svg = ElementTree.fromstring(file.path().read_text())
    title = svg.findtext(f"{SVG}title") or ""
    assert taxi.name in title
    assert "Uniform · ε 10" in title
    assert {"Original", "Landmarks", "2 km", WARNING} <= set(texts(svg))
    assert strokes(svg) == {ORIGINAL, OF_UNIFORM}
    assert list(svg.iter(f"{SVG}image")) == []
    published = ElementTree.fromstring(saved_file(page, "SVG", published=True).path().read_text())
    assert not {"Original", "Landmarks", "Selected event", WARNING} & set(texts(published))
    assert strokes(published) == {OF_UNIFORM}
    assert len(list(published.iter(f"{SVG}g"))) < len(list(svg.iter(f"{SVG}g")))

    page.set_viewport_size({"width": 390, "height": 844})
    button, dialog = (page.get_by_role(role, name="Save the map", exact=True) for role in ("button", "dialog"))
    button.press("Enter")
    expect(dialog.get_by_role("status")).to_have_text(WARNING)
    check_page(page, both_colours=True)
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog).to_have_count(0)


def test_the_base_map_of_this_server_is_in_the_image(page, walk, served):
    open_map(page, walk)
    choose(page, "None")
    without = saved(page, [BLOCK], near=4)["found"][0]
    choose(page, "File")
    wait_for_tiles(page)
    page.wait_for_load_state("networkidle")
    blocks, track = saved(page, [BLOCK, TRACK], near=4)["found"]
    assert sum(without) < 2000
    assert sum(blocks) > 20_000
    assert sum(track) > 200  # and the track over it


def test_the_base_map_of_another_server_is_in_it_where_that_allows_it(page, walk, elsewhere, monitor):
    monitor.others = (HOST,)
    tile = {"content_type": "image/png", "body": streets(13, 0, 0)}
    page.context.route(f"{HOST}/**", lambda route: route.fulfill(**tile))
    for allowed in (False, True):
        # without one Playwright writes a header that allows it
        tile["headers"] = {"Access-Control-Allow-Origin": "*" if allowed else "https://elsewhere.example"}
        open_map(page, walk)
        if not allowed:
            open_panel(page).get_by_role("radio", name="Tile server").check()
            page.get_by_role("button", name="Allow and reload the page").click()
        wait_for_tiles(page)
        page.wait_for_load_state("networkidle")
        [blocks, track] = map(sum, saved(page, [BLOCK, TRACK], near=4)["found"])
        expect(page.locator("#announcer")).to_contain_text("saved")
        assert blocks > 20_000 if allowed else blocks < 2000
        assert track > 200
        assert painted(page, "original") > 200
