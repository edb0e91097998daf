/* Where columns of time lie in the plots of a comparison, and the ticks of their axis. No page is needed. */

const TICK_PX = 84;
const NARROW_PX = 560;
const GUTTER_PX = 112; // for names beside the heat map
const LONGEST = 12; // characters of a label

/**
 * @typedef {{timestamps: number, edges: number[], labels: string[], time_s: number[] | null}} Axis
 * @typedef {ReturnType<typeof plotScale>} PlotScale
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
 * [column, text] of ticks in `width` pixels for the columns [first, after): years, months or days where they fit, else
 * labels evenly spaced.
 *
 * @param {Axis} axis
 * @param {[number, number]} range
 * @param {number} width
 * @returns {[number, string][]}
 */
export function ticksOf({ labels, time_s: time }, [first, after], width) {
  const most = Math.max(2, Math.floor(width / TICK_PX));
  for (const unit of time ? UNITS : []) {
    const found = changes(time ?? [], unit, first, after);
    if (found.length >= 2 && found.length <= most) return found;
  }
  const count = Math.min(most, after - first);
  return Array.from({ length: count }, (_, i) => {
    const column = first + Math.floor((i * (after - first)) / count);
    return [column, labels[column].slice(0, LONGEST)];
  });
}

const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");
const monthText = (/** @type {Date} */ date) => `${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
/** From the finest to the coarsest: a number that changes at a tick, and the tick's text. */
const UNITS = [
  {
    of: (/** @type {Date} */ date) => Math.floor(date.getTime() / 86_400_000),
    text: (/** @type {Date} */ date) => `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}`,
  },
  ...[1, 2, 3, 6].map((size) => ({
    of: (/** @type {Date} */ date) => Math.floor((12 * date.getUTCFullYear() + date.getUTCMonth()) / size),
    text: monthText,
  })),
  {
    of: (/** @type {Date} */ date) => date.getUTCFullYear(),
    text: (/** @type {Date} */ date) => `${date.getUTCFullYear()}`,
  },
];

/**
 * @param {number[]} time
 * @param {(typeof UNITS)[number]} unit
 * @param {number} first
 * @param {number} after
 */
function changes(time, { of, text }, first, after) {
  /** @type {[number, string][]} */
  const found = [];
  /** @type {number | null} */
  let before = null;
  for (let column = first; column < after; column += 1) {
    const date = new Date(time[column] * 1000);
    const now = of(date);
    if (before !== null && now !== before) found.push([column, text(date)]);
    before = now;
  }
  return found;
}
