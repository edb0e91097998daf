import assert from "node:assert/strict";
import { test } from "node:test";

import { Cells } from "../../../static/js/stream/cells.js";
import { perRow, pixelsOf, rampOf, rasterise, roundUp, shareOf } from "../../../static/js/stream/raster.js";
import { check } from "../cases.mjs";
import { draws } from "../support.mjs";

const cells = new Cells(4, 3, Float64Array.from([1, 2, 3, 4, 5, -9, 7, 8, 0, 0, 0, 6]));
const values = (order, width, height, signed = false) => [...rasterise(cells, order, { width, height }, signed).values];
const GREYS = rampOf(["#000000", "#ffffff"]);
const shade = (value, signed = false) =>
  pixelsOf({ width: 1, height: 1, values: Float32Array.of(value) }, 100, GREYS, signed)[0];

test("where there is space a pixel is a cell, rows in the order given", () => {
  assert.deepEqual(values([0, 1], 9, 9), [1, 2, 3, 4, 5, -9, 7, 8]);
  assert.deepEqual(values([1, 0], 9, 9), [5, -9, 7, 8, 1, 2, 3, 4]);
});

test("a pixel of several cells has the largest, of differences the farthest from 0", () => {
  assert.deepEqual(values([0, 1, 2], 2, 1), [5, 8]);
  assert.deepEqual(values([0, 1, 2], 2, 1, true), [-9, 8]);
  assert.deepEqual(values([2, 0], 3, 1), [2, 3, 6]);
});

test("the extreme of all cells is in the raster, however small it is", () => {
  const draw = draws(3);
  for (let i = 0; i < 100; i += 1) {
    const [columns, dimensions] = [draw.int(1, 40), draw.int(1, 40)];
    const all = draw.list(columns * dimensions, () => Math.fround(draw.real(-50, 50)));
    const some = new Cells(columns, dimensions, Float64Array.from(all));
    const most = { width: draw.int(1, 50), height: draw.int(1, 50) };
    const order = draw.list(dimensions, (at) => at);
    const [counts, differences] = [false, true].map((signed) => rasterise(some, order, most, signed));
    assert.deepEqual([counts.width, counts.height], [Math.min(columns, most.width), Math.min(dimensions, most.height)]);
    assert.equal(Math.max(...counts.values), Math.max(...all));
    const size = (of) => Math.max(...[...of].map(Math.abs));
    assert.equal(size(differences.values), size(all));
  }
});

test("dimensions in a row of pixels", () =>
  check(perRow, [
    [[1298, 262], 5],
    [[3, 262], 1],
    [[4, 2], 2],
    [[5, 2], 3],
    [[0, 2], 0],
  ]));

test("limits of a ramp", () =>
  check(roundUp, [
    [[0], 1],
    [[1], 1],
    [[1.1], 2],
    [[3], 5],
    [[70], 100],
    [[501], 1000],
    [[2000], 2000],
  ]));

test("the share of a ramp is logarithmic, from 0 to 1", () => {
  assert.deepEqual(
    [-5, 0, 99, 1e9].map((value) => shareOf(value, 99)),
    [0, 0, 1, 1],
  );
  assert.ok(Math.abs(shareOf(9, 99) - 0.5) < 1e-12);
});

test("shades of counts begin at 0, those of differences in the middle", () => {
  assert.deepEqual(
    [0, -5, 100, 1e9].map((value) => shade(value)),
    [0, 0, 255, 255],
  );
  assert.deepEqual(
    [-100, 100, -1e9].map((value) => shade(value, true)),
    [0, 255, 0],
  );
  assert.ok(Math.abs(shade(0, true) - 127.5) <= 0.5);
  assert.equal(pixelsOf({ width: 1, height: 1, values: Float32Array.of(9) }, 99, GREYS, false)[0], 128);
});

test("a larger value never has a lighter shade, and opposite differences are as far from the middle", () => {
  const draw = draws(4);
  const sorted = draw.list(200, () => draw.real(-120, 120)).sort((a, b) => a - b);
  for (const signed of [false, true])
    sorted.slice(1).forEach((value, i) => assert.ok(shade(value, signed) >= shade(sorted[i], signed), `${value}`));
  for (const value of sorted) assert.ok(Math.abs(shade(value, true) + shade(-value, true) - 255) <= 1);
});

test("pixels are opaque, with the three colours of the ramp in their order", () => {
  const ramp = rampOf(["#102030", "#a0b0c0"]);
  assert.deepEqual(
    [...pixelsOf({ width: 2, height: 1, values: Float32Array.of(0, 50) }, 50, ramp, false)],
    [...[16, 32, 48, 255], ...[160, 176, 192, 255]],
  );
});

test("a ramp runs through its stops at even distances", () => {
  assert.deepEqual([...GREYS.slice(0, 6), ...GREYS.slice(-3)], [0, 0, 0, 1, 1, 1, 255, 255, 255]);
  const three = rampOf(["#ff0000", "#00ff00", "#0000ff"]);
  assert.deepEqual([...three.slice(0, 3), ...three.slice(-3)], [255, 0, 0, 0, 0, 255]);
  assert.deepEqual([...three.slice(3 * 191, 3 * 192)], [0, 128, 127]);
  assert.ok(three[3 * 127 + 1] >= 253 && three[3 * 64] === 127, "green in the middle, half way to it a half");
});
