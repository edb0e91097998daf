/* What lies over the plot of a chart: the cursor at the event chosen, a line and a tooltip where the pointer is. */

import { el } from "../core/dom.js";
import { cssColour } from "../core/series_style.js";
import { createTooltip } from "../core/tooltip.js";
import { readoutOf } from "./readout.js";

const WIDE_PX = 700; // a chart in which a tooltip has space for bands and medians

/**
 * @param {HTMLElement} element
 * @param {ReturnType<typeof import("./chart_axes.js").createAxes>} axes
 * @param {() => any} now what is shown
 * @param {boolean} alone whether the chart has a tooltip of its own on the page; in the large view it has
 */
export function createOverlay(element, axes, now, alone) {
  const [cursor, hair] = ["chart__cursor", "chart__hair"].map((name) => el("div", { class: name, hidden: true }));
  const dots = el("div", { class: "chart__dots" });
  const tooltip = createTooltip();
  /** @type {number | null} */
  let chosen = null;
  /** @type {number | null} */
  let hovered = null; // an event, or a value where the horizontal axis has values

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
