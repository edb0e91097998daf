/* Pointer, cursor and tooltip of a chart that Plotly has drawn: where events and values lie in it, in pixels. */

import { el } from "../core/dom.js";
import { cssColour } from "../core/series_style.js";
import { createTooltip } from "../core/tooltip.js";
import { isInRuns } from "../core/event_runs.js";
import { number, valueText } from "../core/format.js";
import { nearestIndex } from "../core/sorted_search.js";
import { eventText } from "./axes.js";

const MOVED_PX = 3;

/**
 * Watch `element`, whose `axes` are those of {@link createAxes}; `on()` gives what listens now: {pick(event),
 * range(first, after), clear(), hover(event or null), hoverValue(value or null)}, each or none of them.
 */
export function watchPointer(element, axes, on) {
  const mark = el("div.chart__range", { hidden: true });
  // {event, x, shift}; the frame that describes a hover; where the pointer is
  /** @type {any[]} */
  let [pressed, frame, at] = [null, null, null];
  let over = false;

  function markRange(to) {
    const [left, right] = [axes.xOf(Math.min(pressed.event, to)), axes.xOf(Math.max(pressed.event, to))];
    const { top, height } = axes.box();
    mark.hidden = false;
    Object.assign(mark.style, {
      transform: `translateX(${left}px)`,
      width: `${Math.max(2, right - left)}px`,
      top: `${top}px`,
      height: `${height}px`,
    });
  }

  function hoverAt(clientX) {
    at = clientX;
    frame ??= requestAnimationFrame(() => {
      frame = null;
      if (over) hover(axes.eventAt(at), axes.valueAt(at));
    });
  }

  function hover(event, value) {
    on().hover?.(event);
    if (event === null) on().hoverValue(value);
  }

  function leave() {
    over = false;
    hover(null, null);
  }

  element.addEventListener("pointerdown", (event) => {
    const found = axes.eventAt(event.clientX);
    if (event.button || found === null) return;
    pressed = { event: found, x: event.clientX, shift: event.shiftKey && Boolean(on().range), moved: false };
    element.setPointerCapture(event.pointerId);
    if (event.shiftKey) event.preventDefault(); // no text is selected
    if (!pressed.shift) on().pick?.(found);
  });
  element.addEventListener("pointermove", (event) => {
    over = event.pointerType !== "touch";
    if (over) hoverAt(event.clientX);
    if (!pressed) return;
    pressed.moved ||= Math.abs(event.clientX - pressed.x) > MOVED_PX;
    const found = axes.eventAt(event.clientX);
    if (pressed.shift && pressed.moved) markRange(found);
    else if (!pressed.shift) on().pick?.(found);
  });
  element.addEventListener("pointerup", (event) => {
    const done = pressed;
    end();
    if (!done?.shift || !done.moved) return;
    const found = axes.eventAt(event.clientX);
    on().range(Math.min(done.event, found), Math.max(done.event, found) + 1);
  });
  element.addEventListener("pointercancel", end);
  element.addEventListener("pointerleave", leave);
  element.addEventListener("dblclick", () => on().clear?.());

  function end() {
    pressed = null;
    mark.hidden = true;
  }

  return mark;
}

/**
 * `now` is what is shown, `scaleOf` where its events lie (see axes.js).
 *
 * @param {HTMLElement & Record<string, any>} element
 * @param {() => any} now
 * @param {() => import("./axes.js").EventScale} scaleOf
 */
export function createAxes(element, now, scaleOf) {
  const layout = () => element._fullLayout;
  const ready = () => Boolean(now() && layout()?.xaxis && layout().yaxis);
  const inPlot = (/** @type {number} */ clientX) =>
    clientX - element.getBoundingClientRect().left - layout().xaxis._offset;
  return {
    ready,
    /** The first and the last event or value that is shown. */
    ends: () => (now().x ? layout().xaxis.range.map((/** @type {number} */ at) => layout().xaxis.l2d(at)) : now().span),
    /** Of an event, or of a value on a chart of values. @param {number} at */
    xOf(at) {
      const { xaxis } = layout();
      return xaxis._offset + xaxis.d2p(now().x ? at : scaleOf().place(at));
    },
    box: () => ({ top: layout().yaxis._offset, height: layout().yaxis._length }),
    /** @param {{x: number, y: number}} value */
    pointOf({ x, y }) {
      const { xaxis, yaxis } = layout();
      return [xaxis._offset + xaxis.d2p(x), yaxis._offset + yaxis.d2p(y)];
    },
    /** The event under the pointer; null on a chart of values. @param {number} clientX */
    eventAt(clientX) {
      if (!ready() || now().x) return null;
      const event = scaleOf().eventAt(layout().xaxis.p2l(inPlot(clientX)));
      return Math.max(now().span[0], Math.min(now().span[1], event));
    },
    /** The value of a line's point nearest to the pointer; null on a chart of events. @param {number} clientX */
    valueAt(clientX) {
      if (!ready() || !now().x) return null;
      const [pixel, { xaxis }] = [inPlot(clientX), layout()];
      let [nearest, found] = [Infinity, null];
      for (const { x, visible = true } of now().lines) {
        for (const value of visible ? x : []) {
          const away = Math.abs(xaxis.d2p(value) - pixel);
          if (away < nearest) [nearest, found] = [away, value];
        }
      }
      return found;
    },
  };
}

const WIDE_PX = 700; // a chart in which a tooltip has space for bands and medians

/**
 * @param {HTMLElement} element
 * @param {ReturnType<typeof createAxes>} axes
 * @param {() => any} now what is shown
 * @param {boolean} alone whether the chart has a tooltip of its own on the page; in the large view it has
 */
export function createOverlay(element, axes, now, alone) {
  const [cursor, hair] = ["chart__cursor", "chart__hair"].map((name) => el("div", { class: name, hidden: true }));
  const dots = el("div.chart__dots");
  const tooltip = createTooltip();
  /** @type {number | null} */
  let chosen = null;
  /** @type {number | null} */
  let hovered = null; // an event, or a value where the horizontal axis has values

  const isVisible = (/** @type {{id: string}} */ { id }) =>
    now().lines.some((line) => line.id === id && line.visible !== false);

  function dotsAt(/** @type {number | null} */ event) {
    if (event === null || !axes.ready() || !now().dots) return [];
    return now().dots(event).filter(isVisible).map(dotOf);
  }

  function dotOf(/** @type {any} */ { colour, ...value }) {
    const [x, y] = axes.pointOf(value);
    const style = { transform: `translate(${x}px, ${y}px)`, background: cssColour(colour) };
    return el("span.chart__dot", { style });
  }

  /** @param {HTMLElement} line @param {number | null} at */
  function placeLine(line, at) {
    const [first, last] = axes.ready() ? axes.ends() : [1, 0];
    line.hidden = at === null || at < first || at > last;
    if (at === null || line.hidden) return;
    const { top, height } = axes.box();
    Object.assign(line.style, { transform: `translateX(${axes.xOf(at)}px)`, top: `${top}px`, height: `${height}px` });
  }

  function place() {
    dots.replaceChildren(...dotsAt(chosen));
    placeLine(cursor, axes.ready() && now().x ? null : chosen);
    placeLine(hair, hovered);
    if (hair.hidden || hovered === null) return tooltip.hide();
    if (!alone && !now().x && !element.closest("dialog")) return tooltip.hide();
    const at = { x: axes.xOf(hovered), width: element.clientWidth, height: element.clientHeight };
    tooltip.show(readoutOf(now(), hovered, at.width >= WIDE_PX), at);
  }

  return {
    elements: [hair, cursor, dots, tooltip.element],
    place,
    /** @param {number | null} event */
    moveCursor(event) {
      chosen = event;
      place();
    },
    /** Show the values at the event or value hovered; null for none. @param {number | null} at */
    hover(at) {
      if (hovered === at) return;
      hovered = at;
      place();
    },
  };
}

/** "landmark", "dummy landmark" or "". */
export const kindOf = (event, bands, hollow) =>
  isInRuns(hollow, event) ? "dummy landmark" : isInRuns(bands, event) ? "landmark" : "";

/** The point of a line nearest to `at`; lines over values need not be sorted. */
function indexAt({ x }, at, values) {
  if (!values) return nearestIndex(x, at);
  return x.reduce((best, one, i) => (Math.abs(one - at) < Math.abs(x[best] - at) ? i : best), x.length ? 0 : -1);
}

/** "412 m"; with `more`, "412 m (380 m to 450 m)" or "412 m, median 390 m"; "–" where there is no value. */
function textAt({ y, low, high, median }, i, unit, more) {
  const text = (value) => valueText(value, unit);
  if (i < 0 || y[i] === null || y[i] === undefined) return "–";
  if (!more) return text(y[i]);
  const band = low ? ` (${text(low[i])} to ${text(high[i])})` : "";
  return text(y[i]) + band + (median ? `, median ${text(median.values[i])}` : "");
}

/** Lines in the order of `ids`, those of the legend; as they are without. */
export const inOrder = (lines, ids) => (ids ? [...lines].sort((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id)) : lines);

/**
 * {title, rows} for the tooltip of `shown`, a chart, at an event or value: visible lines in the legend's order,
 * with bands and medians where there is space for `more`.
 */
export function readoutOf(shown, at, more) {
  const { lines, bands, hollow, x, unit = "" } = shown;
  const kind = x ? "" : kindOf(at, bands, hollow);
  const title = x ? `${x.short ?? x.name}: ${number(at, 4)}` : `${eventText(shown, at)}${kind && ` · ${kind}`}`;
  const rows = inOrder(lines, shown.order?.())
    .filter(({ visible = true, x: known }) => visible && known.length > 1)
    .map((line) => {
      const { id, name, short = name, colour, dash } = line;
      return {
        id,
        name: short,
        colour,
        dash,
        value: textAt(line, indexAt(line, at, Boolean(x)), line.unit ?? unit, more),
      };
    });
  return { title, rows };
}
