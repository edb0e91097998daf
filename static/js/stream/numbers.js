/* The numbers of a comparison as CSV and as tables: what the plots show, for files and for readers without them. */

import { el } from "../core/dom.js";
import { tableHead } from "../core/elements.js";
import { number, tenths } from "../core/format.js";
import { quoted } from "../charts/chart_rows.js";

const ROWS_SHOWN = 200;

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
      {},
      el("th", { scope: "row" }, cell(first)),
      values.map((value) => el("td", { class: "number" }, cell(value))),
    );
  return el(
    "table",
    { class: "table" },
    el("caption", { class: "chart__caption" }, `${caption}${left}`),
    tableHead(head),
    el("tbody", {}, rows.slice(0, ROWS_SHOWN).map(row)),
  );
}
