import assert from "node:assert/strict";
import { test } from "node:test";

import { degreesText, stepFor } from "../../../static/js/map/degrees.js";
import { draws } from "../support.mjs";

test("lines are 96 px apart or more, at 1, 2 or 5 times a power of ten or at parts of a turn", () => {
  const draw = draws(73);
  for (let k = 0; k < 500; k += 1) {
    const degrees = 10 ** draw.real(-7, -0.1);
    const step = stepFor(degrees);
    assert.ok(step / degrees >= 95.9 || step === 90, `${degrees} → ${step}`);
    assert.ok(step / degrees <= 96 * 3.1, `${degrees} → ${step}: too far apart`);
    if (step < 1) assert.match(step.toExponential(6), /^[125]\.000000e/);
    else assert.ok([1, 2, 5, 10, 15, 30, 45, 90].includes(step), String(step));
  }
  assert.deepEqual([stepFor(5 / 960), stepFor(10 / 96), stepFor(11 / 96), stepFor(1)], [0.5, 10, 15, 90]);
});

test("degrees have the decimals of the step and their side", () => {
  const cases = [
    [2.35, 0.05, ["E", "W"], "2.35° E"],
    [-2.35, 0.05, ["E", "W"], "2.35° W"],
    [48.5, 0.5, ["N", "S"], "48.5° N"],
    [-30, 10, ["N", "S"], "30° S"],
    [0, 0.1, ["N", "S"], "0.0°"],
    [-180, 30, ["E", "W"], "180°"],
    [190, 10, ["E", "W"], "170° W"],
    [-200, 20, ["E", "W"], "160° E"],
    [5, 1, ["E", "W"], "5° E"],
  ];
  for (const [value, step, sides, text] of cases) assert.equal(degreesText(value, step, sides), text);
});
