/* A chart with what belongs to it: title, axes, large view, a menu to save it or to read its numbers. */

import { el, save } from "../core/dom.js";
import { lineSample } from "../core/tooltip.js";
import { createChart } from "./chart.js";
import { createChartMenu, createTableDialog, saveCsv as saveText } from "./chart_menu.js";
import { createChartTools, onOptions, options } from "./chart_options.js";
import { linesCsv, linesTable } from "./chart_table.js";
import { createLargeView } from "./enlarge.js";
import { alongOf, hasTimes } from "./axes.js";
import { inOrder, kindOf } from "./chart_pointer.js";
import { windowText } from "./rolling_median.js";

const HIDDEN = "; values below 0 are not shown";

/**
 * What a figure shows: a chart's lines (see chart.js) and
 *   title, name   instead of the figure's own
 *   note          beside the title; `vertical` is the title of the vertical axis, else it is the note
 *   unit          of the values in tooltips, instead of the figure's own
 *   about         a sentence for the table; `by` = {key, name}: what a row of it is (an event)
 *   whole         the span of all events, to which there is a way back
 *
 * @typedef {Record<string, any>} Shown
 */

/**
 * A figure in `host`. `name` is the stem of its files, `unit` that of its values and of the CSV; `tools` is false where
 * the page has the choice of the axis and of medians elsewhere, and one tooltip for several figures: then the large
 * view alone has them here. `item` is what the lines are over where that is known before they are: the choice has its
 * place from the beginning.
 *
 * Returns the chart with `show(what)` on top. If `what` is a function of `log`, the reader chooses between the scales,
 * of which `log` is the first.
 *
 * @param {HTMLElement} host
 * @param {{title: string, unit: string, name: string, log?: boolean, tools?: boolean, item?: string}} options
 */
export async function createFigure(host, { title, unit, name, log = true, tools = true, item = "" }) {
  const usual = { title, name, unit, note: "", about: "", by: {}, whole: null };
  /** @type {Shown | ((log: boolean) => Shown) | null} */
  let source = null;
  /** @type {any} what is shown, completed */
  let shown = usual;
  /** @type {any} the event chosen, and whose value there is beside the title */
  let here = null;
  let clear = () => {};
  /** @type {[number, number] | null} */
  let span = null; // where it changed since the figure was shown
  const large = createLargeView(host);
  const head = createHead(title, large, { rescale, clear: () => clear() });
  const below = createTools(host, tools);
  if (item) below.fill({ item, ticks: true }, []);
  const plot = el("div.chart__plot");
  const dialog = createTableDialog();
  host.replaceChildren(head.element, below.element, plot, dialog.element, large.dialog);
  const chart = await createChart(plot, { label: () => labelOf(shown, chart.lines()), alone: tools });
  onOptions(() => source && redraw());

  function redraw() {
    const chosen = typeof source === "function";
    const given = typeof source === "function" ? source(log) : source;
    const median = options.median ?? given.median ?? false;
    const what = { ...usual, ...given, along: options.along, median, ...(span && { span }) };
    const { vertical = what.note } = what;
    const y = chosen && what.log && !what.y ? `${vertical}, log${hasNegative(what) ? HIDDEN : ""}` : vertical;
    shown = { ...what, titles: { y } };
    head.fill(shown, chosen ? log : null);
    head.offerAll(canShowAll(shown, what.span));
    const drawn = chart.draw(shown);
    below.fill(shown, chart.lines());
    head.setHere(hereText(chart, here));
    return drawn;
  }

  function rescale() {
    log = !log;
    return redraw();
  }

  const tableSpan = () => (head.offersAll() ? chart.span() : null);
  head.addActions(actionsOf({ chart, unit, dialog, span: tableSpan, shown: () => shown }));
  return {
    ...chart,
    plot,
    enlarge: large.open,
    medianText: () => medianOf(chart.lines()),
    /** The chart's readout of an event, with the title of what is shown. @param {number} event */
    readout(event) {
      const found = chart.readout(event);
      return found ? { ...found, name: shown.title } : null;
    },
    /** Choose an event; what the line `id` has there is beside the title. @param {number} event @param {string} id */
    moveCursor(event, id) {
      here = { event, id };
      chart.moveCursor(event);
      head.setHere(hereText(chart, here));
    },
    /** @param {Record<string, any>} to */
    listen(to) {
      clear = () => to.clear?.();
      chart.listen(to);
    },
    /** @param {[number, number]} to */
    setSpan(to) {
      span = to;
      chart.setSpan(to);
      below.fill(shown, chart.lines());
      head.offerAll(canShowAll(shown, to));
    },
    /** @param {string} id @param {boolean} on */
    setVisible(id, on) {
      chart.setVisible(id, on);
      below.fill(shown, chart.lines());
    },
    /** @param {NonNullable<typeof source>} what */
    show(what) {
      [source, span] = [what, null];
      return redraw();
    },
  };
}

/** "here 412 m": what the line has at the event; "" where it has none. */
function hereText(chart, here) {
  const row = here && chart.readout(here.event)?.rows.find(({ id }) => id === here.id);
  return row ? `here ${row.value}` : "";
}

/** What the menu saves and shows of the visible lines: all, or in the table those in `span()`. */
function actionsOf({ chart, unit, dialog, span, shown }) {
  const visible = () => chart.lines().filter((line) => line.visible !== false);
  const kind = () => {
    const [bands, hollow] = chart.marks();
    if (shown().x || !(bands.length + hollow.length)) return null;
    return (/** @type {number} */ event) => kindOf(event, bands, hollow);
  };
  const saveCsv = () => saveText(linesCsv(visible(), unit, shown().by, kind()), shown().name);
  const saveImage = async (/** @type {"png" | "svg"} */ format) =>
    save(await chart.image(format, shown().title), `${shown().name}.${format}`);
  const showTable = () => {
    const { title, about, by } = shown();
    const table = linesTable(visible(), `${title}, ${unit}. ${about}`.trim(), by, kind(), span());
    dialog.show({ title, table, saveCsv });
  };
  return { PNG: () => saveImage("png"), SVG: () => saveImage("svg"), CSV: saveCsv, "Data table": showTable };
}

/** Whether a visible line has a value that a logarithmic axis has no place for. */
export const hasNegative = ({ lines }) =>
  lines.some(
    ({ y, low, visible = true }) =>
      visible && [...y, ...(low ?? [])].some((/** @type {number | null} */ value) => (value ?? 0) < 0),
  );

/** Whether only some events are shown. @param {any} shown @param {[number, number]} span */
export const canShowAll = ({ whole, x }, span) => Boolean(whole) && !x && String(span) !== String(whole);

/** What the medians that are drawn are of; "" without any. */
export function medianOf(lines) {
  const { median } = lines.find((line) => line.median) ?? {};
  return median ? windowText(median) : "";
}

/** The chart as text, for screen readers. */
const labelOf = ({ title, titles }, lines) =>
  `${title}, ${titles.y}. ${lines.map(({ name }) => name).join(", ")}. ` +
  `The menu beside the title has the numbers as a table.`;

/**
 * Title, note, scale, large view and menu.
 *
 * @param {string} usual
 * @param {ReturnType<typeof createLargeView>} large
 * @param {{rescale: () => void, clear: () => void}} on
 */
function createHead(usual, large, { rescale, clear }) {
  const heading = el("h3", usual);
  const note = el("span.chart__unit.grow.small.muted.clip");
  const scale = el("button.chart__scale", { onclick: rescale, hidden: true }, "log");
  const all = el("button.chart__scale", { onclick: clear, hidden: true }, "all");
  const menu = createChartMenu(usual);
  let [usualNote, here] = ["", ""];

  /** @param {string} title */
  function name(title) {
    heading.textContent = title;
    menu.name(title);
    large.name(title);
    scale.setAttribute("aria-label", `${title}: logarithmic axis`);
    all.setAttribute("aria-label", `${title}: show all events`);
  }
  name(usual);

  return {
    element: el("header.chart__head.line", heading, note, all, scale, large.button, menu.element),
    /** `log` null where there is no choice of scales. @param {any} shown @param {boolean | null} log */
    fill(shown, log) {
      name(shown.title);
      usualNote = shown.vertical === undefined ? "" : shown.note; // else it is beside the axis
      note.textContent = usualNote || here;
      scale.hidden = log === null;
      scale.setAttribute("aria-pressed", String(log ?? false));
    },
    /** @param {string} text */
    setHere(text) {
      here = text;
      note.textContent = usualNote || here;
    },
    /** Show the way back to all events. @param {boolean} on */
    offerAll: (on) => (all.hidden = !on),
    offersAll: () => !all.hidden,
    addActions: menu.add,
  };
}

/**
 * The choices of axis and medians, and in the large view the names of the lines.
 *
 * @param {HTMLElement} host
 * @param {boolean} onPage
 */
function createTools(host, onPage) {
  const tools = createChartTools();
  const legend = el("ul.chart__legend.legend.small", { "aria-label": "Lines" });
  const element = el("div.chart__below", tools.element, legend);
  host.classList.toggle("chart--bare", !onPage);
  return {
    element,
    /** @param {any} shown @param {any[]} lines as they are drawn */
    fill(shown, lines) {
      const along = alongOf(shown);
      const median = medianOf(lines);
      tools.fill({ along, median, item: shown.item, timed: hasTimes(shown), series: !shown.x });
      const visible = inOrder(lines, shown.order?.()).filter(({ visible = true, name }) => visible && name);
      legend.replaceChildren(...visible.map((line) => el("li", lineSample(line), el("span", line.name))));
    },
  };
}
