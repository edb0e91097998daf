/* What every chart offers beside its title: a menu of downloads, and its numbers as a table. */

import { announce, el, save } from "../core/dom.js";

/** A menu whose buttons do `actions`; `name(title)` names the chart, `add` adds its buttons. @param {string} title */
export function createChartMenu(title) {
  const summary = el("summary", { class: "button button--quiet button--small button--square" }, "⋯");
  const element = el("details", { class: "menu chart__menu", dataset: { menu: "" } }, summary);
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
    const buttons = Object.keys(actions).map((text) =>
      el("button", { type: "button", onclick: () => run(text) }, text),
    );
    element.append(el("div", { class: "menu__panel" }, buttons));
  }

  name(title);
  return { element, name, add };
}

/** A dialog for the numbers of a chart: `show({title, table, saveCsv})`. */
export function createTableDialog() {
  const element = el("dialog", { class: "dialog chart__dialog" });
  return {
    element,
    /** @param {{title: string, table: HTMLElement, saveCsv: () => void}} what */
    show({ title, table, saveCsv }) {
      const close = el("button", { class: "button", type: "button", onclick: () => element.close() }, "Close");
      const csv = el("button", { class: "button", type: "button", onclick: saveCsv }, "Save all as CSV");
      const region = { tabindex: "0", role: "region", "aria-label": `${title}: numbers` };
      element.setAttribute("aria-label", `${title}: numbers`);
      element.replaceChildren(
        el("h3", {}, title),
        el("div", { class: "table-scroll chart__numbers", ...region }, table),
        el("div", { class: "dialog__actions" }, csv, close),
      );
      element.showModal();
    },
  };
}

/** @param {string} text @param {string} name */
export const saveCsv = (text, name) => save(new Blob([text], { type: "text/csv" }), `${name}.csv`);
