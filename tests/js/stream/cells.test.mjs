import assert from "node:assert/strict";
import { test } from "node:test";

import { Cells, decodeCells, differenceOf } from "../../../static/js/stream/cells.js";

/** Cells as dashboard/datasets/heat_maps.py writes them. */
function encoded(columns, dimensions, values) {
  const buffer = new ArrayBuffer(24 + 8 * values.length);
  const view = new DataView(buffer);
  [0x544d4843, 2, 0, columns, dimensions].forEach((value, i) => view.setUint32(4 * i, value, true));
  values.forEach((value, i) => view.setFloat64(24 + 8 * i, value, true));
  return { buffer, view };
}

test("cells are read back dimension after dimension", () => {
  const cells = decodeCells(encoded(3, 2, [1, 2, 3, 4, 5.5, -6]).buffer);
  assert.deepEqual([cells.columns, cells.dimensions], [3, 2]);
  assert.deepEqual([...cells.row(0)], [1, 2, 3]);
  assert.deepEqual([...cells.row(1)], [4, 5.5, -6]);
  assert.deepEqual([cells.at(0, 0), cells.at(0, 2), cells.at(1, 0), cells.at(1, 2)], [1, 3, 4, -6]);
});

test("what is no counts, too short or of another version is refused", () => {
  assert.throws(() => decodeCells(new ArrayBuffer(20)), /These are no counts/);
  const other = encoded(1, 1, [1]);
  other.view.setUint32(0, 0x4e524943, true);
  assert.throws(() => decodeCells(other.buffer), /These are no counts/);
  const old = encoded(1, 1, [1]);
  old.view.setUint32(4, 1, true);
  assert.throws(() => decodeCells(old.buffer), /reload the page/);
});

test("a difference is above 0 where more was published than counted, and swaps its sign with its sides", () => {
  const cells = (...values) => new Cells(2, 2, Float64Array.from(values));
  const [published, truth] = [cells(5, 0, 2.5, 7), cells(3, 4, 2.5, 10)];
  const difference = differenceOf(published, truth);
  assert.deepEqual([...difference.values], [2, -4, 0, -3]);
  assert.deepEqual([difference.columns, difference.dimensions], [2, 2]);
  assert.deepEqual(
    [...differenceOf(truth, published).values].map((value) => 0 - value),
    [2, -4, 0, -3],
  );
});
