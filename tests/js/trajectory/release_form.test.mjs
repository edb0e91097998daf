import { deepEqual, equal, match, ok, throws } from "node:assert/strict";
import { test } from "node:test";

import { namedMarks, placeOf } from "../../../static/js/components/release_form/axis.js";
import * as odds from "../../../static/js/components/release_form/level_inputs.js";
import { EARTH_RADIUS_M, latAt, metresAt, unitY } from "../../../static/js/map/projection.js";
import { asText, parse } from "../../../static/js/trajectory/release_form/configuration_file.js";
import { answerText, axisOf, marksOf, ruleText } from "../../../static/js/trajectory/release_form/answer.js";
import { groupOf } from "../../../static/js/trajectory/release_form/noise_preview.js";
import * as preview from "../../../static/js/trajectory/release_form/noise_preview.js";
import {
  promises,
  shareTable,
  showOdds,
  spending,
  uncovered,
  warnings,
} from "../../../static/js/trajectory/release_form/promise.js";
import { gives, rows, spaced } from "../cases.mjs";
import { FakeElement, setElements } from "../elements.mjs";
import { draws } from "../support.mjs";

setElements();
const { budgetOf, levelName } = await import("../../../static/js/trajectory/release_form/promise.js");
const { fittingLevel, summaryOf } = await import("../../../static/js/components/release_form/submit_summary.js");
const { grown, notesOf } = await import("../../../static/js/trajectory/release_form/temporal_loss_table.js");

const row = (title, verdict = "usable", typical_m = 10, p95_m = 40, landmarks_m = null) => ({
  ...{ title, key: title, verdict: { name: verdict } },
  errors: { overall: { typical_m, p95_m }, landmarks: { typical_m: landmarks_m } },
});
const textOf = (nodes) =>
  spaced(
    nodes
      .flat(Infinity)
      .map((one) => one.textContent ?? one)
      .join(""),
  );

test("what is known of noise before any: its groups, their shares of the budget, and what repeats a position", () => {
  const group = (more) => ({ events: 10, published: true, drawn: 10, share: [1, 1], ...more });
  const table = (overall, landmark, regular = {}, exact = true) => {
    const expected = overall && { exact, overall: group(overall), landmark: group(landmark), regular: group(regular) };
    const [body] = shareTable(
      [{ name: "a", title: "A", expected }],
      new Map([["a", { colour: "#000000", dash: "solid" }]]),
    ).slice(2);
    return body.all("tr").map((one) => [...one.texts("th"), ...one.texts("td")].join("|"));
  };
  const half = { events: 3, share: [0.5, 0.5], drawn: 3 };
  const others = { events: 7, share: [0.5, 0.5], drawn: 7 };
  const run = "The budget of each event depends on the run";
  deepEqual(table(null), ["A", `${run}, and the dataset is too long to simulate it here.`]);
  deepEqual(table({}, { events: 0 }), ["A", "Every event|10|ε"]);
  deepEqual(table({}, half, others), ["A", "Every event|10|ε"]);
  deepEqual(
    table({ drawn: 4 }, { ...half, drawn: 0, share: null }, { ...others, share: [1 / 1071, 1 / 2.17] }, false),
    [
      ...["A", "Landmarks|0 of 3|–", "Other events|7|ε/1,071 to ε/2.17"],
      `${run}; these figures are of a simulation on a synthetic trajectory.`,
      "Landmarks get no fresh noise: they repeat other positions, and the movement since adds to the error.",
    ],
  );
  deepEqual(table({ drawn: 7, published: 9 }, { events: 3, drawn: 0, published: false }, others), [
    ...["A", "Landmarks|0 of 3|left out", "Other events|7|ε/2", "Landmarks are left out."],
  ]);
  deepEqual(table({ drawn: 7, published: 10 }, half, { ...others, drawn: 4 }), [
    ...["A", "Landmarks|3|ε/2", "Other events|4 of 7|ε/2"],
    "The rest repeat a position: the movement since adds to the error.",
  ]);
});

test("the answer names the release, its errors and the extent, or what to do", () => {
  const [scale, none] = [{ extent_m: 8500 }, { extent_m: 0 }];
  const answer = (best, found, hasLandmarks = true) => textOf(answerText(best, found, hasLandmarks));
  equal(
    answer(row("A", "usable", 210, 1500, 300), scale),
    "Usable: Ahalf of the events within 210 m (landmarks 300 m), 95 % within 1.5 km; your data is 8.5 km wide",
  );
  match(answer(row("A", "usable", 210, 1500, 300), scale, false), /^Usable, without landmarks: A.* 210 m, 95 %/);
  const best = row("A", "usable", 210, 1500, 300);
  const sampled = (people) => textOf(answerText({ ...best, errors: { ...best.errors, people } }, scale, true, 182));
  match(sampled(2), /^Usable: Aof 2 of 182 people half of the events within 210 m/);
  equal(sampled(182), answer(best, scale));
  match(answer(null, scale), /^No release is usable .*raise ε or lower the radius; .* 8\.5 km wide$/);
  equal(answer(null, none), "No verdict: all events are at one place.");
  equal(
    textOf(answerText(null, none, false, 7)),
    "No verdict: half of the people or more have their events at one place.",
  );
  const rules = [
    { name: "usable", at_most_m: 1700 },
    { name: "coarse", at_most_m: 8500 },
  ];
  match(textOf(ruleText(rules)), /usable: up to 1\.7 km, ⅕ of the extent.*coarse: up to 8\.5 km, the extent/);
  deepEqual(ruleText([]), []);
});

test("an axis holds all errors and scales, in their order, within its ends", () => {
  const draw = draws(24);
  for (let i = 0; i < 100; i += 1) {
    const values = draw.list(4, () => 10 ** draw.real(-1, 6)).sort((a, b) => a - b);
    const errors = [row("a", "", values[0], values[1]), row("b", "", values[2], null)];
    const axis = axisOf({ extent_m: values[3] }, errors);
    const places = [...values, 10].sort((a, b) => a - b).map((value) => placeOf(axis, value));
    ok(places[0] > 0.03 && places.at(-1) < 0.97, places.join());
    places.slice(1).forEach((place, k) => ok(place >= places[k]));
  }
  const place = (value) => Number(placeOf({ least: 1, most: 100 }, value).toFixed(9));
  gives(place, { 1: 0.03, 10: 0.5, 100: 0.97, 0: 0.03 });
});

test("GPS and extent are always named on the axis, others where there is space", () => {
  const named = (stay_radius_m, median_step_m, extent_m, most = 1e5, width = 280) =>
    namedMarks({ least: 5, most }, marksOf({ least: 5 }, { stay_radius_m, median_step_m, extent_m }), width)
      .map(({ name, value }) => `${name.split("_").at(-2)} ${value}`)
      .join(", ");
  const both = "gps 10, radius 200, extent 20000";
  gives(named, { "200, 12, 20000": both, "200, 300, 20000": both, "1, null, 11": "gps 10, extent 11" });
  gives(named, { "1, 5, 19, 20": "step 5, gps 10, extent 19", "200, 300, 20000, 1e5, 100": "gps 10, extent 20000" });
});

test("odds at half, one and two radii", () => {
  const table = new FakeElement("table");
  const cells = (epsilon, radius_m = 200) => {
    showOdds(table, { epsilon, radius_m });
    return table.texts("td").join("; ");
  };
  equal(cells(1), "1.65; 62.3 %; 2.72; 73.2 %; 7.39; 88.1 %");
  deepEqual(table.texts("th").slice(3), ["100 m", "200 m", "400 m"]);
  match(cells(10.5), /; 36,400; over 99\.9 %; e\^21; over 99\.9 %$/);
  match(cells(0.05), /^1\.0254; 50\.63 %;/);
  for (const [epsilon, radius_m] of rows("0 200, 1 0, NaN 200")) {
    table.hidden = false;
    cells(epsilon, radius_m);
    equal(table.hidden, true);
  }
});

test("losses with and without correlation", () => {
  gives(grown, { "1, 2.345": "1 → 2.35", "null, 2": "–", "1, null": "–" });
  const loss = { event: 3, joint: 4, upper_bound: true };
  const notes = (...losses) => {
    const titled = losses.map((one, i) => ({ title: `M${i}`, loss: one }));
    return notesOf(titled, "strong", { diameter_m: 1000 }, 200);
  };
  deepEqual(notes({ event: null, why_not: "x" }), []);
  const published = { ...loss, upper_bound: false, why: "y" };
  const simulated = { ...loss, simulated: 20, upper_bound: null };
  const [first, ...others] = notes(loss, simulated, published, { ...loss, joint: null, why_not: "z" });
  match(
    first,
    /^ε at 1,000 m without correlation → upper bound under a strong one.* s = 0\.01\. .*200 m, is ε = 5 at D = 1,000 m/,
  );
  deepEqual(others, [
    "M1: the median of 20 runs simulated on synthetic trajectories, since the budget of each event depends on the run.",
    "All landmarks + it is by the published formula, which is not an upper bound: y.",
    "All landmarks + it is left out: z.",
  ]);
});

test("bounds are never rounded down, and a level of a guess never up", () => {
  const draw = draws(26);
  for (let i = 0; i < 200; i += 1) {
    const power = draw.real(0.01, 6);
    ok(Number(odds.factorText(power).replaceAll(",", "")) >= Math.exp(power) * (1 - 1e-12), `${power}`);
    ok(Number(odds.guessText(power).split("\u202f")[0]) >= 100 / (1 + Math.exp(-power)) - 1e-9, `${power}`);
    const share = draw.real(0.51, 0.99);
    const level = odds.levelOfGuess(share);
    const reached = 1 / (1 + Math.exp(-level));
    ok(reached <= share && reached > 0.99 * share, `${share}`);
  }
});

const forecast = (drawn = 5) => ({ name: "u", title: "Uniform", expected: { landmark: { drawn, events: 9 } } });

test("what is extreme is warned of, from a bound on", () => {
  const extreme = { forecasts: [], chosen: [], extent_m: 5000, seeded: false };
  const found = (given) => spaced(warnings({ ...extreme, level: { epsilon: 1, radius_m: 200 }, ...given }));
  const level = (epsilon, radius_m, extent_m = 5000) => ({ level: { epsilon, radius_m }, extent_m });
  const seeded = (...forecasts) => ({ forecasts, seeded: true });
  const steps = (step_variance_m2) => ({ chosen: [{ title: "Filter", step_variance_m2 }] });
  for (const given of [
    ...[{}, level(10, 200), level(0.01, 200), level(1, 5000), level(1, 100_000, 1e6), seeded(forecast())],
    ...[steps(1), steps(9e4), steps(25e6), steps(null), steps(undefined)],
  ])
    deepEqual(found(given), [], JSON.stringify(given));
  for (const [given, expected] of [
    [level(11, 200), /^ε = 11 is a very weak guarantee/],
    [
      level(0.005, 200),
      /^ε = 0\.005 is very .* places 40 km apart .* factor of e, and the whole dataset is 5 km across\.$/,
    ],
    [level(0.005, 20), /places 4 km apart .* factor of e\.$/],
    [level(0.005, 200, null), /factor of e\.$/],
    [level(1, 6000), /^A radius of 6 km is larger than the dataset, which is 5 km/],
    [level(1, 200_000, null), /^A radius of 200 km covers whole countries/],
    [level(1, 200_000, 1e6), /covers whole countries/],
    [seeded(forecast(), forecast()), /^One seed is one sample/],
    [steps(0.25), /^Filter: q = 0\.25 m² .* about 0\.5 m along each axis .* almost none\.$/],
    [steps(36e6), /^Filter: q = 36,000,000 m² .* about 6 km .* whole dataset is 5 km across\.$/],
    [
      { chosen: [{ name: "u", title: "U", step_variance_m2: 0.25 }], forecasts: [forecast()] },
      /almost none\. 5 of 9 landmarks get fresh noise\.$/,
    ],
  ]) {
    const texts = found(given);
    equal(texts.length, 1, `${JSON.stringify(given)}: ${texts}`);
    match(texts[0], expected);
  }
});

const RADIUS = { radius_m: 200 };
const QUOTE = { price_per_km: 10, spent_per_km: 5, total_per_km: 50, stability: 1, fits: true };

test("a budget is stated at the radius of the form", () => {
  const of = (quote, level = RADIUS) => spaced(budgetOf({ budget: { ...QUOTE, ...quote } }, level));
  deepEqual(of({}), { spent: 1, cost: 2, total: 10, unit: "ε per 200 m", fits: true });
  equal(of({ total_per_km: null }).total, null);
  equal(budgetOf({ budget: QUOTE }, { radius_m: NaN }), null);
});

test("a level that fits costs at most what is left", () => {
  const draw = draws(25);
  for (let i = 0; i < 200; i += 1) {
    const [epsilon, spent, cost] = [draw.real(0.1, 9), draw.real(0, 5), draw.real(0.1, 9)];
    const total = spent + draw.real(0.01, 9);
    const level = fittingLevel(epsilon, { spent, cost, total });
    const costs = (cost * level) / epsilon;
    ok(costs <= (total - spent) * (1 + 1e-9) && costs > 0.985 * (total - spent), `${costs} of ${total - spent}`);
  }
  const none = (spent, cost, total) => fittingLevel(1, { spent, cost, total });
  gives(none, { "5, 1, 5": 0, "0, 0, 5": 0, "0, 1, null": 0 });
});

test("the bar of the form: what is made, and what keeps it from being made", () => {
  const form = {
    ...{ chosen: ["Uniform", "Skip"], level: { epsilon: 1, radius_m: 200 }, experiment: false, isTouched: true },
    ...{ invalid: [], quote: QUOTE, isCurrent: true, updating: false, problem: "why", page: "/d/", noun: "release" },
  };
  const shown = (more) => {
    const { level, quote, ...all } = { ...form, ...more };
    const given = { text: levelName(level), epsilon: level.epsilon, budget: budgetOf({ budget: quote }, level) };
    return summaryOf({ ...all, ...given, unusable: "Raise ε.", use: () => {} });
  };
  const few = (total_per_km, more = {}) => ({ quote: { ...QUOTE, fits: false, total_per_km }, ...more });
  const [two, one] = ["2 × ε 1 / 200 m", "ε 1 / 200 m"];
  for (const [more, expected] of [
    [{}, ["ready", "7 is left after it.", two]],
    [{ chosen: ["Skip"] }, ["ready", "7 is left after it.", one]],
    [{ updating: true }, ["updating", "Waiting for the forecast", two]],
    [{ isCurrent: false }, ["ready", "why", two]],
    [{ level: { epsilon: null, radius_m: 200 } }, ["ready", "7 is left after it.", ""]],
    [{ level: { epsilon: 1, radius_m: null } }, ["ready", "why", ""]],
    [{ experiment: true }, ["ready", "Not published: spends nothing.", two]],
    [{ quote: { ...QUOTE, total_per_km: null } }, ["ready", "No limit is set.", two]],
    [few(10), ["blocked", "! Needs 2, 1 is left. Lower ε to 0.5, untick one, or raise the limit.", two, "Use ε 0.5"]],
    [
      few(10, { chosen: ["Skip"] }),
      ["blocked", "! Needs 2, 1 is left. Lower ε to 0.5 or raise the limit.", one, "Use ε 0.5"],
    ],
    [few(5, { chosen: ["Skip"] }), ["blocked", "! Needs 2, 0 is left. Raise the limit.", one]],
  ]) {
    const { state, note, level, suggestion } = shown(more);
    const texts = [state, textOf([note]), spaced(level), ...(suggestion ? [spaced(suggestion.text)] : [])];
    deepEqual(texts, expected, JSON.stringify(more));
  }
  for (const [isTouched, label] of Object.entries({ true: "No release chosen", "": "No usable release" })) {
    const found = shown({ chosen: [], isTouched: Boolean(isTouched), isCurrent: false });
    deepEqual([found.state, found.label, found.budget.cost], ["blocked", label, 0]);
  }
  deepEqual([shown({ experiment: true }).budget.cost, shown({ isCurrent: false }).budget.cost], [0, null]);
});

const PROMISE = { title: "A", promise: "All leak ε.", whole_trace: 5 };
const guarantee = { epsilon: 1, radius_m: 200, caveats: ["Times.", "Own."], not_covered: ["the set (a, b)"] };

test("a promise is stated once, with what it means and what none of the releases covers", () => {
  const one = { ...PROMISE, guarantee };
  const other = { ...one, title: "B", promise: "One leaks ε.", guarantee: { ...guarantee, caveats: ["Times."] } };
  const means = "The odds between two places 200 m apart change by at most a factor of 2.72.";
  equal(textOf(promises([one, { ...one, title: "C" }])), `Guarantee. All leak ε. ${means}`);
  equal(textOf(promises([one, other])), `A: All leak ε. B: One leaks ε. ${means}`);
  const items = (...given) => uncovered(given, ["Times.", "Own."]).map((item) => textOf([item]));
  const trace = "Places visited many times: averaging finds them (whole trace: up to ε 5 per 200 m).";
  deepEqual(items(one), [trace, "Times.", "Own.", "The set."]);
  deepEqual(items(one, other), [trace, "Times.", "The set."]);
  deepEqual(items({ ...one, whole_trace: 1 }), ["Times.", "Own.", "The set."]);
});

test("what a release spends", () => {
  const of = (more, experiment = false, n = 1) =>
    spending({ ...QUOTE, ...more }, RADIUS, Array(n).fill({ guarantee: { not_covered: ["a"] } }), experiment).join(" ");
  equal(spaced(of({})), "About any one event the release may leak ε = 2 per 200 m; not covered: a.");
  equal(of({}, true), "Simulations are not published, so they spend nothing.");
  match(of({ stability: 3 }, false, 2), /uploaded record the 2 releases together .* charged 3 × ε \(once/);
});

test("a configuration comes back from its file; what the form cannot hold is refused by its reason", () => {
  const known = { mechanisms: ["u", "p"], steps: ["filter"], common: ["epsilon", "radius_m"] };
  const level = { epsilon: 1, radius_m: 200 };
  const spec = (name, more = {}, own = level) => ({ mechanism: { name, ...own }, ...more });
  const steps = { postprocess: [{ name: "filter", q: 1 }], seed: 5 };
  deepEqual(parse(asText([spec("u", steps), spec("p", steps)]), known), {
    ...{ level, seed: 5 },
    releases: ["u", "p"].map((name) => ({ mechanism: spec(name).mechanism, postprocess: steps.postprocess })),
  });
  const { seed, releases } = parse(JSON.stringify(spec("u")), known);
  deepEqual([seed, releases[0].postprocess], [null, []]);
  equal(parse(asText([spec("u"), spec("u", { postprocess: steps.postprocess })]), known).releases.length, 2);
  for (const [text, message] of [
    ["{", /not JSON/],
    ["[]", /describes no releases/],
    ["null", /describes no releases/],
    [asText([]), /describes no releases/],
    [asText([spec("u"), spec("p", {}, { epsilon: 2, radius_m: 200 })]), /differ in level or radius/],
    [asText([spec("u"), spec("p", { seed: 1 })]), /differ in their seeds/],
    [asText([spec("x")]), /Unknown mechanism or step “x”/],
    [asText([spec("u", { postprocess: [{ name: "y" }] })]), /Unknown mechanism or step “y”/],
  ])
    throws(() => parse(text, known), message, text);
});

const trackOf = (first, n) => ({ first, n, time: null, positions: { place: (i) => ({ x: first + i, y: 0 }) } });
const BOX = { left: 0.4, right: 0.6, top: 0.3, bottom: 0.4 };

test("runs in a track are those of the dataset, cut and counted from its first event", () => {
  const of = (first, n) => preview.runsIn({ first, n }, rows("0 2, 4 9, 9 12")).join(" ");
  gives(of, { "0, 3": "0,2", "3, 5": "1,5", "8, 4": "0,1 1,4", "12, 3": "" });
});

test("the first event is amid the longest run of landmarks, else amid the first track, else the box is shown", () => {
  const tracks = [trackOf(0, 10), trackOf(10, 20)];
  equal(preview.firstEvent(tracks, rows("0 4, 12 19, 20 27")), 15);
  deepEqual([preview.firstEvent(tracks, []), preview.firstEvent([], [[0, 4]])], [5, 0]);
  const at = (some, runs, i) => {
    const { x, event, time, landmark } = preview.eventAt({ tracks: some, box: BOX }, runs, i);
    return [x, event, time, landmark];
  };
  const timed = [{ ...trackOf(3, 5), time: [7, 8, 9, 10, 11] }, trackOf(20, 5)];
  deepEqual(at(timed, rows("5 6"), 2), [5, 5, 9, true]);
  deepEqual(at(timed, rows("5 6"), 6), [21, 21, null, false]);
  deepEqual(at([], [], 0), [0.5, null, null, false]);
});

test("dots lie as the quantiles of the errors have it, the same each time", () => {
  for (const [half, most] of rows("100 283, 34 949, 500 600")) {
    const far = preview.errorsLike(half, most).map(({ x, y }) => Math.hypot(x, y));
    const within = (limit) => far.filter((one) => one <= limit).length;
    deepEqual([far.length, within(half), within(most)], [200, 100, 190]);
    deepEqual(preview.errorsLike(half, most), preview.errorsLike(half, most));
  }
});

test("of many series the twelve longest are drawn, without what would be too much together", () => {
  const drawn = (points) => preview.drawable(points.map((one) => ({ points: one }))).map((one) => one.points);
  deepEqual(drawn([3, 9, 5]), [9, 5, 3]);
  deepEqual(drawn(Array.from({ length: 20 }, (_, i) => i)).join(), "19,18,17,16,15,14,13,12,11,10,9,8");
  deepEqual(drawn([120_000, 90_000, 80_001, 80_000, 1]), [120_000, 80_000]);
  deepEqual(drawn([200_001, 7]), [7]);
});

test("a length of the map is the shorter in metres the farther from the equator", () => {
  ok(Math.abs(metresAt(0.5) - 2 * Math.PI * EARTH_RADIUS_M) < 1e-6);
  for (const lat of [-70, 30, 60]) {
    const share = metresAt(unitY(lat)) / metresAt(0.5);
    ok(Math.abs(share - Math.cos((latAt(unitY(lat)) * Math.PI) / 180)) < 1e-9);
  }
});

test("a view shows the box and the circle around the anchor, and is no farther away than it must be", () => {
  const draw = draws(23);
  for (let i = 0; i < 200; i += 1) {
    const anchor = { x: draw.real(0.4, 0.6), y: draw.real(0.3, 0.4) };
    const reach = draw.pick([0, draw.real(0, 0.5)]);
    const { view, times } = preview.fit({ box: BOX }, anchor, reach, { width: 500, height: 300 });
    const x = [BOX.left, BOX.right, anchor.x - reach, anchor.x + reach].map((one) => one * view.scale - view.left);
    const y = [BOX.top, BOX.bottom, anchor.y - reach, anchor.y + reach].map((one) => one * view.scale - view.top);
    const margins = [Math.min(...x), 500 - Math.max(...x), Math.min(...y), 300 - Math.max(...y)];
    ok(Math.min(...margins) > 17.99 && Math.min(...margins) < 18.01, margins.join());
    ok(times >= 1 && (reach > 0 || times === 1));
  }
});

test("circles are of the event's own kind where landmarks and others are apart", () => {
  const figures = (p95_m) => ({ typical_m: p95_m === null ? null : p95_m / 2, p95_m });
  const of = (overall, landmarks, others, landmark) => {
    const errors = { overall: figures(overall), landmarks: figures(landmarks), others: figures(others) };
    const { name, half, most } = groupOf({ errors, lineStyle: {} }, { landmark });
    return `${name} ${half} ${most}`;
  };
  equal(of(10, 20, 6, true), "landmarks 10 20");
  equal(of(10, 20, 6, false), "others 3 6");
  deepEqual([of(10, null, 6, true), of(10, 20, null, false)], ["overall 5 10", "overall 5 10"]);
  equal(groupOf(undefined, { landmark: true }), null);
});
