/* Where columns of time lie in the plots of a comparison, and the ticks of their axis. No page is needed. */

import { dayText, MONTHS } from "../charts/zoned_time.js";

const TICK_PX = 84;
const NARROW_PX = 560;
const GUTTER_PX = 112; // for names beside the heat map
const LONGEST = 12; // characters of a label
const DAY_MS = 86_400_000;

/**
 * @typedef {{timestamps: number, edges: number[], labels: string[], time_s: number[] | null}} Axis
 */

/**
 * `columns` side by side in plots of `width` pixels: all plots have the same.
 *
 * @param {number} columns
 * @param {number} width
 */
export function plotScale(columns, width) {
  const left = width < NARROW_PX ? 0 : GUTTER_PX;
  const inner = Math.max(width - left, 1);
  return {
    columns,
    width,
    left,
    inner,
    /** Where a column begins, px from the plots' left edge. @param {number} column */
    xOf: (column) => left + (column / columns) * inner,
    /** @param {number} column */
    middleOf: (column) => left + ((column + 0.5) / columns) * inner,
    /** The column at x. @param {number} x */
    columnAt: (x) => Math.max(0, Math.min(columns - 1, Math.floor(((x - left) / inner) * columns))),
  };
}

/**
 * [column, text] of ticks in `width` pixels for the columns [first, after): the finest of years to seconds that fit,
 * else labels evenly spaced, each text once.
 *
 * @param {Axis} axis
 * @param {[number, number]} range
 * @param {number} width
 * @returns {[number, string][]}
 */
export function ticksOf({ labels, time_s: time }, [first, after], width) {
  const most = Math.max(2, Math.floor(width / TICK_PX));
  const dates = time ? labels.slice(first, after).map((label, i) => readingOf(label, time[first + i])) : [];
  /** @type {[number, string][]} */
  let found = [];
  for (const unit of time ? UNITS : []) {
    const next = changes(dates, unit, first);
    if (next.length > most) break;
    if (next.length > found.length) found = next; // daily counts change in every unit below a day too
  }
  return found.length >= 2 ? found : evenTicks(labels, dates, [first, after], most);
}

/**
 * @param {string[]} labels
 * @param {Date[]} dates
 * @param {[number, number]} range
 * @param {number} most
 * @returns {[number, string][]}
 */
function evenTicks(labels, dates, [first, after], most) {
  const count = Math.min(most, after - first);
  const daily = dates.every((date) => date.getTime() % DAY_MS === 0);
  const ticks = Array.from({ length: count }, (_, i) => {
    const column = first + Math.floor((i * (after - first)) / count);
    const text = daily ? labels[column].slice(0, LONGEST) : minuteText(dates[column - first]);
    return /** @type {[number, string]} */ ([column, text]);
  });
  return ticks.filter(([, text], i) => text !== ticks[i - 1]?.[1]);
}

const ISO = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)/;

/** The time as its label writes it, as a date whose UTC parts it is. @param {string} label @param {number} time */
function readingOf(label, time) {
  const [, day, clock] = ISO.exec(label) ?? [];
  return new Date(day ? `${day}T${clock}Z` : time * 1000);
}

const monthText = (/** @type {Date} */ date) => `${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
const minuteText = (/** @type {Date} */ date) => `${dayText(date)} ${date.toISOString().slice(11, 16)}`;
const secondText = (/** @type {Date} */ date) => date.toISOString().slice(11, 19);
const MONDAY_MS = 4 * DAY_MS; // 1970 began on a Thursday

/** Units of so many milliseconds. @param {number} unit @param {number[]} sizes @param {(date: Date) => string} text */
const multiples = (unit, sizes, text) =>
  sizes.map((size) => ({ of: (/** @type {Date} */ date) => Math.floor((+date - MONDAY_MS) / unit / size), text }));

/** From the coarsest to the finest: a number that changes at a tick, and the tick's text. */
const UNITS = [
  {
    of: (/** @type {Date} */ date) => date.getUTCFullYear(),
    text: (/** @type {Date} */ date) => `${date.getUTCFullYear()}`,
  },
  ...[6, 3, 2, 1].map((size) => ({
    of: (/** @type {Date} */ date) => Math.floor((12 * date.getUTCFullYear() + date.getUTCMonth()) / size),
    text: monthText,
  })),
  ...multiples(DAY_MS, [14, 7, 2, 1], dayText),
  ...multiples(3_600_000, [12, 6, 3, 2, 1], minuteText),
  ...multiples(60_000, [30, 15, 10, 5, 2, 1], minuteText),
  ...multiples(1000, [30, 15, 10, 5, 2, 1], secondText),
];

/** @param {Date[]} dates of the columns from `first` @param {(typeof UNITS)[number]} unit @param {number} first */
function changes(dates, { of, text }, first) {
  /** @type {[number, string][]} */
  const found = [];
  /** @type {number | null} */
  let before = null;
  dates.forEach((date, i) => {
    const now = of(date);
    if (before !== null && now !== before) found.push([first + i, text(date)]);
    before = now;
  });
  return found;
}
