import { deepEqual, equal, notEqual } from "node:assert/strict";
import { test } from "node:test";

import {
  createReference,
  placed as isPlaced,
  referenceText,
} from "../../../static/js/trajectory/experiment_form/kind.js";
import { curves, SHARED, toForm, toSpec } from "../../../static/js/trajectory/experiment_form/spec.js";
import { check, rows } from "../cases.mjs";
import { draws, plain } from "../support.mjs";

const kinds = (...names) => new Map(names.map((name) => [name, []]));
const known = {
  ...{ mechanisms: kinds("u", "p"), steps: kinds("smooth", "filter"), dummies: kinds("even", "near") },
  ...{ measures: kinds("mae", "loss", "hit"), landmarks: kinds("synthetic", "stay-points", "column") },
};
const usual = {
  release: { levels: [1], radii: [200], after: [{ step: null }] },
  ...{ landmarks: { kinds: ["synthetic", "stay-points", "column", "marked"] }, dummies: { levels: [0.5] } },
  correlation: { diameter_m: 1000 },
};
const FORM = {
  release: { mechanisms: [{ name: "u" }], levels: [1], radii: [200], after: [{ step: null, over: [0] }] },
  landmarks: { kind: "synthetic", shares: [0.2], distributions: ["uniform"], more: {}, redraw: true },
  dummies: { none: true, methods: [], levels: [0.5], shared: false },
  correlation: { smoothings: [null], states: 2, bound: "published", diameter_m: 1000 },
  ...{ metrics: ["mae"], repetitions: 5, seed: 1, common: true },
};
const BASE = { mechanism: { name: "u", epsilon: 1, radius_m: 200 }, postprocess: [] };

test("the spec of a plain form has no grid", () => {
  deepEqual(toSpec(FORM), {
    base: { release: BASE, landmarks: { name: "synthetic", share: 0.2, distribution: "uniform" }, redraw: true },
    ...{ grid: {}, repetitions: 5, seed: 1, metrics: ["mae"], common: true },
  });
});

test("several values are swept, one stands in the base", () => {
  const swept = toSpec({
    ...FORM,
    release: { ...FORM.release, levels: [1, 2], radii: [200, 500] },
    landmarks: { ...FORM.landmarks, shares: [0.1, 0.2], redraw: false },
    correlation: { ...FORM.correlation, smoothings: [null, 0.1], states: 3, bound: "bridge" },
  });
  deepEqual(swept.grid, {
    ...{ "release.mechanism.epsilon": [1, 2], "release.mechanism.radius_m": [200, 500], "landmarks.share": [0.1, 0.2] },
    correlation: [null, { smoothing: 0.1, diameter_m: 1000, states: 3, bound: "bridge" }],
  });
  equal("redraw" in swept.base, false);
});

test("the selection of dummies and the release divide one level", () => {
  const of = (shared) =>
    toSpec({ ...FORM, dummies: { none: false, methods: [{ name: "even" }], levels: [0.25, 0.5], shared } });
  deepEqual(of(true).grid, { [SHARED]: rows("0.25 0.75, 0.5 0.5") });
  const { grid, base } = of(false);
  deepEqual([grid, base.dummies], [{ "dummies.epsilon": [0.25, 0.5] }, { name: "even", epsilon: 0.25 }]);
});

test("curves are each step over its mechanisms, in their order", () => {
  const after = [
    { step: null, over: [0, 1] },
    { step: {}, over: [1] },
  ];
  const found = curves({ mechanisms: [{}, {}], after });
  deepEqual([found.length, found[0]], [3, { mechanism: 0, after: 0 }]);
  equal(found.map(({ mechanism, after }) => `${mechanism} ${after}`).join(), "0 0,1 0,1 1");
});

test("a form comes back from its spec", () => {
  const draw = draws(26);
  const some = (all, least = 1) => {
    const found = all.filter(() => draw.int(0, 1));
    return found.length >= least ? found : all.slice(0, least);
  };
  const coin = () => draw.int(0, 1) === 1;
  for (let i = 0; i < 300; i += 1) {
    const mechanisms = some([{ name: "u" }, { name: "p", step_variance_m2: 9 }]);
    const all = mechanisms.map((_, k) => k);
    const methods = some([{ name: "even", share: 0.1 }, { name: "near" }], draw.int(0, 1));
    const shared = methods.length > 0 && draw.int(0, 2) === 0;
    const several = shared ? [0.25, 0.5] : methods.length && coin() ? [0.1, 0.3] : [0.5];
    const none = !methods.length || (several.length === 1 && coin());
    const synthetic = { shares: some([0.1, 0.2, 0]), distributions: some(["uniform", "bimodal"]), redraw: coin() };
    const stays = { distances: [100, 200], durations: draw.pick([[1800], [900, 1800]]) };
    const smoothings = some([null, 1, 0.1, 0.01]);
    const steps = some([null, { name: "smooth", q: 2 }]);
    const form = {
      release: {
        ...{ mechanisms, levels: shared ? [1] : some([0.5, 1, 2]), radii: some([200, 500]) },
        after: steps.map((step) => ({ step, over: all })),
      },
      landmarks: {
        ...{ more: {}, redraw: false },
        ...draw.pick([{ kind: "synthetic", ...synthetic }, { kind: "stay-points", ...stays }, { kind: "column" }]),
      },
      dummies: { none, methods, levels: methods.length ? several : usual.dummies.levels, shared },
      correlation: {
        ...{ ...FORM.correlation, smoothings },
        ...(smoothings.some((one) => one !== null) && { states: draw.pick([2, 5]) }),
      },
      metrics: some(["mae", "loss", "hit"]),
      ...{ repetitions: draw.int(1, 9), seed: draw.int(0, 9), common: coin() },
    };
    deepEqual(toForm(toSpec(form), usual, known), form, JSON.stringify(toSpec(form)));
  }
});

test("what the form cannot hold is left as text", () => {
  const spec = toSpec(FORM);
  const release = (more) => ({ release: { ...BASE, ...more } });
  const read = (base, grid = {}, more = {}) =>
    toForm({ ...spec, base: { ...spec.base, ...base }, grid, ...more }, usual, known);
  notEqual(read({}), null);
  const other = { ...BASE, mechanism: { name: "p", epsilon: 2, radius_m: 200 } };
  for (const given of [
    [{}, { "landmarks.other": [1, 2] }],
    [release({ mechanism: { name: "x", epsilon: 1, radius_m: 200 } })],
    [release({ postprocess: [{ name: "smooth" }, { name: "filter" }] })],
    [release({ postprocess: [{ name: "x" }] })],
    [{}, { release: [BASE, other] }],
    [{}, {}, { metrics: ["mae", "mae"] }],
    [{}, {}, { metrics: ["x"] }],
    [{ dummies: { name: "x", epsilon: 1 } }],
    [{ landmarks: undefined }],
    [{ other: 1 }],
  ])
    equal(read(...given), null, JSON.stringify(given));
});

test("errors of the API lead to the part of the form that they name", () => {
  const placed = [];
  const note = "Must be less";
  const noting =
    (name) =>
    (_, act) =>
    (...given) =>
      placed.push([name, act, ...given.filter((one) => one !== note)]);
  const part = (name) => [name, new Proxy({}, { get: noting(name) })];
  const runs = { fail: ([{ field: name }]) => (name === "seed" ? [] : [1]) };
  const names = ["data", "releases", "landmarks", "dummies", "correlation", "measures"];
  const parts = { runs, ...Object.fromEntries(names.map(part)) };
  const at = (name, form = { release: "form" }) => {
    placed.length = 0;
    return isPlaced({ field: name }, note, form, parts) ? (placed[0] ?? "done") : [note];
  };
  check(at, [
    [["grid.landmarks.share.2"], ["landmarks", "fail", 2, "share"]],
    [["base.landmarks.share"], ["landmarks", "fail", null, "share"]],
    [["grid.release.1.mechanism.step_variance_m2"], ["releases", "fail", 1, ["mechanism", "step_variance_m2"], "form"]],
    [["base.release.mechanism.epsilon"], ["releases", "fail", null, ["mechanism", "epsilon"], "form"]],
    [["grid.release.mechanism.epsilon.0"], ["releases", "failLevel", 0]],
    [["grid.release.mechanism.radius_m"], ["releases", "failRadius", null]],
    [["grid.dummies.epsilon.3"], ["dummies", "failLevel", 3]],
    [["grid.dummies.epsilon,release.mechanism.epsilon.3"], ["dummies", "failLevel", 3]],
    [["grid.dummies.1.share"], ["dummies", "fail", 1, "share"]],
    [["grid.correlation.1.smoothing"], ["correlation", "fail", 1, "smoothing"]],
    [["metrics.2.share"], ["measures", "fail", 2, "share"]],
    [["dataset"], ["data", "fail", "dataset"]],
    [["preset.side"], ["data", "fail", "side"]],
    [["seed"], "done"],
    [["repetitions"], [note]],
    [["grid.other.1"], [note]],
    [[undefined], [note]],
    [["seed", null], [note]],
  ]);
});

test("levels within the reference radius of the data", () => {
  const named = [
    { title: "Block", radius_m: 200 },
    { title: "Paper", radius_m: 1 },
  ];
  const of = (levels, radii, radius_m = 200) => referenceText({ name: "Taxi", radius_m }, { levels, radii }, named);
  check(of, [
    [[[1], [200]], "Reference radius of Taxi: 200 m, block."],
    [[[1], [1]], "Reference radius of Taxi: 200 m, block. ε = 1 / 1 m (paper) is ε = 200 / 200 m."],
    [[[2], [200, 50]], "Reference radius of Taxi: 200 m, block. ε = 2 / 50 m is ε = 8 / 200 m."],
    [[null, [1]], "Reference radius of Taxi: 200 m, block."],
    [[[1], null, 300], "Reference radius of Taxi: 300 m."],
  ]);
});

test("the radius of other data is proposed while the one before it was not changed", () => {
  const proposed = [];
  const note = {};
  const reference = createReference(note, 200, [], (radius) => proposed.push(radius));
  const follow = (radius_m, radii, moves = true) => reference({ name: "D", radius_m }, { levels: [1], radii }, moves);
  follow(500, [200]);
  equal(plain(note.textContent), "Reference radius of D: 500 m.");
  follow(300, [200]);
  follow(300, [500, 1]);
  follow(300, [500], false);
  deepEqual(proposed, [500]);
});

test("a step is drawn for the mechanisms that are left ticked; as sampled it is none", async () => {
  const { chainOf, DRAWN, usualChain } = await import("../../../static/js/trajectory/experiment_form/releases.js");
  const [one, two] = [{}, {}];
  const row = (values, kind, ...left) => ({ kind, left: new Set(left), values: () => values });
  deepEqual(chainOf(row({ name: "kalman" }, {}), [one, two]), { step: { name: "kalman" }, over: [0, 1] });
  deepEqual(chainOf(row({ name: "kalman" }, {}, one), [one, two]), { step: { name: "kalman" }, over: [1] });
  deepEqual(chainOf(row({ name: "drawn" }, DRAWN, two), [one, two]), { step: null, over: [0] });
  equal(chainOf(row(null, {}), [one, two]), null, "a number is missing");
  deepEqual([{ name: "kalman" }, { name: "drawn" }].map(usualChain([one, two])), [
    { step: { name: "kalman" }, over: [0, 1] },
    { step: null, over: [0, 1] },
  ]);
});
