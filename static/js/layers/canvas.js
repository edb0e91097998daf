/* A canvas as a Leaflet layer: as large as the map, sharp on every screen, redrawn by the frame. */

const SLOW_MS = 30; // a picture that takes longer is not redrawn in the middle of a drag

/** A Leaflet layer whose canvas `draw(ctx, view)` paints; see {@link viewOf} for `view`. */
export function canvasLayer({ id, zIndex, draw }) {
  const canvas = document.createElement("canvas");
  canvas.className = "map-canvas leaflet-zoom-animated";
  canvas.dataset.layer = id;
  canvas.style.zIndex = zIndex;
  return new (layerClass())({ canvas, draw });
}

let cached;
function layerClass() {
  cached ??= window.L.Layer.extend({
    initialize({ canvas, draw }) {
      this.canvas = canvas;
      this._paint = draw;
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
        move: () => this._cost < SLOW_MS && this.redraw(),
        moveend: this.redraw,
        zoomend: this.redraw,
        viewreset: this.redraw,
        resize: this.redraw,
        zoomanim: this._zoom,
      };
    },
    redraw() {
      this._frame ??= requestAnimationFrame(() => {
        this._frame = null;
        if (this._map) this._draw();
      });
      return this;
    },
    _draw() {
      const began = performance.now();
      const view = viewOf(this._map);
      const ratio = window.devicePixelRatio || 1;
      const [width, height] = [Math.round(view.width * ratio), Math.round(view.height * ratio)];
      if (this.canvas.width !== width || this.canvas.height !== height) {
        Object.assign(this.canvas, { width, height });
        Object.assign(this.canvas.style, { width: `${view.width}px`, height: `${view.height}px` });
      }
      window.L.DomUtil.setPosition(this.canvas, this._map.containerPointToLayerPoint([0, 0]));
      this._drawn = { center: this._map.getCenter(), zoom: this._map.getZoom() };
      const ctx = this.canvas.getContext("2d");
      ctx.setTransform(1, 0, 0, 1, 0, 0);
      ctx.clearRect(0, 0, width, height);
      ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
      this._paint(ctx, view);
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
