/* The newest timestamps of a live stream and what its windows spent. No page is needed for this module. */

const MOST = 2000; // timestamps that are drawn
const MOST_COUNTS = 2_000_000; // that are kept, fewer timestamps of many dimensions

/**
 * `earlier` is what up to w - 1 timestamps before `rows` spent.
 *
 * @typedef {import("./live_feed.js").Timestamp} Timestamp
 * @typedef {{rows: Timestamp[], earlier: number[]}} Kept
 */

/** What each timestamp and those of its window before it spent. @param {Kept} kept @param {number} window */
export function windowSums({ rows, earlier }, window) {
  const budgets = [...earlier, ...rows.map(({ budget }) => budget)];
  /** @type {number[]} */
  const found = [];
  let total = 0;
  for (let i = 0; i < budgets.length; i += 1) {
    total += budgets[i];
    if (i >= window) total -= budgets[i - window];
    found.push(Math.max(total, 0));
  }
  return found.slice(earlier.length);
}

/**
 * The same with `fresh` timestamps after them, without the oldest where they are too many.
 *
 * @param {Kept} kept
 * @param {Timestamp[]} fresh
 * @param {number} window
 * @param {number} dimensions
 * @returns {Kept}
 */
export function withFresh({ rows, earlier }, fresh, window, dimensions) {
  const all = [...rows, ...fresh];
  const most = Math.max(1, Math.min(MOST, Math.floor(MOST_COUNTS / dimensions)));
  const left = all.slice(0, Math.max(all.length - most, 0)).map(({ budget }) => budget);
  return { rows: all.slice(-most), earlier: window > 1 ? [...earlier, ...left].slice(1 - window) : [] };
}
