import assert from "node:assert/strict";
import { test } from "node:test";

import { sorted } from "../../../static/js/stream/release_table.js";

const FIGURES = [
  ["x", 2],
  ["zeros", 1],
  ["y", null],
  ["z", 3],
];
const rows = FIGURES.map(([id, are]) => ({ id, figures: { are } }));

test("rows by a figure, those without it last both ways, the list itself unchanged", () => {
  const ids = (descending) => sorted(rows, "are", descending).map(({ id }) => id);
  assert.deepEqual(ids(false), ["zeros", "x", "z", "y"]);
  assert.deepEqual(ids(true), ["z", "x", "zeros", "y"]);
  assert.deepEqual(
    rows.map(({ id }) => id),
    ["x", "zeros", "y", "z"],
  );
});
