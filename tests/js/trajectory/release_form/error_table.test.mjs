import assert from "node:assert/strict";
import { test } from "node:test";

import { asText, parse } from "../../../../static/js/trajectory/release_form/configuration_file.js";
import { axisOf, placeOf, scaleHead } from "../../../../static/js/trajectory/release_form/error_axis.js";
import { afterwards, spending } from "../../../../static/js/trajectory/release_form/forecast.js";
import { showOdds } from "../../../../static/js/trajectory/release_form/odds_table.js";
import { warnings } from "../../../../static/js/trajectory/release_form/warnings.js";
import { check, spaced } from "../../cases.mjs";
import { FakeElement, setElements } from "../../elements.mjs";
import { draws } from "../../support.mjs";

setElements();
const { best, byGuarantee } = await import("../../../../static/js/trajectory/release_form/error_table.js");
const summary = await import("../../../../static/js/trajectory/release_form/submit_summary.js");
const { grown, notesOf } = await import("../../../../static/js/trajectory/release_form/temporal_loss_table.js");

const row = (title, level = "landmark", verdict = "usable", typical_m = 10, p95_m = 40) => ({
  ...{ title, level, verdict: { name: verdict } },
  errors: { overall: { typical_m, p95_m } },
});

test("the mechanism to use protects all landmarks together and is usable with the least error", () => {
  const rows = [
    row("far"),
    row("event", "event", "usable", 1),
    row("w", "w-event", "usable", 2),
    row("coarse", "user", "coarse", 3),
  ];
  assert.equal(best([...rows, row("near", "user", "usable", 9)])?.title, "near");
  assert.equal(best(rows)?.title, "far");
  assert.equal(best(rows.slice(1)), null);
  assert.equal(best([{ ...row("none"), verdict: null }]), null);
});

test("weaker guarantees stand below the others, under a heading of their own", () => {
  const titles = (body) => body.children.flatMap((one) => one.children ?? one).map((one) => one.textContent ?? one);
  const [strong, weak] = byGuarantee([row("e", "event"), row("l"), row("w", "w-event")], ({ title }) => title, 5);
  assert.deepEqual(titles(strong), ["l"]);
  assert.deepEqual(titles(weak), ["Weaker guarantee: landmarks are not protected together", "e", "w"]);
  assert.equal(byGuarantee([row("l")], ({ title }) => title, 5)[1], "");
});

test("an axis holds all errors and scales, in their order, within its ends", () => {
  const draw = draws(24);
  for (let i = 0; i < 100; i += 1) {
    const values = draw.list(4, () => 10 ** draw.real(-1, 6)).sort((a, b) => a - b);
    const axis = axisOf({ extent_m: values[3] }, [
      row("a", "", "", values[0], values[1]),
      row("b", "", "", values[2], null),
    ]);
    const places = [...values, 10].sort((a, b) => a - b).map((value) => placeOf(axis, value));
    assert.ok(places[0] > 6 && Number(places.at(-1)) < 274, places.join());
    places.slice(1).forEach((place, k) => assert.ok(place >= places[k]));
  }
  const axis = { least: 1, most: 100 };
  assert.deepEqual(
    [1, 10, 100, 0].map((value) => placeOf(axis, value)),
    [6, 140, 274, 6],
  );
});

test("GPS and extent are always named on the axis, others where there is space", () => {
  const named = (scale, most = 1e5) =>
    scaleHead({ least: 5, most }, scale).getAttribute("aria-label")?.replaceAll("\u202f", " ");
  assert.equal(named({ stay_radius_m: 200, median_step_m: 12, extent_m: 2e4 }), "GPS 10 m, stay 200 m, extent 20 km");
  assert.equal(named({ stay_radius_m: 200, median_step_m: 300, extent_m: 2e4 }), "GPS 10 m, stay 200 m, extent 20 km");
  assert.equal(named({ stay_radius_m: 1, median_step_m: null, extent_m: 11 }), "GPS 10 m, extent 11 m");
  assert.equal(named({ stay_radius_m: 1, median_step_m: 5, extent_m: 19 }, 20), "step 5 m, GPS 10 m, extent 19 m");
});

test("odds at half, one and two radii", () => {
  const table = new FakeElement("table");
  showOdds(table, { epsilon: 1, radius_m: 200 });
  assert.deepEqual(table.texts("th").slice(3), ["100 m", "200 m", "400 m"]);
  assert.deepEqual(table.texts("td"), ["e0.5 = 1.65", "62.2 %", "e1 = 2.72", "73.1 %", "e2 = 7.39", "88.1 %"]);
  showOdds(table, { epsilon: 10, radius_m: 200 });
  assert.deepEqual(table.texts("td").slice(2), ["e10 = 22,000", "over 99.9 %", "e20", "over 99.9 %"]);
  showOdds(table, { epsilon: 0.05, radius_m: 200 });
  assert.deepEqual(table.texts("td").slice(0, 2), ["e0.025 = 1.0253", "50.62 %"]);
  for (const [epsilon, radius_m] of [
    [0, 200],
    [1, 0],
    [NaN, 200],
  ]) {
    showOdds(table, { epsilon, radius_m });
    assert.equal(table.hidden, true);
  }
});

test("losses with and without correlation", () => {
  check(grown, [
    [[1, 2.345], "1 → 2.35"],
    [[null, 2], "–"],
    [[1, null], "–"],
  ]);
  const loss = { event: 3, joint: 4, upper_bound: true };
  const notes = (...losses) =>
    notesOf(
      losses.map((one, i) => ({ title: `M${i}`, loss: one })),
      "strong",
      { diameter_m: 1000 },
      200,
    );
  assert.deepEqual(notes({ event: null, why_not: "x" }), []);
  const [first, ...others] = notes(
    loss,
    { ...loss, simulated: 20, upper_bound: null },
    { ...loss, upper_bound: false, why: "y" },
    { ...loss, joint: null, why_not: "z" },
  );
  assert.match(
    first,
    /^ε at 1,000 m without correlation → upper bound under a strong one.* s = 0\.01\. .*200 m, is ε = 5 at D = 1,000 m/,
  );
  assert.deepEqual(others, [
    "M1: the median of 20 runs simulated on synthetic trajectories, since the budget of each event depends on the run.",
    "All landmarks + it is by the published formula, which is not an upper bound: y.",
    "All landmarks + it is left out: z.",
  ]);
});

const WARNED = {
  level: { epsilon: 1, radius_m: 200 },
  forecasts: [],
  request: [],
  steps: [],
  extent_m: 5000,
  seeded: false,
};
const group = (p95_m, drawn = 5) => ({ p95_m, drawn, events: 9 });
const forecast = (landmark, regular = landmark) => ({ name: "u", title: "Uniform", expected: { landmark, regular } });

test("what is extreme is warned of, from a bound on", () => {
  for (const [given, expected] of [
    [{}, null],
    [{ level: { epsilon: 10, radius_m: 200 } }, null],
    [{ level: { epsilon: 11, radius_m: 200 } }, /^ε = 11 is a very weak guarantee/],
    [{ level: { epsilon: 0.01, radius_m: 200 } }, null],
    [
      { level: { epsilon: 0.005, radius_m: 200 } },
      /places 40 km apart .* factor of e, and the whole dataset is 5 km across\.$/,
    ],
    [{ level: { epsilon: 0.005, radius_m: 20 } }, /places 4 km apart .* factor of e\.$/],
    [{ level: { epsilon: 1, radius_m: 6000 } }, /^A radius of 6 km is larger than the dataset, which is 5 km/],
    [{ level: { epsilon: 1, radius_m: 200_000 }, extent_m: null }, /covers whole countries/],
    [{ forecasts: [forecast(group(9.9))] }, /^95 % of some releases fall within 9\.9 m/],
    [{ forecasts: [forecast(group(10))] }, null],
    [{ forecasts: [forecast(group(5001))] }, /^The noise reaches beyond the whole dataset, which is 5 km/],
    [
      { forecasts: [forecast(group(200), group(100))] },
      /^Landmarks get more noise .*Uniform \(95 % within 200 m, of others 100 m\)/,
    ],
    [{ forecasts: [forecast(group(100), group(200))] }, /^Landmarks get less noise/],
    [{ forecasts: [forecast(group(104), group(100))] }, null],
    [{ forecasts: [forecast(group(200), group(100, 0))] }, null],
    [{ seeded: true, forecasts: [forecast(group(50)), forecast(group(50))] }, /^One seed is one sample/],
    [{ seeded: true, forecasts: [forecast(group(50))] }, null],
    [
      { steps: [{ title: "Filter", step_variance_m2: 0.25 }] },
      /^Filter: q = 0\.25 m² .* about 0\.5 m along each axis .* almost none\.$/,
    ],
    [{ steps: [{ title: "Filter", step_variance_m2: 36e6 }] }, /about 6 km .* whole dataset is 5 km across\.$/],
    [{ steps: [{ title: "Filter", step_variance_m2: 1 }, { title: "None" }] }, null],
    [
      { request: [{ name: "u", title: "U", step_variance_m2: 0.25 }], forecasts: [forecast(group(50))] },
      /almost none\. 5 of 9 landmarks get fresh noise\.$/,
    ],
  ]) {
    const found = spaced(warnings({ ...WARNED, ...given }));
    assert.equal(found.length, expected ? 1 : 0, `${JSON.stringify(given)}: ${found}`);
    if (expected) assert.match(found[0], expected);
  }
});

const QUOTE = { price_per_km: 10, spent_per_km: 5, total_per_km: 50, stability: 1, fits: true };

test("a budget is stated at the radius of the form", () => {
  assert.deepEqual(spaced(summary.budgetOf(QUOTE, { radius_m: 200 }, false)), {
    spent: 1,
    cost: 2,
    total: 10,
    unit: "ε per 200 m",
  });
  assert.equal(summary.budgetOf(QUOTE, { radius_m: 200 }, true).cost, 0);
  assert.equal(summary.budgetOf(QUOTE, { radius_m: 200 }, false, false).cost, null);
  assert.equal(summary.budgetOf({ ...QUOTE, total_per_km: null }, { radius_m: 200 }, false).total, null);
});

test("a level that fits costs at most what is left", () => {
  const draw = draws(25);
  for (let i = 0; i < 200; i += 1) {
    const [epsilon, spent, cost] = [draw.real(0.1, 9), draw.real(0, 5), draw.real(0.1, 9)];
    const total = spent + draw.real(0.01, 9);
    const level = summary.fittingLevel(epsilon, { spent, cost, total });
    const costs = (cost * level) / epsilon;
    assert.ok(costs <= (total - spent) * (1 + 1e-9) && costs > 0.985 * (total - spent), `${costs} of ${total - spent}`);
  }
  const none = [
    { spent: 5, cost: 1, total: 5 },
    { spent: 0, cost: 0, total: 5 },
    { spent: 0, cost: 1, total: null },
  ];
  assert.deepEqual(
    none.map((budget) => summary.fittingLevel(1, budget)),
    [0, 0, 0],
  );
});

test("the bar of the form: what is made, and what keeps it from being made", () => {
  const FORM = {
    ...{
      chosen: ["Uniform", "Skip"],
      level: { epsilon: 1, radius_m: 200 },
      experiment: false,
      hasSet: true,
      reading: ["Skip"],
    },
    ...{ invalid: [], quote: QUOTE, isCurrent: true, updating: false, problem: "why", use: () => {} },
  };
  const of = (more) => {
    const { state, note, level, suggestion } = spaced(summary.summaryOf({ ...FORM, ...more }));
    return [state, note, level, suggestion?.text];
  };
  const TEXT = "2 × ε 1 / 200 m";
  for (const [more, expected] of [
    [{}, ["ready", "7 is left after it.", TEXT, undefined]],
    [{ chosen: ["Skip"] }, ["ready", "7 is left after it.", "ε 1 / 200 m", undefined]],
    [{ chosen: [] }, ["blocked", "Choose a mechanism.", "ε 1 / 200 m", undefined]],
    [{ hasSet: false }, ["blocked", "Skip reads landmarks: choose a landmark set or define one.", TEXT, undefined]],
    [{ updating: true }, ["updating", "Waiting for the forecast", TEXT, undefined]],
    [{ isCurrent: false }, ["ready", "why", TEXT, undefined]],
    [{ level: { epsilon: null, radius_m: 200 } }, ["ready", "why", "", undefined]],
    [{ experiment: true }, ["ready", "Not published: spends nothing.", TEXT, undefined]],
    [{ quote: { ...QUOTE, total_per_km: null } }, ["ready", "No limit is set.", TEXT, undefined]],
    [
      { quote: { ...QUOTE, fits: false, total_per_km: 10 } },
      ["blocked", "Needs 2, 1 is left. Lower ε to 0.5, choose fewer mechanisms or raise the limit.", TEXT, "Use ε 0.5"],
    ],
    [
      { quote: { ...QUOTE, fits: false, total_per_km: 5 } },
      ["blocked", "Needs 2, 0 is left. Choose fewer mechanisms or raise the limit.", TEXT, undefined],
    ],
  ])
    assert.deepEqual(of(more), expected, JSON.stringify(more));
  assert.deepEqual(
    [summary.setNeeded(["A", "B"]), summary.setNeeded()],
    ["A, B read landmarks: choose a landmark set or define one.", "Choose a landmark set."],
  );
});

test("what a release spends, and what follows the noise", () => {
  const of = (more, experiment = false, n = 1) =>
    spending({ ...QUOTE, ...more }, { radius_m: 200 }, Array(n).fill({ guarantee: { not_covered: [] } }), experiment);
  assert.deepEqual(of({}), [
    "About any one event the release may leak ε = 2 per 200 m.",
    "Earlier releases: 1.",
    "The budget is 10.",
  ]);
  assert.deepEqual(of({ spent_per_km: 0, total_per_km: null }, true), [
    "Simulations are not published, so they spend nothing.",
    "Nothing is spent yet.",
  ]);
  assert.match(
    of({ stability: 3 }, false, 2).join(" "),
    /uploaded record the 2 releases together .* charged 3 × ε \(once/,
  );
  assert.match(of({ fits: false }).at(-1) ?? "", /more than the budget of 10/);
  assert.deepEqual(afterwards([]), []);
  const [first, live] = afterwards([
    { title: "A", causal: true },
    { title: "B", causal: false },
  ]);
  assert.match(first, /^Then A, then B, over each release/);
  assert.match(live, /^Not on live data/);
});

const KNOWN = { mechanisms: ["u", "p"], steps: ["filter"], common: ["epsilon", "radius_m"] };
const spec = (name, more = {}, level = { epsilon: 1, radius_m: 200 }) => ({ mechanism: { name, ...level }, ...more });

test("a configuration comes back from its file; what the form cannot hold is refused by its reason", () => {
  const steps = { postprocess: [{ name: "filter", q: 1 }], seed: 5 };
  assert.deepEqual(parse(asText([spec("u", steps), spec("p", steps)]), KNOWN), {
    ...{ level: { epsilon: 1, radius_m: 200 }, steps: steps.postprocess, seed: 5 },
    mechanisms: [spec("u").mechanism, spec("p").mechanism],
  });
  assert.deepEqual(
    [parse(JSON.stringify(spec("u")), KNOWN).seed, parse(JSON.stringify(spec("u")), KNOWN).steps],
    [null, []],
  );
  for (const [text, message] of [
    ["{", /not JSON/],
    ["[]", /describes no releases/],
    ["null", /describes no releases/],
    [asText([]), /describes no releases/],
    [asText([spec("u"), spec("p", {}, { epsilon: 2, radius_m: 200 })]), /differ in level or radius/],
    [asText([spec("u"), spec("p", { seed: 1 })]), /differ in their steps or seeds/],
    [asText([spec("u"), spec("u")]), /one mechanism twice/],
    [asText([spec("x")]), /Unknown mechanism or step “x”/],
    [asText([spec("u", { postprocess: [{ name: "y" }] })]), /Unknown mechanism or step “y”/],
  ])
    assert.throws(() => parse(text, KNOWN), message, text);
});
