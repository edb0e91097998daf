import assert from "node:assert/strict";
import { test } from "node:test";

import { moved, spread } from "../../../static/js/stream/heat_map.js";
import { check } from "../cases.mjs";
import { draws } from "../support.mjs";

const order = [2, 0, 1];
const go = (key, dimension = 2, column = 1, rows = order) => {
  const to = moved(key, { dimension, column }, rows, 4);
  return to && [to.dimension, to.column];
};

test("arrow keys move in the order of the rows, Home and End along one", () =>
  check(go, [
    [["ArrowDown"], [0, 1]],
    [
      ["ArrowUp", 1],
      [0, 1],
    ],
    [["ArrowRight"], [2, 2]],
    [["ArrowLeft"], [2, 0]],
    [["Home"], [2, 0]],
    [["End"], [2, 3]],
  ]));

test("keys stay within the map; others lead nowhere", () =>
  check(go, [
    [["ArrowUp"], [2, 1]],
    [
      ["ArrowDown", 1],
      [1, 1],
    ],
    [
      ["ArrowLeft", 2, 0],
      [2, 0],
    ],
    [
      ["ArrowRight", 2, 3],
      [2, 3],
    ],
    [
      ["PageDown", 1],
      [1, 1],
    ],
    [["a"], null],
    [["ArrowDown", 2, 1, []], null],
  ]));

test("Page keys move by a twentieth of the rows, by one of few", () => {
  const rows = Array.from({ length: 100 }, (_, i) => i);
  check(go, [
    [
      ["PageDown", 50, 0, rows],
      [55, 0],
    ],
    [
      ["PageUp", 50, 0, rows],
      [45, 0],
    ],
    [
      ["PageUp", 3, 0, rows],
      [0, 0],
    ],
    [
      ["PageDown", 2],
      [0, 1],
    ],
  ]);
});

test("names beside rows are apart, in order and inside the map where they fit", () => {
  const draw = draws(5);
  for (let i = 0; i < 100; i += 1) {
    const height = draw.int(200, 400);
    const rows = draw.list(draw.int(1, 16), () => ({ y: draw.real(0, height), at: 0 })).sort((a, b) => a.y - b.y);
    spread(rows, height);
    rows.forEach(({ at }, k) => {
      assert.ok(at >= 6 - 1e-9 && at <= height - 6 + 1e-9, `${at} of ${height}`);
      if (k) assert.ok(at - rows[k - 1].at >= 12 - 1e-9, `${rows.map((row) => row.at)}`);
    });
  }
  const alone = [{ y: 50, at: 0 }];
  spread(alone, 200);
  assert.equal(alone[0].at, 50);
});
