import assert from "node:assert/strict";
import { test } from "node:test";

import { windowSums, withFresh } from "../../../static/js/stream/live_window.js";
import { draws } from "../support.mjs";

const rowsOf = (budgets, first = 0) => budgets.map((budget, i) => ({ position: first + i, budget }));

test("a window holds as many timestamps as it is long, those before the first row among them", () => {
  const sums = (window, earlier = []) => windowSums({ rows: rowsOf([1, 2, 4, 8]), earlier }, window);
  assert.deepEqual(
    [sums(1), sums(2), sums(9)],
    [
      [1, 2, 4, 8],
      [1, 3, 6, 12],
      [1, 3, 7, 15],
    ],
  );
  assert.deepEqual(
    [sums(3, [16, 32]), sums(2, [32])],
    [
      [49, 35, 7, 14],
      [33, 3, 6, 12],
    ],
  );
  assert.ok(windowSums({ rows: rowsOf([0.1, 0.2, 0]), earlier: [] }, 1).every((sum) => sum >= 0));
});

test("however timestamps come, sums are those of all of them", () => {
  const draw = draws(27);
  for (let i = 0; i < 100; i += 1) {
    const all = draw.list(draw.int(2, 60), () => draw.int(0, 9));
    const [window, dimensions] = [draw.int(1, 12), Math.ceil(2_000_000 / draw.int(1, 30))];
    const most = Math.floor(2_000_000 / dimensions);
    let kept = { rows: [], earlier: [] };
    for (let at = 0; at < all.length;) {
      const next = Math.min(all.length, at + draw.int(1, 20));
      kept = withFresh(kept, rowsOf(all.slice(at, next), at), window, dimensions);
      at = next;
    }
    assert.deepEqual(kept.rows, rowsOf(all).slice(-most));
    assert.ok(kept.earlier.length < window);
    const sums = all.map((_, k) => all.slice(Math.max(0, k + 1 - window), k + 1).reduce((sum, one) => sum + one, 0));
    assert.deepEqual(windowSums(kept, window), sums.slice(-most), `${window} of ${all}`);
  }
});

test("at most 2,000 timestamps are kept, of very many dimensions one", () => {
  const kept = (dimensions) => withFresh({ rows: [], earlier: [] }, rowsOf(Array(2001).fill(1)), 2, dimensions);
  assert.deepEqual([kept(1).rows.length, kept(1).rows[0].position, kept(1).earlier], [2000, 1, [1]]);
  assert.deepEqual([kept(1001).rows.length, kept(3_000_000).rows.length], [1998, 1]);
});
