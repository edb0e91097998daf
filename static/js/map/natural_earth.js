/* The built-in base map, Natural Earth: loaded once for all maps of a page, drawn by cells of web Mercator tiles.
 *
 * Three scales: "world" has the coarsest, and where in "detail" the pieces of the others lie. Of those a map requests
 * what it shows. A piece is gzip of a header and, for all its lines, lengths and differences of coordinates, low and
 * high bytes apart (scripts/make_base_map.py).
 */

import { once } from "../core/once.js";
import { token } from "../core/series_style.js";
import { BUILT_IN_ZOOM } from "./projection.js";

const SCALES_FROM = [2.5, 6.5]; // the zooms from which the lines at 1 : 50 and 1 : 10 million are drawn
const RANGE = 65535;

/**
 * @typedef {{points: Uint16Array, ends: Uint32Array}} Lines x and y in turn; where each line ends, in points
 * @typedef {{layers: Lines[], paths: Path2D[] | null}} Cell land, lakes, rivers, borders
 * @typedef {{zoom: number, margin: number, cells: Map<string, Cell>}} Level
 * @typedef {Level & {requested: number, pieces: Record<string, [number, number]>}} FinerLevel
 * pieces: what is not loaded yet, where it lies in "detail" and how long it is, by its tile of zoom `requested`
 */

/** @type {[Level, ...FinerLevel[]] | null} */
let levels = null;

/**
 * What gzip was made of, of a file or of a part of it.
 *
 * @param {string} url
 * @param {[number, number]} [part] where it begins and how long it is
 * @returns {Promise<ArrayBuffer>}
 */
export async function bytesOf(url, part) {
  const [from, end] = part ? [part[0], part[0] + part[1]] : [0, undefined];
  const answer = await fetch(url, part && { headers: { Range: `bytes=${from}-${Number(end) - 1}` } });
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  const body = await answer.blob(); // some servers answer with all of it
  const wanted = answer.status === 206 ? body : body.slice(from, end);
  return new Response(wanted.stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

/** @param {ArrayBuffer} bytes @returns {Level & {finer?: FinerLevel[]}} */
export function decode(bytes) {
  const size = new DataView(bytes).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 4, size)));
  const lengths = new Uint16Array(bytes, 4 + size, head.parts);
  const points = coordinates(new Uint8Array(bytes, 4 + size + 2 * head.parts), head.points, lengths);
  let [part, from] = [0, 0];
  const take = (parts) => {
    const ends = new Uint32Array(parts);
    let count = 0;
    for (let i = 0; i < parts; i += 1) ends[i] = count += lengths[part++];
    const lines = { points: points.subarray(2 * from, 2 * (from + count)), ends };
    from += count;
    return lines;
  };
  const cells = head.cells.map(([x, y, counts]) => [`${x},${y}`, { layers: counts.map(take), paths: null }]);
  return { ...head, cells: new Map(cells) };
}

/** x and y of `n` points in turn, from four planes of bytes with the differences within lines of these `lengths`. */
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
 * @returns {DrawLayer}
 */
export function builtInLayer(urls, { changed, failed }) {
  const wait = (/** @type {Promise<unknown>[]} */ all) => void Promise.all(all).then(changed, failed);
  return (ctx, view) => {
    if (view.zoom > BUILT_IN_ZOOM) return;
    if (!levels) return wait([once("world", () => loadWorld(urls.world))]);
    let level = levels[0];
    const [, ...finer] = levels;
    finer.slice(0, SCALES_FROM.filter((zoom) => view.zoom >= zoom).length).forEach((one, _, wanted) => {
      const near = tilesIn(view, one.requested, one.margin / 2 ** (one.zoom - one.requested));
      const missing = near.filter(({ key }) => key in one.pieces);
      if (!missing.length) level = one;
      else if (one === wanted.at(-1)) wait(missing.map(({ key }) => loadPiece(urls.detail, one, key)));
    });
    drawLevel(ctx, view, level);
  };
}

async function loadWorld(url) {
  const { finer, ...coarsest } = decode(await bytesOf(url));
  levels = [coarsest, ...(finer ?? []).map((level) => ({ ...level, cells: new Map() }))];
}

function loadPiece(url, /** @type {FinerLevel} */ level, key) {
  return once(`${level.zoom} ${key}`, async () => {
    const { cells } = decode(await bytesOf(url, level.pieces[key]));
    for (const [place, cell] of cells) level.cells.set(place, cell);
    delete level.pieces[key];
  });
}

/** @param {CanvasRenderingContext2D} ctx @param {View} view @param {Level} level */
export function drawLevel(ctx, view, level) {
  const near = tilesIn(view, level.zoom, level.margin).flatMap((tile) => {
    const cell = level.cells.get(tile.key);
    return cell ? { ...tile, cell } : [];
  });
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
 * The tiles of a zoom that the view shows, with their place and size in pixels, `margin` (a share of a tile) included;
 * the world repeats sideways.
 */
function tilesIn({ width, height, scale, left, top }, zoom, margin) {
  const [many, side] = [2 ** zoom, scale / 2 ** zoom];
  const reach = (from, length) => [Math.floor(from / side - margin), Math.floor((from + length) / side + margin)];
  const [[west, east], [north, south]] = [reach(left, width), reach(top, height)];
  const found = [];
  for (let column = west; column <= east; column += 1)
    for (let row = north; row <= south; row += 1) {
      const [x, y] = [(column - margin) * side - left, (row - margin) * side - top];
      found.push({ key: `${((column % many) + many) % many},${row}`, x, y, size: side * (1 + 2 * margin) });
    }
  return found;
}

function pathOf(/** @type {Lines} */ { points, ends }) {
  const path = new Path2D();
  let at = 0;
  for (const end of ends) {
    path.moveTo(points[2 * at], points[2 * at + 1]);
    for (at += 1; at < end; at += 1) path.lineTo(points[2 * at], points[2 * at + 1]);
  }
  return path;
}
