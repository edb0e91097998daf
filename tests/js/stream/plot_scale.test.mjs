import assert from "node:assert/strict";
import { test } from "node:test";

import { plotScale, ticksOf } from "../../../static/js/stream/plot_scale.js";
import { ticksOf as labelled } from "../../../static/js/stream/timestamp_ticks.js";
import { draws } from "../support.mjs";

const START = Date.UTC(2024, 1, 2) / 1000;
const [SECOND, MINUTE, HOUR, DAY] = [1, 60, 3600, 86_400];

/** An axis of `n` columns from `start`; labels are clock readings in a zone `ahead` seconds of UTC. */
const axisOf = (n, step, { start = START, zone = "Z", ahead = 0 } = {}) => {
  const time_s = Array.from({ length: n }, (_, i) => start + i * step);
  const labels = time_s.map((at) => `${new Date((at + ahead) * 1000).toISOString().slice(0, 19)}${zone}`);
  return { labels, time_s, timestamps: n, edges: [] };
};
const textsOf = (axis, width = 640) => ticksOf(axis, [0, axis.labels.length], width).map(([, text]) => text);

test("every column is found again at its middle and at its left end", () => {
  const draw = draws(1);
  for (const width of [320, 559, 560, 612, 1400]) {
    const scale = plotScale(draw.int(1, 400), width);
    for (let column = 0; column < scale.columns; column += 1) {
      assert.equal(scale.columnAt(scale.middleOf(column)), column);
      assert.equal(scale.columnAt(scale.xOf(column) + 1e-6), column);
    }
  }
});

test("columns fill the plot beside the gutter, which narrow plots have not", () => {
  const [wide, narrow] = [plotScale(10, 612), plotScale(10, 559)];
  assert.deepEqual([wide.left, wide.inner, wide.xOf(0), wide.xOf(10)], [112, 500, 112, 612]);
  assert.deepEqual([narrow.left, narrow.inner, narrow.xOf(10)], [0, 559, 559]);
  assert.equal(wide.middleOf(3), 287);
  assert.equal(plotScale(10, 560).left, 112);
});

test("places outside belong to the first and the last column", () => {
  const scale = plotScale(10, 612);
  assert.deepEqual([-50, 0, 111, 612, 9999].map(scale.columnAt), [0, 0, 0, 9, 9]);
});

test("ticks are the finest unit of time that fits, each text once", () => {
  const offset = axisOf(5, HOUR, { start: START + 8 * HOUR, zone: "+02:00", ahead: 7200 });
  for (const [axis, expected] of [
    [axisOf(30, HOUR), ["2 Feb 06:00", "2 Feb 12:00", "2 Feb 18:00"]],
    [axisOf(6, 10 * MINUTE), ["2 Feb 00:10", "2 Feb 00:20", "2 Feb 00:30"]],
    [axisOf(60, 10 * SECOND), ["2 Feb 00:02", "2 Feb 00:04", "2 Feb 00:06"]],
    [axisOf(20, SECOND), ["00:00:05", "00:00:10", "00:00:15"]],
    [axisOf(1000, HOUR), ["5 Feb", "12 Feb", "19 Feb"]],
    [axisOf(8, DAY), ["3 Feb", "4 Feb", "5 Feb"]],
    [axisOf(8, DAY, { start: START + 17 * HOUR }), ["3 Feb", "4 Feb", "5 Feb"]],
    [axisOf(2, HOUR), ["2 Feb 00:00", "2 Feb 01:00"]],
    [offset, ["2 Feb 11:00", "2 Feb 12:00", "2 Feb 13:00"]],
    [axisOf(500, DAY), ["Apr 2024", "Jul 2024", "Oct 2024"]],
    [axisOf(400, DAY), ["Mar 2024", "May 2024", "Jul 2024"]],
  ]) {
    const texts = textsOf(axis);
    assert.deepEqual(texts.slice(0, 3), expected, axis.labels[1]);
    assert.ok(new Set(texts).size === texts.length && texts.length >= 2);
  }
});

test("ticks of months and hours lie where they begin, of times where labels are no dates", () => {
  const named = { ...axisOf(9, 3 * HOUR), labels: Array(9).fill("x") };
  assert.deepEqual(ticksOf(axisOf(95, DAY), [0, 95], 200).slice(0, 2), [
    [28, "Mar 2024"],
    [89, "May 2024"],
  ]);
  assert.deepEqual(ticksOf(named, [0, 9], 400).slice(0, 2), [
    [2, "2 Feb 06:00"],
    [4, "2 Feb 12:00"],
  ]);
});

test("two days have their labels, and a label that repeats is one", () => {
  const labels = ["2024-02-02", "2024-02-03"];
  assert.deepEqual(textsOf({ ...axisOf(2, DAY), labels }), labels);
  const repeated = { ...axisOf(4, DAY), labels: ["a", "a", "b", "a"], time_s: null };
  assert.deepEqual(ticksOf(repeated, [0, 4], 640), [
    [0, "a"],
    [2, "b"],
    [3, "a"],
  ]);
});

test("ticks of years lie at their first columns", () => {
  const time_s = Array.from({ length: 1000 }, (_, i) => i * DAY);
  assert.deepEqual(ticksOf({ ...axisOf(1000, DAY), labels: time_s.map(String), time_s }, [0, 1000], 400), [
    [365, "1971"],
    [730, "1972"],
  ]);
});

test("labels without times are evenly spaced and short", () => {
  const axis = { labels: ["p", "q", "a label that is long"], time_s: null, timestamps: 3, edges: [] };
  assert.deepEqual(ticksOf(axis, [0, 3], 170), [
    [0, "p"],
    [1, "q"],
  ]);
  assert.deepEqual(ticksOf(axis, [1, 3], 170), [
    [1, "q"],
    [2, "a label that"],
  ]);
});

test("ticks ascend within the range, are distinct, and at most as many as fit", () => {
  const draw = draws(2);
  for (let i = 0; i < 200; i += 1) {
    const axis = axisOf(draw.int(2, 300), draw.pick([SECOND, 7, MINUTE, 17 * MINUTE, HOUR, DAY, 40 * DAY]), {
      start: START + draw.int(0, 1e7),
    });
    const first = draw.int(0, axis.labels.length - 2);
    const range = [first, draw.int(first + 2, axis.labels.length)];
    const width = draw.int(100, 1500);
    const ticks = ticksOf(axis, range, width);
    const columns = ticks.map(([column]) => column);
    assert.ok(
      ticks.length >= 1 && ticks.length <= Math.max(2, Math.floor(width / 84)),
      `${ticks.length} in ${width} px`,
    );
    assert.deepEqual(
      columns,
      [...new Set(columns)].sort((a, b) => a - b),
    );
    assert.ok(columns[0] >= range[0] && Number(columns.at(-1)) < range[1], `${columns} in ${range}`);
  }
});

test("at most six timestamps are labelled, two at least where there are two, and texts are short", () => {
  const labels = Array.from({ length: 11 }, (_, i) => `label number ${100 + i}`);
  const at = (n, width) => labelled(labels.map((_, i) => 10 * i).slice(0, n), labels.slice(0, n), width).at.join();
  const found = [at(11, 9999), at(11, 440), at(11, 50), at(3, 9999), at(1, 9999), at(0, 9999)];
  assert.deepEqual(found, ["0,20,40,60,80,100", "0,30,70,100", "0,100", "0,10,20", "0", ""]);
  assert.deepEqual(labelled([7], labels, 110), { at: [7], text: ["label number 100"] });
  assert.equal(labelled([7], ["x".repeat(20)], 110).text[0].length, 16);
});
