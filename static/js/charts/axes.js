/* Axes of the charts: their range and ticks, from the values on them. */

import { number, whole } from "../core/format.js";

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
  const length = range[1] - range[0];
  const power = 10 ** Math.floor(Math.log10(length / LINEAR_TICKS));
  const step = [1, 2, 5, 10].map((k) => k * power).find((one) => length / one <= LINEAR_TICKS) ?? 10 * power;
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
  const power = 10 ** Math.floor(Math.log10(Math.max(1, (last - first) / EVENT_TICKS)));
  const step = [1, 2, 5].map((k) => k * power).find((one) => (last - first) / one <= EVENT_TICKS) ?? 10 * power;
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
