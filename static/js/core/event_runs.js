/* Runs [start, end) of events, sorted and disjoint. */

import { firstPast } from "./sorted_search.js";

/** Whether an event is in one of the runs. @param {Run[]} runs @param {number} event */
export function isInRuns(runs, event) {
  const next = firstPast(runs.length, (i) => runs[i][1] > event);
  return next < runs.length && runs[next][0] <= event;
}

/** Runs cut to `range`, those left empty left out. @param {Run[]} runs @param {Run | null} [range] @returns {Run[]} */
export function runsWithin(runs, range) {
  if (!range) return runs;
  const [first, after] = range;
  return runs
    .map(([start, end]) => /** @type {Run} */ ([Math.max(start, first), Math.min(end, after)]))
    .filter(([start, end]) => start < end);
}

/**
 * Runs with those joined that less than `near` events lie between.
 *
 * @param {Run[]} runs
 * @param {number} near
 * @returns {Run[]}
 */
export function runsJoined(runs, near) {
  /** @type {Run[]} */
  const found = [];
  for (const [start, end] of runs) {
    const last = found.at(-1);
    if (last && start - last[1] < near) last[1] = end;
    else found.push([start, end]);
  }
  return found;
}

/**
 * Runs without the events of `others`; both sorted, and each of `others` inside one of `runs`.
 *
 * @param {Run[]} runs
 * @param {Run[]} others
 * @returns {Run[]}
 */
export function runsWithout(runs, others) {
  return runs.flatMap(([start, end]) => {
    /** @type {Run[]} */
    const left = [];
    let from = start;
    for (const [a, b] of others) {
      if (a < start || a >= end) continue;
      if (a > from) left.push([from, a]);
      from = b;
    }
    if (from < end) left.push([from, end]);
    return left;
  });
}

/**
 * [first, last] event that `range` shows of n; of all without one.
 *
 * @param {Run | null | undefined} range
 * @param {number} n
 * @returns {[number, number]}
 */
export const spanOf = (range, n) =>
  range ? [range[0], Math.max(range[0] + 1, range[1] - 1)] : [0, Math.max(1, n - 1)];
