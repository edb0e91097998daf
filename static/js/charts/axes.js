/* Axes of the charts: their range and ticks, from the values on them; where events lie, by number or by time. */

import { eventNumber, number, whole } from "../core/format.js";
import { nearestIndex, roundStep, usualStep } from "../core/sorted_search.js";
import { daysText, momentText, shownZone, timeTicks } from "./zoned_time.js";

const SUPERSCRIPTS = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };
const EVENT_TICKS = 5;
const LINEAR_TICKS = 6; // beside the one at 0
const DECADES = 7; // what lies further below the largest value is off the chart, not the measure of it

/** 1, 10, 1k on a logarithmic axis; .001 below one. */
function decadeText(power) {
  if (power >= 3 && power < 9) return `${10 ** (power % 3)}${power < 6 ? "k" : "M"}`;
  if (power >= 0 && power < 3) return String(10 ** power);
  if (power < 0 && power >= -3) return (10 ** power).toFixed(-power).slice(1);
  return `10${[...String(power)].map((char) => SUPERSCRIPTS[char]).join("")}`; // Plotly's <sup> needs inline styles
}

/** Lowest positive and highest of the values in `arrays`; [1, 10] where none is positive. */
function reach(arrays) {
  let [low, high] = [Infinity, 0];
  for (const values of arrays) {
    for (const value of values) {
      if (value > 0 && value < low) low = value;
      if (value > high) high = value;
    }
  }
  return high > 0 ? [low, high] : [1, 10];
}

/** Lowest and highest power of ten around the positive values. */
function decades(arrays) {
  const [low, high] = reach(arrays);
  const [from, to] = [Math.floor(Math.log10(low) + 1e-9), Math.ceil(Math.log10(high) - 1e-9)];
  return from === to ? [from - 1, to] : [Math.max(from, to - DECADES), to];
}

/** {floor, axis}: whole decades around the values; with `zeros` an exact 0 has a tick of its own, at `floor`. */
export function logAxis(arrays, zeros) {
  const [from, to] = decades(arrays);
  const floor = zeros ? from - 0.7 : from;
  const every = Math.ceil((to - from) / 5);
  const powers = [];
  for (let power = from; power <= to; power += every) powers.push(power);
  return {
    floor: 10 ** floor,
    axis: {
      type: "log",
      range: [floor - (zeros ? 0.15 : 0), to + 0.06 * (to - floor)],
      tickvals: [...(zeros ? [10 ** floor] : []), ...powers.map((power) => 10 ** power)],
      ticktext: [...(zeros ? ["0"] : []), ...powers.map(decadeText)],
    },
  };
}

/** A linear axis that has 0 and all values, with at most seven ticks. */
export function linearAxis(arrays) {
  const reached = (of) => arrays.reduce((found, values) => values.reduce((a, b) => of(a, b ?? 0), found), 0);
  const [low, high] = [reached(Math.min), reached(Math.max)].map((value) => value * 1.06);
  const range = low < high ? [low, high] : [0, 1];
  const step = roundStep(range[1] - range[0], LINEAR_TICKS);
  const first = Math.ceil(range[0] / step);
  const places = Array.from({ length: Math.floor(range[1] / step) - first + 1 }, (_, i) => first + i);
  const values = places.map((place) => Number((place * step).toPrecision(6)));
  return { floor: 0, axis: { type: "linear", range, tickvals: values, ticktext: values.map(linearText) } };
}

/** 250, 0.002, 1,200,000; very large and very small values with an exponent: 2e-9 */
function linearText(value) {
  const size = Math.abs(value);
  const readable = size === 0 || (size >= 1e-5 && size < 1e9);
  return readable ? number(value, 6) : value.toExponential().replace("+", "");
}

/** The axis of the events `span` = [first, last], indices from 0: round event numbers, which count from 1. */
export function eventAxis(span) {
  const [first, last] = span.map((index) => index + 1);
  const step = Math.max(1, roundStep(last - first, EVENT_TICKS));
  const numbers = [];
  for (let at = Math.ceil(first / step) * step; at <= last; at += step) numbers.push(at);
  return { range: span, tickvals: numbers.map((at) => at - 1), ticktext: numbers.map(shortened) };
}

/** A number of millions as such: in full several are wider than a chart. @param {number} at */
const shortened = (at) => (at % 1e6 ? whole(at) : `${whole(at / 1e6)}M`);

/** Shares, from nothing to all. */
export const shareAxis = () => ({
  floor: 0,
  axis: { type: "linear", range: [0, 1.02], tickvals: [0, 0.25, 0.5, 0.75, 1], tickformat: ".0%" },
});

/** A horizontal axis of values and not of events: no wider than they are, 1, 2, 5 where decades are few. */
export function valueAxis(arrays, log) {
  if (!log) return linearAxis(arrays).axis;
  const [low, high] = reach(arrays).map(Math.log10);
  const [from, to] = [Math.max(low, high - DECADES), high];
  const edge = Math.max(0.02 * (to - from), 0.02);
  const ticks = (steps) => {
    const found = [];
    for (let power = Math.floor(from); power <= Math.ceil(to); power += 1) {
      for (const step of steps) {
        const at = power + Math.log10(step);
        if (at >= from - edge && at <= to + edge)
          found.push([10 ** at, step === 1 ? decadeText(power) : shortText(step, power)]);
      }
    }
    return found;
  };
  const chosen = to - from < 2.5 ? ticks([1, 2, 5]) : ticks([1]);
  return {
    type: "log",
    range: [from - edge, to + edge],
    tickvals: chosen.map(([at]) => at),
    ticktext: chosen.map(([, text]) => text),
  };
}

/** 2 and 5 times a power of ten, as its decade is written. */
function shortText(step, power) {
  if (power >= 3 && power < 9) return `${step * 10 ** (power % 3)}${power < 6 ? "k" : "M"}`;
  if (power >= 0 && power < 3) return String(step * 10 ** power);
  if (power < 0 && power >= -3) return (step * 10 ** power).toFixed(-power).slice(1);
  return "";
}

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
