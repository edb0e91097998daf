/* What the view of the noise is drawn over, the original's tracks and landmarks for its owner's eyes, and errors that
 * have given quantiles.
 */

import { uniforms } from "../../core/uniforms.js";
import { get } from "../../core/api.js";
import { unitX, unitY, unrolled } from "../../map/projection.js";
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

/** {tracks: [{first, n, positions, time}], box, middle} of a dataset of the API; the box in the unit square. */
export async function loadMapData(dataset, url) {
  const { west, south, east, north, middle } = unrolled(dataset.bounds);
  const series = drawable(await seriesOf(dataset));
  const found = await Promise.all(series.map(({ index }) => fetchTrack(`${url}?series=${index}`)));
  const tracks = found.map((track, i) => ({
    first: series[i].first_event,
    n: track.n,
    time: track.time,
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

/** The event shown first, counted over all tracks: amid the longest run of landmarks, else amid the first track. */
export function firstEvent(tracks, runs) {
  let [best, longest, before] = [Math.floor((tracks[0]?.n ?? 0) / 2), 0, 0];
  for (const track of tracks) {
    for (const [start, end] of runsIn(track, runs)) {
      if (end - start <= longest) continue;
      longest = end - start;
      best = before + Math.floor((start + end) / 2);
    }
    before += track.n;
  }
  return best;
}

/**
 * Event `i` over all tracks: its place, its number in the dataset, its time or null, whether it is a landmark; without
 * any event the middle of the box.
 */
export function eventAt({ tracks, box }, runs, i) {
  let at = i;
  for (const { first, n, positions, time } of tracks) {
    if (at < n) {
      const event = first + at;
      const landmark = runs.some(([start, end]) => event >= start && event < end);
      return { ...positions.place(at), event, time: time ? time[at] : null, landmark };
    }
    at -= n;
  }
  return { x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2, event: null, time: null, landmark: false };
}

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

// Errors -----------------------------------------------------------------------------------

const [DOTS, SEED] = [200, 1];
const [HALF, MOST] = [1.67834699, 4.74386452]; // quantiles of planar Laplace noise of rate 1

/** How far noise of rate 1 moves a share `u` of positions at most: the root of 1 - (1 + r) exp(-r) = u. */
function quantile(u) {
  let r = 1;
  for (let i = 0; i < 40; i += 1) r = Math.max(r - (1 - (1 + r) * Math.exp(-r) - u) / (r * Math.exp(-r)), 1e-9);
  return r;
}

/** @type {number[] | null} */
let known = null;
/** Those of all dots, which are the same whatever the errors. */
const quantiles = () => (known ??= Array.from({ length: DOTS }, (_, i) => quantile((i + 0.5) / DOTS)));

/** Places around an event, in metres east and north, whose distances have the given quantiles; the same each time. */
export function errorsLike(half, most) {
  const random = uniforms(SEED);
  return quantiles().map((noise) => {
    const share = Math.min(Math.max(Math.log(noise / HALF) / Math.log(MOST / HALF), 0), 1);
    const far = noise * (half / HALF) ** (1 - share) * (most / MOST) ** share;
    const turn = 2 * Math.PI * random();
    return { x: far * Math.cos(turn), y: far * Math.sin(turn) };
  });
}
