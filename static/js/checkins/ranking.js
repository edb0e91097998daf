/* What a comparison of check-ins lists: the places of the history and the ranked cells. */

import { el } from "../core/dom.js";
import { metres, whole } from "../core/format.js";
import { shareText } from "./evaluation_data.js";

/**
 * @typedef {{rank: number, cell: number, west: number, south: number, east: number, north: number,
 *   distance_m: number | null, score: number, share: number | null}} RankedCell
 */

/** A score: its share, or where there is none the score itself. @param {RankedCell} cell */
const scoreText = ({ share, score }) => (share === null ? score.toPrecision(3) : shareText(share));

/**
 * Chips of the history in `list`, each with a button that removes it.
 *
 * @param {HTMLElement} list
 * @param {string[]} names
 * @param {(index: number) => void} remove
 */
export function fillPlaces(list, names, remove) {
  const chip = (/** @type {string} */ name, /** @type {number} */ i) =>
    el(
      "li",
      { class: "place" },
      el("span", { class: "place__number", "aria-hidden": "true" }, whole(i + 1)),
      name,
      el("button", { type: "button", "aria-label": `Remove place ${i + 1}, ${name}`, onclick: () => remove(i) }, "×"),
    );
  list.replaceChildren(...names.map(chip));
}

/**
 * The rows of the ranking in `body`. `on.hover(cell)` when the pointer or the focus is on a row, -1 when it leaves;
 * `on.add(cell)` when its button is pressed.
 *
 * @param {HTMLElement} body
 * @param {RankedCell[]} cells
 * @param {{name: (cell: number) => string, beside: (cell: number) => string, k: number,
 *   on: {hover: (cell: number) => void, add: (cell: number) => void}}} options
 */
export function fillRanking(body, cells, { name, beside, k, on }) {
  const most = Math.max(...cells.map(({ share }) => share ?? 0), 0);
  const row = (/** @type {RankedCell} */ one) => {
    const { rank, cell, distance_m: away, share } = one;
    const add = { type: "button", class: "bare ranking__cell", "aria-label": `${name(cell)}, add to the history` };
    const bar = el("span", { class: "ranking__bar", style: { "--share": String(most > 0 ? (share ?? 0) / most : 0) } });
    return el(
      "tr",
      {
        dataset: { cell: String(cell) },
        onmouseenter: () => on.hover(cell),
        onmouseleave: () => on.hover(-1),
        onfocusin: () => on.hover(cell),
        onfocusout: () => on.hover(-1),
      },
      el("td", {}, el("span", { class: "ranking__rank" }, whole(rank))),
      el("th", { scope: "row" }, el("button", { ...add, onclick: () => on.add(cell) }, name(cell))),
      el("td", { class: "muted" }, metres(away)),
      el("td", { class: "ranking__score" }, scoreText(one)),
      el("td", { "aria-hidden": "true" }, bar),
      el("td", { class: "number muted" }, beside(cell)),
    );
  };
  const empty = Array.from({ length: Math.max(k - cells.length, 0) }, () =>
    el("tr", {}, el("td", { colspan: "6" }, "\u00a0")),
  );
  body.replaceChildren(...cells.map(row), ...empty);
}

/** Mark the row of a cell, -1 none. @param {HTMLElement} body @param {number} cell */
export function markRow(body, cell) {
  for (const row of body.children)
    row.toggleAttribute("data-marked", /** @type {HTMLElement} */ (row).dataset.cell === String(cell));
}
