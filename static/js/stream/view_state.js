/* The view of the comparison of a count stream, stored in the page's address: a link shows the same view.
 *
 *   release: the release of the heat map      view: truth or difference instead of it
 *   lines: truth and the releases that are drawn, by the ends of their ids
 *   at: the selected dimension and timestamp, from 0      range: timestamps [first, last + 1)
 *   pinned: dimensions from 0      sort: name, total or error, descending with - before it
 *   search: what the list of dimensions is filtered by      scale: common
 * What is as the page opens is left out.
 */

import { rangeOf, readdress } from "../core/address.js";

/** @typedef {import("./comparison_plots.js").Bench["state"]} State */

export const MOST_PINNED = 12; // dimensions
const VIEWS = ["truth", "release", "difference"];
const SORTED = ["name", "total", "error"];
const nameOf = (/** @type {string} */ id) => (id.length === 36 ? id.slice(-8) : id);
const listed = (/** @type {string | null} */ text) => (text ? text.split(",") : []);
const wholeOf = (/** @type {string} */ text) => (/^\d+$/.test(text) ? Number(text) : NaN); // "" is none

/** The address's parameters of a state. @param {State} state @returns {Record<string, string>} */
const described = (state) => ({
  release: state.shown.id,
  view: state.view,
  lines: [...state.visible].map(nameOf).sort().join(),
  at: `${state.cell.dimension}-${state.cell.column}`,
  range: state.range.join("-"),
  pinned: state.pinned.join(),
  sort: `${state.sorting.descending ? "-" : ""}${state.sorting.key}`,
  search: state.search,
  scale: state.common ? "common" : "own",
});

/**
 * Change `state`, as the page opens, to what the address names; what it names and is not there is left as it is.
 * Returns a function that stores the state in the address.
 *
 * @param {State} state
 * @param {{releases: {id: string}[], dimensions: number, columns: number}} known
 */
export function restoreViewState(state, known) {
  const opened = described(state);
  const parameters = new URLSearchParams(location.search);
  const view = parameters.get("view") ?? "";
  if (VIEWS.includes(view)) state.view = view;
  if (parameters.has("lines")) {
    const names = listed(parameters.get("lines"));
    const ids = ["truth", ...known.releases.map(({ id }) => id)];
    state.visible = new Set(ids.filter((id) => names.includes(nameOf(id))));
  }
  const [dimension, column] = (parameters.get("at") ?? "").split("-").map(wholeOf);
  if (dimension < known.dimensions && column < known.columns) state.cell = { dimension, column };
  const range = rangeOf(parameters.get("range"));
  if (range && range[1] <= known.columns) state.range = [range[0], range[1]];
  if (parameters.has("pinned")) {
    const pinned = listed(parameters.get("pinned")).map(wholeOf);
    state.pinned = [...new Set(pinned.filter((one) => one < known.dimensions))].slice(0, MOST_PINNED);
  }
  const sort = parameters.get("sort") ?? "";
  const key = sort.replace(/^-/, "");
  if (SORTED.includes(key))
    state.sorting = { key: /** @type {State["sorting"]["key"]} */ (key), descending: sort.startsWith("-") };
  state.search = parameters.get("search") ?? "";
  state.common = parameters.get("scale") === "common";
  return () =>
    readdress(({ searchParams }) => {
      for (const [name, value] of Object.entries(described(state)))
        if (value === opened[name] && name !== "release") searchParams.delete(name);
        else searchParams.set(name, value);
    });
}
