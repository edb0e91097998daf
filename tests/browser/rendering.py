"""Pixels of the map's canvases and lines of the charts, as the page has rendered them."""

import time

from playwright.sync_api import expect

from tests.patience import patience

# Changes are drawn up to three frames after what caused them, and under load a frame takes longer than any fixed wait
_PAINTED = """async (id) => {
  for (let i = 0; i < 3; i += 1) await new Promise(requestAnimationFrame);
  const canvas = document.querySelector(`canvas[data-layer="${id}"]`);
  if (!canvas || !canvas.isConnected || !canvas.width) return 0;
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let painted = 0;
  for (let i = 3; i < data.length; i += 4) painted += data[i] > 0;
  return painted;
}"""
_FRAMES = "async () => { for (let i = 0; i < 3; i += 1) await new Promise(requestAnimationFrame); }"
_AT_REST = """async () => {
  const look = () => JSON.stringify([...document.querySelectorAll("canvas")].map((one) =>
    [one.dataset.drawn, one.width, one.height, one.style.cssText, one.getBoundingClientRect()]));
  for (let [same, last] = [0, ""]; same < 15; ) {
    await new Promise(requestAnimationFrame);
    const now = look();
    same = now === last ? same + 1 : 0;
    last = now;
  }
}"""
# Each opaque colour of a layer with its pixels
COLOURS = """(id) => {
  const canvas = document.querySelector(`canvas[data-layer="${id}"]`);
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const counts = new Map();
  for (let i = 0; i < data.length; i += 4) {
    if (data[i + 3] < 255) continue;
    const key = [data[i], data[i + 1], data[i + 2]].join();
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts];
}"""
# Of a canvas: how many pixels are painted, and where in it their middle lies
MIDDLE = """((canvas) => {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let [n, x, y] = [0, 0, 0];
  for (let i = 3; i < data.length; i += 4) {
    if (!data[i]) continue;
    n += 1;
    x += ((i - 3) / 4) % canvas.width;
    y += Math.floor((i - 3) / 4 / canvas.width);
  }
  return [n, x / n, y / n];
})"""
_LINES = """() => [...document.querySelectorAll(".js-plotly-plot")].map((plot) =>
  plot.data.filter(({ name }) => name && !name.includes("rolling median")).map(({ name, x, visible }) =>
    ({ name: name.split(" · ε")[0], points: x.length, visible })))"""


def painted(page, layer):
    """Return the number of painted pixels of a layer's canvas."""
    return int(page.evaluate(_PAINTED, layer))


def at_rest(page):
    """Wait until no canvas has been drawn, moved or cut for a quarter of a second of frames."""
    page.evaluate(_AT_REST)


def expect_painted(page, layer, holds=bool, timeout_s=15):
    """Wait until as much of a layer is painted as should be; how many pixels that is."""
    give_up = time.monotonic() + patience(timeout_s)
    while not holds(pixels := painted(page, layer)):
        assert time.monotonic() < give_up, f"{pixels} pixels of {layer} are painted"
        page.wait_for_timeout(50)
    return pixels


def layers(page):
    """Title without the level to id of the layers in the legend, in order."""
    return page.evaluate(
        "() => Object.fromEntries([...document.querySelectorAll('.layer')].map((row) =>"
        " [row.querySelector('.layer__title').textContent.split(' · ε')[0], row.dataset.layer]))"
    )


def lines(page):
    """The lines of every chart: name without the level, number of points, whether it is shown."""
    return page.evaluate(_LINES)


def cursors(page):
    """Where each chart's cursor is."""
    return page.evaluate("() => [...document.querySelectorAll('.chart__cursor')].map((one) => one.style.transform)")


def compare(page, dataset, query=""):
    """Open the comparison of a dataset with all of its releases shown."""
    more = query.replace("?", "&", 1)
    page.goto(f"/datasets/{dataset.pk}/compare/?show=all{more}")
    wait_until_ready(page)


def choose_series(page, name):
    """Choose a series by its name in the searchable field, by keyboard."""
    field = page.locator("[data-series] [role=combobox]")
    field.click()
    field.fill(name)
    field.press("Enter")


def wait_until_ready(page, selector="[data-bench]"):
    """Wait until the page shows all that it has requested."""
    page.wait_for_selector(f"{selector}[data-ready=all]", timeout=patience(30_000))
    page.evaluate(_FRAMES)  # those that paint it


def pick(control):
    """Click the label of a radio button that is drawn by its label alone, once nothing moves or covers it."""
    control.locator("xpath=ancestor::label").click()
    expect(control).to_be_checked()
