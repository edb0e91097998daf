import assert from "node:assert/strict";
import { test } from "node:test";

import { densityPixels } from "../../../static/js/checkins/density.js";
import { draws } from "../support.mjs";

test("opacity is the square root of the share of the largest", () => {
  const colour = [16, 32, 48];
  const of = (...opacities) => opacities.flatMap((opacity) => [...colour, opacity]);
  assert.deepEqual([...densityPixels([4, 1, 0, -3], "#102030")], of(150, 75, 0, 0));
  assert.deepEqual([...densityPixels([0, -1], "#102030")], of(0, 0));
  assert.deepEqual([...densityPixels([0.4, 0.1], "#102030")], of(150, 75));
  assert.deepEqual([...densityPixels([], "#102030")], []);
});

test("a denser cell is never fainter", () => {
  const draw = draws(9);
  const densities = draw.list(100, () => draw.real(-1, 10)).sort((a, b) => a - b);
  const opacities = [...densityPixels(densities, "#000000")].filter((_, i) => i % 4 === 3);
  opacities.slice(1).forEach((opacity, i) => assert.ok(opacity >= opacities[i]));
  assert.equal(opacities.at(-1), 150);
});
