import assert from "node:assert/strict";
import { test } from "node:test";

import { boundsOf, placeOf, polygonOf } from "../../../static/js/checkins/cell_places.js";
import { check } from "../cases.mjs";

const cell = (west, south, rank = 1) => ({
  ...{ rank, cell: 0, count: 0, west, south },
  ...{ east: west + 0.5, north: south + 0.25 },
});

test("the centre of a cell, north or south, east or west", () =>
  check(placeOf, [
    [[cell(-74.25, 40.5)], "40.6250° N, 74.0000° W"],
    [[cell(151, -34)], "33.8750° S, 151.2500° E"],
    [[cell(-0.25, -0.125)], "0.0000° N, 0.0000° E"],
  ]));

test("the box around cells is the least that holds all", () => {
  assert.deepEqual(boundsOf([cell(3, 5), cell(1, 6), cell(2, 4)]), [1, 4, 3.5, 6.25]);
});

test("a cell as a closed zone; the first ten have their rank", () => {
  const { coordinates, label } = polygonOf(cell(1, 2, 10));
  assert.deepEqual(coordinates, [
    [
      [1, 2],
      [1.5, 2],
      [1.5, 2.25],
      [1, 2.25],
      [1, 2],
    ],
  ]);
  assert.equal(label, "10");
  assert.equal(polygonOf(cell(1, 2, 11)).label, "");
});
