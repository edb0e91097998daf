import assert from "node:assert/strict";
import { test } from "node:test";

import { cellAt } from "../../../static/js/map/grid_layer.js";
import { degreesText, stepFor } from "../../../static/js/map/graticule.js";
import { draws } from "../support.mjs";

test("lines are 96 px apart or more, at 1, 2 or 5 times a power of ten or at parts of a turn", () => {
  const draw = draws(73);
  for (let k = 0; k < 500; k += 1) {
    const degrees = 10 ** draw.real(-7, -0.1);
    const step = stepFor(degrees);
    assert.ok(step / degrees >= 95.9 || step === 90, `${degrees} → ${step}`);
    assert.ok(step / degrees <= 96 * 3.1, `${degrees} → ${step}: too far apart`);
    if (step < 1) assert.match(step.toExponential(6), /^[125]\.000000e/);
    else assert.ok([1, 2, 5, 10, 15, 30, 45, 90].includes(step), String(step));
  }
  assert.deepEqual([stepFor(5 / 960), stepFor(10 / 96), stepFor(11 / 96), stepFor(1)], [0.5, 10, 15, 90]);
});

test("degrees have the decimals of the step and their side", () => {
  /** @type {[number, number, [string, string], string][]} */
  const cases = [
    [2.35, 0.05, ["E", "W"], "2.35° E"],
    [-2.35, 0.05, ["E", "W"], "2.35° W"],
    [48.5, 0.5, ["N", "S"], "48.5° N"],
    [-30, 10, ["N", "S"], "30° S"],
    [0, 0.1, ["N", "S"], "0.0°"],
    [-180, 30, ["E", "W"], "180°"],
    [190, 10, ["E", "W"], "170° W"],
    [-200, 20, ["E", "W"], "160° E"],
    [5, 1, ["E", "W"], "5° E"],
  ];
  for (const [value, step, sides, text] of cases) assert.equal(degreesText(value, step, sides), text);
});

const GRID = { west: 2, south: 48, east: 4, north: 49, columns: 4, rows: 2 };

test("the cell at a place, from the south-west, with all edges", () => {
  /** @type {[number, number, number][]} */
  const cases = [
    [2, 48, 0],
    [2.49, 48.49, 0],
    [2.5, 48, 1],
    [2, 48.5, 4],
    [3.99, 48.99, 7],
    [4, 49, 7],
    [362.6, 48, 1],
    [-357.4, 48, 1],
  ];
  for (const [lon, lat, cell] of cases) assert.equal(cellAt(GRID, { lon, lat }), cell, `${lon}, ${lat}`);
  for (const [lon, lat] of [
    [1.99, 48],
    [4.01, 48],
    [3, 47.99],
    [3, 49.01],
  ])
    assert.equal(cellAt(GRID, { lon, lat }), -1);
});

test("the middle of every cell lies in it", () => {
  for (let cell = 0; cell < 8; cell += 1) {
    const [lon, lat] = [2.25 + 0.5 * (cell % 4), 48.25 + 0.5 * Math.floor(cell / 4)];
    assert.equal(cellAt(GRID, { lon, lat }), cell);
  }
});
