/* What a comparison states in text: values of a cell, legend, budgets, promise. */

import { swatch } from "../core/swatch.js";
import { $, el } from "../core/dom.js";
import { count, number, percent, tenths, whole } from "../core/format.js";
import { perRow, stopsOf } from "./raster.js";

const HELP =
  "The heat map shows the dimensions of the list in its order. " +
  "Arrow keys move the selected cell, Enter pins its dimension.";
const SEEDED = "A seeded simulation: it is not private and is not published. ";
const TOLERANCE = 1e-9; // of sums of budgets, which are floats

/** A count as text: all digits of whole numbers, tenths of large estimates. @param {number} value */
export const countText = (value) =>
  Number.isInteger(value) || Math.abs(value) >= 100 ? tenths(value) : number(value, 3);

/** "2024-05-19 23:00" of a label of full minutes in UTC, others as they are. */
export const timeText = (label) => label.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):00(?:\.0+)?Z$/, "$1 $2");

/** How many timestamps a column holds, as text beside its label. @param {any} axis @param {number} column */
function columnName({ labels, edges }, column) {
  const size = edges[column + 1] - edges[column];
  const text = timeText(labels[column]);
  return size === 1 ? text : `${text}, mean of ${whole(size)} timestamps`;
}

/** Reserve the width of the longest values: nothing moves where the pointer does. @param {HTMLElement} line
 * @param {{axis: any, largest: number}} known */
export function reserveValues(line, { axis, largest }) {
  const time = Math.max(
    ...axis.labels.map((/** @type {string} */ _, /** @type {number} */ i) => columnName(axis, i).length),
  );
  line.style.setProperty("--number", `${countText(-largest).length + 2}ch`); // with tenths
  line.style.setProperty("--time", `${time}ch`);
}

/**
 * @param {HTMLElement} line
 * @param {{page: any, known: any, cell: {dimension: number, column: number}, shown: any, others: any[]}} what
 */
export function showValues(line, { page, known, cell: { dimension, column }, shown, others }) {
  const truth = known.cells("truth")?.at(dimension, column);
  const released = known.cells(shown.id)?.at(dimension, column);
  if (truth === undefined || released === undefined) return;
  const difference = released - truth;
  const sign = difference > 0 ? "+" : difference < 0 ? "−" : "";
  const part = (/** @type {string} */ name, /** @type {string} */ value) =>
    el("span", `${name} `, el("b.value-line__number", value));
  const relative = truth ? ` (${difference < 0 ? "−" : "+"}${percent(Math.abs(difference) / truth)})` : "";
  line.replaceChildren(
    el("b.value-line__name.clip", page.dimensions.names[dimension]),
    el("span.value-line__time", columnName(page.axis, column)),
    part("truth", countText(truth)),
    part(shown.brief, countText(released)),
    el("span.value-line__difference", "difference ", el("b", sign + countText(Math.abs(difference))), relative),
    ...others
      .filter(({ id }) => id !== shown.id)
      .map(({ id, brief }) => part(brief, countText(known.cells(id).at(dimension, column)))),
  );
}

/** The ramp in two halves around what lies in its middle. @param {HTMLElement} host
 * @param {boolean} isSigned
 * @param {import("./raster.js").Shades} shades */
export function showLegend(host, isSigned, { limit, middle, name }) {
  const stops = stopsOf(isSigned).join(", ");
  const halves = ["0", "100%"].map((place) => {
    const half = el("span.heat-head__ramp");
    half.style.setProperty("background", `linear-gradient(to right, ${stops}) ${place} 0 / 200% 100%`);
    return half;
  });
  const ends = isSigned ? [`−${whole(limit)}`, `+${whole(limit)}`] : ["0", `≥ ${countText(limit)}`];
  host.replaceChildren(ends[0], halves[0], countText(middle), halves[1], `${ends[1]}, ${name}`);
}

/** What shares a pixel. @param {any} axis
 * @param {number} dimensions
 * @param {number} rows
 * @param {boolean} isSigned */
export function columnsText({ timestamps, labels }, dimensions, rows, isSigned) {
  const most = perRow(dimensions, rows);
  const largest = isSigned ? "the largest difference, up or down," : "the largest count";
  const shared = most > 1 ? `A row of pixels shows ${largest} of at most ${count(most, "dimension")}. ` : "";
  const means =
    timestamps > labels.length
      ? `Each of ${whole(labels.length)} columns is a mean; errors are of all ${whole(timestamps)} timestamps. `
      : "";
  const ranks = isSigned ? "" : "Shades are by rank: half of the true counts above 0 are lighter than the middle. ";
  return shared + means + ranks + HELP;
}

export function budgetNote(known, shown, visible) {
  const most = known.comparisonOf(shown.id)?.most_spent;
  const notes = [];
  if (most !== undefined && most !== null) {
    const within = most <= shown.epsilon * (1 + TOLERANCE);
    const common = visible.every(({ epsilon }) => epsilon === shown.epsilon);
    const limit = `above ε = ${number(shown.epsilon, 6)}`;
    notes.push(`${common ? "" : `${shown.title}: `}${within ? "never" : `up to ${number(most, 4)},`} ${limit}`);
  }
  for (const one of new Set([shown, ...visible])) {
    if (one.unsound) notes.push(`${one.title} has no guarantee: what it spends is not what it leaks`);
    if (known.comparisonOf(one.id)?.most_spent === null) notes.push(`no budgets are stored with ${one.title}`);
  }
  return notes.join(" · ");
}

/**
 * The window that ends at a column, its text for the plot; null where nothing is known.
 *
 * @param {any} axis
 * @param {any} comparison
 * @param {number} size timestamps
 * @param {number} column
 * @param {string} title
 */
export function windowAt({ edges, labels }, comparison, size, column, title) {
  const spent = comparison?.window_spent[column];
  if (spent === null || spent === undefined) return null;
  const start = Math.max(edges[column + 1] - size, 0);
  let first = column;
  while (first > 0 && edges[first] > start) first -= 1;
  return {
    first,
    last: column,
    text: `${timeText(labels[first])} to ${timeText(labels[column])}: ${title} ${number(spent, 4)}`,
  };
}

/** @param {any} axis @param {[number, number]} range */
export const rangeText = ({ labels }, [first, after]) => `${timeText(labels[first])} to ${timeText(labels[after - 1])}`;

/** @param {any} comparison @param {number} dimension */
export function errorNote(comparison, dimension) {
  const error = comparison?.dimensions.absolute_error[dimension];
  return error === undefined || error === null ? "" : `mean error ${number(error, 3)}`;
}

/** @param {HTMLElement} host @param {any[]} lines */
export const showLineKey = (host, lines) =>
  host.replaceChildren(...lines.map(({ name, style }) => el("li", swatch(style), name)));

/** The guarantee of the release that the heat map shows. */
export function showPromise({ heading, level, statement, seeded, unsound, style }) {
  $("[data-promise-title]").textContent = `${heading}, ${level}`;
  const condition = unsound ? "" : "Drawn with private noise, this would hold: ";
  $("[data-promise]").textContent = seeded ? `${SEEDED}${condition}${statement}` : statement;
  $("[data-shown-swatch]").replaceChildren(swatch(style));
}
