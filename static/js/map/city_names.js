/* The names of the built-in cities on the map. */

import { token } from "../core/series_style.js";
import { loadCities, loadedCities } from "./cities.js";
import { labelFont } from "./graticule.js";
import { BUILT_IN_ZOOM, near, unitX, unitY } from "./projection.js";

/** @typedef {import("./cities.js").City} City */

const MOST_NAMES = 60;
const AIR_PX = 6;

/**
 * A layer's drawing of names; `changed()` is called when they have arrived.
 *
 * @param {string} url
 * @param {number} middle
 * @param {() => void} changed
 * @returns {DrawLayer}
 */
export function cityLayer(url, middle, changed) {
  return (ctx, view) => {
    if (view.zoom > BUILT_IN_ZOOM) return;
    const cities = loadedCities();
    if (cities) drawNames(ctx, view, cities, middle);
    else loadCities(url).then(changed, () => {});
  };
}

/**
 * @param {CanvasRenderingContext2D} ctx
 * @param {View} view
 * @param {City[]} all
 * @param {number} middle
 */
function drawNames(ctx, view, all, middle) {
  ctx.font = labelFont();
  ctx.fillStyle = token("--muted");
  ctx.strokeStyle = token("--map");
  ctx.lineWidth = 3;
  ctx.lineJoin = "round";
  /** @type {{x: number, y: number, width: number}[]} */
  const placed = [];
  const finest = view.zoom < 3 ? 0 : view.zoom < 5 ? view.zoom - 2 : view.zoom - 1; // ranks are 0 to 10
  for (const { name, lon, lat, rank } of all) {
    if (rank > finest || placed.length === MOST_NAMES) break; // by rank
    const x = unitX(near(lon, middle)) * view.scale - view.left;
    const y = unitY(lat) * view.scale - view.top;
    if (x < 0 || y < 12 || x > view.width || y > view.height) continue;
    const width = ctx.measureText(name).width + 8;
    if (placed.some((other) => overlaps(other, x, y, width))) continue;
    placed.push({ x, y, width });
    ctx.strokeText(name, x + 5, y + 4);
    ctx.fillText(name, x + 5, y + 4);
    ctx.fillRect(x - 1.5, y - 1.5, 3, 3);
  }
}

export const overlaps = (
  /** @type {{x: number, y: number, width: number}} */ other,
  /** @type {number} */ x,
  /** @type {number} */ y,
  /** @type {number} */ width,
) => Math.abs(other.y - y) < 14 && x < other.x + other.width + AIR_PX && other.x < x + width + AIR_PX;
