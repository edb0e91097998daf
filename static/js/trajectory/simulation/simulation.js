/* A release as another ε would draw it: noise of one seed, drawn once and scaled, so that a frame is a multiplication.
 *
 * Independent planar Laplace draws around the events that have one, each at its share of the level in the release that
 * is looked at, and a joint draw of the events that have that; nothing is smoothed. Places are those of the unit square
 * of the world (see map/positions.js).
 */

import { metresAt } from "../../map/projection.js";
import { middleAt } from "./middle.js";
import { jointNoise, planarNoise } from "./planar_noise.js";

const MOST = 20_000; // points of the cloud; of more events every so many
const TRIES = 15; // clouds of home: the one is shown whose guess is the middle one
const MOST_TRIED = 5000; // visits; of more all guesses are much alike
const SEED = 1;

/**
 * The draws around `events`: places x, y at ε = 1 without noise and their noise there, in unit lengths. `reachM(event)`
 * is the radius over ε at ε = 1 in metres; `together` events have a joint draw, those that `joint(event)` is true of.
 *
 * @param {number[]} events
 * @param {{place: (event: number) => {x: number, y: number}, reachM: (event: number) => number,
 *   joint: (event: number) => boolean, together: number}} of
 * @param {number} seed
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
    const isDrawn = (/** @type {number} */ event) => (budget(event) ?? 0) > 0;
    const reachM = (/** @type {number} */ event) => (radiusM * epsilon) / Number(budget(event));
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
