/* Which layers the maps of the comparison show. No page is needed for this module.
 *
 * `tracks` as tracksOf in map_layers.js gives them, from the top; `view` as in view_state.js.
 */

import { nameOf } from "./view_state.js";

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
