/* The map. This file and layers/ alone know Leaflet; a page includes leaflet/leaflet.js and leaflet/leaflet.css.
 *
 *   const map = createMap(element, { bounds, label, top, keyboard });
 *     bounds     [west, south, east, north]; west > east crosses the antimeridian
 *     label      what the map shows, for screen readers
 *     top        pixels at the top that something covers: what is fitted stays below them
 *     keyboard   true (default): arrows pan; false: the page uses the arrows, Shift + arrows pan
 *
 *   map.addTrack({ id, track, colour, width, dash, marker, opacity, fade, order, dots })
 *     track: see trajectory/track.js; fade: thinner and paler where it would fill the picture; dots: false for none
 *   map.addMarkers({ id, track, colour, radius, hollow, order, most })             dots, unless they are more than `most`
 *   map.addLandmarks({ id, track, runs })             positions of all events; runs [start, end) of landmark events
 *   map.addZones({ id, zones, selected })             zones as the API has them
 *   map.addGuesses({ id, places })                    places that an adversary was after; see guesses.js
 *   map.addErrors({ id, original, release, range, colour, order, told })   lines between two whole tracks' events, all or
 *     those of range [first, after); told(k): every k-th event of what is seen has one
 *     each replaces what had the same id; colour: "#rrggbb", "--token" or { light, dark }
 *   map.remove(id)   map.setVisible(id, on)   map.isVisible(id)   map.setStyle(id, changes)
 *   map.select({ lon, lat, landmark, circles, links } | null)   the chosen event; see markers.js
 *   map.nearest(id, point, reach = 14)                index of the point under the pointer, or -1
 *   map.fit(bounds, padding)   map.reveal(lon, lat)   pans only if the place is not in sight
 *   map.onClick(f)  map.onHover(f)                    f({ lon, lat, point, shift }); hover gives null on leaving
 *   map.use(tool | null)                              what presses and clicks do; see gestures.js
 *   map.sketch(shape | null)                          what is being drawn; see zone_layer.js
 *   map.handles(list, on)   map.focusHandle(id)       what can be moved; see handles.js
 *   map.within(id, box)   map.point(lon, lat)         points in {x, y, width, height}; where a place is, in pixels
 *   map.view()                                        the picture, as an address asks for it; see dashboard/maps/track_encoding.py
 *   map.setOrder(id, order)   map.setOpacity(id, share)   what lies over what; how strong a layer is
 *   map.clip({ id: "left" | "right" } | null, at)     layers cut at a share of the width; see layer_clip.js
 *   map.camera()   map.setCamera(camera)              {lon, lat, zoom} of the middle
 *   map.cover(top)                                    another number of pixels is covered at the top
 *   map.isFitted()                                    nobody has moved it since it was fitted to something
 *   map.onCamera(f)                                   f(camera) hears every move but those of setCamera
 *   map.resized()   map.redraw()   map.focus()   map.picture()      promises a canvas with all that is seen
 */

import { announce, save } from "../core/dom.js";
import { mayMove, onTheme } from "../core/series_style.js";
import { addBaseMap } from "./basemap.js";
import { canvasLayer, viewOf } from "./canvas_layer.js";
import { createClip } from "./layer_clip.js";
import { drawErrors } from "./error_lines.js";
import { createGestures } from "./gestures.js";
import { latAt, near, unrolled } from "./projection.js";
import { drawDegrees, drawGraticule } from "./graticule.js";
import { drawGuesses } from "./guesses.js";
import { createHandles } from "./handles.js";
import { drawDots, drawLandmarks, drawSelection } from "./markers.js";
import { mapImage } from "./map_image.js";
import { nearestPoint, pointsWithin, positionsOf } from "./positions.js";
import { addButton, addScale } from "./controls.js";
import { trackLayer } from "./track_layer.js";
import { drawSketch, drawZones } from "./zone_layer.js";

const ORDER = {
  graticule: 0,
  track: 100,
  degrees: 450,
  zones: 470,
  landmarks: 500,
  markers: 600,
  guesses: 700,
  selection: 900,
  sketch: 950,
};
const FIT = "M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10";
const SAVE = "M8 2.5v7.5M4.5 7 8 10.5 11.5 7M2.5 13.5h11";
const WORLD = [-180, -60, 180, 75];

/** A map in `element`. */
export function createMap(element, { bounds = null, label = "Map", top = 0, keyboard = true } = {}) {
  const L = window.L;
  const box = unrolled(bounds ?? WORLD);
  const middle = box.middle;
  element.classList.add("map");
  element.setAttribute("role", "region");
  element.setAttribute("aria-label", label);
  element.tabIndex = 0;
  const leaflet = L.map(element, {
    attributionControl: false,
    zoomControl: false,
    zoomSnap: 0.25,
    zoomDelta: 0.75,
    wheelPxPerZoomLevel: 100,
    maxZoom: 22,
    minZoom: 1,
    keyboard,
    boxZoom: false, // Shift-drag belongs to the pages
    zoomAnimation: mayMove(),
    fadeAnimation: false,
    inertia: mayMove(),
  });
  L.control.zoom({ position: "topright", zoomInTitle: "Closer", zoomOutTitle: "Farther" }).addTo(leaflet);
  const entries = new Map(); // id -> { layer, style, positions, visible }

  let covered = top;
  let fitted = null; // what the map was fitted to, until the reader moves it: a new size fits it again
  let size = null;

  function fit(to, padding = 36) {
    fitted = [to, padding];
    size = leaflet.getSize();
    const { west, south, east, north } = unrolled(to);
    const shift = 360 * Math.round((middle - (west + east) / 2) / 360);
    leaflet.fitBounds(
      [
        [south, west + shift],
        [north, east + shift],
      ],
      {
        paddingTopLeft: [padding, padding + covered],
        paddingBottomRight: [padding, padding],
        maxZoom: 17,
        animate: false,
      },
    );
  }

  function put(id, order, draw, { keeps, ...more } = {}) {
    remove(id);
    const layer = canvasLayer({ id, zIndex: order, draw, keeps });
    entries.set(id, { layer, visible: true, ...more });
    layer.addTo(leaflet);
    return layer;
  }

  function remove(id) {
    entries.get(id)?.layer.remove();
    entries.delete(id);
  }

  /** Everything shown, and from there back to where the map began. */
  let showsAll = false;
  function fitAll() {
    const boxes = [...entries.values()]
      .filter(({ visible, style }) => visible && style)
      .map(({ positions }) => positions.bounds());
    const around = boxAround(boxes.filter(Boolean), middle);
    showsAll = !showsAll && around !== null;
    fit(showsAll ? around : (bounds ?? WORLD));
  }

  fit(bounds ?? WORLD);
  addButton(leaflet, { label: "Fit the map", path: FIT, onClick: fitAll });
  addButton(leaflet, { label: "Save the map as PNG", path: SAVE, onClick: saveImage });
  addScale(leaflet);
  addBaseMap(leaflet, (lon) => near(lon, middle));
  put("graticule", ORDER.graticule, drawGraticule);
  put("degrees", ORDER.degrees, drawDegrees);
  let chosen = null;
  put("selection", ORDER.selection, (ctx, view) => chosen && drawSelection(ctx, view, chosen, middle));
  let sketched = null;
  put("sketch", ORDER.sketch, (ctx, view) => sketched && drawSketch(ctx, view, sketched, middle));
  const redraw = () => entries.forEach(({ layer }) => layer.redraw());
  onTheme(redraw);
  let movedByPage = false; // moved by the page and not by the reader
  const resized = () => {
    if (!element.clientWidth) return; // hidden
    movedByPage = true;
    leaflet.invalidateSize({ pan: false });
    movedByPage = false;
    if (fitted && !leaflet.getSize().equals(size)) fit(...fitted);
  };
  new ResizeObserver(resized).observe(element);
  for (const moved of ["pointerdown", "wheel", "keydown"])
    element.addEventListener(moved, () => (fitted = null), { capture: true });
  if (!keyboard) panWithShift(element, leaflet);

  const pointer = (event) => ({
    lon: event.latlng.lng,
    lat: event.latlng.lat,
    point: { x: event.containerPoint.x, y: event.containerPoint.y },
    shift: event.originalEvent?.shiftKey ?? false,
  });
  const gestures = createGestures(element, leaflet, pointer);
  const handles = createHandles(leaflet, (lon) => near(lon, middle));
  const clip = createClip(leaflet, element);
  const image = () => mapImage(element, { cutOf: clip.of, split: clip.at() });

  async function saveImage() {
    const sheet = await image();
    const name = element
      .getAttribute("aria-label")
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, "-");
    sheet.toBlob((png) => save(png, `${name}.png`));
    announce("The map is saved as a picture.");
  }

  const camera = () => {
    const { lng, lat } = leaflet.getCenter();
    return { lon: lng, lat, zoom: leaflet.getZoom() };
  };

  return {
    addTrack({ track, ...style }) {
      const positions = positionsOf(track, middle);
      const { draw, keeps } = trackLayer(positions, style);
      put(style.id, ORDER.track + (style.order ?? 0), draw, { keeps, positions, style });
    },
    addMarkers({ track, ...style }) {
      const dots = { ...style, positions: positionsOf(track, middle) };
      put(dots.id, ORDER.markers + (dots.order ?? 0), (ctx, view) => drawDots(ctx, view, dots), {
        positions: dots.positions,
      });
    },
    addLandmarks({ id = "landmarks", track, runs }) {
      const shown = { positions: positionsOf(track, middle), runs };
      put(id, ORDER.landmarks, (ctx, view) => drawLandmarks(ctx, view, shown), shown);
    },
    addZones({ id = "zones", zones, selected = -1 }) {
      put(id, ORDER.zones, (ctx, view) => drawZones(ctx, view, { zones, selected }, middle));
    },
    addGuesses({ id, places }) {
      put(id, ORDER.guesses, (ctx, view) => drawGuesses(ctx, view, places, middle));
    },
    addErrors({ id, original, release, range, colour, order = 0, onStride }) {
      const [from, to] = [original, release].map((track) => positionsOf(track, middle));
      const [first, after] = range ?? [0, original.n];
      const lines = { original: from, release: to, events: release.event, first, after, colour };
      put(id, ORDER.track + order, (ctx, view) => onStride?.(drawErrors(ctx, view, lines)));
    },
    remove,
    has: (id) => entries.has(id),
    isVisible: (id) => entries.get(id)?.visible ?? false,
    setVisible(id, on) {
      const entry = entries.get(id);
      if (!entry || entry.visible === on) return;
      entry.visible = on;
      if (on) entry.layer.addTo(leaflet);
      else entry.layer.remove();
    },
    setStyle(id, changes) {
      const entry = entries.get(id);
      if (!entry?.style) return;
      Object.assign(entry.style, changes);
      entry.layer.redraw();
    },
    setOrder(id, order) {
      const canvas = entries.get(id)?.layer.canvas;
      if (canvas) canvas.style.zIndex = ORDER.track + order;
    },
    setOpacity(id, share) {
      const entry = entries.get(id);
      if (entry?.style) this.setStyle(id, { opacity: share });
      else if (entry) entry.layer.canvas.style.opacity = share;
    },
    clip: clip.set,
    camera,
    cover(pixels) {
      if (covered === pixels) return;
      covered = pixels;
      if (fitted) fit(...fitted);
    },
    isFitted: () => fitted !== null,
    setCamera({ lon, lat, zoom }) {
      fitted = null;
      movedByPage = true;
      leaflet.setView([lat, lon], zoom, { animate: false, reset: true });
      movedByPage = false;
    },
    onCamera: (listener) => leaflet.on("move", () => movedByPage || listener(camera())),
    select(event) {
      chosen = event;
      entries.get("selection").layer.redraw();
    },
    nearest(id, point, reach = 14) {
      const positions = entries.get(id)?.positions;
      return positions ? nearestPoint(viewOf(leaflet), positions, point, reach) : -1;
    },
    focus: () => element.focus({ preventScroll: true }),
    fit,
    reveal(lon, lat) {
      resized();
      const at = [lat, lon + 360 * Math.round((middle - lon) / 360)];
      if (!leaflet.getBounds().pad(-0.06).contains(at)) leaflet.panTo(at, { animate: mayMove(), duration: 0.12 });
    },
    within(id, box) {
      const positions = entries.get(id)?.positions;
      return positions ? pointsWithin(viewOf(leaflet), positions, box) : [];
    },
    point(lon, lat) {
      const { x, y } = leaflet.latLngToContainerPoint([lat, near(lon, middle)]);
      return { x, y };
    },
    use: gestures.use,
    sketch(shape) {
      sketched = shape;
      entries.get("sketch").layer.redraw();
    },
    handles: handles.set,
    focusHandle: handles.focus,
    onClick: (listener) => leaflet.on("click", (event) => listener(pointer(event))),
    onHover(listener) {
      leaflet.on("mousemove", (event) => listener(pointer(event)));
      leaflet.on("mouseout", () => listener(null));
    },
    view() {
      resized();
      const { width, height, zoom, scale, left, top } = viewOf(leaflet);
      return { west: (left / scale - 0.5) * 360, north: latAt(Math.max(0, top / scale)), width, height, zoom, middle };
    },
    resized,
    redraw,
    image,
  };
}

/** [west, south, east, north] around boxes of places (see positions.js); null around none. */
function boxAround(boxes, middle) {
  if (!boxes.length) return null;
  const edge = (name, most) => most(...boxes.map((box) => box[name]));
  const lat = (y) => latAt(0.5 + y / 2 ** 32);
  const lon = (d) => middle + d / 1e7;
  return [
    lon(edge("west", Math.min)),
    lat(edge("south", Math.max)),
    lon(edge("east", Math.max)),
    lat(edge("north", Math.min)),
  ];
}

function panWithShift(element, leaflet) {
  const ways = { ArrowLeft: [-80, 0], ArrowRight: [80, 0], ArrowUp: [0, -80], ArrowDown: [0, 80] };
  element.addEventListener("keydown", (event) => {
    if (event.target !== element || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.shiftKey && ways[event.key]) leaflet.panBy(ways[event.key], { animate: false });
    else if (event.key === "+" || event.key === "=") leaflet.zoomIn();
    else if (event.key === "-") leaflet.zoomOut();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
}
