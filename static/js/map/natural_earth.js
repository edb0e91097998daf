/* The built-in base map, Natural Earth: loaded once for all maps of a page, drawn by cells of web Mercator tiles.
 *
 * A file is gzip of a header and, for all its lines, lengths and differences of coordinates, low and high bytes apart
 * (scripts/make_base_map.py). Three scales: the coarse two in "world", the fine one in "detail", which is requested
 * when a map is close enough to show it.
 */

import { token } from "../core/series_style.js";
import { BUILT_IN_ZOOM } from "./projection.js";

const DETAIL_ZOOM = 6.5; // closer than this the lines at 1 : 10 million are drawn
const MIDDLE_ZOOM = 2.5; // and from here those at 1 : 50 million
const RANGE = 65535;

/**
 * @typedef {{points: Uint16Array, ends: Uint32Array}} Lines x and y in turn; where each line ends, in points
 * @typedef {{layers: Lines[], paths: Path2D[] | null}} Cell land, lakes, rivers, borders
 * @typedef {{zoom: number, margin: number, cells: Map<string, Cell>}} Level
 */

/** @type {Map<string, Promise<Level[]>>} by address */
const loading = new Map();
/** @type {Map<string, Level[]>} */
const loaded = new Map();

/** The levels of a file; a request that failed is repeated. @param {string} url @returns {Promise<Level[]>} */
function load(url) {
  const found = loading.get(url);
  if (found) return found;
  const made = bytesOf(url).then((bytes) => {
    const levels = decode(bytes);
    loaded.set(url, levels);
    return levels;
  });
  loading.set(url, made);
  made.catch(() => loading.delete(url));
  return made;
}

/** What the gzip file at `url` was made of. @param {string} url @returns {Promise<ArrayBuffer>} */
export async function bytesOf(url) {
  const answer = await fetch(url);
  if (!answer.ok || !answer.body) throw new Error(`status ${answer.status}`);
  return new Response(answer.body.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

/** @param {ArrayBuffer} bytes @returns {Level[]} */
export function decode(bytes) {
  const size = new DataView(bytes).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 4, size)));
  const lengths = new Uint16Array(bytes, 4 + size, head.parts);
  const points = coordinates(new Uint8Array(bytes, 4 + size + 2 * head.parts), head.points, lengths);
  let [part, from] = [0, 0];
  const take = (/** @type {number} */ parts) => {
    const ends = new Uint32Array(parts);
    let count = 0;
    for (let i = 0; i < parts; i += 1) ends[i] = count += lengths[part++];
    const lines = { points: points.subarray(2 * from, 2 * (from + count)), ends };
    from += count;
    return lines;
  };
  return head.levels.map((/** @type {any} */ { zoom, margin, cells }) => ({
    zoom,
    margin,
    cells: new Map(
      cells.map((/** @type {[number, number, number[]]} */ [x, y, counts]) => [
        `${x},${y}`,
        { layers: counts.map(take), paths: null },
      ]),
    ),
  }));
}

/**
 * x and y in turn, from four planes of bytes with the differences within each line.
 *
 * @param {Uint8Array} planes
 * @param {number} n
 * @param {Uint16Array} lengths
 */
function coordinates(planes, n, lengths) {
  const points = new Uint16Array(2 * n);
  let at = 0;
  for (const length of lengths) {
    let [x, y] = [0, 0];
    for (const end = at + length; at < end; at += 1) {
      points[2 * at] = x = (x + planes[at] + 256 * planes[n + at]) & RANGE;
      points[2 * at + 1] = y = (y + planes[2 * n + at] + 256 * planes[3 * n + at]) & RANGE;
    }
  }
  return points;
}

/**
 * A layer's drawing of land, water and borders; `changed()` is called when finer lines have arrived, and `failed()`
 * where they cannot be had.
 *
 * @param {{world: string, detail: string}} urls
 * @param {{changed: () => void, failed: () => void}} on
 * @returns {DrawLayer}
 */
export function builtInLayer(urls, { changed, failed }) {
  const wait = (/** @type {string} */ url) => load(url).then(changed, failed);
  return (ctx, view) => {
    if (view.zoom > BUILT_IN_ZOOM) return;
    const world = loaded.get(urls.world);
    const detail = loaded.get(urls.detail);
    if (!world) return void wait(urls.world);
    if (view.zoom >= DETAIL_ZOOM && !detail) wait(urls.detail);
    const level = view.zoom < MIDDLE_ZOOM ? world[0] : view.zoom >= DETAIL_ZOOM && detail ? detail[0] : world[1];
    drawLevel(ctx, view, level);
  };
}

/** @param {CanvasRenderingContext2D} ctx @param {View} view @param {Level} level */
export function drawLevel(ctx, view, level) {
  const near = cellsIn(view, level);
  ctx.save();
  ctx.fillStyle = token("--map-water");
  ctx.fillRect(0, 0, view.width, view.height);
  ctx.lineJoin = "round";
  const [land, water, border] = ["--map", "--map-water", "--map-border"].map(token);
  const base = ctx.getTransform();
  const each = (/** @type {(paths: Path2D[], pixel: number) => void} */ draw) => {
    for (const { cell, x, y, size } of near) {
      ctx.setTransform(base.multiply(new DOMMatrix([size / RANGE, 0, 0, size / RANGE, x, y])));
      draw((cell.paths ??= cell.layers.map(pathOf)), RANGE / size);
    }
  };
  each(([ground, lakes]) => {
    ctx.fillStyle = land;
    ctx.fill(ground, "evenodd");
    ctx.fillStyle = water;
    ctx.fill(lakes, "evenodd");
  });
  each(([, , rivers, borders], pixel) => {
    ctx.strokeStyle = water;
    ctx.lineWidth = riverWidth(view.zoom) * pixel;
    ctx.stroke(rivers);
    ctx.strokeStyle = border;
    ctx.lineWidth = pixel;
    ctx.setLineDash([4 * pixel, 3 * pixel]);
    ctx.stroke(borders);
    ctx.setLineDash([]);
  });
  ctx.restore();
}

export const riverWidth = (/** @type {number} */ zoom) => Math.max(1, Math.min(4, (zoom - 2) / 2));

/**
 * The cells that the view shows, with their place and size in pixels, margin included; the world repeats sideways.
 *
 * @param {View} view
 * @param {Level} level
 */
function cellsIn({ width, height, scale, left, top }, { zoom, margin, cells }) {
  const [many, side] = [2 ** zoom, scale / 2 ** zoom];
  const reach = (/** @type {number} */ from, /** @type {number} */ length) => [
    Math.floor(from / side - margin),
    Math.floor((from + length) / side + margin),
  ];
  const [[west, east], [north, south]] = [reach(left, width), reach(top, height)];
  const found = [];
  for (let column = west; column <= east; column += 1)
    for (let row = north; row <= south; row += 1) {
      const cell = cells.get(`${((column % many) + many) % many},${row}`);
      if (!cell) continue;
      const [x, y] = [(column - margin) * side - left, (row - margin) * side - top];
      found.push({ cell, x, y, size: side * (1 + 2 * margin) });
    }
  return found;
}

/** @param {Lines} lines */
function pathOf({ points, ends }) {
  const path = new Path2D();
  let at = 0;
  for (const end of ends) {
    path.moveTo(points[2 * at], points[2 * at + 1]);
    for (at += 1; at < end; at += 1) path.lineTo(points[2 * at], points[2 * at + 1]);
  }
  return path;
}
