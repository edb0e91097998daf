/* The original, the releases and the marks as pictures for the maps (see map_view.js), in the order they lie. */

import { nameOf } from "./view_state.js";
import { runsWithin, runsWithout } from "../../core/event_runs.js";
import { partOf, pickedFrom } from "../track_parts.js";

export const ORIGINAL = "original";
export const MARKS = { landmarks: "Landmarks", dummies: "Dummy landmarks", zones: "Zones" };

export const OF_ORIGINAL = { colour: "--ink", width: 1.8 };
const STRENGTH = 0.85; // of a release's line, when the reader chose nothing
const ERRORS = 0.5; // and of its error lines
const TOP = 90;
const BELOW = 80; // so far below the lines of all lie the error lines

const styles = new WeakMap();
function styleOf(ink) {
  if (!styles.has(ink))
    styles.set(ink, { colour: ink.colour, dash: ink.dash, marker: ink.marker, width: 1.5, fade: true });
  return styles.get(ink);
}

const linked = new WeakMap(); // the last error lines of each release: the map draws anew what is another object
/** Lines from the events of `original` in `range` to those of a release; `told` hears how many have one. */
function linesOf(original, release, range, told) {
  const key = String(range);
  const known = linked.get(release);
  if (known?.key === key && known.source.original === original) return known.source;
  const source = { original, release, range, told };
  linked.set(release, { key, source });
  return source;
}

/** The id of a release's error lines. */
export const errorsId = (id) => `errors-${id}`;

const errorOf = (layer) => layer?.release.owner_view?.mae_m ?? 0;

/** Ids of original and releases as they are listed: as the reader ordered them, from the top. */
export function listedIds(layers, look) {
  const ids = [ORIGINAL, ...layers.map(({ id }) => id)];
  const rank = (id) => (look.order ?? []).indexOf(nameOf(id));
  const known = ids.filter((id) => rank(id) >= 0).sort((a, b) => rank(a) - rank(b));
  return [...known, ...ids.filter((id) => rank(id) < 0)];
}

/** How high each lies: as listed once they were ordered; else the original on top and the noisiest lowest. */
function heights(layers, look) {
  const byId = new Map(layers.map((layer) => [layer.id, layer]));
  const ids = listedIds(layers, look);
  if (!look.order)
    ids.sort((a, b) => (a === ORIGINAL ? -1 : b === ORIGINAL ? 1 : errorOf(byId.get(a)) - errorOf(byId.get(b))));
  return new Map(ids.map((id, i) => [id, TOP - i]));
}

/**
 * [{id, title, ink, owner, ready, error_m, picture, errors}] as listed; no picture where there is none or it is hidden.
 * `told(k)` hears that of what is seen every k-th event has an error line, where they are asked for.
 */
export function tracksOf({ original, layers, look, inks, titleOf, told }) {
  const order = heights(layers, look);
  const opacity = (id) => look.opacity.get(nameOf(id)) ?? 1;
  const hidden = (id) => look.hidden.has(nameOf(id));
  const own = {
    id: ORIGINAL,
    kind: "track",
    source: partOf(original, look.range),
    ink: OF_ORIGINAL,
    opacity: opacity(ORIGINAL),
    order: order.get(ORIGINAL),
  };
  const first = {
    id: ORIGINAL,
    title: "Original",
    ink: null,
    owner: true,
    ready: true,
    error_m: 0,
    picture: hidden(ORIGINAL) ? null : own,
  };
  const rest = layers.map((layer) => {
    const { id, drawn, charted } = layer;
    const ink = inks.get(id);
    const shown = drawn && !hidden(id);
    const picture = shown && {
      id,
      kind: "track",
      source: partOf(layer.track, look.range),
      ink: styleOf(ink),
      opacity: STRENGTH * opacity(id),
      order: order.get(id),
    };
    const source = look.lines && shown && linesOf(original, layer.track, look.range, told);
    const errors = source
      ? {
          id: errorsId(id),
          kind: "errors",
          source,
          ink: styleOf(ink),
          opacity: ERRORS * opacity(id),
          order: order.get(id) - BELOW,
        }
      : null;
    return {
      id,
      title: titleOf(layer),
      ink,
      owner: false,
      ready: charted,
      error_m: errorOf(layer),
      picture: picture || null,
      errors,
    };
  });
  const all = new Map([first, ...rest].map((one) => [one.id, one]));
  return listedIds(layers, look).map((id) => all.get(id));
}

/** What lies above the lines: [{id, kind, title, count, source}] of the landmarks, their dummies and the zones, if there are. */
export function markSources({ original, runs, dummies, zones, range }) {
  const within = (some) => runsWithin(some, range);
  const size = (some) => some.reduce((sum, [start, end]) => sum + end - start, 0);
  const real = within(runsWithout(runs, dummies ?? []));
  const found = [{ id: "landmarks", count: size(real), source: { track: original, runs: real } }];
  if (dummies)
    found.push({ id: "dummies", count: size(within(dummies)), source: pickedFrom(original, within(dummies)) });
  if (zones) found.push({ id: "zones", count: zones.length, source: zones });
  return found.map((one) => ({ ...one, kind: one.id, title: MARKS[one.id] }));
}

/** Those of them that are drawn, as pictures. */
export function markPictures(marks, look) {
  return marks
    .filter(({ id }) => !look.hidden.has(id))
    .map(({ id, kind, source }) => ({ id, kind, source, ink: null, opacity: look.opacity.get(id) ?? 1, order: 0 }));
}
