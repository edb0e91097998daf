/* Menus of a comparison's plots and tables: PNG, CSV, and their numbers as a table. */

import { $ } from "../core/dom.js";
import { count } from "../core/format.js";
import { createTableDialog, numbersMenu } from "../charts/chart_menu.js";
import { saveImage } from "./canvas.js";

/** @typedef {import("../charts/chart_menu.js").Numbers} Numbers */

/**
 * Put a menu into each place of the page that has one.
 *
 * @param {{page: any, known: any, state: any, lines: () => any[], canvases: any}} comparison
 */
export function addDownloads({ page, known, state, lines, canvases }) {
  const dialog = createTableDialog();
  document.body.append(dialog.element);
  const numbers = createNumbers({ page, known, state, lines }, canvases.lanes.shown);

  /**
   * @param {string} place
   * @param {{title: string, name: string, canvases?: () => HTMLCanvasElement[], across?: number, csv: Numbers,
   *   table?: Numbers}} what
   */
  function add(place, { canvases: images, across, ...what }) {
    const { title, name } = what;
    const image = images && { PNG: () => saveImage(images(), { title: `${page.dataset}: ${title}`, name, across }) };
    $(place).append(numbersMenu({ ...what, dialog, actions: image }));
  }

  const { heat, lanes, budget, axis, multiples } = canvases;
  add("[data-heat-menu]", {
    title: "Counts of all dimensions",
    name: "heat-map",
    canvases: () => [heat.canvas],
    csv: numbers.heat,
    table: numbers.column,
  });
  add("[data-lanes-menu]", {
    title: "Budget and groups of the selected dimension",
    name: "groups",
    canvases: () => [lanes.canvas],
    csv: numbers.lanes,
  });
  add("[data-budget-menu]", {
    title: "Budget spent in windows",
    name: "budget",
    canvases: () => [budget.canvas, axis.canvas],
    csv: numbers.budget,
  });
  add("[data-pinned-menu]", {
    title: "Pinned dimensions",
    name: "pinned",
    canvases: multiples.canvases,
    across: 3,
    csv: numbers.pinned,
  });
  add("[data-table-menu]", { title: "Errors of the releases", name: "errors", csv: numbers.releases });
}

/**
 * The numbers of each plot.
 *
 * @param {{page: any, known: any, state: any, lines: () => any[]}} comparison
 * @param {() => {label: string[], values: any[]}[]} lanes
 */
export function createNumbers({ page, known, state, lines }, lanes) {
  const { labels } = page.axis;
  const { names } = page.dimensions;
  const shownCells = () => known.cellsOf(state.view, state.shown.id);
  const columns = (/** @type {(column: number, label: string) => any[]} */ rowOf) =>
    labels.map((/** @type {string} */ label, /** @type {number} */ column) => [label, ...rowOf(column, label)]);
  const inRange = (/** @type {any[]} */ rows) => rows.slice(...state.range);
  const pinnedLines = () => [known.lineOfTruth(), ...known.linesOf(lines())];
  return {
    heat: {
      head: () => ["dimension", ...labels],
      rows: () => state.order.map((/** @type {number} */ one) => [names[one], ...shownCells().row(one)]),
    },
    column: {
      head: () => [`dimension at ${labels[state.cell.column]}`, "truth", ...lines().map(({ title }) => title)],
      rows: () =>
        state.order.map((/** @type {number} */ one) => [
          names[one],
          ...["truth", ...lines().map(({ id }) => id)].map((id) => known.cells(id).at(one, state.cell.column)),
        ]),
    },
    lanes: {
      head: () => ["time", ...lanes().map(({ label }) => label.join(", "))],
      rows: () => columns((column) => lanes().map(({ values }) => values[column])),
    },
    budget: {
      head: () => ["time", ...lines().map(({ title, window }) => `${title}, ε in ${count(window, "timestamp")}`)],
      rows: () => columns((column) => lines().map(({ id }) => known.comparisonOf(id).window_spent[column])),
    },
    pinned: {
      head: () => [
        "time",
        ...state.pinned.flatMap((/** @type {number} */ one) =>
          pinnedLines().map(({ name }) => `${names[one]}, ${name}`),
        ),
      ],
      rows: () =>
        inRange(
          columns((column) =>
            state.pinned.flatMap((/** @type {number} */ one) => pinnedLines().map(({ row }) => row(one)[column])),
          ),
        ),
    },
    releases: {
      head: () => ["release", "level", ...page.columns.map(({ short }) => short)],
      rows: () => [
        ...page.releases.map((one) => [one.title, one.level, ...page.columns.map(({ name }) => one.figures[name])]),
        ["Publish zeros", "", ...page.columns.map(({ name }) => page.zeros[name] ?? null)],
      ],
    },
  };
}
