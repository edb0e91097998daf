/* The binary track of a dataset or a release: little endian, typed arrays, no row per point.
 *
 *   uint32 magic "CIRN", version 1, n, flags (1: has time, 2: has event numbers)
 *   int32 lon[n], lat[n] in 1e-7 degrees, padding to a multiple of 8, float64 time_s[n], int32 event[n]
 */

const MAGIC = 0x4e524943;
const HAS_TIME = 1;
const HAS_EVENTS = 2;

/** {n, lon, lat, time, event}: degrees, seconds since 1970 or null, event numbers or null (then the j-th is event j). */
export function decodeTrack(buffer) {
  const view = new DataView(buffer);
  if (buffer.byteLength < 16 || view.getUint32(0, true) !== MAGIC) throw new Error("This is not a track.");
  if (view.getUint32(4, true) !== 1) throw new Error("This track is newer than the page: reload it.");
  const n = view.getUint32(8, true);
  const flags = view.getUint32(12, true);
  let at = 16;
  const lon = degrees(new Int32Array(buffer, at, n));
  const lat = degrees(new Int32Array(buffer, at + 4 * n, n));
  at = Math.ceil((at + 8 * n) / 8) * 8;
  let time = null;
  if (flags & HAS_TIME) {
    time = new Float64Array(buffer, at, n);
    at += 8 * n;
  }
  const event = flags & HAS_EVENTS ? new Int32Array(buffer, at, n) : null;
  return { n, lon, lat, time, event };
}

function degrees(scaled) {
  const found = new Float64Array(scaled.length);
  for (let i = 0; i < found.length; i++) found[i] = scaled[i] / 1e7;
  return found;
}

/** The track behind `url`. */
export async function fetchTrack(url, { signal } = {}) {
  const answer = await fetch(url, { signal, credentials: "same-origin" });
  if (!answer.ok) throw new Error(`The points could not be read (${answer.status}). Reload the page to try again.`);
  return decodeTrack(await answer.arrayBuffer());
}

/** Index of the last entry of the sorted array at or below `value`; -1 if there is none. */
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

/** Index of the entry of the sorted array nearest to `value`; -1 if it is empty. */
export function nearestIndex(sorted, value) {
  const i = lastAtMost(sorted, value);
  if (i < 0) return sorted.length ? 0 : -1;
  if (i + 1 < sorted.length && sorted[i + 1] - value < value - sorted[i]) return i + 1;
  return i;
}
