/* The public page of a release of trajectories: a map of where positions lie, and how coarse they are at its scale. */

import { $, data } from "../core/dom.js";
import { classText } from "../map/density.js";
import { createMap } from "../map/map.js";
import { circleRadii } from "../trajectory/track.js";
import { fetchTrack, frameOf } from "../trajectory/track.js";

const page = data("page-data");

/** Draw the circles as large as the noise is on the map, or state that they do not fit. */
function watchScale(/** @type {ReturnType<typeof createMap>} */ map) {
  const box = $("[data-coarse]");
  if (!box) return;
  const show = () => {
    const { west, south, east, north } = map.viewBox();
    const middle = { lon: (west + east) / 2, lat: (south + north) / 2 };
    const [from, to] = [map.point(middle.lon, middle.lat), map.point(middle.lon, middle.lat + 0.01)];
    const found = circleRadii(page.noise_m, Math.abs(to.y - from.y) / 0.01);
    for (const [name, radius] of Object.entries(found.radii))
      $(`[data-circle=${name}]`, box).setAttribute("r", radius.toFixed(1));
    $("[data-scale]", box).textContent = found.fits ? "at the scale of this map" : "larger than this drawing";
    box.dataset.fits = String(found.fits);
  };
  show();
  map.onCamera(show);
}

async function start() {
  const track = await fetchTrack(page.track);
  const bounds = track.n ? frameOf(track) : null;
  const map = createMap($("[data-map]"), { bounds, label: `Map of ${page.title}` });
  const onDrawing = (/** @type {string} */ drawn, /** @type {number[]} */ classes) => {
    if (drawn === "density") $("[data-key]").textContent = `positions in a cell: ${classText(classes)}`;
  };
  map.addTrack({ id: "published", track, colour: page.style.colour, drawing: "density", onDrawing });
  watchScale(map);
  $("[data-public]").dataset.ready = "all";
}

start().catch((error) => {
  $("[data-key]").textContent = `The map could not be drawn: ${error.message}`;
});
