import { deepEqual, equal, match, ok, throws } from "node:assert/strict";
import { test } from "node:test";
import * as levels from "../../../static/js/components/experiment/results_view.js";
import { beginningOf } from "../../../static/js/components/experiment_form/kept_experiment.js";
import * as cells from "../../../static/js/components/experiment_form/cells.js";
import * as kind from "../../../static/js/components/experiment_form/mechanism_spec.js";
import { barTexts } from "../../../static/js/components/experiment_form/plan.js";
import { check, gives } from "../cases.mjs";
import { draws, plain } from "../support.mjs";

const axisOf = (more, numbers) => ({
  ...{ unit: "", ...more },
  values: numbers.map((number) => ({ label: String(number), number })),
});
const LEVELS = axisOf({ name: "release.mechanism.epsilon", title: "Level", symbol: "ε" }, [0.01, 1]);
const RADII = axisOf({ name: "release.mechanism.radius_m", title: "Radius", symbol: "r", unit: "m" }, [1, 200]);
const level = (more) => ({ reference_m: 200, axis: null, ...more });

const metre = { axes: [LEVELS], level: level({ radii: [1] }) };
const block = { axes: [LEVELS], level: level({ radii: [200] }) };
const both = { axes: [LEVELS, RADII], level: level({ axis: 1, radii: [1, 200] }) };
const other = { axes: [LEVELS], level: null };

test("the axis of levels is known by its name, also of several at once", () => {
  const isLevel = (name) => levels.isLevel(metre, { name });
  deepEqual([isLevel("release.mechanism.epsilon"), isLevel("mechanism.epsilon,mechanism.radius_m")], [true, true]);
  deepEqual([isLevel("release.selection.epsilon"), isLevel("xmechanism.epsilon")], [false, false]);
  equal(levels.isLevel(other, LEVELS), false);
});

test("numbers of levels are those within the reference radius", () => {
  check(levels.numberOf, [
    [[metre, 0, 0, [0]], 2],
    [[block, 0, 0, [0]], 0.01],
    [[both, 0, 0, [0, 0]], 2],
    [[both, 0, 0, [0, 1]], 0.01],
    [[both, 0, 0, null], 0.01],
    [[both, 1, 1, [0, 1]], 200],
    [[other, 0, 0, [0]], 0.01],
  ]);
  const text = { ...metre, axes: [{ ...LEVELS, values: [{ label: "none", number: null }] }] };
  deepEqual([levels.numberOf(text, 0, 0, [0]), levels.labelOf(text, 0, 0)], [null, "none"]);
});

test("names of values and titles of axes state the radius", () => {
  check(levels.labelOf, [
    [[metre, 0, 0], "ε 2 within 200 m (set as 0.01 within 1 m)"],
    [[block, 0, 1], "ε 1 within 200 m"],
    [[both, 0, 1], "1 within its radius"],
    [[other, 0, 1], "1"],
    [[both, 1, 0], "1"],
  ]);
  check(levels.axisTitle, [
    [[metre, LEVELS], "Level ε within 200 m (set within 1 m)"],
    [[block, LEVELS], "Level ε within 200 m"],
    [[both, LEVELS], "Level ε within 200 m (set within 1 m)"],
    [[other, LEVELS], "Level ε"],
    [[both, RADII], "Radius r, m"],
  ]);
});

test("another experiment's levels are aligned with the axes of this one", () => {
  const turned = { axes: [RADII, LEVELS], level: { reference_m: 7, axis: 0, radii: [1, 200] } };
  deepEqual(levels.alignedLevel(both, turned), { axis: 1, radii: [1, 200], reference_m: 200 });
});

test("a beginning has one name", () => {
  const begins = (search) => beginningOf(search, "trajectory");
  equal(begins(""), "kind=trajectory");
  gives(begins, { "?kind=trajectory": "kind=trajectory", "?kind=stream&utm=1": "kind=stream", "?from=3": "from=3" });
  gives(begins, { "?dataset=7": "dataset=7&kind=trajectory", "?preset=": "kind=trajectory" });
  gives(begins, { "?dataset=7&preset=loss&kind=stream": "preset=loss&dataset=7", "?preset=loss": "preset=loss" });
  gives(begins, { "?release=4&from=3": "from=3&release=4" });
});

const FIELDS = [
  { name: "epsilon", required: true, default: 1 },
  { name: "leading", default: "none" },
];
const known = {
  ...{ steps: new Map(), dummies: new Map(), generators: new Map() },
  mechanisms: new Map([["skip", FIELDS]]),
  landmarks: new Map([["stays", [{ name: "reach_m", default: 50 }]]]),
  measures: new Map([["area", [{ name: "share", default: 0.5 }]]]),
};
const spec = (more = {}) => ({
  base: { release: { mechanism: { name: "skip", epsilon: 1 } } },
  ...{ metrics: ["area"], repetitions: 10, seed: 1, ...more },
});

test("cells are every combination, in the engine's order: shallow axes first, then by name", () => {
  const found = cells.cellsOf({ base: { a: {}, b: { kept: true } }, grid: { "b.c": [1, 2], z: ["x", "y"] } });
  const expected = ["x", "y"].flatMap((z) => [1, 2].map((c) => ({ a: {}, b: { kept: true, c }, z })));
  deepEqual(found, expected);
  equal(cells.cellsOf({ base: {}, grid: { "b.c": [1, 2], a: [{}, {}], "a.d": [5] } }).length, 4);
  deepEqual(cells.cellsOf({ base: { a: 1 }, grid: undefined }), [{ a: 1 }]);
});

test("an axis of several paths varies them together", () => {
  const pair = (a, c) => ({ a, b: { c } });
  deepEqual(cells.cellsOf({ base: {}, grid: { "a,b.c": [1, 3].map((a) => [a, a + 1]) } }), [pair(1, 2), pair(3, 4)]);
});

test("cells share nothing with each other or the spec", () => {
  const value = { deep: [1] };
  const [one, other] = cells.cellsOf({ base: { a: value }, grid: { b: [1, 2], c: [value] } });
  one.a.deep.push(2);
  one.c.deep.push(2);
  for (const kept of [other.a, other.c, value]) deepEqual(kept, { deep: [1] });
});

test("ten thousand cells are the most", () => {
  const many = (n) => ({ base: {}, grid: { a: Array(n).fill(0), b: Array(100).fill(0) } });
  equal(cells.cellsOf(many(100)).length, 10_000);
  throws(() => cells.cellsOf(many(101)), RangeError);
});

test("names in one order; parameters that are as they are left out, unless they are required", () => {
  equal(JSON.stringify(cells.inOneOrder({ b: [{ d: 1, c: null }], a: 2 })), '{"a":2,"b":[{"c":null,"d":1}]}');
  const of = (one) => cells.plain(one, known.mechanisms);
  deepEqual(of({ name: "skip", epsilon: 1, leading: "none" }), { name: "skip", epsilon: 1 });
  deepEqual(of({ name: "other", leading: "none" }), { name: "other", leading: "none" });
  equal(of(null), null);
  equal(cells.shortMetric({ name: "area", share: 0.5 }, known), "area");
  deepEqual(cells.shortMetric({ name: "area", share: 0.4 }, known), { name: "area", share: 0.4 });
});

test("two spellings of one experiment are the same", () => {
  const long = { name: "skip", leading: "none", epsilon: 1 };
  for (const changes of [
    { base: { release: { mechanism: long } } },
    { base: { release: { postprocess: [], mechanism: long }, redraw: false } },
    { base: { data: null, landmarks: null }, grid: { release: [{ mechanism: long }] } },
    { metrics: [{ name: "area", share: 0.5 }], common: true },
  ])
    ok(cells.same(spec(), spec(changes), known), JSON.stringify(changes));
  const landmarks = (own) => spec({ base: { landmarks: { name: "stays", ...own } } });
  ok(cells.same(landmarks({}), landmarks({ reach_m: 50 }), known));
  const correlated = (own) => spec({ base: { correlation: { strength: 0.5, ...own } } });
  ok(cells.same(correlated({}), correlated({ states: 2, bound: "published" }), known));
});

test("whatever changes the results or their table is another experiment", () => {
  const levels = (...values) => ({ grid: { "release.mechanism.epsilon": values } });
  for (const changes of [
    ...[{ seed: 2 }, { repetitions: 11 }, { common: false }, { metrics: ["area", "area"] }],
    ...[{ base: { release: { mechanism: { name: "skip", epsilon: 2 } } } }, { base: { release: null } }],
    ...[levels(1, 2), { base: { ...spec().base, redraw: true } }],
  ])
    ok(!cells.same(spec(), spec(changes), known), JSON.stringify(changes));
  ok(!cells.same(spec(levels(1, 2)), spec(levels(2, 1)), known), "the order of the cells");
  ok(cells.same(spec(levels(1)), spec(), known), "one value is no axis");
});

const field = (name, more = {}) => ({ name, symbol: name[0], choices: [], default: 1, required: false, ...more });
const epsilon = field("epsilon", { required: true });
const west = field("west", { symbol: "" });
const LISTED = [
  { name: "count", fields: [epsilon, field("window"), west] },
  { name: "sketch", fields: [epsilon, west, field("depth")] },
];
const fields = kind.sharedFields(LISTED);
const listed = {
  ...{ cell: [field("events")], steps: new Map(), landmarks: new Map(), dummies: new Map() },
  mechanisms: new Map(LISTED.map(({ name, fields: own }) => [name, own])),
  generators: new Map([["city", [field("people")]]]),
  measures: new Map(Object.entries({ error: [], rank: [field("k")] })),
};

test("shared parameters are those of all mechanisms; those without a symbol are not swept", () => {
  const names = ({ swept, single }) => [swept, single].map((some) => some.map(({ name }) => name).join());
  deepEqual(names(fields), ["epsilon", "west"]);
  deepEqual(names(kind.sharedFields([{ fields: [field("sort", { symbol: "", choices: ["a"] })] }])), ["sort", ""]);
});

test("what else can be swept is of all that is chosen, no text and no choice", () => {
  const paths = (mechanisms, data = null) => {
    const chosen = { mechanisms: mechanisms.map((name) => ({ name })), data };
    return kind.otherSweeps(chosen, fields, listed).map(({ path }) => path);
  };
  deepEqual(paths(["count"]), ["release.mechanism.window", "events"]);
  deepEqual(paths(["count", "sketch"]), ["events"]);
  deepEqual(paths(["sketch"], [{ name: "city" }]), ["release.mechanism.depth", "data.people", "events"]);
});

/** A form that may be. */
function formOf(draw) {
  const numbers = () => draw.list(draw.int(1, 3), (i) => draw.int(2, 9) + 10 * i);
  const mechanisms = draw.pick([["count"], ["sketch"], ["count", "sketch"]]).map((name) => ({ name }));
  const data = draw.pick([null, [{ name: "city" }], [{ name: "city" }, { name: "city", people: 9 }]]);
  const offered = kind.otherSweeps({ mechanisms, data }, fields, listed).map(({ path }) => path);
  return {
    ...{ mechanisms, data, swept: { epsilon: numbers() }, single: { west: draw.int(2, 9) } },
    other: draw.pick([null, ...offered.map((path) => ({ path, values: [...numbers(), 1] }))]),
    metrics: draw.pick([["error"], ["error", { name: "rank", k: 5 }]]),
    ...{ repetitions: draw.int(1, 9), seed: draw.int(0, 9), common: draw.pick([true, false]) },
  };
}

test("a form that becomes a spec is the same form again", () => {
  const draw = draws(64);
  for (let k = 0; k < 300; k += 1) {
    const form = formOf(draw);
    const spec = kind.toSpec("stream", form);
    deepEqual(kind.toForm(spec, fields, listed), form, JSON.stringify(spec));
    ok(Object.values(spec.grid).every((values) => values.length > 1)); // one value is no axis
  }
});

test("a spec that the form cannot hold is none of it", () => {
  const spec = kind.toSpec("stream", formOf(draws(65)));
  ok(kind.toForm(spec, fields, listed));
  const mechanism = { name: "count", epsilon: 1, west: 2 };
  const base = { release: { mechanism } };
  const boxes = [1, 2].map((west) => ({ mechanism: { ...mechanism, west } }));
  for (const [name, changes] of Object.entries({
    "an unknown mechanism": { base: { release: { mechanism: { name: "unknown" } } }, grid: {} },
    "an unknown measure": { metrics: ["unknown"] },
    "an unknown generator": { base: { ...spec.base, data: { name: "unknown" } }, grid: {} },
    "two more sweeps": { base, grid: { events: [1, 2], "release.mechanism.window": [1, 2] } },
    "a sweep that is not offered": { base, grid: { "release.mechanism.depth": [1, 2] } },
    "boxes that differ": { base: {}, grid: { release: boxes } },
    "more than the form shows": { base: { ...base, redraw: true }, grid: {} },
    "no spec": { base: null },
  }))
    equal(kind.toForm({ ...spec, ...changes }, fields, listed), null, name);
});

test("what an experiment comes to, and when it runs", () => {
  const plan = { cells: 18, repetitions: 1, work_s: 75, at_once: false, ahead: 0, workers: 1 };
  const texts = (changes) => Object.values(barTexts({ ...plan, ...changes })).map(plain);
  const [work, time] = texts({});
  equal(work, "18 cells × 1 repetition");
  equal(time, "about 1 min 15 s on one core · starts when a worker is free");
  match(texts({ ahead: 2 })[1], /2 jobs waiting before it$/);
  match(texts({ workers: 0, ahead: 2 })[1], /no worker answers: it waits until one does$/);
  match(texts({ at_once: true, workers: 0 })[1], /runs immediately$/);
});
