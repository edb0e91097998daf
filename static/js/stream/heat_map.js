/* The heat map of all dimensions over time: on a canvas, a cell is selected by pointer or arrow keys. */

import { spread } from "../charts/end_labels.js";
import { el } from "../core/dom.js";
import { token } from "../core/series_style.js";
import { clearCanvas, drawUpright, fitted } from "./canvas.js";
import { pixelsOf, rampNow, rasterise } from "./raster.js";

const LABEL_PX = 12; // between names beside it
const TITLE_PX = 14; // left of the names, for the title of the axis
const PAGES = 20; // Page keys move by this part of the rows

/**
 * @typedef {{dimension: number, column: number}} Cell
 * @typedef {import("./raster.js").Shades} Shades
 * @typedef {{cells: Cells, order: number[], signed: boolean, shades: Shades, named: number[], names: string[]}} Shown
 */

/**
 * A heat map in `host`, which decides its height. `draw(shown, scale)` paints it, `mark(cell)` moves the selected cell;
 * `on.select(cell)`, `on.hover(cell or null)` and `on.pin(cell)` report what the reader does.
 *
 * @param {HTMLElement} host
 * @param {{select: (cell: Cell) => void, hover: (cell: Cell | null) => void, pin: (cell: Cell) => void}} on
 */
export function createHeatMap(host, on) {
  const canvas = el("canvas.heat__canvas", { "aria-hidden": "true" });
  const box = el("div.heat__cell", { hidden: true });
  const hover = el("div.heat__cell.heat__cell--hover", { hidden: true });
  const label = "Heat map. Arrow keys move the selected cell, Enter pins its dimension.";
  const area = el(
    "div.heat",
    { tabindex: "0", role: "application", "aria-label": label, "aria-describedby": "cell-values" },
    canvas,
    box,
    hover,
  );
  host.replaceChildren(area);
  /** @type {Shown | null} */
  let shown = null;
  /** @type {PlotScale} */
  let scale;
  /** @type {Cell | null} */
  let selected = null;
  const height = () => area.clientHeight;

  /** @param {HTMLElement} element @param {Cell | null} cell */
  function place(element, cell) {
    const rank = cell && shown ? shown.order.indexOf(cell.dimension) : -1;
    element.hidden = rank < 0;
    if (!cell || !shown || rank < 0) return;
    const [width, tall] = [Math.max(scale.inner / scale.columns, 6), Math.max(height() / shown.order.length, 6)];
    const [x, y] = [scale.middleOf(cell.column), ((rank + 0.5) / shown.order.length) * height()];
    Object.assign(element.style, { width: `${width}px`, height: `${tall}px` });
    const left = Math.min(Math.max(x - width / 2, scale.left), scale.width - width);
    const top = Math.min(Math.max(y - tall / 2, 0), height() - tall);
    element.style.transform = `translate(${left}px, ${top}px)`;
  }

  function paint() {
    if (!shown) return;
    const ctx = clearCanvas(canvas, scale.width, height());
    drawCells(ctx, shown, scale, height());
    drawNames(ctx, shown, scale, height(), selected);
    if (scale.left) drawUpright(ctx, "dimension", height());
    const { width, height: rows } = canvas;
    Object.assign(area.dataset, { rows: Math.min(shown.order.length, rows), first: shown.order[0] ?? "", width });
    place(box, selected);
    hover.hidden = true;
  }

  /** @param {PointerEvent} event @returns {Cell | null} */
  function cellAt(event) {
    if (!shown?.order.length) return null;
    const { left, top } = area.getBoundingClientRect();
    const rank = Math.floor(((event.clientY - top) / height()) * shown.order.length);
    const dimension = shown.order[Math.max(0, Math.min(shown.order.length - 1, rank))];
    return { dimension, column: scale.columnAt(event.clientX - left) };
  }

  watchPointer(area, cellAt, on, (cell) => place(hover, cell));
  area.addEventListener("keydown", (event) => {
    if (!shown || !selected || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" || event.key === " ") on.pin(selected);
    else {
      const to = moved(event.key, selected, shown.order, scale.columns);
      if (!to) return;
      on.select(to);
    }
    event.preventDefault();
  });

  return {
    canvas,
    /** @param {Shown} what @param {PlotScale} to */
    draw(what, to) {
      [shown, scale] = [what, to];
      paint();
    },
    /** @param {Cell} cell */
    mark(cell) {
      const other = selected?.dimension !== cell.dimension;
      selected = cell;
      if (other) paint();
      else place(box, cell);
    },
    /** How many rows of pixels it has. */
    rows: () => Math.round(height() * (window.devicePixelRatio || 1)),
  };
}

/**
 * Where a key leads; null for other keys.
 *
 * @param {string} key
 * @param {Cell} from
 * @param {number[]} order
 * @param {number} columns
 * @returns {Cell | null}
 */
export function moved(key, { dimension, column }, order, columns) {
  const rank = order.indexOf(dimension);
  const page = Math.max(1, Math.round(order.length / PAGES));
  /** @type {Record<string, [number, number]>} */
  const steps = {
    ArrowRight: [rank, column + 1],
    ArrowLeft: [rank, column - 1],
    ArrowDown: [rank + 1, column],
    ArrowUp: [rank - 1, column],
    PageDown: [rank + page, column],
    PageUp: [rank - page, column],
    Home: [rank, 0],
    End: [rank, columns - 1],
  };
  if (!(key in steps) || !order.length) return null;
  const [row, to] = steps[key];
  return {
    dimension: order[Math.max(0, Math.min(order.length - 1, row))],
    column: Math.max(0, Math.min(columns - 1, to)),
  };
}

/**
 * @param {HTMLElement} area
 * @param {(event: PointerEvent) => Cell | null} cellAt
 * @param {{select: (cell: Cell) => void, hover: (cell: Cell | null) => void}} on
 * @param {(cell: Cell | null) => void} preview
 */
function watchPointer(area, cellAt, on, preview) {
  let pressed = false;
  const choose = (/** @type {PointerEvent} */ event) => {
    const cell = cellAt(event);
    if (cell) on.select(cell);
  };
  const hover = (/** @type {Cell | null} */ cell) => {
    preview(cell);
    on.hover(cell);
  };
  area.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    pressed = event.pointerType === "mouse";
    if (pressed) area.setPointerCapture(event.pointerId);
    hover(null);
    choose(event);
  });
  area.addEventListener("pointermove", (event) => {
    if (pressed) choose(event);
    else if (event.pointerType === "mouse") hover(cellAt(event));
  });
  for (const over of ["pointerup", "pointercancel"]) area.addEventListener(over, () => (pressed = false));
  area.addEventListener("pointerleave", () => hover(null));
}

/**
 * @param {CanvasRenderingContext2D} ctx
 * @param {Shown} shown
 * @param {PlotScale} scale
 * @param {number} height
 */
function drawCells(ctx, { cells, order, signed, shades }, scale, height) {
  const ratio = window.devicePixelRatio || 1;
  if (!order.length) return;
  const most = { width: Math.round(scale.inner * ratio), height: Math.round(height * ratio) };
  const raster = rasterise(cells, order, most, signed);
  const image = document.createElement("canvas");
  Object.assign(image, { width: raster.width, height: raster.height });
  const pixels = new ImageData(pixelsOf(raster, shades, rampNow(signed), signed), raster.width, raster.height);
  /** @type {CanvasRenderingContext2D} */ (image.getContext("2d")).putImageData(pixels, 0, 0);
  ctx.imageSmoothingEnabled = false;
  ctx.drawImage(image, scale.left, 0, scale.inner, height);
}

/**
 * Names of pinned dimensions and of the selected one beside their rows; those that would overlap move apart.
 *
 * @param {CanvasRenderingContext2D} ctx
 * @param {Shown} shown
 * @param {PlotScale} scale
 * @param {number} height
 * @param {Cell | null} selected
 */
function drawNames(ctx, { order, named, names }, scale, height, selected) {
  if (!scale.left || !order.length) return;
  const own = selected?.dimension;
  const wanted = own === undefined || named.includes(own) ? named : [...named, own];
  const rows = wanted
    .map((dimension) => ({ dimension, rank: order.indexOf(dimension) }))
    .filter(({ rank }) => rank >= 0)
    .sort((a, b) => a.rank - b.rank)
    .map(({ dimension, rank }) => ({ dimension, y: ((rank + 0.5) / order.length) * height }));
  const half = LABEL_PX / 2;
  const places = spread(
    rows.map(({ y }) => y - half),
    LABEL_PX,
    height - LABEL_PX,
  );
  ctx.textAlign = "right";
  ctx.textBaseline = "middle";
  for (const [i, { dimension, y }] of rows.entries()) {
    const at = places[i] + half;
    const strong = dimension === own;
    ctx.font = `${strong ? "600 " : ""}11px ${token("--sans")}`;
    ctx.fillStyle = ctx.strokeStyle = token(strong ? "--foreground" : "--muted");
    ctx.fillText(fitted(ctx, names[dimension], scale.left - 18 - TITLE_PX), scale.left - 14, at);
    ctx.beginPath();
    ctx.moveTo(scale.left - 11, at);
    ctx.lineTo(scale.left - 7, at);
    ctx.lineTo(scale.left - 1, y);
    ctx.stroke();
  }
}
