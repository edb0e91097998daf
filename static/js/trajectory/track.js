/* The binary track of a dataset or a release, its parts and frame: whole numbers as differences, no row per point.
 *
 *   uint32 magic "CIRN", version 2, n, flags, unit; uint32 bytes of each stream; then the streams lon, lat (units of
 *   1e-7 degrees), time (ms; flag 1), event (flag 2), ends of pieces (flag 4). A number is the difference to the one
 *   before, as twice it or -1 - twice it where negative, in bytes of seven bits, the highest set where more follow.
 */

import { lastAtMost } from "../core/sorted_search.js";
import { yieldToPage } from "../core/once.js";
import { heightE32 } from "../map/projection.js";

const MAGIC = 0x4e524943;
const VERSION = 2;
const STREAMS = 5;
const HEADER = 20 + 4 * STREAMS;
const HAS_EVENTS = 2;
const SLICE = 65536; // numbers decoded between two looks at the clock
const AT_ONCE_MS = 12;

/** Positions of a series in the order of its events, as compact as they came. */
export class Track {
  /**
   * `lonE7`, `latE7` in 1e-7 degrees; `y` their heights on the map; `time` in seconds; `event` null: j is event j.
   *
   * @param {Omit<TrackData, "n" | "time" | "event" | "ends"> & Partial<TrackData>} positions
   */
  constructor({ lonE7, latE7, y, time = null, event = null, ends = null }) {
    this.n = lonE7.length;
    this.lonE7 = lonE7;
    this.latE7 = latE7;
    this.y = y;
    this.time = time;
    this.event = event;
    this.ends = ends;
  }

  lonAt(i) {
    return this.lonE7[i] / 1e7;
  }

  latAt(i) {
    return this.latE7[i] / 1e7;
  }

  /** The positions from `start` to before `end`, where they are in memory. */
  part(start, end) {
    const [lonE7, latE7, y] = [this.lonE7, this.latE7, this.y].map((all) => all.subarray(start, end));
    return new Track({ lonE7, latE7, y });
  }

  /** [west, south, east, north]; west > east if it crosses the antimeridian. Null around nothing. */
  bounds() {
    if (!this.n) return null;
    let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
    const first = this.lonAt(0);
    for (let i = 0; i < this.n; i++) {
      const lon = this.lonAt(i);
      const lat = this.latAt(i);
      const eastward = lon < first - 180 ? lon + 360 : lon > first + 180 ? lon - 360 : lon;
      west = Math.min(west, eastward);
      east = Math.max(east, eastward);
      south = Math.min(south, lat);
      north = Math.max(north, lat);
    }
    const wrap = (value) => ((((value + 180) % 360) + 360) % 360) - 180;
    return [wrap(west), south, wrap(east), north];
  }
}

/** Several tracks one after the other; without times and events. */
export function joinTracks(tracks) {
  if (tracks.length === 1) return tracks[0];
  const n = tracks.reduce((sum, track) => sum + track.n, 0);
  const all = { lonE7: new Int32Array(n), latE7: new Int32Array(n), y: new Int32Array(n) };
  let at = 0;
  for (const track of tracks) {
    for (const name of ["lonE7", "latE7", "y"]) all[name].set(track[name], at);
    at += track.n;
  }
  return new Track(all);
}

/** The track in `buffer`, decoded without holding up the page; `time: false` leaves its times where they are. */
export async function decodeTrack(buffer, { time = true } = {}) {
  const view = new DataView(buffer);
  if (buffer.byteLength < HEADER || view.getUint32(0, true) !== MAGIC) throw new Error("This is not a trajectory.");
  if (view.getUint32(4, true) !== VERSION)
    throw new Error("The data and the page have different versions: reload the page.");
  const n = view.getUint32(8, true);
  const streams = streamsOf(view, buffer);
  const parts = { lonE7: new Int32Array(n), latE7: new Int32Array(n), y: new Int32Array(n) };
  if (time && streams[2].length) parts.time = new Float64Array(n);
  if (view.getUint32(12, true) & HAS_EVENTS) parts.event = new Int32Array(n);
  const unit = view.getUint32(16, true);
  const readers = [new Reader(streams[0], parts.lonE7, unit), new Reader(streams[1], parts.latE7, unit)];
  if (parts.time) readers.push(new Reader(streams[2], parts.time, 1, 1000));
  if (parts.event) readers.push(new Reader(streams[3], parts.event));
  let began = performance.now();
  for (let from = 0; from < n; from += SLICE) {
    const to = Math.min(n, from + SLICE);
    for (const reader of readers) reader.read(from, to);
    for (let i = from; i < to; i++) parts.y[i] = heightE32(parts.latE7[i]);
    if (performance.now() - began < AT_ONCE_MS) continue;
    await yieldToPage();
    began = performance.now();
  }
  return new Track({ ...parts, ends: endsOf(streams[4]) });
}

function streamsOf(view, buffer) {
  let at = HEADER;
  return Array.from({ length: STREAMS }, (_, k) => {
    const bytes = new Uint8Array(buffer, at, view.getUint32(20 + 4 * k, true));
    at += bytes.length;
    return bytes;
  });
}

/** Reads numbers from `bytes` into `out`, each times `unit` / `per`. */
class Reader {
  /** @param {Uint8Array} bytes @param {Int32Array | Float64Array} out */
  constructor(bytes, out, unit = 1, per = 1) {
    this.bytes = bytes;
    this.out = out;
    this.unit = unit;
    this.per = per;
    this.at = 0;
    this.last = 0;
  }

  read(from, to) {
    const { bytes, out, unit, per } = this;
    let { at, last } = this;
    for (let i = from; i < to; i++) {
      let byte = bytes[at++];
      let left = byte & 127;
      for (let shift = 7; byte > 127 && shift < 28; shift += 7) {
        byte = bytes[at++];
        left |= (byte & 127) << shift;
      }
      if (byte > 127) {
        for (let power = 2 ** 28; byte > 127; power *= 128) {
          byte = bytes[at++];
          left += (byte & 127) * power; // beyond 32 bits
        }
        last += left % 2 ? -(left + 1) / 2 : left / 2;
      } else {
        last += (left >>> 1) ^ -(left & 1);
      }
      out[i] = (last * unit) / per;
    }
    Object.assign(this, { at, last });
  }
}

/** Where each piece ends; null where the track is a whole. */
function endsOf(bytes) {
  if (!bytes.length) return null;
  const ends = new Int32Array(bytes.reduce((count, byte) => count + (byte < 128 ? 1 : 0), 0));
  new Reader(bytes, ends).read(0, ends.length);
  return ends;
}

/** The track behind `url`. @param {string} url @param {{signal?: AbortSignal, time?: boolean}} options */
export async function fetchTrack(url, { signal, time = true } = {}) {
  const answer = await fetch(url, { signal, credentials: "same-origin" });
  if (!answer.ok) throw new Error(`The events could not be loaded (${answer.status}). Reload the page to try again.`);
  return decodeTrack(await answer.arrayBuffer(), { time });
}

// Until all of a large track is there the map shows the server's rendering of the view ----------------

const LARGE = 100_000; // events; fewer are there before an image of them would be
const HEAD_START_MS = 400; // the view is small and goes first, but nothing waits for it long

/**
 * The whole track behind `url`, of about `n` events. Until it is there `map` shows an image of it in `style` (see
 * addTrack), as a layer of its own that nothing is picked from. `options` are those of fetchTrack.
 */
export async function fetchWithPreview(map, url, n, style, options = {}) {
  const view = n < LARGE ? null : map.view();
  if (!view?.width) return fetchTrack(url, options);
  const id = `early-${style.id}`;
  const preview = new AbortController();
  const shown = fetchTrack(`${url}&${new URLSearchParams(view)}`, { signal: preview.signal })
    .then((track) => preview.signal.aborted || map.addTrack({ ...style, id, track }))
    .catch(() => {}); // the track itself reports what is wrong
  await Promise.race([shown, new Promise((resolve) => setTimeout(resolve, HEAD_START_MS))]);
  try {
    return await fetchTrack(url, options);
  } finally {
    preview.abort();
    map.remove(id); // in the frame that draws the track itself
  }
}

// Parts of tracks, as the map takes them: a range of events, or some of them --------------------------

const parts = new WeakMap(); // the last part of each track: the map draws again what is another object

/** The part of a track that lies in `range` [first, last + 1) of the events; all of it without a range. */
export function partOf(track, range) {
  if (!range) return track;
  const key = range.join();
  const known = parts.get(track);
  if (known?.key === key) return known.part;
  const [start, end] = range.map((event) => indexOf(track, event));
  const part = track.part(start, end);
  parts.set(track, { key, part });
  return part;
}

/** Where the events from `event` on begin in a track. */
const indexOf = (track, event) => (track.event ? lastAtMost(track.event, event - 1) + 1 : Math.min(event, track.n));

/** The event of the i-th place of a track's part. */
export function eventOf(track, range, i) {
  const at = (range ? indexOf(track, range[0]) : 0) + i;
  return track.event ? track.event[at] : at;
}

/** The events of `runs` alone. */
export function pickedFrom(track, runs) {
  return joinTracks(runs.map(([start, end]) => track.part(start, end)));
}

// The part of the map that a released track is framed on ----------------------------------------------

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

// How large noise is on a map ---------------------------------------------------------------------------

const METRES_PER_DEGREE = 111_195;
const LARGEST_PX = 54; // of a circle in its drawing

/**
 * Radii in pixels of the circles that hold half and 19 of 20 of the noise. `fits` is false where the larger one would
 * leave its drawing: both are then smaller by the same factor.
 *
 * @param {{half: number, most: number}} noiseM metres
 * @param {number} pixelsPerDegree of latitude
 */
export function circleRadii({ half, most }, pixelsPerDegree) {
  const perMetre = pixelsPerDegree / METRES_PER_DEGREE;
  const fits = most * perMetre <= LARGEST_PX;
  const scale = fits ? perMetre : LARGEST_PX / most;
  return { fits, radii: { half: half * scale, most: most * scale } };
}
