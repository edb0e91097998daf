import assert from "node:assert/strict";
import { test } from "node:test";

import {
  medianText,
  rollingMedian,
  windowOf,
  windowText,
  withMedians,
} from "../../../static/js/charts/rolling_median.js";
import { draws } from "../support.mjs";

function slowMedian(values, window) {
  const half = (window - 1) / 2;
  return values.map((value, i) => {
    const known = values.slice(Math.max(0, i - half), i + half + 1).filter((one) => one !== null);
    const sorted = known.map(Number).sort((a, b) => a - b);
    const [low, high] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[Math.floor(sorted.length / 2)]];
    return value === null ? null : (low + high) / 2;
  });
}

test("a rolling median is that of the window, gaps remain gaps", () => {
  const draw = draws(1);
  const random = () => {
    const gaps = draw.pick([0, 0.3]);
    const value = () => draw.pick([0, 1, 5, draw.real(0, 1)]);
    return draw.list(draw.int(1, 60), () => (draw.real(0, 1) < gaps ? null : value()));
  };
  const series = [[], [null, null], [3], [2, 2, 2, 1], ...draw.list(200, random)];
  for (const values of series) {
    const window = 2 * draw.int(0, 9) + 1;
    assert.deepEqual(rollingMedian(values, window), slowMedian(values, window), `${window} of ${values}`);
  }
});

test("what is not a number is a gap too", () => {
  assert.deepEqual(rollingMedian([1, NaN, 3], 3), [1, null, 3]);
});

test("a window is an odd number, at least 5, about a twentieth of the points", () => {
  let before = 0;
  for (let n = 0; n < 1000; n += 1) {
    const window = windowOf(n);
    assert.ok(
      window % 2 === 1 && window >= 5 && window >= before && window <= Math.max(5, n / 20 + 2),
      `${n}: ${window}`,
    );
    before = window;
  }
  assert.deepEqual([100, 260, 300].map(windowOf), [5, 13, 15]);
});

test("only what is drawn decides the window, and too few points have none", () => {
  const x = Array.from({ length: 400 }, (_, i) => i);
  const line = { x, y: x };
  const windows = (span) => withMedians([line], span).map(({ median }) => median?.window);
  assert.deepEqual(windows([0, 399]), [21]);
  assert.deepEqual(windows([100, 104]), [5]);
  assert.deepEqual(windows([100, 103]), [undefined]);
  const [{ median, ...rest }] = withMedians([line], [0, 399]);
  assert.deepEqual(rest, line);
  assert.deepEqual(median.values, rollingMedian(x, 21));
});

test("texts", () => {
  assert.equal(windowText({ window: 13 }), "Median of 13 points");
  assert.equal(medianText({ window: 13 }), "rolling median of 13 points");
});
