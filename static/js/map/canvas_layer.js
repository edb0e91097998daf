/* A canvas as a Leaflet layer: as large as the map, sharp on every screen, redrawn by the frame.
 *
 * When the map was only moved, what is on the canvas is moved with it and the strips that came into sight are drawn,
 * if the layer `keeps` its image there.
 */

import { el } from "../core/dom.js";

const SLOW_MS = 30; // an image that takes longer is not redrawn in the middle of a drag

/**
 * A Leaflet layer whose canvas `draw(ctx, view, part)` paints; see {@link viewOf} for `view`. `keeps(view)` is true if
 * the view would be the same but for the move; then `draw` paints parts of the view, with `part` true.
 *
 * @param {{id: string, zIndex: number, draw: DrawLayer, keeps?: (view: View) => boolean}} layer
 */
export function canvasLayer({ id, zIndex, draw, keeps = () => false }) {
  const style = { "z-index": String(zIndex) };
  const canvas = el("canvas", { class: "map-canvas leaflet-zoom-animated", dataset: { layer: id }, style });
  return Object.assign(new L.Layer(), METHODS, { canvas, _paint: draw, _keeps: keeps, _cost: 0 });
}

/** @type {Record<string, any>} What Leaflet calls of a layer. */
const METHODS = {
  onAdd(map) {
    map.getPanes().overlayPane.append(this.canvas);
    this.redraw();
  },
  onRemove() {
    cancelAnimationFrame(this._frame);
    this._frame = null;
    this.canvas.remove();
  },
  getEvents() {
    return {
      move: () => this._cost < SLOW_MS && this._soon(),
      moveend: this._soon,
      zoomend: this.redraw,
      viewreset: this.redraw,
      resize: this.redraw,
      zoomanim: this._zoom,
    };
  },
  /** Draw at once, not by the next frame: what replaces a layer would flicker otherwise. */
  drawNow() {
    cancelAnimationFrame(this._frame);
    this._frame = null;
    if (this._map) this._draw();
  },
  redraw() {
    this._last = null; // nothing that is there can be reused
    return this._soon();
  },
  _soon() {
    this._frame ??= requestAnimationFrame(() => {
      this._frame = null;
      if (this._map) this._draw();
    });
    return this;
  },
  _draw() {
    const began = performance.now();
    const view = viewOf(this._map);
    const ratio = Number(this._map.getContainer().dataset.ratio) || window.devicePixelRatio || 1; // more on paper
    const [width, height] = [Math.round(view.width * ratio), Math.round(view.height * ratio)];
    if (this.canvas.width !== width || this.canvas.height !== height) {
      Object.assign(this.canvas, { width, height });
      Object.assign(this.canvas.style, { width: `${view.width}px`, height: `${view.height}px` });
    }
    L.DomUtil.setPosition(this.canvas, this._map.containerPointToLayerPoint([0, 0]));
    this._drawn = { center: this._map.getCenter(), zoom: this._map.getZoom() };
    const ctx = this.canvas.getContext("2d");
    const moved = this._last && movedBy(this._last, view, ratio);
    const isKept = moved && this._keeps(view);
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    if (isKept) shiftImage(ctx, view, ratio, moved, this._paint);
    else {
      ctx.clearRect(0, 0, width, height);
      ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
      this._paint(ctx, view, false);
    }
    this._last = { ...view, ratio };
    this._cost = performance.now() - began;
    this.canvas.dataset.drawn = String(Number(this.canvas.dataset.drawn ?? 0) + 1);
  },
  _zoom({ center, zoom }) {
    if (!this._drawn) return;
    const scale = this._map.getZoomScale(zoom, this._drawn.zoom);
    const corner = this._map.getSize().multiplyBy(-0.5 * scale);
    const offset = corner
      .add(this._map.project(this._drawn.center, zoom))
      .subtract(this._map._getNewPixelOrigin(center, zoom));
    L.DomUtil.setTransform(this.canvas, offset, scale);
  },
};

/**
 * How far, in whole pixels of the device, what was drawn for `last` lies from its place in `view`; null if the two
 * differ in more than a move.
 *
 * @param {View & {ratio: number}} last
 * @param {View} view
 * @param {number} ratio
 * @returns {[number, number] | null}
 */
export function movedBy(last, view, ratio) {
  if (last.zoom !== view.zoom || last.width !== view.width || last.height !== view.height) return null;
  if (last.ratio !== ratio) return null;
  const [dx, dy] = [(last.left - view.left) * ratio, (last.top - view.top) * ratio];
  const near = Math.abs(dx) < (view.width * ratio) / 2 && Math.abs(dy) < (view.height * ratio) / 2;
  return near && Number.isInteger(dx) && Number.isInteger(dy) ? [dx, dy] : null;
}

/** Move what is on the canvas and paint the strips that came into sight. */
function shiftImage(ctx, view, ratio, [dx, dy], paint) {
  const { width, height } = ctx.canvas;
  ctx.globalCompositeOperation = "copy";
  ctx.drawImage(ctx.canvas, dx, dy);
  ctx.globalCompositeOperation = "source-over";
  const strips = [
    [dx > 0 ? 0 : width + dx, 0, Math.abs(dx), height],
    [Math.max(0, dx), dy > 0 ? 0 : height + dy, width - Math.abs(dx), Math.abs(dy)],
  ];
  for (const [x, y, w, h] of strips) {
    if (!w || !h) continue;
    ctx.save();
    ctx.beginPath();
    ctx.rect(x, y, w, h);
    ctx.clip();
    ctx.setTransform(ratio, 0, 0, ratio, x, y);
    const corner = { left: view.left + x / ratio, top: view.top + y / ratio };
    paint(ctx, { ...view, ...corner, width: w / ratio, height: h / ratio }, true);
    ctx.restore();
  }
}

/**
 * Where the unit square lies on the screen: x px = unit x · scale − left, y px = unit y · scale − top.
 *
 * @param {import("leaflet").Map} map
 * @returns {View}
 */
export function viewOf(map) {
  const size = map.getSize();
  const corner = /** @type {import("leaflet").Point} */ (map.getPixelBounds().min);
  const zoom = map.getZoom();
  return { width: size.x, height: size.y, zoom, scale: 256 * 2 ** zoom, left: corner.x, top: corner.y };
}
