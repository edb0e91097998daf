/* Parts of tracks, as the map takes them: a range of events, or some of them. */

import { lastAtMost } from "../core/sorted_search.js";
import { joinTracks } from "./track.js";

const parts = new WeakMap(); // the last part of each track: the map draws again what is another object

/** The part of a track that lies in `range` [first, last + 1) of the events; all of it without a range. */
export function partOf(track, range) {
  if (!range) return track;
  const key = range.join();
  const known = parts.get(track);
  if (known?.key === key) return known.part;
  const [start, end] = range.map((event) => indexOf(track, event));
  const part = track.part(start, end);
  parts.set(track, { key, part });
  return part;
}

/** Where the events from `event` on begin in a track. */
const indexOf = (track, event) => (track.event ? lastAtMost(track.event, event - 1) + 1 : Math.min(event, track.n));

/** The event of the i-th place of a track's part. */
export function eventOf(track, range, i) {
  const at = (range ? indexOf(track, range[0]) : 0) + i;
  return track.event ? track.event[at] : at;
}

/** The events of `runs` alone. */
export function pickedFrom(track, runs) {
  return joinTracks(runs.map(([start, end]) => track.part(start, end)));
}
