import { deepEqual, equal, ok } from "node:assert/strict";
import { test } from "node:test";
import { createAxes, inOrder, kindOf, readoutOf } from "../../../static/js/charts/chart_pointer.js";
import { linesCsv, quoted, rowsOf } from "../../../static/js/charts/chart_table.js";
import * as medians from "../../../static/js/charts/rolling_median.js";
import { joined, rows } from "../cases.mjs";
import { draws, pageOf, plain, setGlobals } from "../support.mjs";

setGlobals({ document: pageOf(), getComputedStyle: () => ({ getPropertyValue: () => "" }) });
const figure = await import("../../../static/js/charts/figure.js");
const { titlesOf, verticalAxis } = await import("../../../static/js/charts/traces.js");

/** The cells of CSV, by RFC 4180. */
function cellsOf(text) {
  const lines = [[""]];
  let isQuoted = false;
  for (let i = 0; i < text.length; i += 1) {
    const row = lines.at(-1);
    if (isQuoted && text[i] === '"' && text[i + 1] === '"') row[row.length - 1] += text[(i += 1)];
    else if (text[i] === '"') isQuoted = !isQuoted;
    else if (!isQuoted && text[i] === ",") row.push("");
    else if (!isQuoted && text[i] === "\n") lines.push([""]);
    else row[row.length - 1] += text[i];
  }
  deepEqual(lines.pop(), [""], "a line ends with its break");
  return lines;
}

test("a text is quoted where it must be, and read back as it is", () => {
  const draw = draws(6);
  const texts = draw.list(300, () => `a${draw.list(draw.int(0, 6), () => draw.pick('ab ,"\n\rε')).join("")}`);
  const line = texts.map(quoted).join(",");
  deepEqual(cellsOf(`${line}\n`), [texts]);
  deepEqual(["a b", "a,b", 'a"b', "a\nb", "a\rb"].map(quoted), ["a b", '"a,b"', '"a""b"', '"a\nb"', '"a\rb"']);
});

test("what a spreadsheet would compute is a text", () => {
  for (const text of ["=1+1", "+1", "-1", "@a", "\tx"]) equal(quoted(text), `'${text}`);
  deepEqual(["a=1", '=HYPERLINK("x",1)', "\r=1"].map(quoted), ["a=1", `"'=HYPERLINK(""x"",1)"`, `"'\r=1"`]);
});

const LINES = [
  { name: "one", x: [0, 2], y: [5, null] },
  { name: "two", x: [2, 1], y: [7, 8], low: [1, 2], high: [3, 4], ends: ["5 %", "95 %"] },
];

test("rows are in the order of their keys, with gaps for what a line has not", () => {
  const found = rowsOf(LINES);
  equal(found.names.join(), "one,two,two, 5 %,two, 95 %");
  equal(JSON.stringify(found.rows), "[[0,5,null,null,null],[1,null,8,2,4],[2,null,7,1,3]]");
  const sorted = [10, 9, 100].map((key) => ({ name: String(key), x: [key], y: [1] }));
  deepEqual([rowsOf(sorted).rows.map(([key]) => key)], [[9, 10, 100]]);
});

test("medians are columns before the band; rows may stand for heights", () => {
  const { names } = rowsOf([{ ...LINES[1], median: { window: 5, values: [6, 6] } }]);
  deepEqual(names, ["two", "two, rolling median of 5 points", "two, 5 %", "two, 95 %"]);
  const heights = rowsOf([{ name: "up", x: [0.5, 1], y: [3, 2] }], "y");
  deepEqual(heights, { names: ["up"], rows: rows("2 1, 3 0.5") });
});

test("a CSV has units and kinds, and nothing for what is not known", () => {
  equal(linesCsv([LINES[0]], "m"), "event_index,one (m)\n0,5\n2,\n");
  equal(linesCsv([{ ...LINES[0], name: "a, b" }], ""), 'event_index,"a, b"\n0,5\n2,\n');
  const kind = (event) => (event ? "landmark" : "");
  equal(linesCsv([LINES[0]], "m", { name: "t" }, kind), "t,one (m),kind\n0,5,\n2,,landmark\n");
});

const line = (more) => ({ name: "a", x: [0, 1, 2], y: [10, null, 30], ...more });
const shown = (more) => ({ lines: [line({})], bands: [], hollow: [], unit: "m", ...more });
const texts = (what, at, more = false) =>
  joined(readoutOf(what, at, more).rows, ({ name, value }) => `${name} ${plain(value)}`, "; ");

test("an event in a run, its end left out; dummies count first", () => {
  const kinds = [3, 4, 6, 7].map((event) => kindOf(event, [[4, 7]], [[6, 7]]));
  deepEqual(kinds, ["", "landmark", "dummy landmark", ""]);
});

test("the values at an event, a dash for none; on values the nearest point counts, whatever their order", () => {
  deepEqual([texts(shown({}), 2), texts(shown({}), 1)], ["a 30 m", "a –"]);
  equal(texts(shown({ lines: [line({ unit: "share", y: [0, 0.5, 1] })] }), 1), "a 50 %");
  const what = shown({ x: { name: "x" }, lines: [line({ x: [10, 1, 5, 1], y: [100, 10, 50, 3] })] });
  deepEqual([texts(what, 0), texts(what, 4), texts(what, 9)], ["a 10 m", "a 50 m", "a 100 m"]);
});

test("hidden lines and single points have no row; short names and the legend's order count", () => {
  const [first, second] = [line({ id: "x", name: "first", short: "1st" }), line({ id: "y", name: "second" })];
  const lines = [first, second, line({ id: "z", visible: false }), line({ id: "p", x: [2], y: [1] })];
  equal(texts(shown({ lines }), 0), "1st 10 m; second 10 m");
  equal(texts(shown({ lines, order: () => ["z", "y", "x", "p"] }), 0), "second 10 m; 1st 10 m");
  deepEqual(inOrder(lines, undefined), lines);
});

test("bands and medians only where there is space for more", () => {
  const banded = shown({ lines: [line({ low: [1, 2, 3], high: [40, 50, 60], median: { values: [12, 13, 14] } })] });
  equal(texts(banded, 2, true), "a 30 m (3 m to 60 m), median 14 m");
  equal(texts(banded, 2, false), "a 30 m");
});

test("titles name the event and its kind, or the value", () => {
  const title = (more, at) => readoutOf(shown(more), at, false).title;
  deepEqual([title({ bands: [[1, 2]] }, 1), title({}, 1)], ["event 2 · landmark", "event 2"]);
  equal(title({ x: { name: "Level ε" }, bands: [[0, 9]] }, 0.5), "Level ε: 0.5");
  equal(title({ x: { name: "Level ε", short: "ε" } }, 1234.56), "ε: 1,235");
});

function slowMedian(values, window) {
  const half = (window - 1) / 2;
  return values.map((value, i) => {
    const known = values.slice(Math.max(0, i - half), i + half + 1).filter((one) => one !== null);
    const sorted = known.map(Number).sort((a, b) => a - b);
    const [low, high] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[Math.floor(sorted.length / 2)]];
    return value === null ? null : (low + high) / 2;
  });
}

test("a rolling median is that of the window; gaps, and what is not a number, are gaps", () => {
  const draw = draws(1);
  const random = () => {
    const gaps = draw.pick([0, 0.3]);
    const value = () => draw.pick([0, 1, 5, draw.real(0, 1)]);
    return draw.list(draw.int(1, 60), () => (draw.real(0, 1) < gaps ? null : value()));
  };
  for (const values of [[], [null, null], [3], [2, 2, 2, 1], ...draw.list(200, random)]) {
    const window = 2 * draw.int(0, 9) + 1;
    deepEqual(medians.rollingMedian(values, window), slowMedian(values, window), `${window} of ${values}`);
  }
  deepEqual(medians.rollingMedian([1, NaN, 3], 3), [1, null, 3]);
});

test("of a line of extremes there is no median but the one that came with it", () => {
  const line = { x: [0, 1, 2, 3, 4, 5], y: [1, 9, 2, 9, 3, 9] };
  const rolling = { window: 901, values: [1, 2, 2, 2, 2, 3] };
  const [own, thinned, given] = medians.withMedians(
    [line, { ...line, thinned: true }, { ...line, thinned: true, rolling }],
    [0, 5],
  );
  deepEqual([own.median.window, thinned.median, given.median], [5, undefined, rolling]);
});

test("a window is an odd number, at least 5, about a twentieth of the points", () => {
  let before = 0;
  for (let n = 0; n < 1000; n += 1) {
    const window = medians.windowOf(n);
    ok(window % 2 === 1 && window >= 5 && window >= before && window <= Math.max(5, n / 20 + 2), `${n}: ${window}`);
    before = window;
  }
  deepEqual([100, 260, 300].map(medians.windowOf), [5, 13, 15]);
});

test("only what is drawn decides the window, and too few points have none", () => {
  const x = Array.from({ length: 400 }, (_, i) => i);
  const line = { x, y: x };
  const windows = (...span) => medians.withMedians([line], span)[0].median?.window;
  deepEqual([windows(0, 399), windows(100, 104), windows(100, 103)], [21, 5, undefined]);
  const [{ median, ...rest }] = medians.withMedians([line], [0, 399]);
  deepEqual([rest, median.values], [line, medians.rollingMedian(x, 21)]);
  equal(medians.windowText({ window: 13 }), "Median of 13 points");
  equal(medians.medianText({ window: 13 }), "rolling median of 13 points");
});

test("the vertical axis fits what lies in the span, a step's value before it too, and values everywhere", () => {
  const line = { x: [0, 1, 2, 3], y: [10, 1, 2, 50] };
  const top = (more, of = line) =>
    verticalAxis({ lines: [of], rules: [], also: [], span: [1, 2], ...more }).axis.tickvals.at(-1);
  equal(top({}), 2);
  equal(top({ span: [1, 3] }), 50);
  equal(top({ span: [0, 2] }), 10);
  equal(top({ span: [1.5, 2] }), 2);
  equal(top({ span: [0.5, 2] }, { ...line, step: true }), 10, "of a step what began before");
  equal(top({ span: [0.5, 2] }), 2);
  equal(top({ span: [1, 2] }, { ...line, step: true }), 2);
  equal(top({ span: [4, 5] }, { ...line, step: true }), 1, "beyond the last there is nothing");
  equal(top({ x: { name: "ε" } }), 50);
  equal(top({}, { ...line, high: [1, 30, 2, 3] }), 30);
  equal(top({ rules: [{ y: 20 }] }), 20);
  equal(top({ also: [40] }), 40);
  equal(top({ x: { name: "ε" } }, { x: [0], y: [30] }), 30);
  equal(top({ span: [3, 9] }), 50, "to the last");
  const log = (y) => verticalAxis({ lines: [{ ...line, y }], rules: [], also: [], span: [0, 3], log: true }).floor;
  equal(log([0, 1, 2, 3]) > 0 && log([0, 1, 2, 3]) !== log([1, 2, 3, 4]), true, "a place for 0");
  const scale = { title: (span) => `event ${span}` };
  deepEqual(titlesOf({ span: [0, 3] }, scale), { x: "event 0,3", y: "" });
  deepEqual(titlesOf({ span: [0, 3], x: { name: "ε" } }, scale), { x: "ε", y: "" });
  deepEqual(titlesOf({ span: [0, 3], x: { name: "ε" }, titles: { x: "own", y: "m" } }, scale), { x: "own", y: "m" });
});

test("whether a logarithmic axis, all events and medians can be offered", () => {
  const [up, down] = [{ y: [0, 1] }, { y: [null, -1] }];
  const negative = (...lines) => figure.hasNegative({ lines });
  deepEqual([negative(up), negative(up, down), negative({ ...down, visible: false })], [false, true, false]);
  equal(negative({ ...up, low: [-1, 0] }), true);
  const all = (more, span) => figure.canShowAll({ whole: [0, 9], ...more }, span);
  deepEqual(
    [all({}, [0, 9]), all({}, [1, 9]), all({ x: {} }, [1, 9]), all({ whole: null }, [1, 9])],
    [...[false, true, false, false]],
  );
  deepEqual([figure.medianOf([up]), figure.medianOf([up, { median: { window: 5 } }])], ["", "Median of 5 points"]);
});

test("pixels of events and values in a plot, and what lies under the pointer", () => {
  const axis = (offset, by) => ({
    ...{
      _offset: offset,
      _length: 90,
      range: [0, 9],
      d2p: (at) => at * by,
      p2l: (px) => px / by,
      l2d: (at) => 10 ** at,
    },
  });
  const element = {
    _fullLayout: { xaxis: axis(40, 10), yaxis: axis(7, -2) },
    getBoundingClientRect: () => ({ left: 100 }),
  };
  let now = { span: [2, 6], lines: [] };
  const scale = { place: (event) => event + 1, eventAt: (at) => Math.round(at) - 1 };
  const axes = createAxes(
    element,
    () => now,
    () => scale,
  );
  deepEqual([axes.ready(), axes.ends(), axes.xOf(3), axes.box()], [true, [2, 6], 80, { top: 7, height: 90 }]);
  deepEqual(axes.pointOf({ x: 2, y: 3 }), [60, 1]);
  deepEqual([140, 190, 260].map(axes.eventAt), [2, 4, 6]);
  equal(axes.valueAt(190), null);
  now = { ...now, x: {}, lines: [{ x: [9, 1, 4] }, { x: [5], visible: false }, { x: [4.6, 6] }] };
  deepEqual([axes.ends(), axes.xOf(3), axes.eventAt(190)], [[1, 1e9], 70, null]);
  deepEqual([0, 187, 191, 900].map(axes.valueAt), [1, 4.6, 4.6, 9]);
  element._fullLayout = { xaxis: axis(0, 1) };
  deepEqual([axes.ready(), axes.eventAt(190), axes.valueAt(190)], [false, null, null]);
  now = null;
  equal(axes.ready(), false);
});
