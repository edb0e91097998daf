/* Rolling medians of the lines of a chart, over what is drawn of them. */

import { lastAtMost } from "../core/sorted_search.js";

const PARTS = 20; // of the points drawn, a window is one
const SHORTEST = 5;

/** How many points a window has where `count` are drawn: an odd number. @param {number} count */
export function windowOf(count) {
  const wanted = Math.max(SHORTEST, Math.round(count / PARTS));
  return wanted % 2 ? wanted : wanted + 1;
}

const isKnown = (/** @type {number | null | undefined} */ value) =>
  value !== null && value !== undefined && !Number.isNaN(value);

/** @param {number[]} sorted */
function middleOf(sorted) {
  const half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/**
 * The median of the known values among the `window` (an odd number) around each place, fewer at both ends; null where
 * the value itself is not known: a gap remains a gap.
 *
 * @param {ArrayLike<number | null>} values
 * @param {number} window
 * @returns {(number | null)[]}
 */
export function rollingMedian(values, window) {
  const half = window >> 1;
  /** @type {number[]} */
  const sorted = [];
  const add = (/** @type {number | null} */ value) => {
    if (isKnown(value)) sorted.splice(lastAtMost(sorted, Number(value)) + 1, 0, Number(value));
  };
  const drop = (/** @type {number | null} */ value) => {
    if (isKnown(value)) sorted.splice(lastAtMost(sorted, Number(value)), 1);
  };
  const found = [];
  for (let i = 0; i < half; i += 1) add(values[i]);
  for (let i = 0; i < values.length; i += 1) {
    add(values[i + half]); // beyond both ends nothing is known
    drop(values[i - half - 1]);
    found.push(isKnown(values[i]) ? middleOf(sorted) : null);
  }
  return found;
}

/**
 * Lines, those of several points with `median` = {values, window}: `span` bounds the points that decide the window.
 * Of a line that is `thinned` to its extremes there is only the one that came with it, `rolling`, if it did.
 *
 * @param {any[]} lines
 * @param {[number, number]} span
 */
export function withMedians(lines, [first, last]) {
  return lines.map((line) => {
    if (line.thinned) return line.rolling ? { ...line, median: line.rolling } : line;
    const drawn = lastAtMost(line.x, last) - lastAtMost(line.x, first - 0.5);
    if (drawn < SHORTEST) return line;
    const window = windowOf(drawn);
    return { ...line, median: { window, values: rollingMedian(line.y, window) } };
  });
}

/** "Median of 13 points", for a button. @param {{window: number}} median */
export const windowText = ({ window }) => `Median of ${window} points`;

/** "rolling median of 13 points". @param {{window: number}} median */
export const medianText = (median) => `rolling median of ${median.window} points`;
