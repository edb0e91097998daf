/* What is looked at, stored in the page's address: a link shows the same again. */

import { readdress } from "../../core/address.js";
import { capitalized } from "../../core/format.js";

export const STANDARD = { weak: 1, moderate: 0.1, strong: 0.01 };
export const LEGEND = "Temporal loss when positions are correlated";
/** The choices of a standard correlation: [value, text, title]. @returns {any[]} */
export const standardOptions = () =>
  Object.entries(STANDARD).map(([value, s]) => [value, capitalized(value), `s = ${s}, two states`]);
// how far apart states lie at most until the reader gives another distance; not read from any data
export const DIAMETER_M = "1000";

const DEFAULTS = {
  corr: "moderate",
  view: "event",
  side: "total",
  part: "joint",
  bound: "bridge",
  axis: "log",
  diameter_m: DIAMETER_M,
  forward: "",
  backward: "",
  cell_m: "",
  smoothing: "",
};
const KNOWN = {
  corr: [...Object.keys(STANDARD), "own", "estimated"],
  view: ["event", "landmarks"],
  side: ["total", "backward", "forward"],
  part: ["joint", "own"],
  bound: ["bridge", "published"],
  axis: ["log", "linear"],
};

/**
 * The state the address names; what it does not name, or names wrongly, is as `DEFAULTS` has it.
 *
 * @param {Record<string, any>} more
 * @returns {Record<string, any>}
 */
export function readState(more = {}) {
  const parameters = new URLSearchParams(location.search);
  /** @type {Record<string, any>} */
  const state = { ...DEFAULTS, ...more };
  for (const key of Object.keys(state)) {
    const value = parameters.get(key);
    if (value !== null && (!KNOWN[key] || KNOWN[key].includes(value))) state[key] = value;
  }
  if (state.corr === "own" && !state.forward && !state.backward) state.corr = DEFAULTS.corr;
  if (state.corr === "estimated" && !state.cell_m) state.corr = DEFAULTS.corr;
  return state;
}

/** Write it there; what is as usual is left out. */
export function writeState(state, more = {}) {
  const usual = { ...DEFAULTS, ...more };
  const needed = { own: ["forward", "backward"], estimated: ["cell_m", "smoothing"] }[state.corr] ?? [];
  readdress((url) => {
    for (const [key, value] of Object.entries(state)) {
      const belongs = !["forward", "backward", "cell_m", "smoothing"].includes(key) || needed.includes(key);
      if (belongs && value !== usual[key]) url.searchParams.set(key, value);
      else url.searchParams.delete(key);
    }
  });
}

/** The state's correlation as the API takes it. */
export function correlationQuery(
  /** @type {Record<string, any>} */ { corr, forward, backward, cell_m, smoothing, diameter_m },
) {
  if (corr === "own") return { ...(forward && { forward }), ...(backward && { backward }), diameter_m };
  if (corr === "estimated") return { cell_m, ...(smoothing && { smoothing }) };
  return { n: 2, s: STANDARD[corr], diameter_m };
}

/** The same in a body: matrices as lists, numbers as numbers. */
export function correlationBody(state) {
  const asNumbers = ([key, value]) => [key, key === "forward" || key === "backward" ? value : Number(value)];
  return Object.fromEntries(Object.entries(correlationQuery(state)).map(asNumbers));
}

/** What is requested from the server beside the correlation. */
export const boundQuery = (/** @type {Record<string, any>} */ { bound }) => (bound === "published" ? { bound } : {});
