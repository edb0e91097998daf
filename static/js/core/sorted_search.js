/* Sorted arrays: binary search, the usual step from one entry to the next; round steps. */

const SAMPLES = 1000; // steps looked at for the usual one

/**
 * The first of n indices for which `isPast` is true, as it is for all after it; n if there is none.
 *
 * @param {number} n
 * @param {(index: number) => boolean} isPast
 */
export function firstPast(n, isPast) {
  let [low, high] = [0, n];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isPast(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * Index of the last entry of the sorted array at or below `value`; -1 if there is none.
 *
 * @param {ArrayLike<number>} sorted
 * @param {number} value
 */
export const lastAtMost = (sorted, value) => firstPast(sorted.length, (i) => !(sorted[i] <= value)) - 1;

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

/** The least of 1, 2 and 5 times a power of ten that is in `length` at most `most` times. @param {number} length
 * @param {number} most */
export function roundStep(length, most) {
  const power = 10 ** Math.floor(Math.log10(length / most));
  return [1, 2, 5].map((k) => k * power).find((step) => length / step <= most) ?? 10 * power;
}
