import assert from "node:assert/strict";
import { test } from "node:test";

import * as names from "../../../static/js/checkins/grid_names.js";
import { check } from "../cases.mjs";
import { draws } from "../support.mjs";

const grid = { columns: 30, rows: 4, west: 0, south: 0, east: 30, north: 8 };

test("columns have letters from the west", () =>
  check(names.columnName, [
    [[0], "A"],
    [[25], "Z"],
    [[26], "AA"],
    [[51], "AZ"],
    [[52], "BA"],
    [[701], "ZZ"],
    [[702], "AAA"],
  ]));

test("rows have numbers from the north", () =>
  check(
    (cell) => names.cellName(grid, cell),
    [
      [[0], "A4"],
      [[25], "Z4"],
      [[26], "AA4"],
      [[29], "AD4"],
      [[90], "A1"],
      [[119], "AD1"],
    ],
  ));

test("a name leads to its cell; anything else to none", () =>
  check(
    (name) => names.cellOf(grid, name),
    [
      [["A1"], 90],
      [["a4"], 0],
      [[" AD 1 "], 119],
      ...["AE1", "A0", "A5", "", "7", "1A", "A1B", "A 1 1", "AAAA1"].map((name) => [[name], -1]),
    ],
  ));

test("every cell of a grid is found by its name", () => {
  const draw = draws(8);
  for (const [columns, rows] of [
    [30, 4],
    [1, 1],
    [800, 3],
    [3, 700],
    ...draw.list(5, () => [draw.int(1, 60), draw.int(1, 60)]),
  ])
    for (let cell = 0; cell < columns * rows; cell += 1)
      assert.equal(
        names.cellOf({ columns, rows }, names.cellName({ columns, rows }, cell)),
        cell,
        `${columns} × ${rows}`,
      );
});

test("the names of axes are those of the cells", () => {
  const { columns, rows } = names.axisNames(grid);
  assert.deepEqual([columns.length, columns[29], rows], [30, "AD", ["4", "3", "2", "1"]]);
  for (let cell = 0; cell < 120; cell += 1)
    assert.equal(`${columns[cell % 30]}${rows[Math.floor(cell / 30)]}`, names.cellName(grid, cell));
});

test("arrows lead to the next cell and stay at the edges", () => {
  check(
    (cell, key) => names.neighbour(grid, cell, key),
    [
      [[0, "ArrowUp"], 30],
      [[0, "ArrowRight"], 1],
      [[0, "ArrowDown"], 0],
      [[0, "ArrowLeft"], 0],
      [[0, "x"], 0],
      [[119, "ArrowUp"], 119],
      [[119, "ArrowRight"], 119],
      [[29, "ArrowRight"], 29],
      [[75, "ArrowDown"], 45],
      [[45, "ArrowLeft"], 44],
    ],
  );
});

test("boxes of cells, south-west first, tile the grid", () => {
  assert.deepEqual(names.boxOf(grid, 31), [1, 2, 2, 4]);
  assert.deepEqual(names.boxOf(grid, 0), [0, 0, 1, 2]);
  assert.deepEqual(names.boxOf(grid, 119), [29, 6, 30, 8]);
  assert.deepEqual(names.middleOf(grid, 31), [1.5, 3]);
  const far = { ...grid, west: -74, east: -73, south: 40, north: 41 };
  const [west, south] = names.boxOf(far, 0);
  assert.deepEqual([west, south, ...names.boxOf(far, 119).slice(2)], [-74, 40, -73, 41]);
});
