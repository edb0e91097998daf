/* The layers of a map by id: added, removed, hidden, put in order; what is near a place of the view. */

import { canvasLayer, viewOf } from "./canvas_layer.js";
import { drawOutlines, drawPath } from "./cell_layer.js";
import { drawErrors } from "./error_lines.js";
import { boxOf, countIn, drawCloud } from "./cloud.js";
import { drawGrid } from "./grid_layer.js";
import { drawGridLines, drawNamedGrid } from "./grid_lines.js";
import { drawGuesses } from "./guesses.js";
import { drawDots, drawLandmarks } from "./markers.js";
import { peopleLayer } from "./people_layer.js";
import { nearestStep } from "./people_steps.js";
import { frameOf, nearestPoint, pointsWithin, positionsOf } from "./positions.js";
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

/** @typedef {import("./grid_layer.js").Shown} GridShown */
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

  /**
   * Put a layer in place of what had the same id.
   *
   * @param {string} id
   * @param {number} order
   * @param {DrawLayer} draw
   * @param {Options} options
   */
  function put(id, order, draw, { keeps, ...more } = {}) {
    const isReplaced = entries.get(id)?.visible;
    remove(id);
    const layer = canvasLayer({ id, zIndex: order, draw, keeps });
    entries.set(id, { layer, visible: true, copy: () => ({ draw }), ...more });
    layer.addTo(leaflet);
    if (isReplaced) layer.drawNow();
    changed();
  }

  /** @param {string} id */
  function remove(id) {
    entries.get(id)?.layer.remove();
    entries.delete(id);
    changed();
  }

  /** @param {string} id */
  const redraw = (id) => entries.get(id)?.layer.redraw();

  /** @param {string} id @param {any} changes */
  function setStyle(id, changes) {
    const entry = entries.get(id);
    if (!entry?.style) return;
    Object.assign(entry.style, changes);
    entry.layer.redraw();
  }

  const changes = {
    /** @param {string} id @param {boolean} on */
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
    /** @param {string} id @param {number} order */
    setOrder(id, order) {
      const canvas = entries.get(id)?.layer.canvas;
      if (canvas) canvas.style.zIndex = ORDER.track + order;
    },
    /** @param {string} id @param {number} share */
    setOpacity(id, share) {
      const entry = entries.get(id);
      if (entry?.style) setStyle(id, { opacity: share });
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

  return {
    /** The visible layers, from the lowest. @returns {{id: string, opacity: string, copy: CopyLayer}[]} */
    imageLayers: () =>
      [...entries]
        .filter(([, { visible }]) => visible)
        .sort(([, { layer: a }], [, { layer: b }]) => a.canvas.style.zIndex - b.canvas.style.zIndex)
        .map(([id, { layer, copy }]) => ({ id, opacity: layer.canvas.style.opacity, copy: /** @type {any} */ (copy) })),
    /** @param {string} id */
    has: (id) => entries.has(id),
    /** @param {string} id */
    isVisible: (id) => entries.get(id)?.visible ?? false,
    /** @param {string} id @param {Point} point */
    nearest(id, point, reach = REACH_PX) {
      const positions = entries.get(id)?.positions;
      return positions ? nearestPoint(viewOf(leaflet), positions, point, reach) : -1;
    },
    /** @param {string} id @param {Point} point */
    nearestStep(id, point, reach = REACH_PX) {
      const positions = entries.get(id)?.positions;
      return positions ? nearestStep(viewOf(leaflet), positions, point, reach) : -1;
    },
    /** @param {string} id @param {Point & {width: number, height: number}} box */
    within(id, box) {
      const positions = entries.get(id)?.positions;
      return positions ? pointsWithin(viewOf(leaflet), positions, box) : [];
    },
    /** [west, south, east, north] around all tracks shown; null around none. */
    bounds: () =>
      boxAround(
        tracks()
          .map(({ box }) => box?.())
          .filter(Boolean),
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
 * What adds a layer of each sort; each replaces what has the same id.
 *
 * @param {(id: string, order: number, draw: DrawLayer, options?: any) => void} put
 * @param {(id: string) => void} redraw
 * @param {number} middle
 */
function additions(put, redraw, middle) {
  /** @param {import("./positions.js").Positions} positions */
  const counted = (positions) => ({
    box: () => positions.bounds(),
    count: (/** @type {View} */ view) => ({
      n: positions.n,
      within: positions.countIn(frameOf(view, positions.middle), [0, 0, view.width, view.height]),
    }),
  });
  return {
    /** @param {{track: TrackData, id: string, order?: number} & Record<string, any>} layer */
    addTrack({ track, ...style }) {
      const positions = positionsOf(track, middle);
      const { draw, keeps } = trackLayer(positions, style, () => redraw(style.id));
      const copy = (/** @type {() => void} */ again) =>
        trackLayer(positions, { ...style, onDrawing: undefined }, again);
      put(style.id, ORDER.track + (style.order ?? 0), draw, { keeps, positions, style, copy, ...counted(positions) });
    },
    /** @param {{track: TrackData, id: string, order?: number} & Record<string, any>} layer */
    addPeople({ track, ...style }) {
      const positions = positionsOf(track, middle);
      const { draw, keeps } = peopleLayer(positions, track.ends, style, () => redraw(style.id));
      const copy = (/** @type {() => void} */ again) =>
        peopleLayer(positions, track.ends, { ...style, onDrawing: undefined }, again);
      put(style.id, ORDER.track + (style.order ?? 0), draw, { keeps, positions, style, copy, ...counted(positions) });
    },
    /** @param {{track: TrackData, id: string, order?: number} & Record<string, any>} layer */
    addMarkers({ track, ...style }) {
      const positions = positionsOf(track, middle);
      /** @type {any} */
      const dots = { ...style, positions };
      put(style.id, ORDER.markers + (style.order ?? 0), (ctx, view) => drawDots(ctx, view, dots), { positions });
    },
    /** @param {{id?: string, track: TrackData, runs: Run[]}} layer */
    addLandmarks({ id = "landmarks", track, runs }) {
      const shown = { positions: positionsOf(track, middle), runs };
      put(id, ORDER.landmarks, (ctx, view) => drawLandmarks(ctx, view, shown), shown);
    },
    /** @param {{id?: string, zones: Zone[], selected?: number}} layer */
    addZones({ id = "zones", zones, selected = -1 }) {
      put(id, ORDER.zones, (ctx, view) => drawZones(ctx, view, { zones, selected }, middle));
    },
    /** Its style are pixels and the selected cell. @param {{id: string} & GridShown} layer */
    addGrid({ id, ...style }) {
      put(id, ORDER.grid, (ctx, view) => drawGrid(ctx, view, style, middle), { style });
    },
    /** @param {{id: string, grid: import("./grid_layer.js").Grid}} layer */
    addGridLines({ id, grid }) {
      put(id, ORDER.gridLines, (ctx, view) => drawGridLines(ctx, view, grid, middle));
    },
    /** @param {{id: string, grid: import("./grid_layer.js").Grid, columns: string[], rows: string[]}} layer */
    addNamedGrid({ id, ...named }) {
      put(id, ORDER.gridLines, (ctx, view) => drawNamedGrid(ctx, view, named, middle));
    },
    /** @param {{id: string, order?: number} & import("./cell_layer.js").Outlines} layer */
    addOutlines({ id, order = 0, ...outlines }) {
      put(id, ORDER.cells + order, (ctx, view) => drawOutlines(ctx, view, outlines, middle));
    },
    /** @param {{id: string, order?: number} & import("./cell_layer.js").Path} layer */
    addPath({ id, order = 0, ...path }) {
      put(id, ORDER.markers + order, (ctx, view) => drawPath(ctx, view, path, middle));
    },
    /** @param {{id: string, places: Guess[]}} layer */
    addGuesses({ id, places }) {
      put(id, ORDER.guesses, (ctx, view) => drawGuesses(ctx, view, places, middle));
    },
    /** Its `cloud()` is the present one. @param {{id: string, cloud: () => import("./cloud.js").Cloud}} layer */
    addCloud({ id, cloud }) {
      put(id, ORDER.guesses, (ctx, view) => drawCloud(ctx, view, cloud()), {
        box: () => boxOf(cloud(), middle),
        count: (/** @type {View} */ view) => ({ n: cloud().x.length, within: countIn(cloud(), view) }),
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
