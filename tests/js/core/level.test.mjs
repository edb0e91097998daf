import assert from "node:assert/strict";
import { test } from "node:test";

import { levelText, markedTitle, within } from "../../../static/js/core/level.js";
import { draws, plain } from "../support.mjs";

test("a level within another radius and back is the level", () => {
  const draw = draws(8);
  for (let k = 0; k < 200; k += 1) {
    const [epsilon, radius, reference] = [draw.real(0.01, 10), draw.real(1, 2000), draw.real(1, 2000)];
    const there = within(epsilon, radius, reference);
    assert.ok(Math.abs(within(there, reference, radius) / epsilon - 1) < 1e-12, `${epsilon} in ${radius}`);
    assert.ok(reference > radius === there > epsilon, "in a larger radius the level is higher");
  }
  assert.equal(within(0.01, 1, 200), 2);
});

test("a level states how it was set where that is another radius", () => {
  assert.equal(plain(levelText(0.01, 1, 200)), "ε 2 within 200 m (set as 0.01 within 1 m)");
  assert.equal(plain(levelText(1, 200, 200)), "ε 1 within 200 m");
});

test("a title has the level of the axis in place of its own", () => {
  const [metre, block] = [
    { epsilon: 0.01, radius_m: 1 },
    { epsilon: 1, radius_m: 200 },
  ];
  const stated = "ε 2 within 200 m (set as 0.01 within 1 m)";
  const cases = [
    ["Skip · ε 0.01 / 1 m", metre, `Skip · ${stated}`],
    ["Skip · ε 0.01 / 1 m (2)", metre, `Skip (2) · ${stated}`],
    ["Skip (2)", metre, `Skip (2) · ${stated}`],
    ["Skip · ε 1 / 200 m (2)", block, "Skip · ε 1 / 200 m (2)"],
  ];
  for (const [title, mechanism, text] of cases) assert.equal(plain(markedTitle(title, mechanism, 200)), text);
});
