import assert from "node:assert/strict";
import { test } from "node:test";

import {
  alignedLevel,
  axisTitle,
  isLevel,
  labelOf,
  numberOf,
} from "../../../../static/js/components/experiment/levels.js";
import { plain } from "../../support.mjs";

const axisOf = (more, numbers) => ({
  unit: "",
  ...more,
  values: numbers.map((number) => ({ label: String(number), number })),
});
const LEVELS = axisOf({ name: "release.mechanism.epsilon", title: "Level", symbol: "ε" }, [0.01, 1]);
const RADII = axisOf({ name: "release.mechanism.radius_m", title: "Radius", symbol: "r", unit: "m" }, [1, 200]);
const level = (more) => ({ reference_m: 200, axis: null, ...more });

const metre = { axes: [LEVELS], level: level({ radii: [1] }) };
const block = { axes: [LEVELS], level: level({ radii: [200] }) };
const both = { axes: [LEVELS, RADII], level: level({ axis: 1, radii: [1, 200] }) };
const other = { axes: [LEVELS], level: null };
const stated = "ε 2 within 200 m (set as 0.01 within 1 m)";

test("the axis of levels is known by its name, also of several at once", () => {
  const names = [
    "release.mechanism.epsilon",
    "mechanism.epsilon,mechanism.radius_m",
    "release.selection.epsilon",
    "xmechanism.epsilon",
  ];
  assert.deepEqual(
    names.map((name) => isLevel(metre, { name })),
    [true, true, false, false],
  );
  assert.equal(isLevel(other, LEVELS), false);
});

test("numbers of levels are those within the reference radius", () => {
  const cases = [
    [metre, 0, 0, [0], 2],
    [block, 0, 0, [0], 0.01],
    [both, 0, 0, [0, 0], 2],
    [both, 0, 0, [0, 1], 0.01],
    [both, 0, 0, null, 0.01],
    [both, 1, 1, [0, 1], 200],
    [other, 0, 0, [0], 0.01],
  ];
  for (const [results, axis, value, at, number] of cases) assert.equal(numberOf(results, axis, value, at), number);
  const text = { ...metre, axes: [{ ...LEVELS, values: [{ label: "none", number: null }] }] };
  assert.equal(numberOf(text, 0, 0, [0]), null);
  assert.equal(labelOf(text, 0, 0), "none");
});

test("names of values state the radius", () => {
  const cases = [
    [metre, 0, 0, stated],
    [block, 0, 1, "ε 1 within 200 m"],
    [both, 0, 1, "1 within its radius"],
    [other, 0, 1, "1"],
    [both, 1, 0, "1"],
  ];
  for (const [results, axis, value, text] of cases) assert.equal(plain(labelOf(results, axis, value)), text);
});

test("titles of axes", () => {
  const titles = [metre, block, both, other].map((results) => plain(axisTitle(results, results.axes[0])));
  assert.deepEqual(titles, [
    "Level ε within 200 m (set within 1 m)",
    "Level ε within 200 m",
    "Level ε within 200 m (set within 1 m)",
    "Level ε",
  ]);
  assert.equal(axisTitle(both, RADII), "Radius r, m");
});

test("another experiment's levels are aligned with the axes of this one", () => {
  const turned = { axes: [RADII, LEVELS], level: { reference_m: 7, axis: 0, radii: [1, 200] } };
  assert.deepEqual(alignedLevel(both, turned), { axis: 1, radii: [1, 200], reference_m: 200 });
});
