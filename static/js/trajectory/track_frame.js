/* The part of the map that a released track is framed on. */

const FRAMED = 0.98; // of the positions, along each axis

/** @param {Float64Array} sorted @param {number} share */
const quantile = (sorted, share) => sorted[Math.round(share * (sorted.length - 1))];

/**
 * The box of most of a track: single far draws do not decide what is seen.
 *
 * @param {{lonE7: Int32Array, latE7: Int32Array, n: number}} track
 * @returns {Bounds}
 */
export function frameOf({ lonE7, latE7, n }) {
  const [first, last] = [(1 - FRAMED) / 2, (1 + FRAMED) / 2];
  const middle = lonE7[n >> 1] / 1e7;
  const near = Float64Array.from(lonE7, (x) => x / 1e7 - 360 * Math.round((x / 1e7 - middle) / 360)).sort();
  const across = Float64Array.from(latE7, (y) => y / 1e7).sort();
  const turned = (/** @type {number} */ x) => x - 360 * Math.round(x / 360);
  return [turned(quantile(near, first)), quantile(across, first), turned(quantile(near, last)), quantile(across, last)];
}

/** How large a box is along its longer side, in degrees. @param {Bounds} box */
export const sizeOf = ([west, south, east, north]) =>
  Math.max(east < west ? east + 360 - west : east - west, north - south);
