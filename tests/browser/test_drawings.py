"""Dense and far-flung releases: drawn as points or a density surface, which never cover the original."""

import pytest
from playwright.sync_api import expect

from tests.browser.fixtures import released
from tests.browser.rendering import compare, wait_until_ready

VISIBLE = 0.95
# All layers of the map on one image, and which of its pixels have the original's colour
_OF_ORIGINAL = """async (before) => {
  const layers = [...document.querySelectorAll("[data-map] canvas.map-canvas")];
  layers.sort((a, b) => a.style.zIndex - b.style.zIndex);
  const canvas = new OffscreenCanvas(layers[0].width, layers[0].height);
  const ctx = canvas.getContext("2d");
  ctx.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--map");
  ctx.fillRect(0, 0, canvas.width, canvas.height);
  for (const layer of layers) {
    ctx.globalAlpha = Number(layer.style.opacity || 1);
    ctx.drawImage(layer, 0, 0);
  }
  const { data } = ctx.getImageData(0, 0, canvas.width, canvas.height);
  const [r, g, b] = getComputedStyle(document.body).color.match(/\\d+/g).map(Number);
  const is = (i) => Math.max(Math.abs(data[i] - r), Math.abs(data[i + 1] - g), Math.abs(data[i + 2] - b)) <= 16;
  if (!before) {
    window.original = [];
    for (let i = 0; i < data.length; i += 4) if (is(i)) window.original.push(i);
    return window.original.length;
  }
  return window.original.filter(is).length;
}"""


def visible_share(page, dataset, releases):
    """What share of the original's pixels is still its colour once the releases are drawn."""
    hide = ",".join(str(one.pk)[-8:] for one in releases)
    compare(page, dataset, f"?hide={hide},landmarks")
    page.wait_for_function("() => document.querySelector('canvas[data-layer=original]')?.dataset.drawn")
    alone = page.evaluate(_OF_ORIGINAL, False)
    assert alone > 1000
    for one in releases:
        page.locator(f'.layer[data-layer="{one.pk}"] input[type=checkbox]').check()
    for one in releases:
        page.wait_for_function(f"() => document.querySelector('canvas[data-layer=\"{one.pk}\"]')?.dataset.drawn")
    return float(page.evaluate(_OF_ORIGINAL, True) / alone)


@pytest.mark.journey
def test_the_original_stays_visible_under_five_kilometres_of_noise(page, taxi, stays):
    releases = released(stays, "uniform", "skip", epsilon=3.0)
    assert max(one.owner_view["mae_m"] for one in releases) > 5000
    assert visible_share(page, taxi, releases) >= VISIBLE
    legend = page.locator(".layer", has_text="Uniform")
    expect(legend).to_contain_text("drawn as points")
    legend.get_by_role("button", name="Line, opacity and order of Uniform").click()
    choice = legend.get_by_role("combobox")
    expect(choice.locator("option:checked")).to_have_text("Automatic: points")
    choice.select_option("density")
    expect(legend).to_contain_text("events per cell 1 · ")
    page.wait_for_function("() => location.search.includes('draw=')")
    page.reload()
    wait_until_ready(page)
    expect(page.locator(".layer", has_text="Uniform")).to_contain_text("drawn as density")
