/* A chart with what belongs to it: title, unit, the scale of its axis, a menu to save it or to read its numbers. */

import { createChart } from "./chart.js";
import { announce, el, save } from "../core/dom.js";
import { csvOf, tableOf } from "./chart_table.js";
import { kindOf } from "./readout.js";

/**
 * A figure in `host`. `name` is the stem of its files, `unit` goes beside the title and into the CSV.
 *
 * Returns the chart with `show(what)` on top: what the chart's `draw` takes and {note, vertical, title, name, about, by, whole}, where
 * `title` and `name` stand for the figure's own, `vertical` for the note where the chart is read outside the page, `about` is a sentence for the table, `by` = {key, name} what a row of it is
 * (an event) and `whole` the span of all events, to which there is a way back. If `what` is a function of `log`, the reader
 * chooses between the scales, of which `log` is the first.
 */
export async function createFigure(host, { title: usual, unit, name: stem, log = true }) {
  const plot = el("div", { class: "chart__plot" });
  const note = el("span", { class: "chart__unit" });
  const heading = el("h3", {}, usual);
  const dialog = el("dialog", { class: "dialog chart__dialog" });
  const scale = el("button", { class: "chart__scale", type: "button", onclick: rescale, hidden: true }, "log");
  const summary = el("summary", { class: "button button--quiet button--small button--square" }, "⋯");
  const all = el("button", { class: "chart__scale", type: "button", onclick: () => clear(), hidden: true }, "all");
  const menu = el("details", { class: "menu chart__menu", dataset: { menu: "" } }, summary);
  let source = null;
  let [title, name, about, by, over, up] = [usual, stem, "", {}, "event", ""];
  let [whole, clear, span] = [null, () => {}, null]; // `span` where it changed since the figure was shown
  host.replaceChildren(el("header", { class: "chart__head" }, heading, note, all, scale, menu), plot, dialog);
  const chart = await createChart(plot, {
    label: () =>
      `${title}, ${up}. ${chart
        .lines()
        .map((line) => line.name)
        .join(", ")}. The menu beside the title has the numbers as a table.`,
  });
  const visible = () => chart.lines().filter((line) => line.visible !== false);
  const kind = () => {
    const [bands, hollow] = chart.marks();
    return over === "event" && bands.length + hollow.length ? (event) => kindOf(event, bands, hollow) : null;
  };
  const saveCsv = () => save(new Blob([csvOf(visible(), unit, by, kind())], { type: "text/csv" }), `${name}.csv`);
  const saveImage = async (format) =>
    save(await chart.image(format, { title, unit: up, x: over }), `${name}.${format}`);

  function head() {
    heading.textContent = title;
    summary.setAttribute("aria-label", `${title}: save or read`);
    scale.setAttribute("aria-label", `${title}: logarithmic axis`);
    scale.setAttribute("aria-pressed", String(log));
    dialog.setAttribute("aria-label", `${title}: numbers`);
    all.setAttribute("aria-label", `${title}: show all events`);
  }

  /** The way back to all events, while only some are shown. */
  function offerAll(shown) {
    all.hidden = !whole || over !== "event" || String(shown) === String(whole);
  }

  function redraw() {
    const chosen = typeof source === "function";
    const given = chosen ? source(log) : source;
    const what = span ? { ...given, span } : given;
    ({ title = usual, name = stem, about = "", by = {}, whole = null } = what);
    over = what.x?.name ?? "event";
    const { vertical = what.note } = what;
    up = chosen && what.log && !what.y ? `${vertical}, log` : vertical;
    scale.hidden = !chosen;
    note.textContent = what.note;
    offerAll(what.span);
    head();
    return chart.draw(what);
  }

  function rescale() {
    log = !log;
    return redraw();
  }

  function openTable() {
    const close = el("button", { class: "button", type: "button", onclick: () => dialog.close() }, "Close");
    const csv = el("button", { class: "button", type: "button", onclick: saveCsv }, "Save all as CSV");
    const table = tableOf(
      visible(),
      `${title}, ${unit}. ${about}`.trim(),
      by,
      kind(),
      all.hidden ? null : chart.span(),
    );
    dialog.replaceChildren(
      el("h3", {}, title),
      el(
        "div",
        { class: "table-scroll chart__numbers", tabindex: "0", role: "region", "aria-label": `${title}: numbers` },
        table,
      ),
      el("div", { class: "dialog__actions" }, csv, close),
    );
    dialog.showModal();
  }

  const actions = { PNG: () => saveImage("png"), SVG: () => saveImage("svg"), CSV: saveCsv, "Data table": openTable };
  const run = async (label) => {
    menu.open = false;
    try {
      await actions[label]();
    } catch (error) {
      announce(`${title} could not be saved: ${error.message}`);
    }
  };
  const buttons = Object.keys(actions).map((label) =>
    el("button", { type: "button", onclick: () => run(label) }, label),
  );
  menu.append(el("div", { class: "menu__panel" }, buttons));
  head();
  return {
    ...chart,
    listen(to) {
      clear = () => to.clear?.();
      chart.listen(to);
    },
    setSpan(to) {
      span = to;
      chart.setSpan(to);
      offerAll(to);
    },
    show(what) {
      [source, span] = [what, null];
      return redraw();
    },
  };
}
