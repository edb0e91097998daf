import assert from "node:assert/strict";
import { test } from "node:test";

import { cellAt } from "../../../static/js/map/grid.js";

const GRID = { west: 2, south: 48, east: 4, north: 49, columns: 4, rows: 2 };

test("the cell at a place, from the south-west, with all edges", () => {
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
