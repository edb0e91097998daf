/* Binary search in sorted arrays. */

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
