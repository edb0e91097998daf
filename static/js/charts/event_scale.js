/* Where events lie on the horizontal axis of a chart: evenly by their number, or by their times. */

import { nearestIndex, usualStep } from "../core/sorted_search.js";
import { eventNumber } from "../core/format.js";
import { eventAxis } from "./axes.js";
import { daysText, momentText, shownZone, timeTicks } from "./zoned_time.js";

const TICK_PX = 70; // for the text of one time

/**
 * `times` = {at: seconds of each event, zone}, without any `at` while they are not loaded; `ticks` = {at, text} names
 * of some events; `item` what they are.
 *
 * @typedef {{times?: {at: ArrayLike<number>, zone: string} | null, ticks?: {at: number[], text: string[]},
 *   item?: string, along?: "event" | "time" | null}} Placed
 * @typedef {ReturnType<typeof eventScale>} EventScale
 */

/** Whether a chart has a time for its events beside their number. @param {Placed} shown */
export const hasTimes = ({ times, ticks }) => Boolean(times || ticks);

/** The axis that a chart has: the one chosen, else names of events where it has some. @param {Placed} shown */
export function alongOf(shown) {
  if (!hasTimes(shown)) return "event";
  return shown.along ?? (shown.ticks ? "time" : "event");
}

/**
 * {name, place(event), eventAt(x), half, range(span), axis(span, width), overhang(widthOf), title(span)}: `half` of an
 * event's space.
 *
 * @param {Placed} shown
 */
export function eventScale(shown) {
  const { times, ticks, item = "event" } = shown;
  if (alongOf(shown) === "time" && times?.at.length) return timeScale(times);
  const named = alongOf(shown) === "time" && ticks;
  return {
    name: named ? "time" : "event",
    place: (/** @type {number} */ event) => event,
    eventAt: (/** @type {number} */ x) => Math.round(x),
    half: 0.5,
    range: (/** @type {[number, number]} */ span) => span,
    axis: (/** @type {[number, number]} */ span) =>
      named ? { range: span, tickvals: ticks.at, ticktext: ticks.text } : eventAxis(span),
    /** How far the last name reaches beyond the plot, px. @param {(text: string) => number} widthOf */
    overhang: (widthOf) => (named ? Math.ceil(widthOf(ticks.text.at(-1) ?? "") / 2) + 2 : 0),
    title: () => (named ? "time" : `${item} number`),
  };
}

/** @param {{at: ArrayLike<number>, zone: string}} times */
function timeScale({ at, zone: own }) {
  const zone = shownZone(own);
  const last = at.length - 1;
  const place = (/** @type {number} */ event) => at[Math.max(0, Math.min(last, Math.round(event)))];
  const rangeOf = (/** @type {[number, number]} */ [first, after]) => {
    const ends = /** @type {[number, number]} */ ([place(first), place(after)]);
    return ends[0] < ends[1] ? ends : /** @type {[number, number]} */ ([ends[0] - 1, ends[0] + 1]);
  };
  return {
    name: "time",
    place,
    eventAt: (/** @type {number} */ x) => nearestIndex(at, x),
    half: usualStep(at) / 2,
    range: rangeOf,
    axis(/** @type {[number, number]} */ span, /** @type {number} */ width) {
      const range = rangeOf(span);
      const found = timeTicks(range, Math.max(2, Math.floor(width / TICK_PX)), zone);
      return { range, tickvals: found.map(([time]) => time), ticktext: found.map(([, text]) => text) };
    },
    overhang: () => 0,
    title: (/** @type {[number, number]} */ span) => `time (${zone}), ${daysText(rangeOf(span), zone)}`,
  };
}

/**
 * An event as a tooltip names it: its number, its time where that is known.
 *
 * @param {Placed & {pointName?: (event: number) => string}} shown
 * @param {number} event
 */
export function eventText({ times, item = "event", pointName }, event) {
  const name = `${item} ${eventNumber(event)}`;
  if (pointName) return `${pointName(event)} · ${name}`;
  if (!times?.at.length) return name;
  return `${name} · ${momentText(times.at[event], shownZone(times.zone))}`;
}
