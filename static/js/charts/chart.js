/* Charts over events. This module alone uses Plotly.
 *
 * Plotly draws; pointer (chart_pointer.js), cursor and menus (figure.js) are the page's own: none of its controls is
 * loaded. A page that shows charts has, in its head, for the content security policy,
 *   <link rel="stylesheet" href="…/css/plotly.css" id="plotly.js-style-global" class="no-inline-styles">
 * (Plotly then adds no style element) and <meta name="plotly" content="…/plotly/plotly.min.js">.
 */

import { el } from "../core/dom.js";
import { loadLibrary } from "../core/once.js";
import { onTheme } from "../core/series_style.js";
import { createAxes, createOverlay, readoutOf, watchPointer } from "./chart_pointer.js";
import { eventScale } from "./axes.js";
import { withMedians } from "./rolling_median.js";
import { layoutOf, published, titlesOf, tracesOf, verticalAxis } from "./traces.js";

// Plotly carries a map library that adds a style element unless one with this id is there; its maps are never used.
const UNUSED_STYLES = "9f215cf04c5486422605d13261cb87401f4e7763b6296af81e98efbc0130da53";
const OPTIONS = { staticPlot: true, responsive: false, displayModeBar: false };
const IMAGE = { width: 760, height: 420 };

/** Plotly, loaded with the first chart. */
export function loadPlotly() {
  if (!document.getElementById(UNUSED_STYLES)) document.head.append(el("meta", { id: UNUSED_STYLES }));
  return loadLibrary("plotly", "Plotly", "The chart library could not be loaded.");
}

/**
 * A chart in `element`. `draw({lines, bands, hollow, rules, span, log, x, y, dots})`:
 *   lines  [{id, name, short, x, y, low, high, colour, dash, marker, step, visible}], a line of one point is a marker
 *   bands  [[start, end), …] of events, `hollow` others of another sort
 *   rules  [{y, label}]   log  of the vertical axis
 *   span   [first, last] event shown, to which the vertical axis is fitted
 *   times  {at, zone}: seconds of each event, for an axis of time; `along` = "time" or "event": which axis
 *   ticks  {at, text} of the horizontal axis, `pointName(event)` the name in the tooltip: where events have names;
 *          `item` is what they are
 *   order  () => ids of lines as the legend lists them, for tooltips
 *   median true for rolling medians over what is drawn
 *   unit   of the values in tooltips     titles   {x, y} of the axes; x is that of the events where it has none
 *   ends   true where lines have their names at their right end; a line that is `strong` is the one to see first
 *   uprights [{x}], vertical lines
 *   x      {name, short, log} where the horizontal axis has values and not events; `short` is its name in tooltips
 *   y      {share} where the vertical one has shares
 *   also   other values that have to fit on the vertical axis, so that charts side by side have the same
 *   dots   (event) => [{id, x, y, colour}], what shows the event where no cursor can
 *
 * @param {HTMLElement & Record<string, any>} element
 * @param {{label: () => string, alone?: boolean}} options `alone` is false where the page shows the values of several
 *   charts together: see `readout`
 */
export async function createChart(element, { label, alone = true }) {
  const plotly = await loadPlotly();
  /** @type {Record<string, any>} */
  const listeners = {};
  let shown;
  let scale = eventScale({});
  const now = () => shown;
  const axes = createAxes(element, now, () => scale);
  const overlay = createOverlay(element, axes, now, alone);
  const range = watchPointer(element, axes, () => ({ ...listeners, hoverValue: overlay.hover }));

  async function redraw() {
    if (!shown) return;
    scale = eventScale(shown);
    if (!shown.x) shown.lines = shown.median ? withMedians(shown.lines, shown.span) : shown.lines.map(withoutMedian);
    const { floor, axis } = verticalAxis(shown);
    const size = { width: element.clientWidth, height: element.clientHeight };
    await plotly.react(element, tracesOf(shown, floor, scale), layoutOf(shown, axis, scale, size), OPTIONS);
    element.append(range, ...overlay.elements);
    element.classList.toggle("chart__plot--values", Boolean(shown.x));
    Object.assign(element.dataset, { span: shown.x ? "" : shown.span.join("-"), along: scale.name });
    element.setAttribute("role", "img");
    element.setAttribute("aria-label", label());
    overlay.place();
  }

  onTheme(redraw);
  onResize(element, redraw);

  return {
    draw(what) {
      shown = { bands: [], hollow: [], rules: [], also: [], ...what };
      return redraw();
    },
    /** Show the events of `span` alone, and the values there as high as fits. @param {[number, number]} span */
    setSpan(span) {
      if (!shown || shown.x || String(shown.span) === String(span)) return;
      shown.span = span;
      redraw();
    },
    /** @param {string} id @param {boolean} on */
    setVisible(id, on) {
      const own = shown?.lines.filter((line) => line.id === id) ?? [];
      if (!own.length) return;
      for (const line of own) line.visible = on;
      const traces = element.data.flatMap(({ meta }, /** @type {number} */ i) => (meta === id ? [i] : []));
      plotly.restyle(element, { visible: on }, traces);
      overlay.place();
    },
    moveCursor: overlay.moveCursor,
    hover: overlay.hover,
    /** {pick(event), range(first, after), clear(), hover(event or null)} receive what the pointer does.
     * @param {Record<string, any>} to */
    listen: (to) => Object.assign(listeners, to),
    /** A data URL of the chart under a title: "png" (three times as sharp) or "svg".
     * @param {"png" | "svg"} format
     * @param {string} title */
    image: (format, title) =>
      plotly.toImage(published(/** @type {any} */ (element), title, titlesOf(shown, scale)), {
        format,
        ...IMAGE,
        scale: format === "png" ? 3 : 1,
      }),
    lines: () => shown?.lines ?? [],
    /** What the lines are at an event, as in chart_pointer.js; null on a chart of values. @param {number} event */
    readout: (event) => (shown && !shown.x ? readoutOf(shown, event, false) : null),
    /** Where an event lies in the plot, px. @param {number} event */
    xOf: (event) => (axes.ready() ? axes.xOf(event) : 0),
    span: () => shown?.span ?? null,
    marks: () => [shown?.bands ?? [], shown?.hollow ?? []],
  };
}

const withoutMedian = ({ median, ...line }) => line;

/** Call `changed` when the size of `element` changes. @param {HTMLElement} element @param {() => void} changed */
function onResize(element, changed) {
  let [width, height] = [0, 0];
  new ResizeObserver(([{ contentRect }]) => {
    const other = Math.abs(contentRect.width - width) >= 1 || Math.abs(contentRect.height - height) >= 1;
    if (!contentRect.width || !other) return; // it may be hidden
    [width, height] = [contentRect.width, contentRect.height];
    changed();
  }).observe(element);
}
