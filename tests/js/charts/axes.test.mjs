import assert from "node:assert/strict";
import { test } from "node:test";

import { eventAxis, linearAxis, logAxis, shareAxis, valueAxis } from "../../../static/js/charts/axes.js";
import { draws } from "../support.mjs";

const LINEAR = [
  [
    [[1, 3, null], [2]],
    ["0", "1", "2", "3"],
  ],
  [
    [[-40, 20], [null]],
    ["-40", "-20", "0", "20"],
  ],
  [[[-0.02, -0.01]], ["-0.02", "-0.015", "-0.01", "-0.005", "0"]],
  [
    [[0], []],
    ["0", "0.2", "0.4", "0.6", "0.8", "1"],
  ],
  [[[-3e9, 1]], ["-3e9", "-2e9", "-1e9", "0"]],
  [[[1_200_000]], ["0", "500,000", "1,000,000"]],
  [[[2e-6]], ["0", "5e-7", "1e-6", "1.5e-6", "2e-6"]],
];

test("ticks of linear axes", () => {
  for (const [arrays, texts] of LINEAR) assert.deepEqual(linearAxis(arrays).axis.ticktext, texts);
});

test("a linear axis has 0, all values and at most seven ticks at even distances", () => {
  const draw = draws(3);
  for (let k = 0; k < 300; k += 1) {
    const size = 10 ** draw.real(-6, 8);
    const values = draw.list(draw.int(1, 9), () => draw.real(-size, draw.pick([0, size])));
    const { axis, floor } = linearAxis([values, [null]]);
    const [low, high] = axis.range;
    assert.equal(floor, 0);
    assert.ok(
      [0, ...values].every((value) => low <= value && value <= high),
      `${values} on ${axis.range}`,
    );
    assert.ok(axis.tickvals.length >= 2 && axis.tickvals.length <= 7, `${axis.tickvals} for ${axis.range}`);
    assert.ok(axis.tickvals.includes(0) && axis.tickvals.every((at) => low <= at && at <= high), `${axis.tickvals}`);
    const steps = axis.tickvals.slice(1).map((at, i) => at - axis.tickvals[i]);
    assert.ok(Math.max(...steps) - Math.min(...steps) < 1e-5 * (high - low), `${axis.tickvals}`);
  }
});

test("a logarithmic axis has whole decades around the positive values", () => {
  const { axis, floor } = logAxis([[0.02, 3, -1, null], [700]], false);
  assert.equal(floor, 0.01);
  assert.deepEqual(
    axis.tickvals.map((at) => Number(at.toPrecision(9))),
    [0.01, 0.1, 1, 10, 100, 1000],
  );
  assert.deepEqual(axis.ticktext, [".01", ".1", "1", "10", "100", "1k"]);
  assert.equal(axis.range[0], -2);
  assert.ok(axis.range[1] > 3);
});

test("an exact 0 has a place of its own below the decades", () => {
  const { axis, floor } = logAxis([[0, 5, 50]], true);
  assert.equal(axis.ticktext[0], "0");
  assert.equal(axis.tickvals[0], floor);
  assert.ok(floor < 1 && axis.range[0] < Math.log10(floor));
});

test("decades are at most seven, and there is at least one", () => {
  assert.deepEqual(logAxis([[1e-9, 1e3]], false).axis.ticktext, ["10⁻⁴", ".01", "1", "100"]);
  assert.equal(logAxis([[10]], false).axis.range[0], 0);
  assert.deepEqual(logAxis([[-1, null]], false).axis.ticktext, ["1", "10"]);
  assert.deepEqual(logAxis([[2e4, 3e9]], false).axis.ticktext, ["10k", "1M", "100M", "10¹⁰"]);
});

test("events count from 1, and their ticks are round numbers", () => {
  assert.deepEqual(eventAxis([0, 99]), {
    range: [0, 99],
    tickvals: [19, 39, 59, 79, 99],
    ticktext: ["20", "40", "60", "80", "100"],
  });
  assert.deepEqual(eventAxis([0, 3]).ticktext, ["1", "2", "3", "4"]);
  assert.deepEqual(eventAxis([999, 12_000]).ticktext, ["5,000", "10,000"]);
  const draw = draws(4);
  for (let k = 0; k < 200; k += 1) {
    const first = draw.int(0, 10 ** draw.int(0, 6));
    const last = first + draw.int(1, 10 ** draw.int(1, 6));
    const { tickvals } = eventAxis([first, last]);
    assert.ok(
      tickvals.length <= 6 && tickvals.every((at) => at >= first && at <= last),
      `${first} to ${last}: ${tickvals}`,
    );
  }
});

test("shares", () => {
  const { range, tickvals } = shareAxis().axis;
  assert.deepEqual(tickvals, [0, 0.25, 0.5, 0.75, 1]);
  assert.ok(range[0] === 0 && range[1] > 1);
});

test("a horizontal axis of values is no wider than they are, with 1, 2 and 5 where decades are few", () => {
  assert.deepEqual(valueAxis([[1, 20]], true).ticktext, ["1", "2", "5", "10", "20"]);
  assert.deepEqual(valueAxis([[0.01, 0.5]], true).ticktext, [".01", ".02", ".05", ".1", ".2", ".5"]);
  assert.deepEqual(valueAxis([[1, 1e4]], true).ticktext, ["1", "10", "100", "1k", "10k"]);
  assert.deepEqual(valueAxis([[2000, 5e6]], true).ticktext, ["10k", "100k", "1M"]);
  assert.deepEqual(valueAxis([[2000, 5e4]], true).ticktext, ["2k", "5k", "10k", "20k", "50k"]);
  assert.deepEqual(valueAxis([[1e-5, 5e-5]], true).ticktext, ["10⁻⁵", "", ""]);
  const { range } = valueAxis([[3, 3]], true);
  assert.ok(range[0] < Math.log10(3) && Math.log10(3) < range[1]);
  assert.deepEqual(valueAxis([[1, 2]], false), linearAxis([[1, 2]]).axis);
});
