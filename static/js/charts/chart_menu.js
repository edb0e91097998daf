/* What every chart offers beside its title: a menu of downloads, and its numbers as a table. */

import { announce, el, save } from "../core/dom.js";
import { csvOf, tableOf } from "./chart_table.js";

/** A menu whose buttons do `actions`; `name(title)` names the chart, `add` adds its buttons. @param {string} title */
export function createChartMenu(title) {
  const summary = el("summary.button.button--quiet.button--small.button--square", "⋯");
  const element = el("details.menu.chart__menu", { dataset: { menu: "" } }, summary);
  let named = title;

  /** @param {string} to */
  function name(to) {
    named = to;
    summary.setAttribute("aria-label", `${to}: save or show numbers`);
  }

  /** @param {Record<string, () => unknown>} actions */
  function add(actions) {
    const run = async (/** @type {string} */ text) => {
      element.open = false;
      try {
        await actions[text]();
      } catch (error) {
        announce(`${named} could not be saved: ${error.message}`);
      }
    };
    const buttons = Object.keys(actions).map((text) => el("button", { onclick: () => run(text) }, text));
    element.append(el("div.menu__panel", buttons));
  }

  name(title);
  return { element, name, add };
}

/** A dialog for the numbers of a chart: `show({title, table, saveCsv})`. */
export function createTableDialog() {
  const element = el("dialog.dialog.dialog--wide");
  return {
    element,
    /** @param {{title: string, table: HTMLElement, saveCsv: () => void}} what */
    show({ title, table, saveCsv }) {
      const close = el("button.button", { onclick: () => element.close() }, "Close");
      const csv = el("button.button", { onclick: saveCsv }, "Save all as CSV");
      const region = { tabindex: "0", role: "region", "aria-label": `${title}: numbers` };
      element.setAttribute("aria-label", `${title}: numbers`);
      element.replaceChildren(
        el("h3", title),
        el("div", { class: "table-scroll chart__numbers scroll", ...region }, table),
        el("div.dialog__actions", csv, close),
      );
      element.showModal();
    },
  };
}

/** @param {string} text @param {string} name */
export const saveCsv = (text, name) => save(new Blob([text], { type: "text/csv" }), `${name}.csv`);

/** @typedef {{head: () => string[], rows: () => import("./chart_table.js").Row[]}} Numbers */

/**
 * A menu: after `actions` the numbers `csv` as a file `name`, and `table`, else the same, below `caption()`.
 *
 * @param {{title: string, name: string, csv: Numbers, table?: Numbers, caption?: () => string,
 *   dialog: ReturnType<typeof createTableDialog>, actions?: Record<string, () => unknown>}} what
 */
export function numbersMenu({ title, name, csv, table = csv, caption = () => title, dialog, actions }) {
  const menu = createChartMenu(title);
  const save = () => saveCsv(csvOf(csv.head(), csv.rows()), name);
  const show = () =>
    dialog.show({ title: caption(), table: tableOf(caption(), table.head(), table.rows()), saveCsv: save });
  menu.add({ ...actions, CSV: save, "Data table": show });
  return menu.element;
}
