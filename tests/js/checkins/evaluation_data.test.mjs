import assert from "node:assert/strict";
import { test } from "node:test";

import * as evaluation from "../../../static/js/checkins/evaluation_data.js";
import { check } from "../cases.mjs";

const VALUES = [
  ["a", 2, 0.4],
  ["a", 1, 0.3],
  ["checkin-nearest", 1, 0.45],
  ["checkin-nearest", 2, 0.45],
  ["b", 1, 0.5],
];
const rowOf = ([model, epsilon, value] = VALUES[0]) => ({
  model,
  unit: "user",
  metric: "hit",
  epsilon,
  value,
  low: null,
  high: null,
});
const known = evaluation.evaluationOf(VALUES.map(rowOf));
const of = (mechanism, epsilon, ...unusual) => ({
  title: mechanism.toUpperCase(),
  ...{ mechanism, epsilon, unit: "user", unusual },
});
const baselines = [
  { name: "checkin-nearest", title: "Nearest" },
  { name: "none", title: "None" },
];
const measure = { name: "hit", short: "HR" };

test("shares as tables show them", () => {
  check(evaluation.shareText, [
    [[0], ".000"],
    [[0.0621], ".062"],
    [[0.9994], ".999"],
    [[0.99951], "1"],
    [[1], "1"],
    [[null], "–"],
    [[undefined], "–"],
  ]);
  check(evaluation.signed, [
    [[0.015], "+.015"],
    [[-0.028], "−.028"],
    [[0], "+.000"],
  ]);
});

test("a value is of the model, the level and the unit", () => {
  check(
    (model, release) => known.value(model, "hit", release),
    [
      [["a", of("a", 1)], 0.3],
      [["a", of("a", 1 + 1e-12)], 0.3],
      [["a", of("a", 1.001)], null],
      [["a", of("a", 3)], null],
      [["c", of("c", 1)], null],
      [["a", { ...of("a", 1), unit: "record" }], null],
      [["a", of("a", 1, "Order")], null],
      [["checkin-nearest", of("a", 1, "Order")], 0.45],
    ],
  );
  assert.equal(known.value("a", "recall", of("a", 1)), null);
});

test("a line for each model, by level", () => {
  assert.deepEqual(known.lines("hit", "user"), [
    { id: "a", x: [1, 2], y: [0.3, 0.4] },
    { id: "checkin-nearest", x: [1, 2], y: [0.45, 0.45] },
    { id: "b", x: [1], y: [0.5] },
  ]);
  assert.deepEqual(known.lines("hit", "record"), []);
});

test("a release against the baselines, or why it is not", () =>
  check(
    (release) => evaluation.comparisonText(known, release, measure, baselines),
    [
      [[of("a", 1)], "A .300 · −.150 against Nearest"],
      [[of("b", 1)], "B .500 · +.050 against Nearest"],
      [[of("checkin-nearest", 1)], "CHECKIN-NEAREST .450"],
      [[of("a", 3)], "A was not evaluated at ε = 3 per user."],
      [[{ ...of("a", 1), unit: "record" }], "A was not evaluated at ε = 1 per check-in."],
      [[of("a", 1, "Order", "Height")], "A was not evaluated: the evaluation has other values of Order, Height."],
    ],
  ));

test("a release below the public baseline is called so, another one is not", () => {
  const text = (release) => evaluation.worseText(known, release, measure);
  assert.equal(
    text(of("a", 1)),
    "A at ε = 1 per user is worse than the public baseline: the nearest cell, which reads no check-ins, has HR .450 " +
      "against .300.",
  );
  check(text, [
    [[of("b", 1)], ""],
    [[of("c", 1)], ""],
    [[of("a", 3)], ""],
    [[of("checkin-nearest", 2)], ""],
  ]);
});

test("an evaluation is of the same grid in all its numbers", () => {
  const spec = { west: 1, south: 2, east: 3, north: 4, side: 5 };
  const evaluations = [{ grid: [1, 2, 3, 4, 6] }, { grid: [1, 2, 3, 4, 5], name: "this" }];
  assert.equal(evaluation.evaluationFor({ evaluations }, { spec }).name, "this");
  for (const name of Object.keys(spec))
    assert.equal(
      evaluation.evaluationFor({ evaluations: evaluations.slice(1) }, { spec: { ...spec, [name]: 9 } }),
      null,
    );
});
