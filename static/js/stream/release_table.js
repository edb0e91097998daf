/* The table of releases: which lines are visible, and sorting by an error, the row of zeros among the others. */

import { $, $$, announce } from "../core/dom.js";

/**
 * @typedef {{id: string, figures: Record<string, number | null>}} Row
 * @typedef {{name: string, short: string}} Column
 */

/**
 * Watch the table that the server rendered; `on.toggle(id, visible)` reports check boxes.
 *
 * @param {{rows: Row[], columns: Column[]}} table rows with that of zeros, whose id is "zeros"
 * @param {{toggle: (id: string, visible: boolean) => void}} on
 */
export function watchReleaseTable({ rows, columns }, on) {
  const body = $("[data-release-rows]");
  let [by, descending] = [columns[0].name, false];

  function sort(/** @type {Column} */ { name, short }) {
    [by, descending] = [name, by === name && !descending];
    for (const { id } of sorted(rows, name, descending)) body.append($(`[data-row="${CSS.escape(id)}"]`, body));
    for (const head of $$("[data-column]")) head.removeAttribute("aria-sort");
    $(`[data-column="${CSS.escape(name)}"]`).setAttribute("aria-sort", descending ? "descending" : "ascending");
    $("[data-sorted-by]").textContent = `sorted by ${short}`;
    announce(`Releases are sorted by ${short}.`);
  }

  for (const column of columns)
    $(`[data-sort="${CSS.escape(column.name)}"]`).addEventListener("click", () => sort(column));
  for (const box of $$("[data-line]", body))
    box.addEventListener("change", () => on.toggle(box.dataset.line, box.checked));
}

/** By a figure; rows without it last. @param {Row[]} rows @param {string} name @param {boolean} descending */
export function sorted(rows, name, descending) {
  const sign = descending ? -1 : 1;
  return [...rows].sort(({ figures: { [name]: a } }, { figures: { [name]: b } }) => {
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    return sign * (a - b);
  });
}
