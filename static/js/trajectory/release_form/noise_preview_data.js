/* What the view of the noise is drawn over: the original's tracks and landmarks, for its owner's eyes. */

import { get } from "../../core/api.js";
import { unitX, unitY, unrolled, EARTH_RADIUS_M } from "../../map/projection.js";
import { positionsOf } from "../../map/positions.js";
import { seriesOf } from "../people.js";
import { fetchTrack } from "../track.js";

const MOST_EVENTS = 200_000; // a faint line shows the size of the dataset; more points add nothing
const MOST_SERIES = 12;

/** The longest series that are not too much to draw together. */
export function drawable(series) {
  const found = [];
  let events = 0;
  for (const one of [...series].sort((a, b) => b.points - a.points)) {
    if (found.length === MOST_SERIES) break;
    if (events + one.points > MOST_EVENTS) continue;
    events += one.points;
    found.push(one);
  }
  return found;
}

/** {tracks: [{first, n, positions}], box, middle} of a dataset as the API reports it; the box in the unit square. */
export async function loadMapData(dataset, url) {
  const { west, south, east, north, middle } = unrolled(dataset.bounds);
  const series = drawable(await seriesOf(dataset));
  const found = await Promise.all(series.map(({ index }) => fetchTrack(`${url}?series=${index}`, { time: false })));
  const tracks = found.map((track, i) => ({
    first: series[i].first_event,
    n: track.n,
    positions: positionsOf(track, middle),
  }));
  return { tracks, middle, box: { left: unitX(west), right: unitX(east), top: unitY(north), bottom: unitY(south) } };
}

/** Runs [start, end) of landmarks over the whole dataset. */
export const loadRuns = async (url) => (await get(url)).runs;

/** The runs that lie in one track, its events counted from 0. */
export function runsIn({ first, n }, runs) {
  return runs
    .filter(([start, end]) => start < first + n && end > first)
    .map(([start, end]) => [Math.max(start - first, 0), Math.min(end - first, n)]);
}

/** Where the noise is drawn: amid the longest run of landmarks; without any amid the longest track, or the box. */
export function anchorOf({ tracks, box }, runs) {
  /** @type {any[]} */
  let [best, longest] = [null, 0];
  for (const track of tracks) {
    for (const [start, end] of runsIn(track, runs)) {
      if (end - start <= longest) continue;
      longest = end - start;
      best = track.positions.place(Math.floor((start + end) / 2));
    }
  }
  if (best) return { ...best, landmark: true };
  const place =
    tracks.length && tracks[0].n
      ? tracks[0].positions.place(Math.floor(tracks[0].n / 2))
      : { x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2 };
  return { ...place, landmark: false };
}

/** Metres that a length of 1 in the unit square is, at the height y. */
export const metresAt = (y) => (2 * Math.PI * EARTH_RADIUS_M) / Math.cosh((0.5 - y) * 2 * Math.PI);

/**
 * The view {width, height, scale, left, top} that shows the box and a circle of `reach` (unit lengths) around `anchor`,
 * and how many times further away it is than one of the box alone: {view, times}.
 */
export function fit({ box }, anchor, reach, { width, height }) {
  const margin = 18;
  const scaleOf = ({ left, right, top, bottom }) =>
    Math.min((width - 2 * margin) / (right - left), (height - 2 * margin) / (bottom - top));
  const around = { left: anchor.x - reach, right: anchor.x + reach, top: anchor.y - reach, bottom: anchor.y + reach };
  const both = {
    left: Math.min(box.left, around.left),
    right: Math.max(box.right, around.right),
    top: Math.min(box.top, around.top),
    bottom: Math.max(box.bottom, around.bottom),
  };
  const [alone, together] = [Math.min(scaleOf(box), 1e12), Math.min(scaleOf(both), 1e12)];
  return {
    view: viewAt((both.left + both.right) / 2, (both.top + both.bottom) / 2, together, { width, height }),
    times: alone / together,
  };
}

/** The view of `scale` pixels for a length of 1, its middle at (x, y). */
export const viewAt = (x, y, scale, { width, height }) => ({
  width,
  height,
  scale,
  left: x * scale - width / 2,
  top: y * scale - height / 2,
});
