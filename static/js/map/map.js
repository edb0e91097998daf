/* The map. The modules of this folder alone use Leaflet; a page includes leaflet/leaflet.js and leaflet/leaflet.css.
 *
 *   const map = createMap(element, { bounds, label, top, keyboard });
 *     bounds     [west, south, east, north]; west > east crosses the antimeridian
 *     label      what the map shows, for screen readers
 *     top        pixels at the top that something covers: what is fitted stays below them
 *     left       () => pixels on the left that something covers
 *     describe   () => what a saved image states of the map; see image/sheet.js
 *     counted    true: how many points of the tracks lie outside of the view is shown on it, see controls.js
 *     keyboard   true (default): arrows pan; false: the page uses the arrows, Shift + arrows pan
 *
 *   map.addTrack({ id, track, colour, width, dash, marker, opacity, fade, order, dots, drawing, onDrawing })
 *     track: see trajectory/track.js; fade: thinner and paler where it would fill the view; dots: false for none;
 *     drawing: "auto", "line", "points" or "density", see track_layer.js
 *   map.addPeople({ id, track, colours, colour, width, opacity, order, drawing, onDrawing })
 *     a track in pieces, each of a colour of its own; see people_layer.js
 *   map.addMarkers({ id, track, colour, radius, hollow, order, most })         dots, unless they are more than `most`
 *   map.addLandmarks({ id, track, runs })             positions of all events; runs [start, end) of landmark events
 *   map.addZones({ id, zones, selected })             zones as the API has them
 *   map.addGrid({ id, grid, pixels, selected })       coloured cells of a grid; see grid.js
 *   map.addGridLines({ id, grid })                    the outline and the cells of a grid; see grid.js
 *   map.addNamedGrid({ id, grid, columns, rows })     the same with names of columns and rows
 *   map.addOutlines({ id, boxes, texts, colour })     boxes with numbers   map.addPath({ id, points, texts, colour })
 *   map.addGuesses({ id, places })                    an adversary's target places and guesses; see guesses.js
 *   map.addCloud({ id, cloud })                       dots that change by the frame, see guesses.js: map.drawNow(id)
 *   map.addErrors({ id, original, release, range, colour, order, onStride })  lines between events of whole tracks,
 *     all or those of range [first, after); onStride(k): every k-th event in sight has one
 *     each replaces what had the same id; colour: "#rrggbb", "--token" or { light, dark }
 *   map.remove(id)   map.setVisible(id, on)   map.setStyle(id, changes)
 *   map.setOrder(id, order)   map.setOpacity(id, share)     height and strength of a layer
 *   map.nearest(id, point, reach = 14)                index of the point under the pointer, or -1
 *   map.nearestStep(id, point, reach = 14)            the point that ends the step under the pointer
 *   map.within(id, box)                               indices of the points in {x, y, width, height}
 *   map.select({ lon, lat, landmark, circles, links } | null)   the chosen event; see markers.js
 *   map.sketch(shape | null)                          what is being drawn; see zone_layer.js
 *   map.use(tool | null)                              what presses and clicks do; see gestures.js
 *   map.handles(list, on)   map.focusHandle(id)       what can be moved; see handles.js
 *   map.clip({ id: "left" | "right" } | null, at)     layers cut at a share of the width; see layer_clip.js
 *   map.onClick(f)  map.onHover(f)                    f({ lon, lat, point, shift }); hover gives null on leaving
 *   map.point(lon, lat)                               where a place is, in pixels
 *   map.setHome(bounds | null)                        what the button for fitting shows where there are no tracks
 *   map.viewBox()                                     the sides of the view in degrees
 *   map.fit  map.isFitted  map.reveal  map.camera  map.setCamera  map.onCamera  map.cover  map.resized  map.view
 *     see camera.js
 */

import { mayMove, onTheme } from "../core/series_style.js";
import { addBaseMap } from "./basemap.js";
import { createCamera, panWithShift } from "./camera.js";
import { viewOf } from "./canvas_layer.js";
import { addButton, addScale, watchOutside } from "./controls.js";
import { createGestures } from "./gestures.js";
import { drawDegrees, drawGraticule } from "./graticule.js";
import { createHandles } from "./handles.js";
import { createClip } from "./layer_clip.js";
import { createLayerStack, ORDER } from "./layer_stack.js";
import { drawSelection } from "./markers.js";
import { near, unrolled } from "./projection.js";
import { drawSketch } from "./zone_layer.js";

const FIT = "M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10";
const SAVE = "M8 2.5v7.5M4.5 7 8 10.5 11.5 7M2.5 13.5h11";
/** @type {Bounds} */
const WORLD = [-180, -60, 180, 75];

/**
 * A map in `element`.
 *
 * @param {HTMLElement} element
 * @param {{bounds?: Bounds | null, label?: string, top?: number, left?: () => number,
 *   keyboard?: boolean, counted?: boolean, describe?: () => any}} options
 */
export function createMap(element, options = {}) {
  const { bounds = null, label = "Map", top = 0, left, keyboard = true, counted = false, describe } = options;
  const { middle } = unrolled(bounds ?? WORLD);
  const nearMiddle = (/** @type {number} */ lon) => near(lon, middle);
  const leaflet = createLeaflet(element, label, keyboard);
  const camera = createCamera(element, leaflet, { middle, top, left });
  camera.fit(bounds ?? WORLD);
  /** @type {(() => void) | null} */
  let outside = null;
  const stack = createLayerStack(leaflet, middle, () => outside?.());
  const { put, redraw, redrawAll, imageLayers, bounds: shownBounds, counts, ...layers } = stack;
  const clip = createClip(leaflet, element);
  const gestures = createGestures(element, leaflet, pointerOf);
  const handles = createHandles(leaflet, nearMiddle);

  let home = bounds;
  let showsAll = false; // the button fits everything shown, and from there where the map began
  function fitAll() {
    const all = showsAll ? null : shownBounds();
    showsAll = all !== null;
    camera.fit(all ?? home ?? WORLD);
  }

  addButton(leaflet, { label: "Fit the map", path: FIT, onClick: fitAll });
  const unknown = () => ({ title: element.getAttribute("aria-label") ?? label, entries: [], published: [], file: [] });
  const source = { element, imageLayers, view: () => viewOf(leaflet), clip, middle, describe: describe ?? unknown };
  const save = async () => (await import("./image/save_dialog.js")).openSaveDialog(source);
  addButton(leaflet, { label: "Save the map", path: SAVE, onClick: save });
  addScale(leaflet);
  const showAll = () => camera.fit(shownBounds() ?? home ?? WORLD);
  if (counted) outside = watchOutside(element, leaflet, { count: counts, showAll });
  addBaseMap(leaflet, { put, remove: layers.remove, redraw }, middle, nearMiddle);
  put("graticule", ORDER.graticule, drawGraticule);
  put("degrees", ORDER.degrees, drawDegrees);
  /** @type {any} */
  let selected = null;
  put("selection", ORDER.selection, (ctx, view) => selected && drawSelection(ctx, view, selected, middle));
  /** @type {any} */
  let sketched = null;
  put("sketch", ORDER.sketch, (ctx, view) => sketched && drawSketch(ctx, view, sketched, middle));
  onTheme(redrawAll);
  if (!keyboard) panWithShift(element, leaflet);

  return {
    ...layers,
    ...camera,
    clip: clip.set,
    select(event) {
      selected = event;
      redraw("selection");
    },
    sketch(shape) {
      sketched = shape;
      redraw("sketch");
    },
    use: gestures.use,
    handles: handles.set,
    focusHandle: handles.focus,
    focus: () => element.focus({ preventScroll: true }),
    /** @param {Bounds | null} to */
    setHome: (to) => (home = to),
    viewBox() {
      const view = leaflet.getBounds();
      return { west: view.getWest(), south: view.getSouth(), east: view.getEast(), north: view.getNorth() };
    },
    /** @param {number} lon @param {number} lat @returns {Point} */
    point(lon, lat) {
      const { x, y } = leaflet.latLngToContainerPoint([lat, nearMiddle(lon)]);
      return { x, y };
    },
    /** @param {(at: Pointer) => void} listener */
    onClick: (listener) => leaflet.on("click", (event) => listener(pointerOf(event))),
    /** @param {(at: Pointer | null) => void} listener */
    onHover(listener) {
      leaflet.on("mousemove", (event) => listener(pointerOf(event)));
      leaflet.on("mouseout", () => listener(null));
    },
  };
}

function createLeaflet(element, label, keyboard) {
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
  L.control.zoom({ position: "topright", zoomInTitle: "Zoom in", zoomOutTitle: "Zoom out" }).addTo(leaflet);
  return leaflet;
}

/**
 * Where a Leaflet event is.
 *
 * @param {Pick<import("leaflet").LeafletMouseEvent, "latlng" | "containerPoint" | "originalEvent">} event
 * @returns {Pointer}
 */
const pointerOf = (event) => ({
  lon: event.latlng.lng,
  lat: event.latlng.lat,
  point: { x: event.containerPoint.x, y: event.containerPoint.y },
  shift: event.originalEvent?.shiftKey ?? false,
});
