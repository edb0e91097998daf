/* What is known of one event: the circles of its noise, and each release's error and budget there. */

import { isInRuns } from "../../core/event_runs.js";
import { metres, number } from "../../core/format.js";
import { distanceM } from "../../map/projection.js";
import { eventOf } from "../track_parts.js";
import { ORIGINAL } from "./map_layers.js";

/** @type {[number, number, string, string][]} */
const QUANTILES = [
  [0.5, 1.6783469900166605, "", "50 %"],
  [0.95, 4.743864518390577, "7 4", "95 %"],
];

/** Circles that hold half and 95 % of what a release's noise could have made of this event; none once smoothed. */
function circlesAt({ series }, event, layer) {
  const budget = layer?.visible && !layer.release.postprocess.length ? layer.budgetAt(series, event) : null;
  if (!budget) return [];
  const perMetre = budget / layer.release.mechanism.radius_m;
  return QUANTILES.map(([, quantile, dash, label]) => ({
    radius_m: quantile / perMetre,
    dash,
    label,
    colour: "--foreground",
  }));
}

/** Where the releases of `layers` put the event: ends of lines from the original. */
function linksAt(event, layers, lineStyles) {
  return layers.flatMap((layer) => {
    const i = layer.indexOf(event);
    return i < 0
      ? []
      : [{ lon: layer.track.lonAt(i), lat: layer.track.latAt(i), colour: lineStyles.get(layer.id).colour }];
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
  const drawn =
    budget === null
      ? ""
      : budget
        ? `ε = ${number(budget)}`
        : `${layer.release.postprocess.length ? "estimated" : "repeated"}, ε = 0`;
  return `this event: ${metres(error)} · ${drawn}`;
}
