/* Which timestamps of a stream a chart labels. */

const TICKS = 6;
const TICK_PX = 110; // for one label
const LONGEST = 16; // characters of a label on the axis

/**
 * At most six of the timestamps with their labels, evenly spaced, so many as there is space for.
 *
 * @param {number[]} index @param {string[]} labels @param {number} width px
 */
export function ticksOf(index, labels, width) {
  const last = index.length - 1;
  const most = Math.min(TICKS, index.length, Math.max(2, Math.floor(width / TICK_PX)));
  const places = Array.from({ length: most }, (_, i) => Math.round((i * last) / Math.max(most - 1, 1)));
  return { at: places.map((place) => index[place]), text: places.map((place) => labels[place].slice(0, LONGEST)) };
}
