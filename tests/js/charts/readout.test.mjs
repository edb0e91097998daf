import assert from "node:assert/strict";
import { test } from "node:test";

import { inOrder, kindOf, readoutOf } from "../../../static/js/charts/readout.js";
import { plain } from "../support.mjs";

const line = (more) => ({ name: "a", x: [0, 1, 2], y: [10, null, 30], ...more });
const shown = (more) => ({ lines: [line({})], bands: [], hollow: [], unit: "m", ...more });
const texts = (what, at, more = false) =>
  readoutOf(what, at, more).rows.map(({ name, value }) => `${name} ${plain(value)}`);

test("an event in a run, its end left out; dummies count first", () => {
  const kinds = [3, 4, 6, 7].map((event) => kindOf(event, [[4, 7]], [[6, 7]]));
  assert.deepEqual(kinds, ["", "landmark", "dummy landmark", ""]);
});

test("the values at an event, a dash for none", () => {
  assert.deepEqual(texts(shown({}), 2), ["a 30 m"]);
  assert.deepEqual(texts(shown({}), 1), ["a –"]);
  assert.deepEqual(texts(shown({ lines: [line({ unit: "share", y: [0, 0.5, 1] })] }), 1), ["a 50 %"]);
});

test("hidden lines and single points have no row; short names and the legend's order count", () => {
  const lines = [
    line({ id: "x", name: "first", short: "1st" }),
    line({ id: "y", name: "second" }),
    line({ id: "z", visible: false }),
    line({ id: "p", x: [2], y: [1] }),
  ];
  assert.deepEqual(texts(shown({ lines }), 0), ["1st 10 m", "second 10 m"]);
  assert.deepEqual(texts(shown({ lines, order: () => ["z", "y", "x", "p"] }), 0), ["second 10 m", "1st 10 m"]);
  assert.deepEqual(inOrder(lines, undefined), lines);
});

test("bands and medians only where there is space for more", () => {
  const banded = shown({ lines: [line({ low: [1, 2, 3], high: [40, 50, 60], median: { values: [12, 13, 14] } })] });
  assert.deepEqual(texts(banded, 2, true), ["a 30 m (3 m to 60 m), median 14 m"]);
  assert.deepEqual(texts(banded, 2, false), ["a 30 m"]);
});

test("titles name the event and its kind, or the value", () => {
  const title = (more, at) => readoutOf(shown(more), at, false).title;
  assert.equal(title({ bands: [[1, 2]] }, 1), "event 2 · landmark");
  assert.equal(title({}, 1), "event 2");
  assert.equal(title({ x: { name: "Level ε" }, bands: [[0, 9]] }, 0.5), "Level ε: 0.5");
  assert.equal(title({ x: { name: "Level ε", short: "ε" } }, 1234.56), "ε: 1,235");
});

test("on values the nearest point counts, whatever their order", () => {
  const what = shown({ x: { name: "x" }, lines: [line({ x: [10, 1, 5, 1], y: [100, 10, 50, 3] })] });
  assert.deepEqual(
    [0, 4, 9].flatMap((at) => texts(what, at)),
    ["a 10 m", "a 50 m", "a 100 m"],
  );
});
