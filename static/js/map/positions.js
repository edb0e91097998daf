/* Positions as the map draws them: whole numbers, cut into chunks with a box around each, thinned for every zoom.
 *
 * A place is d = 1e-7 degrees east of the map's middle, within half a turn, and y = heights of 2^32 to the world. A
 * chunk is SIZE steps, from its first point to the first of the next; what lies out of view is passed over by
 * the chunk. For a zoom only points half a pixel apart count, and the first of every chunk.
 */

export const SIZE = 512;
export const TURN = 3.6e9;
const HALF = TURN / 2;
const WORLD = 2 ** 32;
const APART_PX = 0.5;
const THINNED_FROM = 4096; // points; fewer are drawn as they are
const WORTHWHILE = 0.8; // a list that leaves out less than a fifth is not stored
const LEVELS = 3; // lists stored at a time
const CLOSEST = 22;

const known = new WeakMap(); // the same track is drawn as line, dots and landmarks

/** The positions of a track on a map with this middle longitude. */
export function positionsOf(track, middle) {
  const found = known.get(track);
  if (found?.middle === Math.round(middle * 1e7)) return found;
  const made = new Positions(track, middle);
  known.set(track, made);
  return made;
}

/** From places to pixels of `view`: x = d · across + left, y = y · down + top. */
export function frameOf({ scale, left, top }, middle) {
  return {
    across: scale / TURN,
    down: scale / WORLD,
    left: (middle / TURN + 0.5) * scale - left,
    top: scale / 2 - top,
  };
}

/** The places of a rectangle of pixels: [d, y, d, y]. @returns {[number, number, number, number]} */
const placesOf = ({ across, down, left, top }, [west, north, east, south]) => [
  (west - left) / across,
  (north - top) / down,
  (east - left) / across,
  (south - top) / down,
];

export class Positions {
  /** @param {Pick<TrackData, "lonE7" | "y" | "ends">} track @param {number} middle degrees */
  constructor({ lonE7, y, ends }, middle) {
    this.n = lonE7.length;
    this.lon = lonE7;
    this.y = y;
    this.middle = Math.round(middle * 1e7);
    this.starts = null; // where pieces begin, for a track that is not one line
    if (ends) {
      this.starts = new Uint8Array(this.n);
      for (const end of ends) this.starts[end] = 1;
    }
    this.chunks = Math.max(1, Math.ceil((this.n - 1) / SIZE));
    this.boxes = new Int32Array(4 * this.chunks);
    for (let c = 0; c < this.chunks; c++)
      this.boxes.set(this.boxOf(c * SIZE, Math.min(this.n, (c + 1) * SIZE + 1)), 4 * c);
    this.levels = new Map();
    this.all = {
      indices: null,
      from: Int32Array.from({ length: this.chunks + 1 }, (_, c) => Math.min(c * SIZE, Math.max(0, this.n - 1))),
    };
  }

  /** How far east of the middle point i is. */
  d(i) {
    const d = this.lon[i] - this.middle;
    return d > HALF ? d - TURN : d < -HALF ? d + TURN : d;
  }

  /** Where point i is in the unit square of the world, beyond 0..1 on its copies. */
  place(i) {
    return { x: (this.d(i) + this.middle) / TURN + 0.5, y: this.y[i] / WORLD + 0.5 };
  }

  /** The box around the points [first, after): [west, east, north, south]. */
  boxOf(first, after) {
    let [west, east, north, south] = [Infinity, -Infinity, Infinity, -Infinity];
    for (let i = first; i < after; i++) {
      const d = this.d(i);
      const y = this.y[i];
      west = Math.min(west, d);
      east = Math.max(east, d);
      north = Math.min(north, y);
      south = Math.max(south, y);
    }
    return [west, east, north, south];
  }

  /** The box around all: {west, east, north, south}; null around nothing. */
  bounds() {
    if (!this.n) return null;
    const side = (k, pick) => this.boxes.reduce((best, value, at) => (at % 4 === k ? pick(best, value) : best), pick());
    return { west: side(0, Math.min), east: side(1, Math.max), north: side(2, Math.min), south: side(3, Math.max) };
  }

  /** Calls `visit(c)` for every chunk whose box meets the rectangle of pixels. */
  eachChunk(frame, west, north, east, south, visit) {
    if (!this.n) return;
    const box = placesOf(frame, [west, north, east, south]);
    for (let c = 0; c < this.chunks; c++) if (this.#meets(c, box)) visit(c);
  }

  #meets(c, [d0, y0, d1, y1]) {
    const { boxes } = this;
    const at = 4 * c;
    return boxes[at] <= d1 && boxes[at + 1] >= d0 && boxes[at + 2] <= y1 && boxes[at + 3] >= y0;
  }

  /** Calls `visit(i, x, y)` for each `every`-th point of [start, end) in the rectangle of pixels, until it is false. */
  eachPoint(frame, rectangle, visit, start = 0, end = this.n, every = 1) {
    const { across, down, left, top } = frame;
    const { y } = this;
    const box = placesOf(frame, rectangle);
    const [d0, y0, d1, y1] = box;
    for (let i = start; i < end;) {
      const c = Math.min(this.chunks - 1, Math.floor(i / SIZE));
      const stop = c === this.chunks - 1 ? end : Math.min(end, (c + 1) * SIZE);
      if (!this.#meets(c, box)) i = stop;
      for (; i < stop; i += every) {
        const d = this.d(i);
        if (d < d0 || d > d1 || y[i] < y0 || y[i] > y1) continue;
        if (visit(i, d * across + left, y[i] * down + top) === false) return;
      }
    }
  }

  /** How many points lie in the rectangle of pixels; a chunk that lies in it as a whole is not looked into. */
  countIn(frame, rectangle) {
    const { boxes, y } = this;
    const box = placesOf(frame, rectangle);
    const [d0, y0, d1, y1] = box;
    let found = 0;
    for (let c = 0; c < this.chunks && this.n; c++) {
      if (!this.#meets(c, box)) continue;
      const at = 4 * c;
      const [first, after] = [c * SIZE, c === this.chunks - 1 ? this.n : (c + 1) * SIZE];
      if (boxes[at] >= d0 && boxes[at + 1] <= d1 && boxes[at + 2] >= y0 && boxes[at + 3] <= y1) {
        found += after - first;
        continue;
      }
      for (let i = first; i < after; i++) {
        const d = this.d(i);
        if (d >= d0 && d <= d1 && y[i] >= y0 && y[i] <= y1) found += 1;
      }
    }
    return found;
  }

  /** What to draw at a zoom: {indices, or null for all; from: where each chunk's first is among them, and the last}. */
  level(zoom) {
    if (this.n < THINNED_FROM || this.starts) return this.all;
    const z = Math.min(CLOSEST, Math.max(0, Math.ceil(zoom)));
    const found = this.levels.get(z) ?? this.#thinned(256 * 2 ** z);
    this.levels.delete(z);
    this.levels.set(z, found); // the last requested stays longest
    if (this.levels.size > LEVELS) this.levels.delete(this.levels.keys().next().value);
    return found;
  }

  #thinned(scale) {
    const [reachD, reachY] = [(APART_PX * TURN) / scale, (APART_PX * WORLD) / scale];
    const indices = scratch(this.n);
    const from = new Int32Array(this.chunks + 1);
    const { n, y } = this;
    let [count, d0, y0] = [0, 0, 0];
    for (let i = 0; i < n; i++) {
      const d = this.d(i);
      const first = (i & (SIZE - 1)) === 0;
      if (!first && i < n - 1 && Math.abs(d - d0) < reachD && Math.abs(y[i] - y0) < reachY) continue;
      if (first && i < n - 1) from[i / SIZE] = count;
      indices[count++] = i;
      [d0, y0] = [d, y[i]];
    }
    from[this.chunks] = count - 1;
    return count > WORTHWHILE * n ? this.all : { indices: indices.slice(0, count), from };
  }
}

/** @type {any} */
let buffer = null; // to write a list before its length is known
function scratch(n) {
  if (!buffer || buffer.length < n) buffer = new Int32Array(n);
  return buffer;
}

/** Index of the point nearest to a place on the screen, within `reach` pixels; -1 if there is none. */
export function nearestPoint(view, positions, at, reach) {
  let [best, found] = [reach * reach, -1];
  const box = [at.x - reach, at.y - reach, at.x + reach, at.y + reach];
  positions.eachPoint(frameOf(view, positions.middle), box, (i, x, y) => {
    const apart = (x - at.x) ** 2 + (y - at.y) ** 2;
    if (apart < best) [best, found] = [apart, i];
  });
  return found;
}

/**
 * Index of the point at which the step nearest to a place on the screen ends, within `reach` pixels; -1 if there is
 * none.
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

/** Indices of the points inside a rectangle of the screen. */
export function pointsWithin(view, positions, { x, y, width, height }) {
  const indices = [];
  positions.eachPoint(frameOf(view, positions.middle), [x, y, x + width, y + height], (i) => void indices.push(i));
  return indices;
}
