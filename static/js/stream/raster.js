/* Cells as pixels: rows of dimensions in an order, columns of time, their shades. */

import { isDark } from "../core/series_style.js";
import { lastAtMost, roundStep } from "../core/sorted_search.js";

const PARTS = 16; // of the counts above 0, as many in each
const SORTED = 1 << 16; // of them, at most

/** @typedef {{width: number, height: number, values: Float32Array}} Raster */
/**
 * What a shade is of: `shade(size)` from 0 to 1, `size` at least 0; `middle` is what has the shade in the middle.
 * @typedef {{shade: (size: number) => number, limit: number, middle: number, name: string}} Shades
 */

/**
 * At most `height` rows and `width` columns of the dimensions in `order`. Where several cells share a pixel it has the
 * largest of them; of differences (`signed`) the one farthest from 0.
 *
 * @param {Cells} cells
 * @param {number[]} order
 * @param {{width: number, height: number}} most
 * @param {boolean} signed
 * @returns {Raster}
 */
export function rasterise(cells, order, most, signed) {
  const width = Math.min(cells.columns, most.width);
  const height = Math.min(order.length, most.height);
  const values = new Float32Array(width * height).fill(signed ? 0 : -Infinity);
  const xOf = Int32Array.from({ length: cells.columns }, (_, c) => Math.floor((c * width) / cells.columns));
  order.forEach((dimension, i) => {
    const start = Math.floor((i * height) / order.length) * width;
    const row = cells.row(dimension);
    for (let c = 0; c < row.length; c += 1) {
      const at = start + xOf[c];
      const value = row[c];
      if (signed ? Math.abs(value) > Math.abs(values[at]) : value > values[at]) values[at] = value;
    }
  });
  return { width, height, values };
}

/** How many dimensions share a row of pixels, at most. @param {number} dimensions @param {number} rows */
export const perRow = (dimensions, rows) => Math.ceil(dimensions / Math.max(Math.min(rows, dimensions), 1));

/** 1, 2 or 5 times a power of ten that is at least `value`. @param {number} value */
export const roundUp = (value) => roundStep(Math.max(value, 1), 1);

/**
 * Shades of counts by rank: between two shades lie as many of `values` above 0 as between two others.
 *
 * @param {Float64Array} values
 * @returns {Shades}
 */
export function rankShades(values) {
  const every = Math.ceil(values.length / SORTED);
  const sorted = values.filter((value, i) => value > 0 && i % every === 0).sort();
  const limit = values.reduce((most, value) => Math.max(most, value), sorted.length ? 0 : 1);
  const ends = Array.from({ length: PARTS }, (_, i) => sorted[Math.ceil(((i + 1) * sorted.length) / PARTS) - 1]);
  const knots = Float64Array.of(0, ...ends.slice(0, -1).map((end) => end ?? limit), limit);
  const shade = (/** @type {number} */ size) => {
    const at = Math.min(lastAtMost(knots, size), PARTS);
    return at === PARTS ? 1 : (at + (size - knots[at]) / (knots[at + 1] - knots[at])) / PARTS;
  };
  return { shade, limit, middle: knots[PARTS / 2], name: "by rank" };
}

/** Shades of differences on a log scale, up to `limit`. @param {number} limit @returns {Shades} */
export const logShades = (limit) => ({
  shade: (size) => Math.min(Math.log1p(size) / Math.log1p(limit), 1),
  ...{ limit, middle: 0, name: "log" },
});

/**
 * The raster as RGBA, by a ramp of 256 colours; of differences the middle of the ramp is 0.
 *
 * @param {Raster} raster
 * @param {Shades} shades
 * @param {Uint8ClampedArray} ramp
 * @param {boolean} signed
 */
export function pixelsOf({ values }, { shade: shadeOf }, ramp, signed) {
  const pixels = new Uint8ClampedArray(4 * values.length);
  const middle = signed ? 127.5 : 255;
  for (let i = 0; i < values.length; i += 1) {
    const magnitude = signed ? Math.abs(values[i]) : Math.max(values[i], 0);
    const size = middle * shadeOf(magnitude);
    const shade = 3 * Math.round(signed ? middle + Math.sign(values[i]) * size : size);
    pixels[4 * i] = ramp[shade];
    pixels[4 * i + 1] = ramp[shade + 1];
    pixels[4 * i + 2] = ramp[shade + 2];
    pixels[4 * i + 3] = 255;
  }
  return pixels;
}

/** 256 colours between `stops`, evenly spaced: RGB. @param {string[]} stops "#rrggbb", two or three */
export function rampOf(stops) {
  const parts = stops.map((stop) => [1, 3, 5].map((i) => parseInt(stop.slice(i, i + 2), 16)));
  const ramp = new Uint8ClampedArray(3 * 256);
  for (let i = 0; i < 256; i += 1) {
    const along = (i / 255) * (parts.length - 1);
    const from = Math.min(Math.floor(along), parts.length - 2);
    for (let j = 0; j < 3; j += 1)
      ramp[3 * i + j] = parts[from][j] + (parts[from + 1][j] - parts[from][j]) * (along - from);
  }
  return ramp;
}

const STOPS = {
  light: { counts: ["#f1eee8", "#22201c"], difference: ["#44318d", "#f4f1ec", "#6b5d00"] },
  dark: { counts: ["#1e1c1a", "#ece7df"], difference: ["#a79cf0", "#1e1c1a", "#cdbb4f"] },
};

/** The colours of counts or differences in the present theme. @param {boolean} signed */
export const stopsOf = (signed) => STOPS[isDark() ? "dark" : "light"][signed ? "difference" : "counts"];

/** @param {boolean} signed */
export const rampNow = (signed) => rampOf(stopsOf(signed));
