/* The event that is looked at: the circles of its noise, each release's error and budget there, and the keys of the
 * comparison: arrows step through the events, Escape shows all of them again.
 */

import { stepOf } from "../../components/timeline.js";
import { isInRuns } from "../../core/event_runs.js";
import { metres, number } from "../../core/format.js";
import { distanceM } from "../../map/projection.js";
import { eventOf } from "../track.js";
import { ORIGINAL } from "./map_layers.js";

/** Of planar Laplace noise of rate 1. */
const QUANTILES = [
  { quantile: 1.6783469900166605, dash: "", label: "50 %" },
  { quantile: 4.743864518390577, dash: "7 4", label: "95 %" },
];

/** Circles that hold half and 95 % of what a release's noise could have made of this event; none once smoothed. */
function circlesAt({ series }, event, layer) {
  const budget = layer?.visible && !layer.release.postprocess.length ? layer.budgetAt(series, event) : null;
  if (!budget) return [];
  const perMetre = budget / layer.release.mechanism.radius_m;
  return QUANTILES.map(({ quantile, ...ring }) => ({ ...ring, radius_m: quantile / perMetre, colour: "--foreground" }));
}

/** Where the releases of `layers` put the event: ends of lines from the original. */
function linksAt(event, layers, lineStyles) {
  return layers.flatMap((layer) => {
    const i = layer.indexOf(event);
    const { colour } = lineStyles.get(layer.id);
    return i < 0 ? [] : [{ lon: layer.track.lonAt(i), lat: layer.track.latAt(i), colour }];
  });
}

/** The event whose point a map shows there: the original's, where it is drawn; null for none. */
export function eventNear(map, point, reach, { original, layers, view }) {
  for (const { id, track } of [{ id: ORIGINAL, track: original }, ...layers]) {
    const i = track ? map.nearest(id, point, reach) : -1;
    if (i >= 0) return eventOf(track, view.range, i);
  }
  return null;
}

/** What a map that shows the layers of these ids selects of an event (see map.select), with the noise of `active`. */
export function selectionOf(event, ids, { original, layers, runs, cursor, lineStyles, active }) {
  const [lon, lat] = [original.lonAt(event), original.latAt(event)];
  const there = layers.filter(({ id }) => ids.includes(id));
  const noisy = there.includes(active) || there.length > 1 ? active : there[0];
  const circles = circlesAt(cursor, event, noisy);
  return { lon, lat, landmark: isInRuns(runs, event), links: linksAt(event, there, lineStyles), circles };
}

/** A release's error and budget at the event, as text. */
export function cursorText({ series, event }, layer, original) {
  if (!layer.drawn || !original) return "";
  const i = layer.indexOf(event);
  if (i < 0) return "this event: left out";
  const error = distanceM(original.lonAt(event), original.latAt(event), layer.track.lonAt(i), layer.track.latAt(i));
  const budget = layer.budgetAt(series, event);
  const undrawn = layer.release.postprocess.length ? "estimated, " : "repeated, ";
  const drawn = budget === null ? "" : `${budget ? "" : undrawn}ε = ${number(budget)}`;
  return `this event: ${metres(error)} · ${drawn}`;
}

const PAGING = ["PageUp", "PageDown", "Home", "End", "ArrowUp", "ArrowDown"]; // they scroll, unless the map has them

/** Listen; `now()` = {event, n, whole}, `on.step(event)` and `on.all()`. */
export function watchKeys(now, on) {
  document.addEventListener("keydown", (event) => {
    const target = /** @type {Element} */ (event.target);
    const { event: at, n, whole } = now();
    if (event.key === "Escape" && !event.defaultPrevented && !target.closest("dialog, details[open]") && !whole)
      on.all();
    if (target.closest("input:not([type=checkbox]), select, textarea, dialog, [role=slider]") || event.defaultPrevented)
      return;
    if (target.closest("main, .map") === null && target !== document.body) return;
    if (PAGING.includes(event.key) && !target.closest(".map")) return;
    const to = stepOf(event, at, n);
    if (to === null) return;
    event.preventDefault();
    on.step(to);
  });
}
