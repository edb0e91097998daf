/* Figures of releases on an axis, beside what they are compared with. Places are shares of the width, so that nothing
 * is scaled but the values.
 */

import { el, svg } from "../../core/dom.js";
import { quantity } from "../../core/elements.js";
import { themedColour } from "../../core/series_style.js";

const EDGE = 0.03;
const WIDTH_PX = 46; // of a name: two that are closer are not both written
const GROUND = "color-mix(in srgb, var(--line) 35%, transparent)";

/**
 * @typedef {{least: number, most: number, isLinear?: boolean}} Axis
 * @typedef {{name: string, title: string, text: string, value: number, isAlways?: boolean, isPlain?: boolean,
 *   isFaint?: boolean, width?: number}} Mark `width` of its name in px
 */

/** A logarithmic axis that holds all positive ones of `values`. @param {(number | null | undefined)[]} values */
export function logarithmicAxis(values) {
  const known = /** @type {number[]} */ (values.filter((value) => value && value > 0));
  return known.length ? { least: Math.min(...known) / 1.3, most: Math.max(...known) * 1.3 } : { least: 1, most: 10 };
}

/** Where a value lies, as a share of the width. @param {Axis} axis @param {number} value */
export function placeOf({ least, most, isLinear = false }, value) {
  const share = isLinear
    ? (value - least) / (most - least)
    : Math.log(Math.max(value, least) / least) / Math.log(most / least);
  return EDGE + (1 - 2 * EDGE) * Math.min(Math.max(share, 0), 1);
}

const percent = (/** @type {number} */ share) => `${(100 * share).toFixed(2)}%`;
const at = (/** @type {Axis} */ axis, /** @type {number} */ value) => percent(placeOf(axis, value));

/** Those of `marks` whose names are written in so many px: the ones that always are, others where there is space.
 * @param {Axis} axis @param {Mark[]} marks @param {number} width
 */
export function namedMarks(axis, marks, width) {
  const all = marks.map((mark) => ({ ...mark, x: placeOf(axis, mark.value) })).sort((a, b) => a.x - b.x);
  const isClose = (one, other) =>
    other !== one && Math.abs(other.x - one.x) * width < ((one.width ?? WIDTH_PX) + (other.width ?? WIDTH_PX)) / 2;
  const named = all.filter((one) => one.isAlways || !all.some((other) => other.isAlways && isClose(one, other)));
  return named.filter((one, i) => i === 0 || one.isAlways || !isClose(one, named[i - 1]));
}

/**
 * Write the names of `marks` into `host`, above the rows; their lines are the ground of `table`'s cells, shaded from
 * one value to another, where a null is the end of the axis; nothing is without them.
 *
 * @param {HTMLElement} table
 * @param {HTMLElement} host
 * @param {Axis} axis
 * @param {Mark[]} marks
 * @param {(number | null)[] | null} shaded
 */
export function showScale(table, host, axis, marks, shaded) {
  const line = (/** @type {Mark} */ { value, isAlways, isFaint }) => {
    const [x, colour] = [at(axis, value), isAlways && !isFaint ? "var(--line-strong)" : "var(--line)"];
    return `linear-gradient(to right, transparent ${x}, ${colour} 0 calc(${x} + 1px), transparent 0)`;
  };
  const [first, last] = (shaded ?? [null, axis.least]).map((value, i) =>
    value === null ? `${100 * i}%` : at(axis, value),
  );
  const shade = `linear-gradient(to right, transparent ${first}, ${GROUND} 0 ${last}, transparent 0)`;
  table.style.setProperty("--ground", [...marks.map(line), ...(shaded ? [shade] : [])].join(", ") || "none");
  const written = (/** @type {Mark} */ { name, title, text, value, isPlain, width = WIDTH_PX }) =>
    el(
      "span.error-axis__name",
      { style: { "--x": `clamp(${width / 2}px, ${at(axis, value)}, calc(100% - ${width / 2}px))` } },
      title,
      " ",
      isPlain ? text : quantity(name, text),
    );
  host.replaceChildren(...namedMarks(axis, marks, host.closest("th")?.clientWidth ?? 0).map(written));
}

/**
 * One release: a line between two values with a tick at the ends `ticks`, and a dot.
 *
 * @param {Axis} axis
 * @param {{from: number, to: number, dot: number, ticks: number[]}} values
 * @param {{colour: Colour, dash: string}} lineStyle
 */
export function span(axis, { from, to, dot, ticks }, { colour, dash }) {
  const tick = (/** @type {number} */ value) =>
    svg("line", { x1: at(axis, value), x2: at(axis, value), y1: "20%", y2: "80%" });
  return svg(
    "svg",
    { class: "error-axis", "aria-hidden": "true", style: { "--own": themedColour(colour) } },
    svg("line", { x1: at(axis, from), x2: at(axis, to), y1: "50%", y2: "50%", "stroke-dasharray": dash || null }),
    ticks.map(tick),
    svg("circle", { cx: at(axis, dot), cy: "50%", r: 4 }),
  );
}
