/* The layers of a map by id: added, removed, hidden, put in order; what is near a place of the view. */

import { canvasLayer, viewOf } from "./canvas_layer.js";
import { drawErrors } from "./error_lines.js";
import { drawGrid, drawGridLines, drawNamedGrid, drawOutlines, drawPath } from "./grid.js";
import { boxOf, countIn, drawCloud, drawGuesses } from "./guesses.js";
import { drawDots, drawLandmarks } from "./markers.js";
import { peopleLayer } from "./people_layer.js";
import { frameOf, nearestPoint, nearestStep, pointsWithin, positionsOf } from "./positions.js";
import { latAt } from "./projection.js";
import { trackLayer } from "./track_layer.js";
import { drawZones } from "./zone_layer.js";

/** The heights of layers, from the lowest. */
export const ORDER = {
  base: -20,
  names: -10,
  graticule: 0,
  grid: 50,
  cells: 60,
  track: 100,
  degrees: 450,
  zones: 470,
  gridLines: 480,
  landmarks: 500,
  markers: 600,
  guesses: 700,
  selection: 900,
  sketch: 950,
};

/** @typedef {{keeps?: (view: View) => boolean, style?: any, positions?: any, copy?: CopyLayer, box?: () => any,
 *   count?: (view: View) => {n: number, within: number}}} Options `copy(redraw)` draws the same for another view, where
 *   a layer stores what it drew last; `count` and `box` are of the points of a track */
/** @typedef {Map<string, {layer: any, visible: boolean} & Options>} Entries */

const REACH_PX = 14;

/**
 * Layers of a map around longitude `middle`; `changed()` after other tracks are shown.
 *
 * @param {import("leaflet").Map} leaflet
 * @param {number} middle
 * @param {() => void} changed
 */
export function createLayerStack(leaflet, middle, changed = () => {}) {
  /** @type {Entries} */
  const entries = new Map();

  /** Put a layer in place of what had the same id. */
  function put(id, order, /** @type {DrawLayer} */ draw, /** @type {Options} */ { keeps, ...more } = {}) {
    const isReplaced = entries.get(id)?.visible;
    remove(id);
    const layer = canvasLayer({ id, zIndex: order, draw, keeps });
    entries.set(id, { layer, visible: true, copy: () => ({ draw }), ...more });
    layer.addTo(leaflet);
    if (isReplaced) layer.drawNow();
    changed();
  }

  function remove(id) {
    entries.get(id)?.layer.remove();
    entries.delete(id);
    changed();
  }

  const redraw = (id) => entries.get(id)?.layer.redraw();

  function setStyle(id, changes) {
    const entry = entries.get(id);
    if (!entry?.style) return;
    Object.assign(entry.style, changes);
    entry.layer.redraw();
  }

  const changes = {
    setVisible(id, on) {
      const entry = entries.get(id);
      if (!entry || entry.visible === on) return;
      entry.visible = on;
      if (on) entry.layer.addTo(leaflet);
      else entry.layer.remove();
      changed();
    },
    /** Draw a layer again at once, whose data changed. @param {string} id */
    drawNow(id) {
      entries.get(id)?.layer.drawNow();
      changed();
    },
    setStyle,
    setOrder(id, order) {
      const canvas = entries.get(id)?.layer.canvas;
      if (canvas) canvas.style.zIndex = ORDER.track + order;
    },
    setOpacity(id, share) {
      const entry = entries.get(id);
      if (entry?.style && entry.positions) setStyle(id, { opacity: share });
      else if (entry) entry.layer.canvas.style.opacity = share;
    },
  };

  const queries = queriesOf(leaflet, entries, middle);
  const redrawAll = () => entries.forEach(({ layer }) => layer.redraw());
  return { put, remove, redraw, redrawAll, ...additions(put, redraw, middle), ...changes, ...queries };
}

/** What is read of them. @param {import("leaflet").Map} leaflet @param {Entries} entries @param {number} middle */
function queriesOf(leaflet, entries, middle) {
  const tracks = () => [...entries.values()].filter(({ visible, count }) => visible && count);
  const ofPositions = (id, none, read) => {
    const positions = entries.get(id)?.positions;
    return positions ? read(viewOf(leaflet), positions) : none;
  };

  return {
    /** The visible layers, from the lowest. @returns {{id: string, opacity: string, copy: CopyLayer}[]} */
    imageLayers: () =>
      [...entries]
        .filter(([, { visible }]) => visible)
        .sort(([, { layer: a }], [, { layer: b }]) => a.canvas.style.zIndex - b.canvas.style.zIndex)
        .map(([id, { layer, copy }]) => ({ id, opacity: layer.canvas.style.opacity, copy: /** @type {any} */ (copy) })),
    has: (id) => entries.has(id),
    nearest: (id, point, reach = REACH_PX) =>
      ofPositions(id, -1, (view, positions) => nearestPoint(view, positions, point, reach)),
    nearestStep: (id, point, reach = REACH_PX) =>
      ofPositions(id, -1, (view, positions) => nearestStep(view, positions, point, reach)),
    /** @param {string} id @param {Point & {width: number, height: number}} box @returns {number[]} */
    within: (id, box) => ofPositions(id, [], (view, positions) => pointsWithin(view, positions, box)),
    /** [west, south, east, north] around all tracks shown; null around none. */
    bounds: () =>
      boxAround(
        tracks().flatMap(({ box }) => box?.() ?? []),
        middle,
      ),
    /** How many points the tracks shown have, and how many of those are in view. */
    counts() {
      const view = viewOf(leaflet);
      const found = tracks().map(({ count }) => count?.(view) ?? { n: 0, within: 0 });
      return found.reduce((all, { n, within }) => ({ n: all.n + n, within: all.within + within }), { n: 0, within: 0 });
    },
  };
}

/**
 * Layers that are drawn from what they are added with alone.
 *
 * @type {Record<"Zones" | "Grid" | "GridLines" | "NamedGrid" | "Outlines" | "Path" | "Guesses",
 *   {order: number, id?: string, draw: DrawOn<any>}>}
 */
const PLAIN = {
  Zones: { order: ORDER.zones, id: "zones", draw: drawZones },
  Grid: { order: ORDER.grid, draw: drawGrid },
  GridLines: { order: ORDER.gridLines, draw: (ctx, view, { grid }, middle) => drawGridLines(ctx, view, grid, middle) },
  NamedGrid: { order: ORDER.gridLines, draw: drawNamedGrid },
  Outlines: { order: ORDER.cells, draw: drawOutlines },
  Path: { order: ORDER.markers, draw: drawPath },
  Guesses: { order: ORDER.guesses, draw: (ctx, view, { places }, middle) => drawGuesses(ctx, view, places, middle) },
};

/**
 * What adds a layer of each sort, as map.js has it; each replaces what has the same id.
 *
 * @param {(id: string, order: number, draw: DrawLayer, options?: Options) => void} put
 * @param {(id: string) => void} redraw
 * @param {number} middle
 */
function additions(put, redraw, middle) {
  const plain = Object.entries(PLAIN).map(([name, { order: base, draw, ...usual }]) => [
    `add${name}`,
    (/** @type {any} */ { id = usual.id, order = 0, ...style }) =>
      put(id, base + order, (ctx, view) => draw(ctx, view, style, middle), { style }),
  ]);
  /** Lines of a track, as `layerOf(positions, style, redraw)` draws them. */
  const putLines = (/** @type {any} */ { track, ...style }, layerOf) => {
    const positions = positionsOf(track, middle);
    const { draw, keeps } = layerOf(positions, style, () => redraw(style.id));
    put(style.id, ORDER.track + (style.order ?? 0), draw, {
      ...{ keeps, positions, style, box: () => positions.bounds() },
      copy: (again) => layerOf(positions, { ...style, onDrawing: undefined }, again),
      count: (view) => ({
        n: positions.n,
        within: positions.countIn(frameOf(view, positions.middle), [0, 0, view.width, view.height]),
      }),
    });
  };
  return {
    .../** @type {Record<`add${keyof typeof PLAIN}`, (layer: any) => void>} */ (Object.fromEntries(plain)),
    addTrack: (/** @type {any} */ layer) => putLines(layer, trackLayer),
    addPeople: (/** @type {any} */ layer) =>
      putLines(layer, (positions, style, again) => peopleLayer(positions, layer.track.ends, style, again)),
    addMarkers(/** @type {any} */ { id, track, order = 0, ...style }) {
      const positions = positionsOf(track, middle);
      put(id, ORDER.markers + order, (ctx, view) => drawDots(ctx, view, { ...style, positions }), { positions });
    },
    addLandmarks({ id = "landmarks", track, runs }) {
      const positions = positionsOf(track, middle);
      put(id, ORDER.landmarks, (ctx, view) => drawLandmarks(ctx, view, { positions, runs }), { positions });
    },
    /** Its `cloud()` is the present one. @param {{id: string, cloud: () => import("./guesses.js").Cloud}} layer */
    addCloud({ id, cloud }) {
      put(id, ORDER.guesses, (ctx, view) => drawCloud(ctx, view, cloud()), {
        box: () => boxOf(cloud(), middle),
        count: (view) => ({ n: cloud().x.length, within: countIn(cloud(), view) }),
      });
    },
    /** @param {ErrorLines} layer */
    addErrors({ id, original, release, range, colour, order = 0, onStride }) {
      const [from, to] = [original, release].map((track) => positionsOf(track, middle));
      const [first, after] = range ?? [0, original.n];
      const lines = { original: from, release: to, events: release.event, first, after, colour };
      /** @type {DrawLayer} */
      const draw = (ctx, view) => drawErrors(ctx, view, lines);
      put(id, ORDER.track + order, (ctx, view) => onStride?.(drawErrors(ctx, view, lines)), { copy: () => ({ draw }) });
    },
  };
}

/**
 * [west, south, east, north] around boxes of places (see positions.js); null around none.
 *
 * @param {Record<"west" | "south" | "east" | "north", number>[]} boxes
 * @param {number} middle
 * @returns {Bounds | null}
 */
export function boxAround(boxes, middle) {
  if (!boxes.length) return null;
  const lat = (/** @type {number} */ y) => latAt(0.5 + y / 2 ** 32);
  const lon = (/** @type {number} */ d) => middle + d / 1e7;
  return [
    lon(Math.min(...boxes.map(({ west }) => west))),
    lat(Math.max(...boxes.map(({ south }) => south))),
    lon(Math.max(...boxes.map(({ east }) => east))),
    lat(Math.min(...boxes.map(({ north }) => north))),
  ];
}
