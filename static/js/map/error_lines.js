/* Error lines: from each event to its position in a release. */

import { cssColour } from "../core/series_style.js";
import { lastAtMost } from "../core/sorted_search.js";
import { frameOf, TURN } from "./positions.js";

const MOST = 3000; // lines in view; of more events every 2nd, 4th, 8th … has one
const DOT_PX = 1.75;

/**
 * Paint lines from `original` to `release` ({@link Positions} of whole tracks; `events` are the release's, null where
 * its j-th is event j) for the events [first, after) of which either end is in view. Returns k: every k-th has
 * one.
 */
export function drawErrors(ctx, view, { original, release, events, first, after, colour }) {
  const box = [0, 0, view.width, view.height];
  const from = frameOf(view, original.middle);
  const indexOf = (event) => (events ? lastAtMost(events, event) : event);
  const [start, end] = events
    ? [lastAtMost(events, first - 1) + 1, lastAtMost(events, after - 1) + 1]
    : [first, Math.min(after, release.n)];
  const every = stride(original, from, box, first, after);
  const seen = new Set();
  const fromOriginal = (event, x, y) => {
    if (event % every) return;
    const j = indexOf(event);
    if (j < start || j >= end || (events && events[j] !== event)) return;
    seen.add(event);
    line(ctx, from, original, event, release, j, [x, y]);
  };
  const fromRelease = (j) => {
    const event = events ? events[j] : j;
    if (event % every === 0 && !seen.has(event)) line(ctx, from, original, event, release, j);
  };
  ctx.beginPath();
  original.eachPoint(from, box, fromOriginal, first, after);
  release.eachPoint(from, box, fromRelease, start, end);
  ctx.strokeStyle = cssColour(colour);
  ctx.lineWidth = 1;
  ctx.stroke();
  return every;
}

function stride(positions, frame, box, first, after) {
  let count = 0;
  positions.eachPoint(frame, box, () => void count++, first, after);
  // a power of two: a move adds and removes as few as can be
  return 2 ** Math.max(0, Math.ceil(Math.log2(count / MOST)));
}

function line(ctx, { across, down, left, top }, original, event, release, j, /** @type {number[] | null} */ at = null) {
  const [x, y] = at ?? [original.d(event) * across + left, original.y[event] * down + top];
  const away = release.d(j) - original.d(event);
  const short = away > TURN / 2 ? away - TURN : away < -TURN / 2 ? away + TURN : away; // the near way around the globe
  const [toX, toY] = [x + short * across, release.y[j] * down + top];
  ctx.moveTo(x, y);
  ctx.lineTo(toX, toY);
  ctx.moveTo(toX + DOT_PX, toY);
  ctx.arc(toX, toY, DOT_PX, 0, 2 * Math.PI);
}
