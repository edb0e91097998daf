/* Cells as pixels: rows of dimensions in an order, columns of time, and shades on a log scale. No page is needed. */

/** @typedef {import("./cells.js").Cells} Cells */
/** @typedef {{width: number, height: number, values: Float32Array}} Raster */

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
export function roundUp(value) {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
  return [1, 2, 5, 10].map((k) => k * power).find((k) => k >= value) ?? 10 * power;
}

/**
 * The raster as RGBA, by a ramp of 256 colours; of differences the middle of the ramp is 0.
 *
 * @param {Raster} raster
 * @param {number} limit
 * @param {Uint8ClampedArray} ramp
 * @param {boolean} signed
 */
export function pixelsOf({ values }, limit, ramp, signed) {
  const pixels = new Uint8ClampedArray(4 * values.length);
  const middle = signed ? 127.5 : 255;
  const scale = middle / Math.log1p(limit);
  for (let i = 0; i < values.length; i += 1) {
    const magnitude = signed ? Math.abs(values[i]) : Math.max(values[i], 0);
    const size = Math.min(Math.log1p(magnitude) * scale, middle);
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
