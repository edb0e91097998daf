import assert from "node:assert/strict";
import { test } from "node:test";

import { createNumbers } from "../../../static/js/stream/downloads.js";

const cells = {
  truth: [
    [1, 2, 3],
    [4, 5, 6],
  ],
  a: [
    [10, 20, 30],
    [40, 50, 60],
  ],
};
const cellsOf = (id) => ({ row: (one) => cells[id][one], at: (one, column) => cells[id][one][column] });
const lineOf = (id, name) => ({ name, row: cellsOf(id).row });
const releases = [{ id: "a", title: "A", level: "w-event", window: 2, figures: { are: 0.5, mae: 7 } }];
const page = {
  ...{ axis: { labels: ["Mon", "Tue", "Wed"] }, dimensions: { names: ["tea", "mugs"] }, releases },
  ...{
    columns: [
      { name: "are", short: "ARE" },
      { name: "mae", short: "MAE" },
    ],
    zeros: { are: 1 },
  },
};
const known = {
  ...{ cells: cellsOf, cellsOf: (view, id) => cellsOf(view === "truth" ? view : id) },
  lineOfTruth: () => lineOf("truth", "Truth"),
  linesOf: (which) => which.map(({ id, title }) => lineOf(id, title)),
  comparisonOf: () => ({ window_spent: [0.1, null, 0.3] }),
};
const state = {
  order: [1, 0],
  view: "release",
  shown: releases[0],
  cell: { dimension: 0, column: 2 },
  pinned: [1],
  range: [1, 3],
};
const lanes = [
  { label: ["A", "ε each"], values: [0.1, 0.2, 0.3] },
  { label: ["clusters: A"], values: [true, false, true] },
];
const numbers = createNumbers({ page, known, state, lines: () => releases }, () => lanes);
const written = ({ head, rows }) => [head, ...rows()];

test("the heat map: dimensions in the order shown, a column for each time", () => {
  assert.deepEqual(written(numbers.heat), [
    ["dimension", "Mon", "Tue", "Wed"],
    ["mugs", 40, 50, 60],
    ["tea", 10, 20, 30],
  ]);
  state.view = "truth";
  assert.deepEqual(numbers.heat.rows()[0], ["mugs", 4, 5, 6]);
});

test("the selected column: truth beside each release", () => {
  assert.deepEqual(written(numbers.column), [
    ["dimension at Wed", "truth", "A"],
    ["mugs", 6, 60],
    ["tea", 3, 30],
  ]);
  state.cell.column = 0;
  assert.deepEqual(written(numbers.column), [
    ["dimension at Mon", "truth", "A"],
    ["mugs", 4, 40],
    ["tea", 1, 10],
  ]);
});

test("lanes and budgets by time", () => {
  assert.deepEqual(written(numbers.lanes), [
    ["time", "A, ε each", "clusters: A"],
    ["Mon", 0.1, true],
    ["Tue", 0.2, false],
    ["Wed", 0.3, true],
  ]);
  assert.deepEqual(written(numbers.budget), [
    ["time", "A, ε in 2 timestamps"],
    ["Mon", 0.1],
    ["Tue", null],
    ["Wed", 0.3],
  ]);
});

test("pinned dimensions within the range, truth first", () =>
  assert.deepEqual(written(numbers.pinned), [
    ["time", "mugs, Truth", "mugs, A"],
    ["Tue", 5, 50],
    ["Wed", 6, 60],
  ]));

test("errors of releases, and of publishing zeros", () =>
  assert.deepEqual(written(numbers.releases), [
    ["release", "level", "ARE", "MAE"],
    ["A", "w-event", 0.5, 7],
    ["Publish zeros", "", 1, null],
  ]));
