/* Sorted arrays: binary search, the usual step from one entry to the next. */

const SAMPLES = 1000; // steps looked at for the usual one

/**
 * Index of the last entry of the sorted array at or below `value`; -1 if there is none.
 *
 * @param {ArrayLike<number>} sorted
 * @param {number} value
 */
export function lastAtMost(sorted, value) {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/**
 * Index of the entry of the sorted array nearest to `value`; -1 if it is empty.
 *
 * @param {ArrayLike<number>} sorted
 * @param {number} value
 */
export function nearestIndex(sorted, value) {
  const i = lastAtMost(sorted, value);
  if (i < 0) return sorted.length ? 0 : -1;
  if (i + 1 < sorted.length && sorted[i + 1] - value < value - sorted[i]) return i + 1;
  return i;
}

/**
 * The median step between the first `n` entries, of a sample where they are many.
 *
 * @param {ArrayLike<number>} sorted
 * @param {number} [n]
 */
export function usualStep(sorted, n = sorted.length) {
  /** @type {number[]} */
  const steps = [];
  const stride = Math.max(1, Math.floor((n - 1) / SAMPLES));
  for (let i = 1; i < n; i += stride) steps.push(sorted[i] - sorted[i - 1]);
  return steps.sort((a, b) => a - b)[steps.length >> 1] ?? 0;
}
