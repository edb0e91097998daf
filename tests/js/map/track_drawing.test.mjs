import assert from "node:assert/strict";
import { test } from "node:test";

import { Positions } from "../../../static/js/map/positions.js";
import { chosenDrawing, drawingFor, DRAWINGS, trackStatistics } from "../../../static/js/map/track_drawing.js";
import { draws } from "../support.mjs";

const draw = draws(1);
const noise = (px) => (draw.real(0, 1) + draw.real(0, 1) + draw.real(0, 1) - 1.5) * px;
/** A track of places in pixels where the world is 2^20 of them wide. */
function trackOf(n, place) {
  const [lonE7, y] = [new Int32Array(n), new Int32Array(n)];
  for (let i = 0; i < n; i += 1) {
    const [px, py] = place(i);
    [lonE7[i], y[i]] = [Math.round(px * (3.6e9 / 2 ** 20)), Math.round(py * 2 ** 12)];
  }
  return new Positions({ lonE7, y, ends: null }, 0);
}
const drawn = (track, zoom = 0) => drawingFor(track, 2 ** (20 + zoom));
const straight = trackOf(500, (i) => [i * 20, 0]);

test("the drawing follows step, persistence and crowding", () => {
  const noisy = trackOf(500, (i) => [i * 0.5 + noise(600), noise(600)]);
  const crowd = trackOf(40_000, () => [noise(300), noise(300)]);
  const cases = [
    ["straight", straight, 0, "line"],
    ["straight, close", straight, 6, "line"],
    ["zigzag", trackOf(500, (i) => [i * 20, (i % 2) * 15]), 0, "line"],
    ["precise", trackOf(500, (i) => [i * 20 + noise(4), noise(4)]), 0, "line"],
    ["noisy", noisy, 0, "points"],
    ["noisy from far", noisy, -9, "line"],
    ["a crowd", crowd, 0, "density"],
    ["a crowd spread out", crowd, 5, "points"],
    ["repeated places", trackOf(500, (i) => [i - (i % 5), 0]), 0, "line"],
    ["nothing", trackOf(0, () => [0, 0]), 0, "line"],
    ["one", trackOf(1, () => [0, 0]), 0, "line"],
    ["short noisy steps", trackOf(500, (i) => [(i % 2) * 5, Math.floor(i / 2) * 5]), 0, "line"],
  ];
  for (const [name, track, zoom, drawing] of cases) assert.equal(drawn(track, zoom), drawing, name);
});

test("steps and four steps ahead are in widths of the world, repeated places left out", () => {
  const { step, ahead, n } = trackStatistics(straight);
  assert.ok(Math.abs(step * 2 ** 20 - 20) < 1e-3 && Math.abs(ahead * 2 ** 20 - 80) < 1e-3, `${step} ${ahead}`);
  assert.equal(n, 500);
  const repeated = trackStatistics(trackOf(500, (i) => [20 * Math.floor(i / 5), 0]));
  assert.ok(Math.abs(repeated.step * 2 ** 20 - 20) < 1e-3 && Math.abs(repeated.ahead * 2 ** 20 - 80) < 1e-3);
  assert.equal(repeated.n, 100);
});

test("a step over the antimeridian is short", () => {
  const lonE7 = Int32Array.from([1_799_000_000, -1_799_000_000]);
  const { step } = trackStatistics(new Positions({ lonE7, y: new Int32Array(2), ends: null }, 0));
  assert.ok(Math.abs(step - 2e6 / 3.6e9) < 1e-12);
});

test("a drawing that is named is taken, a line where none is", () => {
  for (const [drawing] of DRAWINGS) assert.equal(chosenDrawing({ drawing }, straight, 1), drawing);
  assert.equal(chosenDrawing({}, straight, 1), "line");
  const crowd = trackOf(5000, () => [noise(100), noise(100)]);
  assert.equal(chosenDrawing({ drawing: "auto" }, crowd, 2 ** 20), "density");
});
