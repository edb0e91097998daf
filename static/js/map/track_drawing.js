/* How a release is drawn on the map: as a line, as points or as a density surface.
 *
 * Automatic: a line while it can be followed: four steps lead at least PERSISTENT times as far as one (independent
 * noise: about as far), or the median step is as short as the line is wide. Else, where half of the positions share
 * their place on the screen with CROWDED others, their density; where not, a line of short steps, or points. Positions
 * that repeat the one before do not count. The choice is that of a map as wide as a phone's, of what is in view: it is
 * the same on every screen, and stays while the map is moved.
 */

import { TURN } from "./positions.js";

/** @typedef {"line" | "points" | "density"} Drawing */
/** @typedef {import("./positions.js").Positions} Positions */

/** The drawings to choose from: [value, text]. @type {[Drawing, string][]} */
export const DRAWINGS = [
  ["line", "Line"],
  ["points", "Points"],
  ["density", "Density"],
];

const WIDTH_PX = 2;
const SHORT_PX = 8;
const PERSISTENT = 1.6;
const AHEAD = 4; // steps
const LOOK = 200; // events among which they are looked for
const CROWDED = 2;
const PLACE_PX = 6; // a dot and its gap
const PHONE_PX = 390;
const SAMPLES = 4000;
const WORLD = 2 ** 32;

const known = new WeakMap();

/**
 * Median step and median distance after four steps, in widths of the world, of a sample of the steps; the sample's
 * places [x, y, x, y, …] in widths of the world, and of how many positions they are a sample.
 *
 * @param {Positions} positions
 * @returns {{step: number, ahead: number, places: Float64Array, n: number}}
 */
export function trackStatistics(positions) {
  const found = known.get(positions);
  if (found) return found;
  const { n } = positions;
  const stride = Math.max(1, Math.floor(n / SAMPLES));
  /** @type {number[][]} */
  const [steps, aheads, places] = [[], [], []];
  for (let i = 0; i < n; i += stride) {
    const step = i ? apart(positions, i - 1, i) : -1;
    if (step === 0) continue;
    places.push(positions.d(i) / TURN, positions.y[i] / WORLD);
    if (step < 0 || positions.starts?.[i]) continue;
    steps.push(step);
    const later = afterMoves(positions, i - 1);
    if (later >= 0) aheads.push(apart(positions, i - 1, later));
  }
  const moved = (places.length / 2) * stride; // positions that do not repeat the one before, estimated
  const made = { step: median(steps), ahead: median(aheads), places: Float64Array.from(places), n: moved };
  known.set(positions, made);
  return made;
}

/**
 * How the track is drawn where the world is `scale` pixels wide.
 *
 * @param {Positions} positions
 * @param {number} scale
 * @returns {Drawing}
 */
export function drawingFor(positions, scale) {
  const statistics = trackStatistics(positions);
  const { step, ahead } = statistics;
  if (step * scale <= WIDTH_PX || ahead >= PERSISTENT * step) return "line";
  if (crowding(statistics, scale) >= CROWDED) return "density";
  return step * scale <= SHORT_PX ? "line" : "points";
}

/**
 * The drawing that a layer's style names in a view; a line where it names none.
 *
 * @param {{drawing?: Drawing | "auto"}} style
 * @param {Positions} positions
 * @param {{scale: number, width: number}} view
 * @returns {Drawing}
 */
export function chosenDrawing({ drawing = "line" }, positions, { scale, width }) {
  return drawing === "auto" ? drawingFor(positions, scale * Math.min(1, PHONE_PX / width)) : drawing;
}

/**
 * With how many others half of the points share their place of a few pixels. The sample is sparser than the points, so
 * its places are as much larger.
 */
function crowding({ places, n }, scale) {
  const count = places.length / 2;
  if (count < 2) return 0;
  const side = PLACE_PX * Math.sqrt(n / count);
  const cells = new Map();
  const keys = [];
  for (let i = 0; i < count; i++) {
    const key = [places[2 * i], places[2 * i + 1]].map((at) => Math.floor((at * scale) / side)).join();
    keys.push(key);
    cells.set(key, (cells.get(key) ?? 0) + 1);
  }
  return median(keys.map((key) => cells.get(key) - 1));
}

/** Index after AHEAD steps from point i that lead elsewhere; -1 if there are not so many soon. */
function afterMoves(positions, i) {
  let moves = 0;
  for (let j = i + 1; j < Math.min(positions.n, i + LOOK); j++)
    if (apart(positions, j - 1, j) > 0 && ++moves === AHEAD) return j;
  return -1;
}

function apart(positions, i, j) {
  const across = Math.abs(positions.d(j) - positions.d(i)) / TURN;
  return Math.hypot(Math.min(across, 1 - across), (positions.y[j] - positions.y[i]) / WORLD);
}

function median(values) {
  if (!values.length) return 0;
  return values.sort((a, b) => a - b)[values.length >> 1];
}
