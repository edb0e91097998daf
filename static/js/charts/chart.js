/* Charts over events. This module alone uses Plotly.
 *
 * Plotly draws; pointer (chart_pointer.js), cursor and menus (figure.js) are the page's own: none of its controls is
 * loaded. A page that shows charts has, in its head, for the content security policy,
 *   <link rel="stylesheet" href="…/css/plotly.css" id="plotly.js-style-global" class="no-inline-styles">
 * (Plotly then adds no style element) and <meta name="plotly" content="…/plotly/plotly.min.js">.
 */

import { $, el } from "../core/dom.js";
import { cssColour, onTheme } from "../core/series_style.js";
import { watchPointer } from "./chart_pointer.js";
import { createReadout } from "./readout.js";
import { layoutOf, published, tracesOf, verticalAxis } from "./traces.js";

// Plotly carries a map library that adds a style element unless one with this id is there; its maps are never used.
const UNUSED_STYLES = "9f215cf04c5486422605d13261cb87401f4e7763b6296af81e98efbc0130da53";
const OPTIONS = { staticPlot: true, responsive: false, displayModeBar: false };
const IMAGE = { width: 760, height: 420 };

/** @type {Promise<any> | null} */
let loading = null;

/** Plotly, loaded with the first chart. */
export function loadPlotly() {
  loading ??= new Promise((resolve, reject) => {
    const unused = document.createElement("meta");
    unused.id = UNUSED_STYLES;
    document.head.append(unused);
    const script = document.createElement("script");
    script.src = $("meta[name=plotly]").content;
    script.addEventListener("load", () => resolve(window.Plotly));
    script.addEventListener("error", () => reject(new Error("The chart library could not be loaded.")));
    document.head.append(script);
  });
  return loading;
}

/**
 * A chart in `element`. `draw({lines, bands, hollow, rules, span, log, x, y, dots})`:
 *   lines  [{id, name, x, y, low, high, colour, dash, marker, step, visible}], a line of one point is a marker
 *   bands  [[start, end), …] of events, `hollow` others of another sort
 *   rules  [{y, label}]   log  of the vertical axis
 *   span   [first, last] event shown, to which the vertical axis is fitted
 *   ticks  {at, text} of the horizontal axis, `pointName(event)` the text of the readout: where there are other
 *          names than numbers of events
 *   ends   true where lines have their names at their right end; a line that is `strong` is the one to see first
 *   uprights [{x}], vertical lines
 *   x      {name, log} where the horizontal axis has values and not events
 *   y      {share} where the vertical one has shares
 *   also   other values that have to fit on the vertical axis, so that charts side by side have the same
 *   dots   (event) => [{id, x, y, colour}], what shows the event where no cursor can
 *
 * @param {HTMLElement & Record<string, any>} element
 * @param {{label: () => string}} options
 */
export async function createChart(element, { label }) {
  const plotly = await loadPlotly();
  /** @type {Record<string, any>} */
  const listeners = {};
  /** @type {any} */
  let shown = null;
  const axes = createAxes(element, () => shown);
  const overlay = createOverlay(element, axes, () => shown);
  const where = { event: axes.eventAt, x: axes.xOf, box: axes.box };
  const range = watchPointer(element, where, () => listeners);

  async function redraw() {
    if (!shown) return;
    const { floor, axis } = verticalAxis(shown);
    await plotly.react(element, tracesOf(shown, floor), layoutOf(shown, axis, element.clientHeight), OPTIONS);
    element.append(range, ...overlay.elements);
    element.classList.toggle("chart__plot--values", Boolean(shown.x));
    element.dataset.span = shown.x ? "" : shown.span.join("-");
    element.setAttribute("role", "img");
    element.setAttribute("aria-label", label());
    overlay.place();
  }

  onTheme(redraw);
  onResize(element, () => shown && plotly.Plots.resize(element).then(overlay.place));

  return {
    draw(/** @type {any} */ what) {
      shown = { bands: [], hollow: [], rules: [], also: [], ...what };
      return redraw();
    },
    /** Show the events of `span` alone, and the values there as high as fits. @param {[number, number]} span */
    setSpan(span) {
      if (!shown || shown.x || String(shown.span) === String(span)) return;
      shown.span = span;
      redraw();
    },
    /** @param {string} id
     * @param {boolean} on */
    setVisible(id, on) {
      const own = shown?.lines.filter((/** @type {any} */ line) => line.id === id) ?? [];
      if (!own.length) return;
      for (const line of own) line.visible = on;
      const traces = element.data.flatMap((/** @type {any} */ { meta }, /** @type {number} */ i) =>
        meta === id ? [i] : [],
      );
      plotly.restyle(element, { visible: on }, traces);
      overlay.place();
    },
    moveCursor: overlay.moveCursor,
    hover: overlay.hover,
    /** {pick(event), range(first, after), clear(), hover(event or null)} receive what the pointer does.
     * @param {Record<string, any>} to */
    listen: (to) => Object.assign(listeners, to),
    /** A data URL of the chart: "png" (three times as sharp) or "svg", with the texts of `caption` = {title, unit, x}.
     * @param {"png" | "svg"} format
     * @param {{title: string, unit: string, x: string}} caption */
    image: (format, caption) =>
      plotly.toImage(published(/** @type {any} */ (element), caption), {
        format,
        ...IMAGE,
        scale: format === "png" ? 3 : 1,
      }),
    lines: () => shown?.lines ?? [],
    span: () => shown?.span ?? null,
    marks: () => [shown?.bands ?? [], shown?.hollow ?? []],
  };
}

/**
 * Where events and values lie in the plot, in pixels.
 *
 * @param {HTMLElement & Record<string, any>} element
 * @param {() => any} now what is shown
 */
function createAxes(element, now) {
  const layout = () => element._fullLayout;
  const ready = () => Boolean(now() && layout()?.xaxis && layout().yaxis);
  return {
    ready,
    /** @param {number} event */
    xOf: (event) => layout().xaxis._offset + layout().xaxis.l2p(event),
    box: () => ({ top: layout().yaxis._offset, height: layout().yaxis._length }),
    /** @param {{x: number, y: number}} value */
    pointOf({ x, y }) {
      const { xaxis, yaxis } = layout();
      return [xaxis._offset + xaxis.d2p(x), yaxis._offset + yaxis.d2p(y)];
    },
    /** The event under the pointer; null on a chart of values. @param {number} clientX */
    eventAt(clientX) {
      if (!ready() || now().x) return null;
      const { xaxis } = layout();
      const event = Math.round(xaxis.p2l(clientX - element.getBoundingClientRect().left - xaxis._offset));
      return Math.max(now().span[0], Math.min(now().span[1], event));
    },
  };
}

/**
 * What lies over the plot: the cursor at the event chosen, a line and a readout at the event hovered, dots of values.
 *
 * @param {HTMLElement} element
 * @param {ReturnType<typeof createAxes>} axes
 * @param {() => any} now what is shown
 */
function createOverlay(element, axes, now) {
  const [cursor, hair] = ["chart__cursor", "chart__hair"].map((name) => el("div", { class: name, hidden: true }));
  const dots = el("div", { class: "chart__dots" });
  const readout = createReadout();
  /** @type {number | null} */
  let chosen = null;
  /** @type {number | null} */
  let hovered = null;

  const isVisible = (/** @type {{id: string}} */ { id }) =>
    now().lines.some((/** @type {any} */ line) => line.id === id && line.visible !== false);

  function dotsAt(/** @type {number | null} */ event) {
    if (event === null || !axes.ready() || !now().dots) return [];
    return now().dots(event).filter(isVisible).map(dotOf);
  }

  function dotOf(/** @type {any} */ { colour, ...value }) {
    const [x, y] = axes.pointOf(value);
    const style = { transform: `translate(${x}px, ${y}px)`, background: cssColour(colour) };
    return el("span", { class: "chart__dot", style });
  }

  /** @param {HTMLElement} line
   * @param {number | null} event */
  function placeLine(line, event) {
    const [first, last] = axes.ready() && !now().x ? now().span : [1, 0];
    line.hidden = event === null || event < first || event > last;
    if (event === null || line.hidden) return;
    const { top, height } = axes.box();
    Object.assign(line.style, {
      transform: `translateX(${axes.xOf(event)}px)`,
      top: `${top}px`,
      height: `${height}px`,
    });
  }

  function place() {
    dots.replaceChildren(...dotsAt(chosen));
    placeLine(cursor, chosen);
    placeLine(hair, hovered);
    if (hair.hidden || hovered === null) readout.hide();
    else readout.show(now(), hovered, { x: axes.xOf(hovered), width: element.clientWidth });
  }

  return {
    elements: [hair, cursor, dots, readout.element],
    place,
    /** @param {number | null} event */
    moveCursor(event) {
      chosen = event;
      place();
    },
    /** Show the values at the event hovered; null for none. @param {number | null} event */
    hover(event) {
      if (hovered === event) return;
      hovered = event;
      place();
    },
  };
}

/**
 * Call `changed` when the width of `element` is another one.
 *
 * @param {HTMLElement} element
 * @param {() => void} changed
 */
function onResize(element, changed) {
  let width = 0;
  new ResizeObserver(([{ contentRect }]) => {
    if (!contentRect.width || Math.abs(contentRect.width - width) < 1) return; // it may be hidden
    width = contentRect.width;
    changed();
  }).observe(element);
}
