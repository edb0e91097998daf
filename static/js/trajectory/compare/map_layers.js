/* The original, the releases and the marks as map layers for the maps (see map_panes.js), in the order they lie, and
 * which of them each map shows. No page is needed for this module.
 */

import { nameOf } from "./view_state.js";
import { runsWithin, runsWithout } from "../../core/event_runs.js";
import { partOf, pickedFrom } from "../track.js";

export const ORIGINAL = "original";
export const MARKS = { landmarks: "Landmarks", dummies: "Dummy landmarks", zones: "Zones" };

export const OF_ORIGINAL = { colour: "--foreground", width: 1.8 };
const STRENGTH = 0.85; // of a release's line, when the reader chose nothing
const ERRORS = 0.5; // and of its error lines
const TOP = 90;
const BELOW = 80; // so far below the lines of all lie the error lines

const styles = new WeakMap();
/** The style of a release's line; the same object for the same line. */
function styleOf(lineStyle) {
  const { colour, dash, marker } = lineStyle;
  if (!styles.has(lineStyle)) styles.set(lineStyle, { colour, dash, marker, width: 1.5, fade: true });
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
 * or it is hidden. `drawings` as in legend.js, `drag` as in drag_panel.js: what is simulated is drawn instead
 * of its release. `onStride(k)`: every k-th event in view has an error line, where they are requested.
 */
export function tracksOf({ original, layers, view, lineStyles, titleOf, onStride, drawings, drag }) {
  const order = heights(layers, view);
  const opacity = (id) => view.opacity.get(nameOf(id)) ?? 1;
  const hidden = (id) => view.hidden.has(nameOf(id));
  const lineOf = (id, kind, source, lineStyle, share, more) => ({
    ...{ id, kind, source, lineStyle, opacity: share * opacity(id), order: order.get(id), ...more },
  });
  const first = {
    ...{ id: ORIGINAL, title: "Original", lineStyle: null, owner: true, ready: true, error_m: 0 },
    mapLayer: hidden(ORIGINAL) ? null : lineOf(ORIGINAL, "track", partOf(original, view.range), OF_ORIGINAL, 1),
  };
  const rest = layers.map((layer) => {
    const { id, drawn, ready, track } = layer;
    const lineStyle = lineStyles.get(id);
    const shown = drawn && !hidden(id) && !drag?.replaces(layer);
    const drawing = { drawing: drawings.chosen(id), onDrawing: (...drawnAs) => drawings.note(id, ...drawnAs) };
    const source = view.lines && view.series !== null && shown && linesOf(original, track, view.range, onStride);
    const below = { id: errorsId(id), order: (order.get(id) ?? 0) - BELOW };
    return {
      ...{ id, title: titleOf(layer), lineStyle, owner: false, ready, error_m: errorOf(layer) },
      mapLayer: shown ? lineOf(id, "track", partOf(track, view.range), styleOf(lineStyle), STRENGTH, drawing) : null,
      errors: source ? lineOf(id, "errors", source, styleOf(lineStyle), ERRORS, below) : null,
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
  const shown = marks.filter(({ id }) => !view.hidden.has(id));
  const opacity = (id) => view.opacity.get(id) ?? 1;
  return shown.map(({ id, kind, source }) => ({ id, kind, source, lineStyle: null, opacity: opacity(id), order: 0 }));
}

// Which of them each map shows; `tracks` as tracksOf gives them ------------------------------------

const FAINT = 0.32; // of the original below a release

const byName = (tracks, name) => tracks.find(({ id }) => nameOf(id) === name);

/** The original, then the releases that can be shown: those that are, then the others, the most exact first. */
export function ranked(tracks) {
  const rank = ({ mapLayer }) => (mapLayer ? 0 : 1);
  const [original, ...rest] = [...tracks].sort((a, b) =>
    a.owner ? -1 : b.owner ? 1 : rank(a) - rank(b) || a.error_m - b.error_m,
  );
  return [original, ...rest.filter(({ ready }) => ready)];
}

/** What lies left and right of the divider: what was chosen, else the original and the best release. */
export function sidesOf(tracks, { left, right }) {
  const [original, best] = ranked(tracks);
  return [byName(tracks, left) ?? original, byName(tracks, right) ?? best ?? original];
}

/** What each map shows: what was chosen, else the original and the best releases, at most `most`. */
export function mapsOf(tracks, { maps }, most) {
  const chosen = maps?.map((name) => byName(tracks, name));
  if (chosen?.length > 1 && chosen.every(Boolean)) return chosen;
  const [original, ...rest] = ranked(tracks);
  const shown = rest.filter(({ mapLayer }) => mapLayer);
  return rest.length ? [original, ...(shown.length ? shown : rest)].slice(0, most) : [original, original];
}

/** The names for `n` maps: those `shown`, then the best of the others. */
export function resizedMaps(tracks, shown, n) {
  const unused = ranked(tracks).filter((track) => !shown.includes(track));
  const names = [...shown, ...unused, ...Array(n).fill(shown[0])].map(({ id }) => nameOf(id));
  return names.slice(0, n);
}

/** The map layers of `tracks` that are drawn, with their error lines. */
export const layersOf = (tracks) => tracks.flatMap(({ mapLayer, errors }) => [mapLayer, errors]).filter(Boolean);

/** The lines on one map of a grid: its layer, above the original if `view.faint`. */
export function gridLayers(track, tracks, { faint }) {
  const original = tracks.find(({ owner }) => owner);
  const isBelow = faint && !track.owner && original.mapLayer;
  return [...layersOf([track]), ...(isBelow ? [{ ...original.mapLayer, opacity: FAINT, order: -1 }] : [])];
}
