/* Where events lie on a time strip: by their times, or evenly where there are none. No page is needed for this module.
 */

import { moment, whole } from "../core/format.js";
import { firstPast, nearestIndex, roundStep } from "../core/sorted_search.js";

const EDGE_PX = 8; // free at both ends of the strip
const TICK_PX = 72; // between two ticks at least
const YEAR_S = 31536000;
const STEPS_S = [
  1, 5, 15, 60, 300, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400, 172800, 604800, 2592000, 7776000, 31536000,
];

/**
 * The scale of `n` events at the sorted times `time` (seconds; null for none) over `width` pixels.
 *
 * @param {{n: number, time: ArrayLike<number> | null}} series
 * @param {number} width
 */
export function timelineScale({ n, time }, width) {
  const across = width - 2 * EDGE_PX;
  const [first, last] = time && n ? [time[0], time[n - 1]] : [0, 0];
  const timed = time !== null && last > first;

  /** Pixels of an event. @param {number} event */
  const place = (event) => {
    if (n < 2) return width / 2;
    return EDGE_PX + (timed ? (time[event] - first) / (last - first) : event / (n - 1)) * across;
  };

  /** The event nearest to a pixel. @param {number} x */
  const eventAt = (x) => {
    const share = Math.max(0, Math.min(1, (x - EDGE_PX) / across));
    return timed ? nearestIndex(time, first + share * (last - first)) : Math.round(share * (n - 1));
  };

  /** The first event at a pixel or farther right; n if there is none. @param {number} x */
  const firstFrom = (x) => firstPast(n, (event) => place(event) >= x);

  /** [pixels, text] of each tick. */
  function ticks() {
    const most = Math.max(2, Math.floor(width / TICK_PX));
    return timed
      ? timeTicks(first, last, most, (time) => EDGE_PX + ((time - first) / (last - first)) * across)
      : eventTicks(n, most, place);
  }

  return { place, eventAt, firstFrom, ticks };
}

/**
 * @param {number} first
 * @param {number} last
 * @param {number} most
 * @param {(time: number) => number} placeOf
 * @returns {[number, string][]}
 */
function timeTicks(first, last, most, placeOf) {
  const step = STEPS_S.find((s) => (last - first) / s <= most) ?? (last - first) / most;
  /** @type {[number, string][]} */
  const found = [];
  for (let time = Math.ceil(first / step) * step; time <= last; time += step) {
    const [day, clock] = moment(time, { seconds: step < 60 }).split(", ");
    const isDay = step >= 86400 || (clock === "00:00" && step >= 1800);
    found.push([placeOf(time), isDay ? (step < YEAR_S ? day.replace(/ \d{4}$/, "") : day) : clock]);
  }
  return found;
}

/**
 * @param {number} n
 * @param {number} most
 * @param {(event: number) => number} place
 * @returns {[number, string][]}
 */
function eventTicks(n, most, place) {
  const step = Math.max(1, roundStep(n, most));
  /** @type {[number, string][]} */
  const found = [];
  for (let number = step; number <= n; number += step) found.push([place(number - 1), whole(number)]);
  return found;
}
