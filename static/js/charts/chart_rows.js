/* The numbers behind a chart as rows and as CSV. No page is needed for this module. */

import { medianText } from "./rolling_median.js";

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
export function csvOf(lines, unit, { key = "x", name = "event_index" } = {}, /** @type {any} */ kind = null) {
  const { names, rows } = rowsOf(lines, key);
  const head = [name, ...names.map((one) => quoted(unit ? `${one} (${unit})` : one)), ...(kind ? ["kind"] : [])].join(
    ",",
  );
  return (
    [head, ...rows.map((row) => [...row.map((value) => value ?? ""), ...(kind ? [kind(row[0])] : [])].join(","))].join(
      "\n",
    ) + "\n"
  );
}
