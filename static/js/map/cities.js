/* The built-in cities: their names on the map, and the search by the beginning of a name. */

import { token } from "../core/series_style.js";
import { labelFont } from "./graticule.js";
import { bytesOf } from "./natural_earth.js";
import { near, unitX, unitY } from "./projection.js";

/**
 * @typedef {{name: string, country: string, lon: number, lat: number, rank: number, keys: string[]}} City
 * keys: what its names begin with in a search
 */

const MOST_NAMES = 60;
const AIR_PX = 6;
/** @type {Record<string, string>} Letters that Unicode does not take apart. */
const LETTERS = { ø: "o", đ: "d", ł: "l", ß: "ss", æ: "ae", œ: "oe", ı: "i", ħ: "h", ð: "d", þ: "th", "’": "'" };

/** @type {Promise<City[]> | null} */
let loading = null;
/** @type {City[] | null} */
let cities = null;

/** Small letters without accents: "Zürich" and "zurich" are alike. @param {string} text */
export const plain = (text) =>
  text
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[øđłßæœıħðþ’]/g, (letter) => LETTERS[letter])
    .replace(/\s+/g, " ")
    .trim();

/**
 * All cities, the most important first.
 *
 * @param {string} url
 * @returns {Promise<City[]>}
 */
export function loadCities(url) {
  loading ??= bytesOf(url)
    .then((bytes) => (cities = parse(new TextDecoder().decode(bytes))))
    .catch((error) => {
      loading = null; // the next request tries again
      throw error;
    });
  return loading;
}

/**
 * @param {string} text
 * @returns {City[]}
 */
function parse(text) {
  const { countries, cities: rows } = JSON.parse(text);
  return rows.map((/** @type {any[]} */ [name, others, country, lon, lat, rank]) => ({
    name,
    country: countries[country],
    lon,
    lat,
    rank,
    keys: [...new Set([name, ...others].map(plain))],
  }));
}

/**
 * Cities a name of which begins with `text`, then those with a later part that does; important ones first.
 *
 * @param {City[]} all
 * @param {string} text
 * @returns {City[]}
 */
export function findCities(all, text, most = 8) {
  const wanted = plain(text);
  if (!wanted) return [];
  const first = all.filter(({ keys }) => keys.some((key) => key.startsWith(wanted)));
  if (first.length >= most) return first.slice(0, most);
  const known = new Set(first);
  const later = all.filter((city) => !known.has(city) && city.keys.some((key) => key.includes(` ${wanted}`)));
  return [...first, ...later].slice(0, most);
}

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

const overlaps = (
  /** @type {{x: number, y: number, width: number}} */ other,
  /** @type {number} */ x,
  /** @type {number} */ y,
  /** @type {number} */ width,
) => Math.abs(other.y - y) < 14 && x < other.x + other.width + AIR_PX && other.x < x + width + AIR_PX;
