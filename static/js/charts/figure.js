/* A chart with what belongs to it: title, unit, the scale of its axis, a menu to save it or to read its numbers. */

import { el, save } from "../core/dom.js";
import { createChart } from "./chart.js";
import { createChartMenu, createTableDialog, saveCsv as saveText } from "./chart_menu.js";
import { csvOf, tableOf } from "./chart_table.js";
import { kindOf } from "./readout.js";

/**
 * What a figure shows: a chart's lines (see chart.js) and
 *   title, name   instead of the figure's own
 *   note          beside the title; `vertical` in its place where the chart is read outside the page
 *   about         a sentence for the table; `by` = {key, name}: what a row of it is (an event)
 *   whole         the span of all events, to which there is a way back
 *
 * @typedef {Record<string, any>} Shown
 */

/**
 * A figure in `host`. `name` is the stem of its files, `unit` goes beside the title and into the CSV.
 *
 * Returns the chart with `show(what)` on top. If `what` is a function of `log`, the reader chooses between the scales,
 * of which `log` is the first.
 *
 * @param {HTMLElement} host
 * @param {{title: string, unit: string, name: string, log?: boolean}} options
 */
export async function createFigure(host, { title, unit, name, log = true }) {
  const usual = { title, name, about: "", by: {}, whole: null };
  /** @type {Shown | ((log: boolean) => Shown) | null} */
  let source = null;
  /** @type {any} what is shown, completed */
  let shown = { ...usual, note: "", over: "event", up: "" };
  let clear = () => {};
  /** @type {[number, number] | null} */
  let span = null; // where it changed since the figure was shown
  const head = createHead(title, { rescale, clear: () => clear() });
  const plot = el("div", { class: "chart__plot" });
  const dialog = createTableDialog();
  host.replaceChildren(head.element, plot, dialog.element);
  const chart = await createChart(plot, { label: () => labelOf(shown, chart.lines()) });
  const numbers = createNumbers(chart, unit, () => shown);

  function redraw() {
    const chosen = typeof source === "function";
    const given = typeof source === "function" ? source(log) : source;
    const what = span ? { ...given, span } : { ...given };
    const { vertical = what.note } = what;
    const up = chosen && what.log && !what.y ? `${vertical}, log` : vertical;
    shown = { ...usual, ...what, over: what.x?.name ?? "event", up };
    head.fill(shown, chosen ? log : null);
    head.offerAll(canShowAll(shown, what.span));
    return chart.draw(what);
  }

  function rescale() {
    log = !log;
    return redraw();
  }

  const saveCsv = () => saveText(numbers.csv(), shown.name);
  const saveImage = async (/** @type {"png" | "svg"} */ format) => {
    const image = await chart.image(format, { title: shown.title, unit: shown.up, x: shown.over });
    save(image, `${shown.name}.${format}`);
  };
  const table = () => numbers.table(head.offersAll() ? chart.span() : null);

  head.addActions({
    PNG: () => saveImage("png"),
    SVG: () => saveImage("svg"),
    CSV: saveCsv,
    "Data table": () => dialog.show({ title: shown.title, table: table(), saveCsv }),
  });
  return {
    ...chart,
    /** @param {Record<string, any>} to */
    listen(to) {
      clear = () => to.clear?.();
      chart.listen(to);
    },
    /** @param {[number, number]} to */
    setSpan(to) {
      span = to;
      chart.setSpan(to);
      head.offerAll(canShowAll(shown, to));
    },
    /** @param {NonNullable<typeof source>} what */
    show(what) {
      [source, span] = [what, null];
      return redraw();
    },
  };
}

/** Whether only some events are shown. @param {any} shown
 * @param {[number, number]} span */
const canShowAll = ({ whole, over }, span) => Boolean(whole) && over === "event" && String(span) !== String(whole);

/** The chart as text, for screen readers. @param {any} shown
 * @param {any[]} lines */
const labelOf = ({ title, up }, lines) =>
  `${title}, ${up}. ${lines.map(({ name }) => name).join(", ")}. The menu beside the title has the numbers as a table.`;

/**
 * Title, note, scale and menu.
 *
 * @param {string} usual
 * @param {{rescale: () => void, clear: () => void}} on
 */
function createHead(usual, { rescale, clear }) {
  const heading = el("h3", {}, usual);
  const note = el("span", { class: "chart__unit" });
  const scale = el("button", { class: "chart__scale", type: "button", onclick: rescale, hidden: true }, "log");
  const all = el("button", { class: "chart__scale", type: "button", onclick: clear, hidden: true }, "all");
  const menu = createChartMenu(usual);

  /** @param {string} title */
  function name(title) {
    heading.textContent = title;
    menu.name(title);
    scale.setAttribute("aria-label", `${title}: logarithmic axis`);
    all.setAttribute("aria-label", `${title}: show all events`);
  }
  name(usual);

  return {
    element: el("header", { class: "chart__head" }, heading, note, all, scale, menu.element),
    /** `log` null where there is no choice of scales. @param {any} shown
     * @param {boolean | null} log */
    fill(shown, log) {
      name(shown.title);
      note.textContent = shown.note;
      scale.hidden = log === null;
      scale.setAttribute("aria-pressed", String(log ?? false));
    },
    /** Show the way back to all events. @param {boolean} on */
    offerAll: (on) => (all.hidden = !on),
    offersAll: () => !all.hidden,
    addActions: menu.add,
  };
}

/**
 * The numbers of the lines that are visible, as CSV and as a table.
 *
 * @param {Pick<Awaited<ReturnType<typeof createChart>>, "lines" | "marks">} chart
 * @param {string} unit
 * @param {() => any} now what is shown
 */
function createNumbers(chart, unit, now) {
  const visible = () => chart.lines().filter((/** @type {any} */ line) => line.visible !== false);
  const kind = () => {
    const [bands, hollow] = chart.marks();
    if (now().over !== "event" || !(bands.length + hollow.length)) return null;
    return (/** @type {number} */ event) => kindOf(event, bands, hollow);
  };
  return {
    csv: () => csvOf(visible(), unit, now().by, kind()),
    /** @param {[number, number] | null} span */
    table: (span) => tableOf(visible(), `${now().title}, ${unit}. ${now().about}`.trim(), now().by, kind(), span),
  };
}
