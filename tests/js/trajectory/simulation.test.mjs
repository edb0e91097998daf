import { deepEqual, equal, ok } from "node:assert/strict";
import { test } from "node:test";

import { distanceM, metresAt, unitX, unitY } from "../../../static/js/map/projection.js";
import {
  eventsOf,
  homeGuess,
  jointNoise,
  middleAt,
  planarNoise,
  Simulation,
} from "../../../static/js/trajectory/compare/simulation.js";
import * as levels from "../../../static/js/trajectory/compare/simulation.js";
import { draws } from "../support.mjs";

const near = (found, wanted, share = 1e-9) =>
  ok(Math.abs(found - wanted) <= share * Math.abs(wanted), `${found} is not about ${wanted}`);
const sortedMiddle = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
};

test("the median without sorting is that of the sorted values, ties too", () => {
  const draw = draws(3);
  for (let n = 1; n < 200; n += 1) {
    const values = Float64Array.from(draw.list(n, () => draw.pick([draw.real(-5, 5), draw.int(-2, 2)])));
    const wanted = sortedMiddle(values);
    equal(middleAt(values), wanted);
  }
  ok(Number.isNaN(middleAt(new Float64Array(0))));
});

test("noise is planar Laplace: half within 1.678, 95 % within 4.744, of any direction, the same of a seed", () => {
  const n = 100_000;
  const { east, north } = planarNoise(n, 5);
  const distance = east.map((x, i) => Math.hypot(x, north[i]));
  const within = (radius) => distance.filter((one) => one <= radius).length / n;
  near(within(1.6783469900166605), 0.5, 0.01);
  near(within(4.743864518390577), 0.95, 0.005);
  for (const axis of [east, north]) near(axis.filter((one) => one > 0).length / n, 0.5, 0.01);
  near(east.reduce((sum, x) => sum + x * x, 0) / n, 3, 0.03); // of Gamma(2) distances
  deepEqual(planarNoise(4, 5).east, east.slice(0, 4));
  ok(planarNoise(4, 6).east[0] !== east[0]);
});

test("parts of a joint draw are uniform in a disc of the mean radius", () => {
  for (const together of [1, 5, 20_000]) {
    const { east, north } = jointNoise(20_000, 3, together);
    const away = [...east.map((x, i) => Math.hypot(x, north[i]))].sort((a, b) => a - b);
    near(away.at(-1), 2 + 1 / together, 0.01);
    near(away[10_000], (2 + 1 / together) / Math.sqrt(2), 0.02);
  }
});

test("events with a joint draw share what the others leave of the level", () => {
  const [n, epsilon, radiusM] = [4000, 1, 200];
  const budget = (event) => (event < 100 ? 0.4 / 500 : 0.6); // of 500 landmarks of a person 100 are in the series
  const of = { n, place: () => ({ x: unitX(0), y: unitY(0) }), budget, epsilon, radiusM, visits: [] };
  const { away } = new Simulation({ ...of, joint: (event) => event < 100 });
  const reach = (event) => Math.hypot(away.dx[event], away.dy[event]) * metresAt(unitY(0));
  const farthest = Math.max(...Array.from({ length: 100 }, (_, event) => reach(event)));
  near(farthest, (2 + 1 / 500) * (radiusM / (0.4 / 500)), 0.03);
});

const HOME = { lon: 4.84, lat: 45.75 };
/** A stay at home of `visits` events, then a walk; every fourth event is hidden. */
function simulated(visits = 60, { n = 200, epsilon = 1, radiusM = 200 } = {}) {
  const draw = draws(7);
  const places = draw.list(n, (i) => ({
    x: unitX(HOME.lon + (i < visits ? draw.real(-1e-4, 1e-4) : i * 1e-4)),
    y: unitY(HOME.lat + (i < visits ? draw.real(-1e-4, 1e-4) : 0)),
  }));
  const budget = (event) => (event % 4 === 3 ? 0 : event % 4 === 2 ? epsilon / 2 : epsilon);
  const at = draw.list(visits, (i) => i);
  const made = new Simulation({ n, place: (event) => places[event], budget, epsilon, radiusM, visits: at });
  return { made, places, at, budget };
}

test("only events with a draw are simulated, and a level scales the same noise", () => {
  const { made } = simulated();
  equal(made.x.length, 150);
  const copy = (epsilon) => made.at(epsilon).x.slice();
  const [one, two, far] = [1, 2, 1e12].map(copy);
  one.forEach((x, i) => ok(Math.abs(x - far[i] - 2 * (two[i] - far[i])) < 1e-15));
  near(made.at(0.5).typical_m, 2 * made.at(1).typical_m);
});

test("half of the draws are within the typical distance; the noise is the radius over the event's budget", () => {
  const { made } = simulated(0, { n: 40_000 });
  const found = made.at(1);
  const [x, y] = [found.x.slice(), found.y.slice()];
  const exact = made.at(1e12);
  const away = x.map((one, i) => Math.hypot(one - exact.x[i], y[i] - exact.y[i]) * metresAt(exact.y[i]));
  near(found.typical_m, sortedMiddle(away), 1e-6);
  const mixed = (radius) => 1 - (1 + radius) * Math.exp(-radius);
  const share = (2 * mixed(found.typical_m / 200) + mixed(found.typical_m / 400)) / 3;
  near(share, 0.5, 0.03);
  equal(found.guess, null, "no visits, no home");
});

test("the guess of home is the median by axis of the visits, that of the middle one of several clouds", () => {
  const { made, places, at, budget } = simulated();
  equal(made.visits, 45);
  const found = made.at(0.7);
  const home = [found.x.slice(-45), found.y.slice(-45)];
  near(found.guess.x, sortedMiddle(home[0]), 1e-15);
  near(found.guess.y, sortedMiddle(home[1]), 1e-15);
  near(found.truth.x, sortedMiddle(at.map((event) => places[event].x)), 1e-15);
  const apart = Math.hypot(found.guess.x - found.truth.x, found.guess.y - found.truth.y) * metresAt(found.truth.y);
  near(found.guess.away_m, apart);
  deepEqual(made.guessAt(0.7), found.guess);
  const typical = at.filter(budget).map((event) => 200 / budget(event));
  const mean = Math.sqrt(typical.reduce((sum, scale) => sum + scale ** 2, 0)) / typical.length;
  ok(made.guessAt(1).away_m > 0.5 * mean && made.guessAt(1).away_m < 3 * mean, `${made.guessAt(1).away_m} ${mean}`);
});

test("a scale has two decades around a level; the level of a share is that of its place", () => {
  deepEqual([1, 0.5, 200, 0.004].map(levels.endsOf), [
    [0.1, 10],
    [0.1, 10],
    [10, 1000],
    [0.001, 0.1].map((one) => 10 ** Math.round(Math.log10(one))),
  ]);
  const ends = levels.endsOf(1);
  for (const level of [0.1, 0.25, 1, 3.1, 10]) equal(levels.levelAt(levels.shareOf(level, ends), ends), level);
  equal(
    levels
      .levelTicks(ends)
      .map(({ text }) => text)
      .join(" "),
    "0.1 0.2 0.5 1 2 5 10",
  );
});

test("distances stand where the guess comes that near, and not upon each other", () => {
  const ends = levels.endsOf(1);
  const ticks = levels.homeTicks(ends, (level) => 39 / level);
  for (const { share, metres } of ticks) near(levels.levelAt(share, ends), 39 / metres, 0.04);
  equal(ticks.map(({ metres }) => metres).join(" "), "300 100 50 20 10 5");
  equal(
    ticks
      .map(({ name }) => name)
      .filter(Boolean)
      .join(" "),
    "street house entrance",
  );
  deepEqual(
    levels.homeTicks(ends, () => 0),
    [],
  );
});

test("home is the median of what was published for the visits; what was not published does not count", () => {
  const trackOf = (places) => ({ lonAt: (i) => places[i][0], latAt: (i) => places[i][1] });
  const original = trackOf([[2, 48], [2.001, 48], [2, 48.001], [9, 9]]); // prettier-ignore
  const indexOf = (event) => ([0, 2].includes(event) ? event / 2 : -1);
  const layer = { track: trackOf([[2.01, 48], [2.01, 48]]), indexOf }; // prettier-ignore
  deepEqual(eventsOf([[0, 2], [5, 6]]), [0, 1, 5]); // prettier-ignore
  near(homeGuess(original, layer, [[0, 3]]), distanceM(2, 48, 2.01, 48), 1e-9);
  equal(homeGuess(original, { ...layer, indexOf: () => -1 }, [[0, 3]]), null);
  equal(homeGuess(original, { ...layer, track: null }, [[0, 3]]), null);
  const across = trackOf([[179.999, 0], [-179.999, 0], [180, 0]]); // prettier-ignore
  near(homeGuess(across, { track: across, indexOf: (i) => i }, [[0, 3]]) + 1, 1, 1e-6);
});
