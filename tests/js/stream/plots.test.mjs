import { deepEqual, equal, match, ok } from "node:assert/strict";
import { test } from "node:test";
import { labelsOf, lanesOf } from "../../../static/js/stream/lanes.js";
import { drawTickTexts, fitted } from "../../../static/js/stream/canvas.js";
import { Cells } from "../../../static/js/stream/comparison_data.js";
import { moved } from "../../../static/js/stream/heat_map.js";
import { plotScale, ticksOf } from "../../../static/js/stream/plot_scale.js";
import {
  logShades,
  perRow,
  pixelsOf,
  rampOf,
  rankShades,
  rasterise,
  roundUp,
} from "../../../static/js/stream/raster.js";
import { pointsOf, short, spanOf } from "../../../static/js/stream/small_multiples.js";
import { ticksOf as labelled } from "../../../static/js/stream/timestamp_ticks.js";
import { gives, joined, rows } from "../cases.mjs";
import { draws, pageOf, setGlobals } from "../support.mjs";

setGlobals({ document: pageOf(), getComputedStyle: () => ({ getPropertyValue: () => "#000" }) });

test("keys move in the order of the rows and along one, and stay within the map; others lead nowhere", () => {
  const go = (key, dimension = 2, column = 1, many = null) => {
    const order = many === null ? [2, 0, 1] : Array.from({ length: many }, (_, i) => i);
    const to = moved(key, { dimension, column }, order, 4);
    return to && `${to.dimension} ${to.column}`;
  };
  gives(go, { ArrowDown: "0 1", "ArrowUp, 1": "0 1", ArrowRight: "2 2", ArrowLeft: "2 0", Home: "2 0", End: "2 3" });
  gives(go, { ArrowUp: "2 1", "ArrowDown, 1": "1 1", "ArrowLeft, 2, 0": "2 0", "ArrowRight, 2, 3": "2 3" });
  gives(go, { "PageDown, 1": "1 1", a: null, "ArrowDown, 2, 1, 0": null, "PageDown, 2": "0 1" });
  gives(go, { "PageDown, 50, 0, 100": "55 0", "PageUp, 50, 0, 100": "45 0", "PageUp, 3, 0, 100": "0 0" });
});

const cells = new Cells(4, 3, Float64Array.from([1, 2, 3, 4, 5, -9, 7, 8, 0, 0, 0, 6]));
const values = (order, width, height, signed = false) => [...rasterise(cells, order, { width, height }, signed).values];
const GREYS = rampOf(["#000000", "#ffffff"]);
const RANKS = rankShades(Float64Array.from({ length: 100 }, (_, i) => i + 1));
const shade = (value, signed = false, shades = signed ? logShades(100) : RANKS) =>
  pixelsOf({ width: 1, height: 1, values: Float32Array.of(value) }, shades, GREYS, signed)[0];

test("where there is space a pixel is a cell, rows in the order given", () => {
  deepEqual(values([0, 1], 9, 9), [1, 2, 3, 4, 5, -9, 7, 8]);
  deepEqual(values([1, 0], 9, 9), [5, -9, 7, 8, 1, 2, 3, 4]);
});

test("a pixel of several cells has the largest, of differences the farthest from 0", () => {
  deepEqual([values([0, 1, 2], 2, 1), values([0, 1, 2], 2, 1, true)], rows("5 8, -9 8"));
  deepEqual(values([2, 0], 3, 1), [2, 3, 6]);
});

test("the extreme of all cells is in the raster, however small it is", () => {
  const draw = draws(3);
  for (let i = 0; i < 100; i += 1) {
    const [columns, dimensions] = [draw.int(1, 40), draw.int(1, 40)];
    const all = draw.list(columns * dimensions, () => Math.fround(draw.real(-50, 50)));
    const some = new Cells(columns, dimensions, Float64Array.from(all));
    const most = { width: draw.int(1, 50), height: draw.int(1, 50) };
    const order = draw.list(dimensions, (at) => at);
    const [counts, differences] = [false, true].map((signed) => rasterise(some, order, most, signed));
    deepEqual([counts.width, counts.height], [Math.min(columns, most.width), Math.min(dimensions, most.height)]);
    equal(Math.max(...counts.values), Math.max(...all));
    const size = (of) => Math.max(...[...of].map(Math.abs));
    equal(size(differences.values), size(all));
  }
});

test("dimensions in a row of pixels; limits of a ramp", () => {
  gives(perRow, { "1298, 262": 5, "3, 262": 1, "4, 2": 2, "5, 2": 3, "0, 2": 0 });
  gives(roundUp, { 0: 1, 1: 1, 1.1: 2, 3: 5, 70: 100, 501: 1000, 2000: 2000 });
});

test("shades of counts begin at 0, those of differences in the middle", () => {
  gives(shade, { 0: 0, "-5": 0, 100: 255, 1e9: 255, "-100, true": 0, "100, true": 255, "-1e9, true": 0 });
  ok(Math.abs(shade(0, true) - 127.5) <= 0.5);
  equal(shade(9, true, logShades(99)), Math.round(127.5 * 1.5));
});

test("a larger value never has a lighter shade, and opposite differences are as far from the middle", () => {
  const draw = draws(4);
  const sorted = draw.list(200, () => draw.real(-120, 120)).sort((a, b) => a - b);
  for (const signed of [false, true])
    sorted.slice(1).forEach((value, i) => ok(shade(value, signed) >= shade(sorted[i], signed), `${value}`));
  for (const value of sorted) ok(Math.abs(shade(value, true) + shade(-value, true) - 255) <= 1);
});

test("shades of counts are by rank: each has as many of the counts above 0, however skewed they are", () => {
  const shades = rankShades(Float64Array.from({ length: 2000 }, (_, i) => (i < 1000 ? 0 : 100 + (i - 1000) ** 2)));
  const all = Array.from({ length: 1000 }, (_, i) => shades.shade(100 + i ** 2));
  all.forEach((value, i) => ok(Math.abs(value - i / 1000) < 1 / 16, `${i}: ${value}`));
  deepEqual([shades.limit, shades.middle, shades.shade(0)], [100 + 999 ** 2, 100 + 499 ** 2, 0]);
  const ties = rankShades(Float64Array.of(0, 0, 1, 1, 1, 4));
  deepEqual([0, 1, 2.5, 4, 9].map(ties.shade), [0, 12 / 16, 12.5 / 16, 1, 1]);
  const none = rankShades(Float64Array.of(0, 0));
  deepEqual([none.shade(0), none.shade(1), none.limit], [0, 1, 1]);
});

test("pixels are opaque, with the three colours of the ramp in their order", () => {
  const pixels = { width: 2, height: 1, values: Float32Array.of(0, 50) };
  const found = pixelsOf(pixels, rankShades(Float64Array.of(50)), rampOf(["#102030", "#a0b0c0"]), false);
  deepEqual([...found], [...[16, 32, 48, 255], ...[160, 176, 192, 255]]);
});

test("a ramp runs through its stops at even distances", () => {
  deepEqual([...GREYS.slice(0, 6), ...GREYS.slice(-3)], [0, 0, 0, 1, 1, 1, 255, 255, 255]);
  const three = rampOf(["#ff0000", "#00ff00", "#0000ff"]);
  deepEqual([...three.slice(0, 3), ...three.slice(-3)], [255, 0, 0, 0, 0, 255]);
  deepEqual([...three.slice(3 * 191, 3 * 192)], [0, 128, 127]);
  ok(three[3 * 127 + 1] >= 253 && three[3 * 64] === 127, "green in the middle, half way to it a half");
});

test("lanes: the budgets with their largest, then clusters and sizes of each grouping", () => {
  const budgets = { name: "Uniform", colour: "--m1", budgets: [0.1, null, 0.25] };
  const found = lanesOf(budgets, [
    { name: "Sample", colour: "--m2", cluster_start: [true, false, true], group_size: [2, 2, 1] },
  ]);
  deepEqual(Object.fromEntries(found.map(({ label, values }) => [label.join("|"), values])), {
    "Uniform|ε each, max 0.25": [0.1, null, 0.25],
    "clusters: Sample": [true, false, true],
    "group size: Sample": [2, 2, 1],
  });
  equal(lanesOf({ name: "None", colour: "", budgets: [null] }, [])[0].label[1], "ε each, max 0");
});

test("labels of budgets are apart, the limit always among them", () => {
  const draw = draws(11);
  for (let i = 0; i < 300; i += 1) {
    const epsilon = draw.real(0.01, 5);
    const largest = Math.max(epsilon, draw.real(0, 20));
    const yOf = (value) => 71 - (value / (1.12 * largest)) * 70;
    for (const width of [800, 400]) {
      const labels = labelsOf(plotScale(10, width), yOf, { epsilon, largest });
      match(labels[0].text, /^ε = /);
      for (const [k, one] of labels.entries())
        for (const other of labels.slice(k + 1))
          ok(Math.abs(one.y - other.y) >= 12 - 1e-9, `${one.text} ${other.text}`);
    }
  }
  const yOf = (value) => 71 - value * 20;
  const texts = (width) => joined(labelsOf(plotScale(1, width), yOf, { epsilon: 2, largest: 3 }), ({ text }) => text);
  gives(texts, { 800: "ε = 2,0,3,1", 400: "ε = 2,3" });
});

test("the span of lines has round ends, 0 in it, and only what is in the range", () => {
  const line = (...values) => ({ id: "", name: "", style: {}, row: () => Float64Array.from(values) });
  const one = [line(3, 40, 7)];
  deepEqual([spanOf(one, 0, [0, 3]), spanOf(one, 0, [2, 3])], rows("0 50, 0 10"));
  const two = [line(3, -12, 7), line(1, 1, 150)];
  deepEqual([spanOf([line(0.5), line(0.2)], 0, [0, 1]), spanOf(two, 0, [0, 3])], rows("0 1, -20 200"));
});

test("points of a line: where columns share a pixel, the lowest and the highest of them", () => {
  const same = (value) => value;
  const of = (values, inner, range) => pointsOf(Float64Array.from(values), range, same, same, inner);
  deepEqual(of([5, 6, 7], 10, [1, 3]), rows("1 6, 2 7"));
  deepEqual(of([5, 9, 1, 4, 2], 2, [0, 5]), rows("0 5, 0 9, 2 1, 2 4, 4 2"));
});

test("numbers beside small charts", () =>
  gives(short, { 0: "0", 9999: "9,999", 10000: "10k", "-12345": "-12.3k", 1234567: "1.23M" }));

test("texts of ticks are inside the axis and apart; a text is shortened no further than it must", () => {
  const written = [];
  const fillText = (text, x) => written.push(`${text} ${x}`);
  const ctx = { measureText: (text) => ({ width: 5 * text.length }), fillText };
  const ticks = Object.entries({ aaaa: 0, bb: 24, cccc: 60, dd: 99 }).map(([text, x]) => [x, text]);
  drawTickTexts(ctx, ticks, { left: 0, right: 100, top: 0 });
  deepEqual(written, ["aaaa 0", "cccc 50", "dd 90"]);
  const found = (text, width) => fitted(ctx, text, width);
  gives(found, { "abcd, 20": "abcd", "abcdef, 20": "abc…", "ab cdef, 20": "ab…", "abcdef, 1": "a…" });
});

const START = Date.UTC(2024, 1, 2) / 1000;
const [SECOND, MINUTE, HOUR, DAY] = [1, 60, 3600, 86_400];

/** An axis of `n` columns from `start`; labels are clock readings in a zone `ahead` seconds of UTC. */
const axisOf = (n, step, { start = START, zone = "Z", ahead = 0 } = {}) => {
  const time_s = Array.from({ length: n }, (_, i) => start + i * step);
  const labels = time_s.map((at) => `${new Date((at + ahead) * 1000).toISOString().slice(0, 19)}${zone}`);
  return { labels, time_s, timestamps: n, edges: [] };
};
/** Ticks in the range, or the first two of them, as text. */
const textOf = (axis, range, width, many = Infinity) =>
  joined(ticksOf(axis, range, width).slice(0, many), ([column, text]) => `${column} ${text}`, ", ");

test("every column is found again at its middle and at its left end; places outside belong to the outermost", () => {
  const draw = draws(1);
  for (const width of [320, 559, 560, 612, 1400]) {
    const scale = plotScale(draw.int(1, 400), width);
    for (let column = 0; column < scale.columns; column += 1)
      for (const x of [scale.middleOf(column), scale.xOf(column) + 1e-6]) equal(scale.columnAt(x), column);
  }
  deepEqual([-50, 0, 111, 612, 9999].map(plotScale(10, 612).columnAt), [0, 0, 0, 9, 9]);
});

test("columns fill the plot beside the gutter, which narrow plots have not", () => {
  const [wide, narrow] = [plotScale(10, 612), plotScale(10, 559)];
  deepEqual([wide.left, wide.inner, wide.xOf(0), wide.xOf(10)], [112, 500, 112, 612]);
  deepEqual([narrow.left, narrow.inner, narrow.xOf(10)], [0, 559, 559]);
  deepEqual([wide.middleOf(3), plotScale(10, 560).left], [287, 112]);
});

test("ticks are the finest unit of time that fits, each text once", () => {
  const offset = axisOf(5, HOUR, { start: START + 8 * HOUR, zone: "+02:00", ahead: 7200 });
  for (const [axis, expected] of [
    [axisOf(30, HOUR), "2 Feb 06:00, 2 Feb 12:00, 2 Feb 18:00"],
    [axisOf(6, 10 * MINUTE), "2 Feb 00:10, 2 Feb 00:20, 2 Feb 00:30"],
    [axisOf(60, 10 * SECOND), "2 Feb 00:02, 2 Feb 00:04, 2 Feb 00:06"],
    [axisOf(20, SECOND), "00:00:05, 00:00:10, 00:00:15"],
    [axisOf(1000, HOUR), "5 Feb, 12 Feb, 19 Feb"],
    [axisOf(8, DAY), "3 Feb, 4 Feb, 5 Feb"],
    [axisOf(8, DAY, { start: START + 17 * HOUR }), "3 Feb, 4 Feb, 5 Feb"],
    [axisOf(2, HOUR), "2 Feb 00:00, 2 Feb 01:00"],
    [offset, "2 Feb 11:00, 2 Feb 12:00, 2 Feb 13:00"],
    [axisOf(500, DAY), "Apr 2024, Jul 2024, Oct 2024"],
    [axisOf(400, DAY), "Mar 2024, May 2024, Jul 2024"],
  ]) {
    const texts = ticksOf(axis, [0, axis.labels.length], 640).map(([, text]) => text);
    equal(texts.slice(0, 3).join(", "), expected, axis.labels[1]);
    ok(new Set(texts).size === texts.length && texts.length >= 2);
  }
});

test("ticks of years, months and hours lie where they begin, of times where labels are no dates", () => {
  const named = { ...axisOf(9, 3 * HOUR), labels: Array(9).fill("x") };
  equal(textOf(axisOf(95, DAY), [0, 95], 200, 2), "28 Mar 2024, 89 May 2024");
  equal(textOf(named, [0, 9], 400, 2), "2 2 Feb 06:00, 4 2 Feb 12:00");
  const time_s = Array.from({ length: 1000 }, (_, i) => i * DAY);
  const years = { ...axisOf(1000, DAY), labels: time_s.map(String), time_s };
  equal(textOf(years, [0, 1000], 400), "365 1971, 730 1972");
});

test("two days have their labels, a label that repeats is one; without times they are evenly spaced and short", () => {
  const [days, none] = [axisOf(2, DAY), { time_s: null, timestamps: 3, edges: [] }];
  equal(textOf({ ...days, labels: ["2024-02-02", "2024-02-03"] }, [0, 2], 640), "0 2024-02-02, 1 2024-02-03");
  equal(textOf({ ...none, labels: ["a", "a", "b", "a"] }, [0, 4], 640), "0 a, 2 b, 3 a");
  const axis = { ...none, labels: ["p", "q", "a label that is long"] };
  deepEqual([textOf(axis, [0, 3], 170), textOf(axis, [1, 3], 170)], ["0 p, 1 q", "1 q, 2 a label that"]);
});

test("ticks ascend within the range, are distinct, and at most as many as fit", () => {
  const draw = draws(2);
  for (let i = 0; i < 200; i += 1) {
    const step = draw.pick([SECOND, 7, MINUTE, 17 * MINUTE, HOUR, DAY, 40 * DAY]);
    const axis = axisOf(draw.int(2, 300), step, { start: START + draw.int(0, 1e7) });
    const first = draw.int(0, axis.labels.length - 2);
    const range = [first, draw.int(first + 2, axis.labels.length)];
    const width = draw.int(100, 1500);
    const columns = ticksOf(axis, range, width).map(([column]) => column);
    ok(columns.length >= 1 && columns.length <= Math.max(2, Math.floor(width / 84)), `${columns} in ${width} px`);
    columns.slice(1).forEach((column, k) => ok(column > columns[k], `${columns}`));
    ok(columns[0] >= range[0] && columns.at(-1) < range[1], `${columns} in ${range}`);
  }
});

test("at most six timestamps are labelled, two at least where there are two, and texts are short", () => {
  const labels = Array.from({ length: 11 }, (_, i) => `label number ${100 + i}`);
  const at = (n, width) => labelled(labels.map((_, i) => 10 * i).slice(0, n), labels.slice(0, n), width).at.join();
  const found = [at(11, 9999), at(11, 440), at(11, 50), at(3, 9999), at(1, 9999), at(0, 9999)];
  deepEqual(found, ["0,20,40,60,80,100", "0,30,70,100", "0,100", "0,10,20", "0", ""]);
  deepEqual(labelled([7], labels, 110), { at: [7], text: ["label number 100"] });
  equal(labelled([7], ["x".repeat(20)], 110).text[0].length, 16);
});
