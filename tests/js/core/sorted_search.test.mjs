import assert from "node:assert/strict";
import { test } from "node:test";

import { lastAtMost, nearestIndex } from "../../../static/js/core/sorted_search.js";
import { draws } from "../support.mjs";

test("both searches find what an exhaustive search finds", () => {
  const draw = draws(9);
  for (let k = 0; k < 500; k += 1) {
    const sorted = draw.list(draw.int(0, 12), () => draw.int(0, 9)).sort((a, b) => a - b);
    const value = draw.int(-1, 20) / 2;
    const about = `${value} in ${sorted}`;
    assert.equal(
      lastAtMost(sorted, value),
      sorted.findLastIndex((one) => one <= value),
      about,
    );
    const away = sorted.map((one) => Math.abs(one - value));
    const found = nearestIndex(sorted, value);
    if (sorted.length) assert.equal(away[found], Math.min(...away), about);
    else assert.equal(found, -1);
  }
});

test("of two at the same distance the lower one is nearest", () => {
  assert.equal(nearestIndex([0, 2], 1), 0);
  assert.equal(nearestIndex([0, 2], 1.01), 1);
});
