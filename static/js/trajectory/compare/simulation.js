/* A release as another ε would draw it: noise of one seed, drawn once and scaled, so that a frame is a multiplication;
 * and home, as the attack on homes takes it: the median, by axis, of the events at home.
 *
 * Independent planar Laplace draws around the events that have one, each at its share of the level in the release that
 * is looked at, and a joint draw of the events that have that; nothing is smoothed. Places are those of the unit
 * square of the world (see map/positions.js).
 */

import { number } from "../../core/format.js";
import { uniforms } from "../../core/uniforms.js";
import { distanceM, metresAt } from "../../map/projection.js";

const MOST = 20_000; // points of the cloud; of more events every so many
const TRIES = 15; // clouds of home: the one is shown whose guess is the middle one
const MOST_TRIED = 5000; // visits; of more all guesses are much alike
const SEED = 1;

/**
 * `n` draws of a seed, `distanceOf(next)` far in any direction, as columns east and north. At ε = 1 within a metre:
 * scaled by radius over ε it is noise of any level.
 */
function noiseOf(n, seed, distanceOf) {
  const next = uniforms(seed);
  const [east, north] = [new Float64Array(n), new Float64Array(n)];
  for (let i = 0; i < n; i++) {
    const distance = distanceOf(next);
    const angle = 2 * Math.PI * next();
    east[i] = distance * Math.cos(angle);
    north[i] = distance * Math.sin(angle);
  }
  return { east, north };
}

/**
 * Parts of a joint draw of `together` events, each of the level `together` times smaller: uniform in a disc whose
 * radius all share, here its mean.
 */
export const jointNoise = (n, seed, together) => noiseOf(n, seed, (next) => (2 + 1 / together) * Math.sqrt(next()));

/** Planar Laplace draws, of density e^-d / 2π at distance d: the sum of two exponential draws. */
export const planarNoise = (n, seed) => noiseOf(n, seed, (next) => -Math.log(next() * next()));

/**
 * The draws around `events`: places x, y at ε = 1 without noise and their noise there, in unit lengths. `reachM(event)`
 * is the radius over ε at ε = 1 in metres; `together` events have a joint draw, those that `joint(event)` is true of.
 */
function drawsOf(events, { place, reachM, joint, together }, seed) {
  const own = planarNoise(events.length, seed);
  const shared = together ? jointNoise(events.length, seed, together) : own;
  const [x, y, dx, dy] = Array.from({ length: 4 }, () => new Float64Array(events.length));
  events.forEach((event, i) => {
    ({ x: x[i], y: y[i] } = place(event));
    const unit = reachM(event) / metresAt(y[i]);
    const { east, north } = joint(event) ? shared : own;
    dx[i] = east[i] * unit;
    dy[i] = -north[i] * unit;
  });
  return { x, y, dx, dy };
}

/** Half of the events of the cloud are this near at ε = 1, metres. */
function typicalOf({ y, dx, dy }) {
  const away = Float64Array.from(dx, (one, i) => Math.hypot(one, dy[i]) * metresAt(y[i]));
  return away.length ? middleAt(away) : 0;
}

export class Simulation {
  /**
   * `place(event)` is where one of `n` events is; `budget(event)` its budget in the release of level `epsilon` within
   * `radiusM`; `joint(event)` whether that is a part of a joint draw; `visits` are the events at home.
   *
   * @param {{n: number, place: (event: number) => {x: number, y: number}, budget: (event: number) => number | null,
   *   epsilon: number, radiusM: number, visits: number[], joint?: (event: number) => boolean}} of
   */
  constructor({ n, place, budget, epsilon, radiusM, visits, joint = () => false }) {
    const isDrawn = (event) => (budget(event) ?? 0) > 0;
    const reachM = (event) => (radiusM * epsilon) / Number(budget(event));
    const events = Array.from({ length: n }, (_, event) => event).filter(isDrawn);
    const budgetOf = (/** @type {number | undefined} */ event) => (event === undefined ? 0 : Number(budget(event)));
    const shared = events.find(joint); // what other events leave of the level is that of all events with a joint draw
    const own = budgetOf(events.find((event) => !joint(event)));
    const together = shared === undefined ? 0 : Math.max(1, Math.round((epsilon - own) / budgetOf(shared)));
    const of = { place, reachM, joint, together };
    const step = Math.max(1, Math.ceil(events.length / MOST));
    const atHome = visits.filter(isDrawn);
    const known = new Set(atHome);
    const away = events.filter((event, i) => i % step === 0 && !known.has(event));
    this.away = drawsOf(away, of, SEED);
    this.truth = atHome.length ? middleOfPlaces(visits.map(place)) : null;
    this.visits = atHome.length;
    /** @type {[Float64Array, Float64Array]} */
    this.scratch = [new Float64Array(atHome.length), new Float64Array(atHome.length)];
    this.home = this.#typicalHome(atHome, of, epsilon);
    const all = this.away.x.length + atHome.length;
    this.x = new Float64Array(all);
    this.y = new Float64Array(all);
    const both = (/** @type {"y" | "dx" | "dy"} */ name) => joined(this.away[name], this.home[name]);
    this.typicalM = typicalOf({ y: both("y"), dx: both("dx"), dy: both("dy") });
  }

  /** Of several clouds around home the one whose guess is as far off as the middle one of them. */
  #typicalHome(atHome, of, epsilon) {
    const tries = atHome.length && atHome.length <= MOST_TRIED ? TRIES : 1;
    const made = Array.from({ length: tries }, (_, k) => drawsOf(atHome, of, SEED + 1 + k));
    if (tries === 1) return made[0];
    const found = made.map((home) => ({ home, away: this.#guess(home, epsilon).away_m }));
    return found.sort((a, b) => a.away - b.away)[tries >> 1].home;
  }

  /** The middle of the simulated visits by axis, and how far from the true home it is. */
  #guess({ x, y, dx, dy }, epsilon) {
    const [across, down] = this.scratch;
    for (let i = 0; i < x.length; i++) {
      across[i] = x[i] + dx[i] / epsilon;
      down[i] = y[i] + dy[i] / epsilon;
    }
    const guess = { x: middleAt(across), y: middleAt(down) };
    const truth = /** @type {{x: number, y: number}} */ (this.truth);
    return { ...guess, away_m: Math.hypot(guess.x - truth.x, guess.y - truth.y) * metresAt(truth.y) };
  }

  /** The best guess of home at a level: {x, y, away_m}; null where there is no home. @param {number} epsilon */
  guessAt(epsilon) {
    return this.visits ? this.#guess(this.home, epsilon) : null;
  }

  /**
   * The cloud at a level: places in `x` and `y` (the same arrays again), half of the draws within `typical_m` of their
   * events, and the guess.
   *
   * @param {number} epsilon
   */
  at(epsilon) {
    let at = 0;
    for (const { x, y, dx, dy } of [this.away, this.home]) {
      for (let i = 0; i < x.length; i++, at++) {
        this.x[at] = x[i] + dx[i] / epsilon;
        this.y[at] = y[i] + dy[i] / epsilon;
      }
    }
    const { truth } = this;
    const typical_m = this.typicalM / epsilon;
    const reach = truth ? typical_m / metresAt(truth.y) : 0;
    return { x: this.x, y: this.y, typical_m, reach, truth, guess: this.guessAt(epsilon) };
  }
}

const joined = (/** @type {Float64Array} */ a, /** @type {Float64Array} */ b) => {
  const all = new Float64Array(a.length + b.length);
  all.set(a);
  all.set(b, a.length);
  return all;
};

/** @param {{x: number, y: number}[]} places */
const middleOfPlaces = (places) => ({
  x: middleAt(Float64Array.from(places, ({ x }) => x)),
  y: middleAt(Float64Array.from(places, ({ y }) => y)),
});

// The median without sorting, so that it can be had in every frame --------------------------------------

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

// The scale of a slider of levels: two decades around a level, and where the guess of home is how far off

export const STEPS = 1000;
const APART = 0.11; // of the scale, between the texts of two ticks
const DISTANCES = [10_000, 5000, 2000, 1000, 500, 300, 200, 100, 50, 20, 10, 5, 2, 1];
const NAMES = new Map([
  [100, "street"],
  [20, "house"],
  [5, "entrance"],
]);

/** The powers of ten that the scale around a level ends at. @param {number} epsilon @returns {[number, number]} */
export function endsOf(epsilon) {
  const middle = Math.round(Math.log10(epsilon));
  return [10 ** (middle - 1), 10 ** (middle + 1)];
}

/** Where a level lies on the scale, from 0 to 1. */
export const shareOf = (epsilon, [low, high]) => Math.log(epsilon / low) / Math.log(high / low);

/** The level at a share of the scale, to two digits. */
export const levelAt = (share, [low, high]) => Number((low * (high / low) ** share).toPrecision(2));

/** Ticks of the levels: [{share, text}] at 1, 2 and 5 of each decade. */
export function levelTicks(ends) {
  const [low] = ends;
  return [1, 2, 5, 10, 20, 50, 100].map((step) => ({ share: shareOf(step * low, ends), text: number(step * low, 1) }));
}

/**
 * Ticks of how far off the guess of home is: [{share, metres, name}], each where `away(epsilon)` falls below it for the
 * first time, none too near to the one before.
 *
 * @param {[number, number]} ends
 * @param {(epsilon: number) => number} away metres
 */
export function homeTicks(ends, away, parts = 120) {
  const at = Array.from({ length: parts + 1 }, (_, k) => away(ends[0] * (ends[1] / ends[0]) ** (k / parts)));
  const found = [];
  for (const metres of DISTANCES) {
    const k = at.findIndex((one) => one <= metres);
    if (k < 1) continue; // nearer at the whole scale, or nowhere
    const share = (k - 1 + (at[k - 1] - metres) / (at[k - 1] - at[k])) / parts;
    const before = found.at(-1)?.share ?? -1;
    if (share - before >= APART) found.push({ share, metres, name: NAMES.get(metres) ?? "" });
  }
  return found;
}

/** The events of runs [start, end). @param {[number, number][]} runs */
export const eventsOf = (runs) =>
  runs.flatMap(([start, end]) => Array.from({ length: end - start }, (_, i) => start + i));

/** [lon, lat] of the middle of what was published for `events`, as `indexOf(event)` finds it; null for nothing. */
function middleOf(track, events, indexOf) {
  const at = events.map(indexOf).filter((i) => i >= 0);
  if (!at.length) return null;
  const first = track.lonAt(at[0]);
  const turned = (lon) => lon - 360 * Math.round((lon - first) / 360);
  const of = (value) => middleAt(Float64Array.from(at, value));
  return [of((i) => turned(track.lonAt(i))), of((i) => track.latAt(i))];
}

const guesses = new WeakMap(); // the last one of each track: it is shown again and again

/** How far from home the middle of a layer's positions of the events at home lies, metres; null for none. */
export function homeGuess(original, layer, runs) {
  const { track } = layer;
  if (!track) return null;
  const known = guesses.get(track);
  if (known?.original === original && known.runs === runs) return known.away;
  const events = eventsOf(runs);
  const truth = middleOf(original, events, (event) => event);
  const guess = middleOf(track, events, (event) => layer.indexOf(event));
  const away = truth && guess ? distanceM(truth[0], truth[1], guess[0], guess[1]) : null;
  guesses.set(track, { original, runs, away });
  return away;
}
