/* The median without sorting, so that it can be had in every frame. */

/** Put the k smallest values before index k (Hoare). @param {Float64Array} values @param {number} k */
function select(values, k) {
  let [low, high] = [0, values.length - 1];
  while (low < high) {
    const pivot = values[(low + high) >> 1];
    let [i, j] = [low, high];
    while (i <= j) {
      while (values[i] < pivot) i++;
      while (values[j] > pivot) j--;
      if (i > j) break;
      [values[i], values[j]] = [values[j], values[i]];
      i++;
      j--;
    }
    if (k <= j) high = j;
    else if (k >= i) low = i;
    else return;
  }
}

/** The median of values, whose order it changes; not a number of none. @param {Float64Array} values */
export function middleAt(values) {
  const { length } = values;
  if (!length) return NaN;
  const half = length >> 1;
  select(values, half);
  if (length % 2) return values[half];
  let below = -Infinity;
  for (let i = 0; i < half; i++) if (values[i] > below) below = values[i];
  return (below + values[half]) / 2;
}
