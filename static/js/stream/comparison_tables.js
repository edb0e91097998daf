/* The tables of a comparison: the list of dimensions, which orders the heat map, and the releases with their errors. */

import { $, $$, announce, el } from "../core/dom.js";
import { count, inColumn } from "../core/format.js";
import { short } from "./small_multiples.js";

const [FEW_ROWS, ROWS] = [6, 60]; // at first: the others on request
const COLLATOR = new Intl.Collator("en", { numeric: true });

/** @typedef {"name" | "total" | "error"} Key */
/** @typedef {{key: Key, descending: boolean}} Sorting */

/**
 * The dimensions whose name contains `text`, in the order of `by`; equal ones by name.
 *
 * @param {{names: string[], totals: number[], errors: (number | null)[]}} known
 * @param {string} text
 * @param {Sorting} by
 */
export function ordered({ names, totals, errors }, text, { key, descending }) {
  const wanted = text.trim().toLocaleLowerCase("en");
  const found = names.flatMap((name, i) => (name.toLocaleLowerCase("en").includes(wanted) ? [i] : []));
  const sign = descending ? -1 : 1;
  const byName = (/** @type {number} */ a, /** @type {number} */ b) => COLLATOR.compare(names[a], names[b]);
  if (key === "name") return found.sort((a, b) => sign * byName(a, b));
  const values = key === "total" ? totals : errors;
  return found.sort((a, b) => sign * ((values[a] ?? -1) - (values[b] ?? -1)) || byName(a, b));
}

/**
 * A list in `host`: `draw({order, names, totals, errors, pinned, selected, sorting, of})`.
 *
 * @param {HTMLElement} host
 * @param {{select: (dimension: number) => void, pin: (dimension: number, on: boolean) => void,
 *   sort: (key: Key) => void}} on
 */
export function createDimensionList(host, on) {
  let all = false;
  const most = matchMedia("(max-width: 1100px)").matches ? FEW_ROWS : ROWS;
  let shown;
  const heads = /** @type {[Key, string, string][]} */ ([
    ["name", "Name", ""],
    ["total", "Total", "number"],
    ["error", "ARE", "number"],
  ]).map(([key, text, style]) => headOf(key, text, style, on.sort));
  const body = el("tbody");
  const more = el("button.button.button--wide", { onclick: showAll, hidden: true });
  const empty = el("p.muted", { hidden: true }, "No dimension has this in its name.");
  const first = el("th", { scope: "col" }, el("span.visually-hidden", "Pinned"));
  const table = el(
    "table.dimensions",
    el("caption.visually-hidden", "Dimensions, their totals and mean relative errors"),
    el("thead", el("tr", first, ...heads.map(({ element }) => element))),
    body,
  );
  const region = {
    class: "dimensions__scroll grow",
    tabindex: "0",
    role: "region",
    "aria-label": "List of dimensions",
  };
  host.replaceChildren(el("div", region, table, empty, more));

  function showAll() {
    all = true;
    draw(shown);
    body.rows[most]?.querySelector("input")?.focus();
  }

  /** @param {number} dimension */
  function rowOf(dimension) {
    const { names, totals, errors, pinned, selected } = shown;
    const name = names[dimension];
    const box = el("input", {
      type: "checkbox",
      checked: pinned.includes(dimension),
      "aria-label": `Pin ${name}`,
      onchange: (event) => on.pin(dimension, event.target.checked),
    });
    const choose = { class: "bare dimensions__name clip", onclick: () => on.select(dimension) };
    return el(
      "tr",
      { dataset: { dimension }, "aria-current": dimension === selected ? "true" : null },
      el("td", box),
      el("th", { scope: "row" }, el("button", choose, name)),
      el("td.number", short(totals[dimension])),
      el("td.number", errorText(errors[dimension])),
    );
  }

  function draw(what) {
    shown = what;
    const { order, sorting } = shown;
    body.replaceChildren(...(all ? order : order.slice(0, most)).map(rowOf));
    for (const head of heads) head.show(sorting);
    empty.hidden = order.length > 0;
    more.hidden = all || order.length <= most;
    more.textContent = `Show all ${count(order.length, "dimension")}`;
  }

  return {
    draw,
    /** Mark what is selected and pinned; the rows stay. @param {number} selected @param {number[]} pinned */
    mark(selected, pinned) {
      Object.assign(shown, { selected, pinned });
      for (const row of body.rows) {
        const dimension = Number(row.dataset.dimension);
        if (dimension === selected) row.setAttribute("aria-current", "true");
        else row.removeAttribute("aria-current");
        const box = row.querySelector("input");
        if (box) box.checked = pinned.includes(dimension);
      }
    },
  };
}

/** 0.18, 2.4e-4, 12.3k: a few characters. @param {number | null} error */
export function errorText(error) {
  if (error === null) return "–";
  if (error >= 1e4) return short(error);
  return error && error < 1e-3 ? error.toExponential(1) : inColumn(error, 2);
}

/** @param {Key} key
 * @param {string} text
 * @param {string} style
 * @param {(key: Key) => void} sort */
function headOf(key, text, style, sort) {
  const attributes = { class: "bare sort", dataset: { sortBy: key }, onclick: () => sort(key) };
  const element = el("th", { scope: "col", class: style }, el("button", attributes, text));
  return {
    element,
    /** @param {Sorting} sorting */
    show({ key: by, descending }) {
      element.setAttribute("aria-sort", by !== key ? "none" : descending ? "descending" : "ascending");
    },
  };
}

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
  const way = descending ? -1 : 1;
  return [...rows].sort(({ figures: { [name]: a } }, { figures: { [name]: b } }) => {
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    return way * (a - b);
  });
}
