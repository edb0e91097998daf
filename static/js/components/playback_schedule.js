/* Which event is shown when while a series plays. No page is needed for this module. */

import { lastAtMost } from "../core/sorted_search.js";

const LONG = 10; // a gap is a step longer than this many usual ones
const GAP_S = 1.5; // no gap is played for longer

/**
 * A function (event shown, now in ms) -> event to show, for a series that plays from `at` and `began` (ms) on to
 * `last`; `speed` in seconds of the data (events where `time` is null) in a second, `usual` the usual step. Long gaps
 * are cut short.
 *
 * @param {{time: ArrayLike<number> | null, last: number, usual: number}} series
 * @param {number} speed
 * @param {number} at
 * @param {number} began
 * @returns {(at: number, now: number) => number}
 */
export function playSchedule({ time, last, usual }, speed, at, began) {
  const clock = (/** @type {number} */ event) => (time ? time[event] : event);
  let from = clock(at);

  const isLongGap = (/** @type {number} */ event) => {
    const gap = time && event < last ? time[event + 1] - time[event] : 0;
    return gap > LONG * usual && gap > GAP_S * speed;
  };

  return (shown, now) => {
    const due = from + ((now - began) / 1000) * speed;
    let next = Math.min(last, Math.max(shown, time ? lastAtMost(time, due) : Math.floor(due)));
    if (time && next === shown && next < last && isLongGap(next) && now - began > GAP_S * 1000) {
      next += 1;
      [began, from] = [now, clock(next)];
    }
    if (next !== shown && isLongGap(next)) [began, from] = [now, clock(next)];
    return next;
  };
}
