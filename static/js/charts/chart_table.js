/* The numbers behind a chart as a table to read. */

import { el } from "../core/dom.js";
import { count, eventNumber, number, whole } from "../core/format.js";
import { rowsOf } from "./chart_rows.js";

const ROWS_SHOWN = 200;

/**
 * The first rows, of those in `span` where one is given, as a table whose caption states what it contains and omits.
 */
export function tableOf(
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
  const cell = (value) => el("td", { class: "number" }, value === null || value === undefined ? "" : textOf(value));
  const heads = [
    ...found.names.map((one) => el("th", { scope: "col", class: "number" }, one)),
    kind && el("th", { scope: "col" }, "kind"),
  ];
  const row = (/** @type {any[]} */ [at, ...values]) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, name === "event" ? eventNumber(at) : number(at, 7)),
      values.map(cell),
      kind && el("td", {}, kind(at)),
    );
  return el(
    "table",
    { class: "table" },
    el("caption", { class: "chart__caption" }, `${caption} ${left}`),
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, name), heads)),
    el("tbody", {}, rows.slice(0, ROWS_SHOWN).map(row)),
  );
}
