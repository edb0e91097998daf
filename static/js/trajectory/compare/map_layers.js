/* The original, the releases and the marks as map layers for the maps (see map_view.js), in the order they lie. */

import { nameOf } from "./view_state.js";
import { runsWithin, runsWithout } from "../../core/event_runs.js";
import { partOf, pickedFrom } from "../track_parts.js";

export const ORIGINAL = "original";
export const MARKS = { landmarks: "Landmarks", dummies: "Dummy landmarks", zones: "Zones" };

export const OF_ORIGINAL = { colour: "--foreground", width: 1.8 };
const STRENGTH = 0.85; // of a release's line, when the reader chose nothing
const ERRORS = 0.5; // and of its error lines
const TOP = 90;
const BELOW = 80; // so far below the lines of all lie the error lines

const styles = new WeakMap();
function styleOf(lineStyle) {
  if (!styles.has(lineStyle))
    styles.set(lineStyle, {
      colour: lineStyle.colour,
      dash: lineStyle.dash,
      marker: lineStyle.marker,
      width: 1.5,
      fade: true,
    });
  return styles.get(lineStyle);
}

const linked = new WeakMap(); // the last error lines of each release: the map draws again what is another object
/** Lines from the events of `original` in `range` to those of a release; `onStride` receives how many have one. */
function linesOf(original, release, range, onStride) {
  const key = String(range);
  const known = linked.get(release);
  if (known?.key === key && known.source.original === original) return known.source;
  const source = { original, release, range, onStride };
  linked.set(release, { key, source });
  return source;
}

/** The id of a release's error lines. */
export const errorsId = (id) => `errors-${id}`;

const errorOf = (layer) => layer?.release.owner_view?.mae_m ?? 0;

/** Ids of original and releases as they are listed: as the reader ordered them, from the top. */
export function listedIds(layers, view) {
  const ids = [ORIGINAL, ...layers.map(({ id }) => id)];
  const rank = (id) => (view.order ?? []).indexOf(nameOf(id));
  const known = ids.filter((id) => rank(id) >= 0).sort((a, b) => rank(a) - rank(b));
  return [...known, ...ids.filter((id) => rank(id) < 0)];
}

/** How high each lies: as listed once they were ordered; else the original on top and the noisiest lowest. */
function heights(layers, view) {
  const byId = new Map(layers.map((layer) => [layer.id, layer]));
  const ids = listedIds(layers, view);
  if (!view.order)
    ids.sort((a, b) => (a === ORIGINAL ? -1 : b === ORIGINAL ? 1 : errorOf(byId.get(a)) - errorOf(byId.get(b))));
  return new Map(ids.map((id, i) => [id, TOP - i]));
}

/**
 * [{id, title, lineStyle, owner, ready, error_m, mapLayer, errors}] as listed; `mapLayer` is null where there is none
 * or it is hidden. `drawings` as in release_drawings.js, `drag` as in drag_panel.js: what is simulated is drawn instead
 * of its release. `onStride(k)`: every k-th event in view has an error line, where they are requested.
 */
export function tracksOf({ original, layers, view, lineStyles, titleOf, onStride, drawings, drag }) {
  const order = heights(layers, view);
  const opacity = (id) => view.opacity.get(nameOf(id)) ?? 1;
  const hidden = (id) => view.hidden.has(nameOf(id));
  const own = {
    id: ORIGINAL,
    kind: "track",
    source: partOf(original, view.range),
    lineStyle: OF_ORIGINAL,
    opacity: opacity(ORIGINAL),
    order: order.get(ORIGINAL),
  };
  const first = {
    id: ORIGINAL,
    title: "Original",
    lineStyle: null,
    owner: true,
    ready: true,
    error_m: 0,
    mapLayer: hidden(ORIGINAL) ? null : own,
  };
  const rest = layers.map((layer) => {
    const { id, drawn, ready } = layer;
    const lineStyle = lineStyles.get(id);
    const shown = drawn && !hidden(id) && !drag?.replaces(layer);
    const mapLayer = shown && {
      id,
      kind: "track",
      source: partOf(layer.track, view.range),
      lineStyle: styleOf(lineStyle),
      opacity: STRENGTH * opacity(id),
      order: order.get(id),
      drawing: drawings.chosen(id),
      onDrawing: (drawing, classes) => drawings.note(id, drawing, classes),
    };
    const source = view.lines && view.series !== null && shown && linesOf(original, layer.track, view.range, onStride);
    const errors = source
      ? {
          id: errorsId(id),
          kind: "errors",
          source,
          lineStyle: styleOf(lineStyle),
          opacity: ERRORS * opacity(id),
          order: (order.get(id) ?? 0) - BELOW,
        }
      : null;
    return {
      id,
      title: titleOf(layer),
      lineStyle,
      owner: false,
      ready,
      error_m: errorOf(layer),
      mapLayer: mapLayer || null,
      errors,
    };
  });
  const all = new Map([first, ...rest].map((one) => [one.id, one]));
  return listedIds(layers, view).map((id) => all.get(id));
}

/**
 * What lies above the lines: [{id, kind, title, count, source}] of the landmarks, their dummies and the zones, if there
 * are. `place(runs)` are the runs of the original's points where it has not all of the events.
 */
export function markSources({ original, runs, dummies, zones, range, place = (some) => some }) {
  const within = (some) => runsWithin(some, range);
  const size = (some) => some.reduce((sum, [start, end]) => sum + end - start, 0);
  const real = within(runsWithout(runs, dummies ?? []));
  const found = [{ id: "landmarks", count: size(real), source: { track: original, runs: place(real) } }];
  if (dummies)
    found.push({ id: "dummies", count: size(within(dummies)), source: pickedFrom(original, place(within(dummies))) });
  if (zones) found.push({ id: "zones", count: zones.length, source: zones });
  return found.map((one) => ({ ...one, kind: one.id, title: MARKS[one.id] }));
}

/** Those of them that are drawn, as map layers. */
export function markLayers(marks, view) {
  return marks
    .filter(({ id }) => !view.hidden.has(id))
    .map(({ id, kind, source }) => ({
      id,
      kind,
      source,
      lineStyle: null,
      opacity: view.opacity.get(id) ?? 1,
      order: 0,
    }));
}
