/* Home, as the attack on homes takes it: the median, by axis, of the events at home. */

import { distanceM } from "../../map/projection.js";
import { middleAt } from "../simulation/middle.js";

/** The events of runs [start, end). @param {[number, number][]} runs */
export const eventsOf = (runs) =>
  runs.flatMap(([start, end]) => Array.from({ length: end - start }, (_, i) => start + i));

/** [lon, lat] of the middle of what was published for `events`, as `indexOf(event)` finds it; null for nothing. */
function middleOf(track, events, indexOf) {
  const at = events.map(indexOf).filter((i) => i >= 0);
  if (!at.length) return null;
  const first = track.lonAt(at[0]);
  const turned = (lon) => lon - 360 * Math.round((lon - first) / 360);
  const of = (value) => middleAt(Float64Array.from(at, value));
  return [of((i) => turned(track.lonAt(i))), of((i) => track.latAt(i))];
}

/** How far from home the middle of a layer's positions of the events at home lies, metres; null for none. */
export function homeGuess(original, layer, runs) {
  const events = eventsOf(runs);
  const truth = middleOf(original, events, (event) => event);
  const guess = layer.track && middleOf(layer.track, events, (event) => layer.indexOf(event));
  return truth && guess ? distanceM(truth[0], truth[1], guess[0], guess[1]) : null;
}
