import assert from "node:assert/strict";
import { test } from "node:test";

import {
  cellsOf,
  inOneOrder,
  plain,
  same,
  shortMetric,
} from "../../../../static/js/components/experiment_form/cells.js";

const FIELDS = [
  { name: "epsilon", required: true, default: 1 },
  { name: "leading", default: "none" },
];
const known = {
  mechanisms: new Map([["skip", FIELDS]]),
  steps: new Map(),
  landmarks: new Map([["stays", [{ name: "reach_m", default: 50 }]]]),
  dummies: new Map(),
  generators: new Map(),
  measures: new Map([["area", [{ name: "share", default: 0.5 }]]]),
};
const spec = (more = {}) => ({
  base: { release: { mechanism: { name: "skip", epsilon: 1 } } },
  metrics: ["area"],
  repetitions: 10,
  seed: 1,
  ...more,
});

test("cells are every combination, in the engine's order: shallow axes first, then by name", () => {
  const grid = { "b.c": [1, 2], a: ["x", "y"], "a.d": [5] };
  const cells = cellsOf({ base: { a: {}, b: { kept: true } }, grid: { "b.c": [1, 2], z: ["x", "y"] } });
  assert.deepEqual(cells, [
    { a: {}, b: { kept: true, c: 1 }, z: "x" },
    { a: {}, b: { kept: true, c: 2 }, z: "x" },
    { a: {}, b: { kept: true, c: 1 }, z: "y" },
    { a: {}, b: { kept: true, c: 2 }, z: "y" },
  ]);
  assert.equal(cellsOf({ base: {}, grid: { ...grid, a: [{}, {}] } }).length, 4);
  assert.deepEqual(cellsOf({ base: { a: 1 }, grid: undefined }), [{ a: 1 }]);
});

test("an axis of several paths varies them together", () => {
  assert.deepEqual(
    cellsOf({
      base: {},
      grid: {
        "a,b.c": [
          [1, 2],
          [3, 4],
        ],
      },
    }),
    [
      { a: 1, b: { c: 2 } },
      { a: 3, b: { c: 4 } },
    ],
  );
});

test("cells share nothing with each other or the spec", () => {
  const value = { deep: [1] };
  const [one, other] = cellsOf({ base: { a: value }, grid: { b: [1, 2], c: [value] } });
  one.a.deep.push(2);
  one.c.deep.push(2);
  assert.deepEqual([other.a, other.c, value], [{ deep: [1] }, { deep: [1] }, { deep: [1] }]);
});

test("ten thousand cells are the most", () => {
  const many = (n) => ({ base: {}, grid: { a: Array(n).fill(0), b: Array(100).fill(0) } });
  assert.equal(cellsOf(many(100)).length, 10_000);
  assert.throws(() => cellsOf(many(101)), RangeError);
});

test("names in one order, at every depth", () => {
  assert.equal(JSON.stringify(inOneOrder({ b: [{ d: 1, c: null }], a: 2 })), '{"a":2,"b":[{"c":null,"d":1}]}');
});

test("parameters that are as they are left out, unless they are required", () => {
  assert.deepEqual(plain({ name: "skip", epsilon: 1, leading: "none" }, known.mechanisms), {
    name: "skip",
    epsilon: 1,
  });
  assert.deepEqual(plain({ name: "other", leading: "none" }, known.mechanisms), { name: "other", leading: "none" });
  assert.equal(plain(null, known.mechanisms), null);
  assert.equal(shortMetric({ name: "area", share: 0.5 }, known), "area");
  assert.deepEqual(shortMetric({ name: "area", share: 0.4 }, known), { name: "area", share: 0.4 });
});

test("two spellings of one experiment are the same", () => {
  const long = { name: "skip", leading: "none", epsilon: 1 };
  const spellings = [
    { base: { release: { mechanism: long } } },
    { base: { release: { postprocess: [], mechanism: long }, redraw: false } },
    { base: { data: null, landmarks: null }, grid: { release: [{ mechanism: long }] } },
    { metrics: [{ name: "area", share: 0.5 }], common: true },
  ];
  for (const changes of spellings) assert.ok(same(spec(), spec(changes), known), JSON.stringify(changes));
  const landmarks = (own) => spec({ base: { landmarks: { name: "stays", ...own } } });
  assert.ok(same(landmarks({}), landmarks({ reach_m: 50 }), known));
  const correlated = (own) => spec({ base: { correlation: { strength: 0.5, ...own } } });
  assert.ok(same(correlated({}), correlated({ states: 2, bound: "published" }), known));
});

test("whatever changes the results or their table is another experiment", () => {
  const levels = (...values) => ({ grid: { "release.mechanism.epsilon": values } });
  const others = [
    ...[{ seed: 2 }, { repetitions: 11 }, { common: false }, { metrics: ["area", "area"] }],
    ...[{ base: { release: { mechanism: { name: "skip", epsilon: 2 } } } }, { base: { release: null } }],
    ...[levels(1, 2), { base: { ...spec().base, redraw: true } }],
  ];
  for (const changes of others) assert.ok(!same(spec(), spec(changes), known), JSON.stringify(changes));
  assert.ok(!same(spec(levels(1, 2)), spec(levels(2, 1)), known), "the order of the cells");
  assert.ok(same(spec(levels(1)), spec(), known), "one value is no axis");
});
