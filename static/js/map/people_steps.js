/* The pieces of a track that has many people: by their colours, and the step at a place. */

import { frameOf } from "./positions.js";

/** @typedef {import("./positions.js").Positions} Positions */

/** [[colour, pieces]]: the pieces 0 … n - 1 in as many groups as there are colours. */
export function byColour(colours, n) {
  const groups = new Map();
  for (let k = 0; k < n; k++) groups.set(colours[k], [...(groups.get(colours[k]) ?? []), k]);
  return [...groups];
}

/**
 * Index of the point at which the step nearest to a place on the screen ends, within `reach` pixels; -1 if there is
 * none.
 *
 * @param {View} view
 * @param {Positions} positions
 * @param {Point} at
 * @param {number} reach
 */
export function nearestStep(view, positions, { x, y }, reach) {
  const frame = frameOf(view, positions.middle);
  const { across, down, left, top } = frame;
  let [least, found] = [reach * reach, -1];
  positions.eachChunk(frame, x - reach, y - reach, x + reach, y + reach, (c) => {
    const last = Math.min(positions.n - 1, positions.all.from[c + 1]);
    for (let i = positions.all.from[c] + 1; i <= last; i++) {
      if (positions.starts?.[i]) continue;
      const [ax, ay] = [positions.d(i - 1) * across + left - x, positions.y[i - 1] * down + top - y];
      const [bx, by] = [positions.d(i) * across + left - x, positions.y[i] * down + top - y];
      if (Math.min(ax, bx) > reach || Math.max(ax, bx) < -reach) continue;
      const off = squaredDistance(ax, ay, bx, by);
      if (off <= least) [least, found] = [off, i];
    }
  });
  return found;
}

/** The squared distance of (0, 0) to the segment from a to b. */
function squaredDistance(ax, ay, bx, by) {
  const [dx, dy] = [bx - ax, by - ay];
  const length = dx * dx + dy * dy;
  const along = length ? Math.max(0, Math.min(1, -(ax * dx + ay * dy) / length)) : 0;
  return (ax + along * dx) ** 2 + (ay + along * dy) ** 2;
}
