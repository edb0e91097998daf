/* A chart with what belongs to it: title, unit, a menu to save it as PNG, SVG, CSV, and its numbers as a table. */

import { createChart } from "./chart.js";
import { announce, el, number, save } from "./dom.js";

const ROWS_SHOWN = 500;

/** Lines that share their events as rows: [[event, value of the first line, …], …]. */
export function rowsOf(lines) {
  const rows = new Map();
  lines.forEach(({ x, y }, column) => {
    x.forEach((event, i) => {
      if (!rows.has(event)) rows.set(event, Array(lines.length).fill(null));
      rows.get(event)[column] = y[i];
    });
  });
  return [...rows].sort(([a], [b]) => a - b).map(([event, values]) => [event, ...values]);
}

const quoted = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : /^[=+\-@\t]/.test(text) ? `'${text}` : text);

/** Lines as CSV; `unit` goes into the heads of the columns. */
export function csvOf(lines, unit) {
  const head = ["event", ...lines.map(({ name }) => quoted(unit ? `${name} (${unit})` : name))].join(",");
  return [head, ...rowsOf(lines).map((row) => row.map((value) => value ?? "").join(","))].join("\n") + "\n";
}

function tableOf(lines) {
  const rows = rowsOf(lines);
  const every = Math.ceil(rows.length / ROWS_SHOWN);
  const cell = (value) => el("td", { class: "number" }, value === null ? "" : number(value, 4));
  return el(
    "table",
    { class: "table" },
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Event"), lines.map(({ name }) => el("th", { scope: "col", class: "number" }, name)))),
    el(
      "tbody",
      {},
      rows
        .filter((_, i) => i % every === 0)
        .map(([event, ...values]) => el("tr", {}, el("th", { scope: "row" }, String(event)), values.map(cell))),
    ),
  );
}

/**
 * A figure in `host`. `name` is the stem of its files, `unit` goes beside the title and into the CSV.
 * Returns the chart with `show({…draw, note})` on top.
 */
export async function createFigure(host, { title, unit, name }) {
  const plot = el("div", { class: "chart__plot" });
  const note = el("span", { class: "chart__unit" });
  const dialog = el("dialog", { class: "dialog chart__dialog", "aria-label": `${title}: numbers` });
  const menu = el(
    "details",
    { class: "menu chart__menu", dataset: { menu: "" } },
    el("summary", { class: "button button--quiet button--small button--square", "aria-label": `${title}: save or read` }, "⋯"),
  );
  host.replaceChildren(el("header", { class: "chart__head" }, el("h3", {}, title), note, menu), plot, dialog);
  const chart = await createChart(plot, {
    label: () => `${title}, ${note.textContent}. ${chart.lines().map((line) => line.name).join(", ")}. The menu beside the title has the numbers as a table.`,
  });
  const visible = () => chart.lines().filter((line) => line.visible !== false);

  function openTable() {
    const close = el("button", { class: "button", type: "button", onclick: () => dialog.close() }, "Close");
    dialog.replaceChildren(
      el("h3", {}, `${title}, ${note.textContent}`),
      el("div", { class: "table-scroll chart__numbers", tabindex: "0", role: "region", "aria-label": `${title}: numbers` }, tableOf(visible())),
      el("div", { class: "dialog__actions" }, close),
    );
    dialog.showModal();
  }

  const actions = {
    PNG: async () => save(await chart.image("png"), `${name}.png`),
    SVG: async () => save(await chart.image("svg"), `${name}.svg`),
    CSV: () => save(new Blob([csvOf(visible(), unit)], { type: "text/csv" }), `${name}.csv`),
    "Data table": openTable,
  };
  const run = async (label) => {
    menu.open = false;
    try {
      await actions[label]();
    } catch (error) {
      announce(`${title} could not be saved: ${error.message}`);
    }
  };
  menu.append(
    el(
      "div",
      { class: "menu__panel" },
      Object.keys(actions).map((label) => el("button", { type: "button", onclick: () => run(label) }, label)),
    ),
  );
  return {
    ...chart,
    show({ note: words, ...what }) {
      note.textContent = words;
      return chart.draw(what);
    },
  };
}
