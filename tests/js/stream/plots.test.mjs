import assert from "node:assert/strict";
import { test } from "node:test";

import { labelsOf } from "../../../static/js/stream/budget_plot.js";
import { drawTickTexts, fitted } from "../../../static/js/stream/canvas.js";
import { lanesOf } from "../../../static/js/stream/lanes.js";
import { plotScale } from "../../../static/js/stream/plot_scale.js";
import { pointsOf, short, spanOf } from "../../../static/js/stream/small_multiples.js";
import { check } from "../cases.mjs";
import { draws, pageOf, setGlobals } from "../support.mjs";

setGlobals({ document: pageOf(), getComputedStyle: () => ({ getPropertyValue: () => "#000" }) });

test("lanes: the budgets with their largest, then clusters and sizes of each grouping", () => {
  const found = lanesOf({ name: "Uniform", colour: "--m1", budgets: [0.1, null, 0.25] }, [
    { name: "Sample", colour: "--m2", cluster_start: [true, false, true], group_size: [2, 2, 1] },
  ]);
  assert.deepEqual(
    found.map(({ label, values }) => [label.join("|"), values]),
    [
      ["Uniform|ε each, max 0.25", [0.1, null, 0.25]],
      ["clusters: Sample", [true, false, true]],
      ["group size: Sample", [2, 2, 1]],
    ],
  );
  assert.equal(lanesOf({ name: "None", colour: "", budgets: [null] }, [])[0].label[1], "ε each, max 0");
});

test("labels of budgets are apart, the limit always among them", () => {
  const draw = draws(11);
  for (let i = 0; i < 300; i += 1) {
    const epsilon = draw.real(0.01, 5);
    const largest = Math.max(epsilon, draw.real(0, 20));
    const yOf = (value) => 71 - (value / (1.12 * largest)) * 70;
    for (const width of [800, 400]) {
      const labels = labelsOf(plotScale(10, width), yOf, { epsilon, largest });
      assert.match(labels[0].text, /^ε = /);
      for (const [k, one] of labels.entries())
        for (const other of labels.slice(k + 1))
          assert.ok(Math.abs(one.y - other.y) >= 12 - 1e-9, `${one.text} ${other.text}`);
    }
  }
  const yOf = (value) => 71 - value * 20;
  const texts = (width) => labelsOf(plotScale(1, width), yOf, { epsilon: 2, largest: 3 }).map(({ text }) => text);
  assert.deepEqual(texts(800), ["ε = 2", "0", "3", "1"]);
  assert.deepEqual(texts(400), ["ε = 2", "3"]);
});

const line = (...values) => ({ id: "", name: "", style: {}, row: () => Float64Array.from(values) });

test("the span of lines has round ends, 0 in it, and only what is in the range", () =>
  check(spanOf, [
    [
      [[line(3, 40, 7)], 0, [0, 3]],
      [0, 50],
    ],
    [
      [[line(3, 40, 7)], 0, [2, 3]],
      [0, 10],
    ],
    [
      [[line(0.5), line(0.2)], 0, [0, 1]],
      [0, 1],
    ],
    [
      [[line(3, -12, 7), line(1, 1, 150)], 0, [0, 3]],
      [-20, 200],
    ],
  ]));

test("points of a line: where columns share a pixel, the lowest and the highest of them", () => {
  const same = (value) => value;
  const of = (values, inner, range) => pointsOf(Float64Array.from(values), range, same, same, inner);
  assert.deepEqual(of([5, 6, 7], 10, [1, 3]), [
    [1, 6],
    [2, 7],
  ]);
  assert.deepEqual(of([5, 9, 1, 4, 2], 2, [0, 5]), [
    [0, 5],
    [0, 9],
    [2, 1],
    [2, 4],
    [4, 2],
  ]);
});

test("numbers beside small charts", () =>
  check(short, [
    [[0], "0"],
    [[9999], "9,999"],
    [[10_000], "10k"],
    [[-12_345], "-12.3k"],
    [[1_234_567], "1.23M"],
  ]));

/** A context whose characters are 5 px wide, and what it wrote. */
function context() {
  const written = [];
  const measureText = (text) => ({ width: 5 * text.length });
  const fillText = (text, x) => written.push([text, x]);
  return { measureText, fillText, written };
}

test("texts of ticks are inside the axis and none overlaps the one before", () => {
  const ctx = context();
  drawTickTexts(
    ctx,
    [
      [0, "aaaa"],
      [24, "bb"],
      [60, "cccc"],
      [99, "dd"],
    ],
    { left: 0, right: 100, top: 0 },
  );
  assert.deepEqual(ctx.written, [
    ["aaaa", 0],
    ["cccc", 50],
    ["dd", 90],
  ]);
});

test("a text is shortened to its space and no further", () => {
  const ctx = context();
  assert.equal(fitted(ctx, "abcd", 20), "abcd");
  assert.equal(fitted(ctx, "abcdef", 20), "abc…");
  assert.equal(fitted(ctx, "ab cdef", 20), "ab…");
  assert.equal(fitted(ctx, "abcdef", 1), "a…");
});
