/* The built-in cities, and the search by the beginning of a name. */

import { once } from "../core/once.js";
import { bytesOf } from "./natural_earth.js";

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

/** The cities, once they are loaded. */
export const loadedCities = () => cities;
