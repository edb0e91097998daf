/* Columns of tables of releases, as dashboard/datasets/release_columns.py lists them. */

import { el } from "../core/dom.js";
import { quantity } from "../core/elements.js";
import { metres, number } from "../core/format.js";
import { verdictText } from "./verdict_text.js";

const SHOWN = {
  metres,
  number,
  verdict: verdictText,
  span: ({ min, max }) => (min === max ? number(min) : `${number(min)} – ${number(max)}`),
};

/**
 * The cells of a row: `values` are those of its release by the keys of `columns`; what it lacks is empty.
 *
 * @param {{key: string, title: string, show: string}[]} columns
 * @param {string} id
 * @param {Record<string, any>} values
 */
export const columnCells = (columns, id, values) =>
  columns.map(({ key, title, show }) => {
    const value = values[key] ?? null;
    const text = value === null ? "" : SHOWN[show](value);
    const isNumber = text && ["metres", "number"].includes(show);
    return el("td", { "data-label": title, class: "number" }, isNumber ? quantity(`${key}:${id}`, text) : text);
  });
