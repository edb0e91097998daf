/* The view of the map: fitting boxes, following a new size, moves by the page and by the user distinguished. */

import { mayMove } from "../core/series_style.js";
import { viewOf } from "./canvas_layer.js";
import { latAt, unrolled } from "./projection.js";

const PADDING_PX = 36;
const CLOSEST = 17; // zoom of a fitted box
const MARGIN = -0.06; // of the view: a place nearer to the edge is brought into sight

/**
 * The camera of a Leaflet map in `element`. Longitudes are taken within half a turn of `middle`; `top` pixels at the
 * top and `left` pixels on the left are covered, so that what is fitted stays beside them.
 *
 * @param {HTMLElement} element
 * @param {import("leaflet").Map} leaflet
 * @param {{middle: number, top: number, left?: () => number}} options
 */
export function createCamera(element, leaflet, { middle, top, left = () => 0 }) {
  let covered = top;
  /** @type {[Bounds, number] | null} what the map was fitted to, until the reader moves it: a new size fits it again */
  let fitted = null;
  /** @type {import("leaflet").Point | null} */
  let size = null;
  let movedByPage = false;

  /** @param {Bounds} bounds */
  function fit(bounds, padding = PADDING_PX) {
    fitted = [bounds, padding];
    size = leaflet.getSize();
    const { west, south, east, north } = unrolled(bounds);
    const shift = 360 * Math.round((middle - (west + east) / 2) / 360);
    const [southWest, northEast] = [L.latLng(south, west + shift), L.latLng(north, east + shift)];
    leaflet.fitBounds(L.latLngBounds(southWest, northEast), {
      paddingTopLeft: [padding + left(), padding + covered],
      paddingBottomRight: [padding, padding],
      maxZoom: CLOSEST,
      animate: false,
    });
  }

  function moveByPage(move) {
    movedByPage = true;
    move();
    movedByPage = false;
  }

  function resized() {
    if (!element.clientWidth) return; // hidden
    moveByPage(() => leaflet.invalidateSize({ pan: false }));
    if (fitted && size && !leaflet.getSize().equals(size)) fit(...fitted);
  }

  /** @returns {Camera} */
  function camera() {
    const { lng, lat } = leaflet.getCenter();
    return { lon: lng, lat, zoom: leaflet.getZoom() };
  }

  new ResizeObserver(resized).observe(element);
  for (const moved of ["pointerdown", "wheel", "keydown"]) {
    element.addEventListener(moved, () => (fitted = null), { capture: true });
  }

  return {
    fit,
    resized,
    camera,
    isFitted: () => fitted !== null,
    /** @param {number} pixels now covered at the top */
    cover(pixels) {
      if (covered === pixels) return;
      covered = pixels;
      if (fitted) fit(...fitted);
    },
    setCamera({ lon, lat, zoom }) {
      fitted = null;
      moveByPage(() => leaflet.setView([lat, lon], zoom, /** @type {any} */ ({ animate: false, reset: true })));
    },
    /** @param {(camera: Camera) => void} listener receives every move but those of setCamera */
    onCamera: (listener) => leaflet.on("move", () => movedByPage || listener(camera())),
    /** Pan if a place is not in sight. @param {number} lon @param {number} lat */
    reveal(lon, lat) {
      resized();
      const place = L.latLng(lat, lon + 360 * Math.round((middle - lon) / 360));
      if (leaflet.getBounds().pad(MARGIN).contains(place)) return;
      leaflet.panTo(place, { animate: mayMove(), duration: 0.12 });
    },
    /** The view, as the address of a track's preview describes it; see dashboard/maps/track_encoding.py. */
    view() {
      resized();
      const { width, height, zoom, scale, left, top: above } = viewOf(leaflet);
      const north = latAt(Math.max(0, above / scale));
      return { west: (left / scale - 0.5) * 360, north, width, height, zoom, middle };
    },
  };
}

/** Let Shift and the arrows pan, + and - zoom, for a page that uses the arrows itself. */
export function panWithShift(element, leaflet) {
  /** @type {Record<string, [number, number]>} */
  const steps = { ArrowLeft: [-80, 0], ArrowRight: [80, 0], ArrowUp: [0, -80], ArrowDown: [0, 80] };
  element.addEventListener("keydown", (event) => {
    if (event.target !== element || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.shiftKey && steps[event.key]) leaflet.panBy(steps[event.key], { animate: false });
    else if (event.key === "+" || event.key === "=") leaflet.zoomIn();
    else if (event.key === "-") leaflet.zoomOut();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
}
