/* The numbers behind charts and plots, as CSV and as tables to read. */

import { el } from "../core/dom.js";
import { count, eventNumber, number, tenths, whole } from "../core/format.js";
import { medianText } from "./rolling_median.js";
import { tableHead } from "../core/elements.js";

const ROWS_SHOWN = 200;

/**
 * The first rows, of those in `span` where one is given, as a table whose caption states what it contains and omits.
 */
export function linesTable(
  lines,
  caption,
  { key = "x", name = "event" } = {},
  /** @type {any} */ kind = null,
  /** @type {any} */ span = null,
) {
  const found = rowsOf(lines, key);
  const rows = span ? found.rows.filter(([at]) => at >= span[0] && at <= span[1]) : found.rows;
  const of = span ? ` of events ${eventNumber(span[0])} to ${eventNumber(span[1])}` : "";
  const left =
    rows.length > ROWS_SHOWN
      ? `The first ${ROWS_SHOWN} of ${whole(rows.length)} rows${of}; the CSV has them all.`
      : `${count(rows.length, "row")}${of}.`;
  const textOf = (value) => (Number.isInteger(value) ? whole(value) : number(value, 4));
  const cell = (value) => el("td.number", value === null || value === undefined ? "" : textOf(value));
  const heads = [
    ...found.names.map((one) => el("th.number", { scope: "col" }, one)),
    kind && el("th", { scope: "col" }, "kind"),
  ];
  const row = (/** @type {any[]} */ [at, ...values]) =>
    el(
      "tr",
      el("th", { scope: "row" }, name === "event" ? eventNumber(at) : number(at, 7)),
      values.map(cell),
      kind && el("td", kind(at)),
    );
  return el(
    "table.table",
    el("caption.chart__caption", `${caption} ${left}`),
    el("thead", el("tr", el("th", { scope: "col" }, name), heads)),
    el("tbody", rows.slice(0, ROWS_SHOWN).map(row)),
  );
}

/** A line's columns: {name, keys, values}. Keyed by "x" the value and its band, keyed by "y" where it lies. */
function columnsOf({ name, x, y, low, high, ends, median }, key) {
  if (key === "y") return [{ name, keys: y, values: x }];
  const band = low
    ? [
        [ends[0], low],
        [ends[1], high],
      ]
    : [];
  const smooth = median ? [[medianText(median), median.values]] : [];
  return [
    { name, keys: x, values: y },
    ...[...smooth, ...band].map(([what, values]) => ({ name: `${name}, ${what}`, keys: x, values })),
  ];
}

/** {names, rows}: `rows` = [[key, value of the first column, …], …] in the order of keys, null where there is none. */
export function rowsOf(lines, key = "x") {
  const columns = lines.flatMap((line) => columnsOf(line, key));
  const rows = new Map();
  columns.forEach(({ keys, values }, column) => {
    keys.forEach((at, i) => {
      if (!rows.has(at)) rows.set(at, Array(columns.length).fill(null));
      rows.get(at)[column] = values[i];
    });
  });
  return {
    names: columns.map(({ name }) => name),
    rows: [...rows].sort(([a], [b]) => a - b).map(([at, values]) => [at, ...values]),
  };
}

/** A text as a cell of CSV; one that a spreadsheet would compute, quoted or not, gets an apostrophe before it. */
export function quoted(text) {
  const inert = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}

/**
 * Lines as CSV, events by their index from 0 as in the API; `unit` goes into the heads of the columns. `by` =
 * {key, name}: what a row stands for; `kind(key)` its kind.
 */
export function linesCsv(lines, unit, { key = "x", name = "event_index" } = {}, /** @type {any} */ kind = null) {
  const { names, rows } = rowsOf(lines, key);
  const head = [name, ...names.map((one) => (unit ? `${one} (${unit})` : one)), ...(kind ? ["kind"] : [])];
  return csvOf(head, kind ? rows.map((row) => [...row, kind(row[0])]) : rows);
}

/** @typedef {(string | number | boolean | null)[]} Row */

/** Rows below a head as CSV. @param {string[]} head @param {Row[]} rows */
export const csvOf = (head, rows) =>
  [head, ...rows]
    .map((row) => row.map((value) => (typeof value === "string" ? quoted(value) : (value ?? ""))).join(","))
    .join("\n") + "\n";

/**
 * The first rows as a table; its caption states how many there are.
 *
 * @param {string} caption
 * @param {string[]} head
 * @param {Row[]} rows
 */
export function tableOf(caption, head, rows) {
  const left = rows.length > ROWS_SHOWN ? ` The first ${ROWS_SHOWN} of ${rows.length} rows; the CSV has them all.` : "";
  const cell = (/** @type {Row[number]} */ value) => {
    if (typeof value !== "number") return String(value ?? "–");
    return Number.isInteger(value) || Math.abs(value) >= 1e5 ? tenths(value) : number(value, 6);
  };
  const row = (/** @type {Row} */ [first, ...values]) =>
    el(
      "tr",
      el("th", { scope: "row" }, cell(first)),
      values.map((value) => el("td.number", cell(value))),
    );
  return el(
    "table.table",
    el("caption.chart__caption", `${caption}${left}`),
    tableHead(head),
    el("tbody", rows.slice(0, ROWS_SHOWN).map(row)),
  );
}
