import assert from "node:assert/strict";
import { test } from "node:test";

import { budgetShares, floorOf } from "../../../static/js/components/budget_shares.js";
import { draws } from "../support.mjs";

test("a rounded number is at most the number, and a thousandth of it below at most", () => {
  const draw = draws(12);
  for (const value of draw.list(500, () => 10 ** draw.real(-8, 12))) {
    const found = floorOf(value);
    assert.ok(found <= value * (1 + 1e-9) && found > value * 0.99, `${value} → ${found}`);
    assert.equal(Number(found.toPrecision(3)), found);
    assert.equal(floorOf(found), found);
  }
  assert.deepEqual([0.3336, 3.1, 12345, 0.1 + 0.2].map(floorOf), [0.333, 3.1, 12300, 0.3]);
  assert.deepEqual([0, -1, NaN, Infinity].map(floorOf), [0, 0, 0, 0]);
});

test("the shares of a budget are within it, and what is left or over is exact", () => {
  const draw = draws(13);
  for (let k = 0; k < 300; k += 1) {
    const [spent, cost, total] = [draw.real(0, 12), draw.real(0, 12), draw.real(0.1, 12)];
    const found = budgetShares({ spent, cost, total });
    assert.ok(found.spent >= 0 && found.cost >= 0 && found.spent + found.cost <= 1 + 1e-12);
    assert.ok(Math.abs(Number(found.left) - found.over - (total - spent - cost)) < 1e-9);
    assert.ok(found.left === 0 || found.over === 0);
  }
});

test("shares of known budgets", () => {
  const cases = [
    [3.8, 2, 10, { spent: 0.38, cost: 0.2, left: 4.2, over: 0 }],
    [3.8, 7, 10, { spent: 0.38, cost: 0.62, left: 0, over: 0.8 }],
    [12, 1, 10, { spent: 1, cost: 0, left: 0, over: 3 }],
    [0, 1, 0, { spent: 1, cost: 0, left: 0, over: 1 }],
    [1, 1, null, { spent: 0, cost: 0, left: null, over: 0 }],
    [0.1, 0.2, 0.3, { spent: 1 / 3, cost: 2 / 3, left: 0, over: 0 }],
    [1, null, 4, { spent: 0.25, cost: 0, left: 3, over: 0 }],
  ];
  for (const [spent, cost, total, expected] of cases) {
    const found = budgetShares({ spent, cost, total });
    for (const [name, value] of Object.entries(found))
      assert.ok(
        value === expected[name] || Math.abs(Number(value) - expected[name]) < 1e-9,
        `${name} of ${spent}, ${cost}: ${value}`,
      );
  }
});
