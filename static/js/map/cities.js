/* The built-in cities: their names on the map, and the search by the beginning of a name. */

import { once } from "../core/once.js";
import { setText, write } from "./drawing.js";
import { bytesOf } from "./natural_earth.js";
import { BUILT_IN_ZOOM, placer } from "./projection.js";

const MOST_NAMES = 60;
const AIR_PX = 6;

/**
 * @typedef {{name: string, country: string, lon: number, lat: number, rank: number, keys: string[]}} City
 * keys: what its names begin with in a search
 */

/** @type {Record<string, string>} Letters that Unicode does not take apart. */
const LETTERS = { ø: "o", đ: "d", ł: "l", ß: "ss", æ: "ae", œ: "oe", ı: "i", ħ: "h", ð: "d", þ: "th", "’": "'" };

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

/** All cities, the most important first. @param {string} url @returns {Promise<City[]>} */
export function loadCities(url) {
  return once("cities", async () => (cities = parse(new TextDecoder().decode(await bytesOf(url)))));
}

/** @param {string} text @returns {City[]} */
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

/** A layer's drawing of names; `changed()` is called when they have arrived. @returns {DrawLayer} */
export function cityLayer(url, middle, changed) {
  return (ctx, view) => {
    if (view.zoom > BUILT_IN_ZOOM) return;
    if (cities) drawNames(ctx, view, cities, middle);
    else loadCities(url).then(changed, () => {});
  };
}

/** @type {DrawOn<City[]>} */
function drawNames(ctx, view, all, middle) {
  setText(ctx, { colour: "--muted" });
  const place = placer(view, middle);
  /** @type {{x: number, y: number, width: number}[]} */
  const placed = [];
  const finest = view.zoom < 3 ? 0 : view.zoom < 5 ? view.zoom - 2 : view.zoom - 1; // ranks are 0 to 10
  for (const { name, lon, lat, rank } of all) {
    if (rank > finest || placed.length === MOST_NAMES) break; // by rank
    const [x, y] = place(lon, lat);
    if (x < 0 || y < 12 || x > view.width || y > view.height) continue;
    const width = ctx.measureText(name).width + 8;
    if (placed.some((other) => overlaps(other, x, y, width))) continue;
    placed.push({ x, y, width });
    write(ctx, name, x + 5, y + 4);
    ctx.fillRect(x - 1.5, y - 1.5, 3, 3);
  }
}

/** Whether a name beside (x, y) would meet another one. @param {{x: number, y: number, width: number}} other */
export const overlaps = (other, x, y, width) =>
  Math.abs(other.y - y) < 14 && x < other.x + other.width + AIR_PX && other.x < x + width + AIR_PX;
