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

const guesses = new WeakMap(); // the last one of each track: it is shown again and again

/** How far from home the middle of a layer's positions of the events at home lies, metres; null for none. */
export function homeGuess(original, layer, runs) {
  const { track } = layer;
  if (!track) return null;
  const known = guesses.get(track);
  if (known?.original === original && known.runs === runs) return known.away;
  const events = eventsOf(runs);
  const truth = middleOf(original, events, (event) => event);
  const guess = middleOf(track, events, (event) => layer.indexOf(event));
  const away = truth && guess ? distanceM(truth[0], truth[1], guess[0], guess[1]) : null;
  guesses.set(track, { original, runs, away });
  return away;
}
