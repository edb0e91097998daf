/* A canvas as a Leaflet layer: as large as the map, sharp on every screen, redrawn by the frame.
 *
 * When the map was only moved, what is on the canvas is moved with it and the strips that came into sight are drawn,
 * if the layer `keeps` its looks there.
 */

const SLOW_MS = 30; // a picture that takes longer is not redrawn in the middle of a drag

/**
 * A Leaflet layer whose canvas `draw(ctx, view, part)` paints; see {@link viewOf} for `view`. `keeps(view)` says whether
 * it would look as it did but for the move; then `draw` is asked for parts of the picture, with `part` true.
 */
export function canvasLayer({ id, zIndex, draw, keeps = () => false }) {
  const canvas = document.createElement("canvas");
  canvas.className = "map-canvas leaflet-zoom-animated";
  canvas.dataset.layer = id;
  canvas.style.zIndex = zIndex;
  return new (layerClass())({ canvas, draw, keeps });
}

let cached;
function layerClass() {
  cached ??= window.L.Layer.extend({
    initialize({ canvas, draw, keeps }) {
      this.canvas = canvas;
      this._paint = draw;
      this._keeps = keeps;
      this._cost = 0;
    },
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
    redraw() {
      this._last = null; // nothing that is there can be kept
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
      const ratio = Number(this._map.getContainer().dataset.ratio) || window.devicePixelRatio || 1; // paper asks for more
      const [width, height] = [Math.round(view.width * ratio), Math.round(view.height * ratio)];
      if (this.canvas.width !== width || this.canvas.height !== height) {
        Object.assign(this.canvas, { width, height });
        Object.assign(this.canvas.style, { width: `${view.width}px`, height: `${view.height}px` });
      }
      window.L.DomUtil.setPosition(this.canvas, this._map.containerPointToLayerPoint([0, 0]));
      this._drawn = { center: this._map.getCenter(), zoom: this._map.getZoom() };
      const ctx = this.canvas.getContext("2d");
      const moved = this._moved(view, ratio);
      ctx.setTransform(1, 0, 0, 1, 0, 0);
      if (moved) this._shift(ctx, view, ratio, moved);
      else {
        ctx.clearRect(0, 0, width, height);
        ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
        this._paint(ctx, view, false);
      }
      this._last = { ...view, ratio };
      this._cost = performance.now() - began;
      this.canvas.dataset.drawn = String(Number(this.canvas.dataset.drawn ?? 0) + 1);
    },
    /** How far, in whole pixels of the device, what is on the canvas lies from its place; null if it cannot be kept. */
    _moved(view, ratio) {
      const last = this._last;
      if (!last || ["zoom", "width", "height"].some((name) => last[name] !== view[name]) || last.ratio !== ratio)
        return null;
      const by = [(last.left - view.left) * ratio, (last.top - view.top) * ratio];
      const near = Math.abs(by[0]) < (view.width * ratio) / 2 && Math.abs(by[1]) < (view.height * ratio) / 2;
      return near && by.every(Number.isInteger) && this._keeps(view) ? by : null;
    },
    _shift(ctx, view, ratio, [dx, dy]) {
      const { width, height } = this.canvas;
      ctx.globalCompositeOperation = "copy";
      ctx.drawImage(this.canvas, dx, dy);
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
        const part = {
          ...view,
          width: w / ratio,
          height: h / ratio,
          left: view.left + x / ratio,
          top: view.top + y / ratio,
        };
        this._paint(ctx, part, true);
        ctx.restore();
      }
    },
    _zoom({ center, zoom }) {
      if (!this._drawn) return;
      const scale = this._map.getZoomScale(zoom, this._drawn.zoom);
      const corner = this._map.getSize().multiplyBy(-0.5 * scale);
      const offset = corner
        .add(this._map.project(this._drawn.center, zoom))
        .subtract(this._map._getNewPixelOrigin(center, zoom));
      window.L.DomUtil.setTransform(this.canvas, offset, scale);
    },
  });
  return cached;
}

/** Where the unit square lies on the screen: x px = unit x · scale − left, y px = unit y · scale − top. */
export function viewOf(map) {
  const size = map.getSize();
  const corner = map.getPixelBounds().min;
  const zoom = map.getZoom();
  return { width: size.x, height: size.y, zoom, scale: 256 * 2 ** zoom, left: corner.x, top: corner.y };
}
