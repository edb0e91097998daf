import { deepEqual, equal, match, ok, throws } from "node:assert/strict";
import { test } from "node:test";

import { EARTH_RADIUS_M, latAt, unitY } from "../../../static/js/map/projection.js";
import { asText, parse } from "../../../static/js/trajectory/release_form/configuration_file.js";
import { axisOf, placeOf, scaleHead } from "../../../static/js/trajectory/release_form/error_axis.js";
import { afterwards, forecastTable, spending } from "../../../static/js/trajectory/release_form/forecast.js";
import { groupsOf } from "../../../static/js/trajectory/release_form/noise_preview.js";
import * as preview from "../../../static/js/trajectory/release_form/noise_preview_data.js";
import { showOdds } from "../../../static/js/trajectory/release_form/odds_table.js";
import { protectionOf, protectionText } from "../../../static/js/trajectory/release_form/protection_text.js";
import { warnings } from "../../../static/js/trajectory/release_form/warnings.js";
import { gives, rows, spaced } from "../cases.mjs";
import { FakeElement, setElements } from "../elements.mjs";
import { draws } from "../support.mjs";

setElements();
const { best, byGuarantee } = await import("../../../static/js/trajectory/release_form/error_table.js");
const summary = await import("../../../static/js/trajectory/release_form/submit_summary.js");
const { grown, notesOf } = await import("../../../static/js/trajectory/release_form/temporal_loss_table.js");

const row = (title, level = "landmark", verdict = "usable", typical_m = 10, p95_m = 40) => ({
  ...{ title, level, verdict: { name: verdict } },
  errors: { overall: { typical_m, p95_m } },
});

test("what to expect of a mechanism: its groups, their shares of the budget, and what repeats a position", () => {
  const group = (more) => ({ events: 10, published: true, drawn: 10, share: [1, 1], median_m: 20, p95_m: 50, ...more });
  const table = (overall, landmark, regular = {}, exact = true) => {
    const expected = overall && { exact, overall: group(overall), landmark: group(landmark), regular: group(regular) };
    const [body] = forecastTable(
      [{ name: "a", title: "A", expected }],
      new Map([["a", { colour: "#000000", dash: "solid" }]]),
    ).slice(2);
    return body.all("tr").map((one) => [...one.texts("th"), ...one.texts("td")].join("|"));
  };
  const half = { events: 3, share: [0.5, 0.5], drawn: 3 };
  const others = { events: 7, share: [0.5, 0.5], drawn: 7 };
  const run = "The budget of each event depends on the run";
  deepEqual(table(null), ["A|", `${run}, and the dataset is too long to simulate it here.`]);
  deepEqual(table({ mean_m: 25 }, { events: 0 }), ["A|mean 25 m", "Every event|10|ε|20 m|50 m"]);
  deepEqual(table({}, half, others), ["A|", "Every event|10|ε|20 m|50 m"]);
  deepEqual(
    table({ drawn: 4 }, { ...half, drawn: 0, share: null }, { ...others, share: [1 / 1071, 1 / 2.17] }, false),
    [
      ...["A|", "Landmarks|0 of 3|–|20 m|50 m", "Other events|7|ε/1,071 to ε/2.17|20 m|50 m"],
      `${run}; these figures are of a simulation on a synthetic trajectory.`,
      "Landmarks get no fresh noise: they repeat other positions, and the movement since adds to the error.",
    ],
  );
  deepEqual(table({ drawn: 7, published: 9 }, { events: 3, drawn: 0, published: false }, others), [
    ...["A|", "Landmarks|0 of 3|left out||", "Other events|7|ε/2|20 m|50 m", "Landmarks are left out."],
  ]);
  deepEqual(table({ drawn: 7, published: 10 }, half, { ...others, drawn: 4 }), [
    ...["A|", "Landmarks|3|ε/2|20 m|50 m", "Other events|4 of 7|ε/2|20 m|50 m"],
    "The rest repeat a position: the movement since adds to the error.",
  ]);
});

test("the mechanism to use protects all landmarks together and is usable with the least error", () => {
  const [event, w] = [row("event", "event", "usable", 1), row("w", "w-event", "usable", 2)];
  const some = [row("far"), event, w, row("coarse", "user", "coarse", 3)];
  equal(best([...some, row("near", "user", "usable", 9)]).title, "near");
  equal(best(some).title, "far");
  deepEqual([best(some.slice(1)), best([{ ...row("none"), verdict: null }])], [null, null]);
});

test("weaker guarantees stand below the others, under a heading of their own", () => {
  const titles = (body) => body.children.flatMap((one) => one.children ?? one).map((one) => one.textContent ?? one);
  const [strong, weak] = byGuarantee([row("e", "event"), row("l"), row("w", "w-event")], ({ title }) => title, 5);
  deepEqual(titles(strong), ["l"]);
  deepEqual(titles(weak), ["Weaker guarantee: landmarks are not protected together", "e", "w"]);
  equal(byGuarantee([row("l")], ({ title }) => title, 5)[1], "");
});

test("an axis holds all errors and scales, in their order, within its ends", () => {
  const draw = draws(24);
  for (let i = 0; i < 100; i += 1) {
    const values = draw.list(4, () => 10 ** draw.real(-1, 6)).sort((a, b) => a - b);
    const errors = [row("a", "", "", values[0], values[1]), row("b", "", "", values[2], null)];
    const axis = axisOf({ extent_m: values[3] }, errors);
    const places = [...values, 10].sort((a, b) => a - b).map((value) => placeOf(axis, value));
    ok(places[0] > 6 && places.at(-1) < 274, places.join());
    places.slice(1).forEach((place, k) => ok(place >= places[k]));
  }
  gives((value) => placeOf({ least: 1, most: 100 }, value), { 1: 6, 10: 140, 100: 274, 0: 6 });
});

test("GPS and extent are always named on the axis, others where there is space", () => {
  const named = (stay_radius_m, median_step_m, extent_m, most = 1e5) =>
    scaleHead({ least: 5, most }, { stay_radius_m, median_step_m, extent_m }).getAttribute("aria-label");
  const both = "GPS 10 m, stay 200 m, extent 20 km";
  gives(named, { "200, 12, 20000": both, "200, 300, 20000": both, "1, null, 11": "GPS 10 m, extent 11 m" });
  gives(named, { "1, 5, 19, 20": "step 5 m, GPS 10 m, extent 19 m" });
});

test("odds at half, one and two radii", () => {
  const table = new FakeElement("table");
  const cells = (epsilon, radius_m = 200) => {
    showOdds(table, { epsilon, radius_m });
    return table.texts("td").join("; ");
  };
  equal(cells(1), "e0.5 = 1.65; 62.2 %; e1 = 2.72; 73.1 %; e2 = 7.39; 88.1 %");
  deepEqual(table.texts("th").slice(3), ["100 m", "200 m", "400 m"]);
  match(cells(10), /; e10 = 22,000; over 99\.9 %; e20; over 99\.9 %$/);
  match(cells(0.05), /^e0\.025 = 1\.0253; 50\.62 %;/);
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

const group = (p95_m, drawn = 5) => ({ p95_m, drawn, events: 9 });
const forecast = (landmark, regular = landmark, drawn = 5) => ({
  ...{ name: "u", title: "Uniform" },
  expected: { landmark: group(landmark), regular: group(regular, drawn) },
});

test("what is extreme is warned of, from a bound on", () => {
  const extreme = { forecasts: [], request: [], steps: [], extent_m: 5000, seeded: false };
  const found = (given) => spaced(warnings({ ...extreme, level: { epsilon: 1, radius_m: 200 }, ...given }));
  const level = (epsilon, radius_m, extent_m = 5000) => ({ level: { epsilon, radius_m }, extent_m });
  const noise = (...forecasts) => ({ forecasts, seeded: true });
  const steps = (step_variance_m2) => ({ steps: [{ title: "Filter", step_variance_m2 }] });
  const undrawn = forecast(200, 100);
  undrawn.expected.landmark.drawn = 0;
  for (const given of [
    ...[{}, level(10, 200), level(0.01, 200), level(1, 5000), level(1, 100_000, 1e6)],
    ...[noise(forecast(10)), noise(forecast(5000)), noise(forecast(null)), noise(forecast(104, 100))],
    ...[noise(forecast(100, 104)), noise(forecast(200, 100, 0)), noise(undrawn), noise({ expected: null })],
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
    [noise(forecast(9.9)), /^95 % of some releases fall within 9\.9 m/],
    [noise(forecast(5001)), /^The noise reaches beyond the whole dataset, which is 5 km/],
    [noise(forecast(200, 100)), /^Landmarks get more noise .*Uniform \(95 % within 200 m, of others 100 m\)/],
    [noise(forecast(100, 200)), /^Landmarks get less noise .*Uniform \(95 % within 100 m, of others 200 m\)/],
    [noise(forecast(50), forecast(50)), /^One seed is one sample/],
    [steps(0.25), /^Filter: q = 0\.25 m² .* about 0\.5 m along each axis .* almost none\.$/],
    [steps(36e6), /^Filter: q = 36,000,000 m² .* about 6 km .* whole dataset is 5 km across\.$/],
    [
      { request: [{ name: "u", title: "U", step_variance_m2: 0.25 }], forecasts: [forecast(50)] },
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
  const of = (quote, ...given) => spaced(summary.budgetOf({ ...QUOTE, ...quote }, RADIUS, ...given));
  deepEqual(of({}, false), { spent: 1, cost: 2, total: 10, unit: "ε per 200 m" });
  deepEqual([of({}, true).cost, of({}, false, false).cost, of({ total_per_km: null }, false).total], [0, null, null]);
});

test("a level that fits costs at most what is left", () => {
  const draw = draws(25);
  for (let i = 0; i < 200; i += 1) {
    const [epsilon, spent, cost] = [draw.real(0.1, 9), draw.real(0, 5), draw.real(0.1, 9)];
    const total = spent + draw.real(0.01, 9);
    const level = summary.fittingLevel(epsilon, { spent, cost, total });
    const costs = (cost * level) / epsilon;
    ok(costs <= (total - spent) * (1 + 1e-9) && costs > 0.985 * (total - spent), `${costs} of ${total - spent}`);
  }
  const none = (spent, cost, total) => summary.fittingLevel(1, { spent, cost, total });
  gives(none, { "5, 1, 5": 0, "0, 0, 5": 0, "0, 1, null": 0 });
});

test("the bar of the form: what is made, and what keeps it from being made", () => {
  const form = {
    ...{ chosen: ["Uniform", "Skip"], level: { epsilon: 1, radius_m: 200 }, experiment: false, hasSet: true },
    ...{ reading: ["Skip"], invalid: [], quote: QUOTE, isCurrent: true, updating: false, problem: "why" },
  };
  const few = (total_per_km) => ({ quote: { ...QUOTE, fits: false, total_per_km } });
  const [two, one] = ["2 × ε 1 / 200 m", "ε 1 / 200 m"];
  const raise = "choose fewer mechanisms or raise the limit.";
  for (const [more, expected] of [
    [{}, ["ready", "7 is left after it.", two]],
    [{ chosen: ["Skip"] }, ["ready", "7 is left after it.", one]],
    [{ chosen: [] }, ["blocked", "Choose a mechanism.", one]],
    [{ hasSet: false }, ["blocked", "Skip reads landmarks: choose a landmark set or define one.", two]],
    [{ updating: true }, ["updating", "Waiting for the forecast", two]],
    [{ isCurrent: false }, ["ready", "why", two]],
    [{ level: { epsilon: null, radius_m: 200 } }, ["ready", "why", ""]],
    [{ experiment: true }, ["ready", "Not published: spends nothing.", two]],
    [{ quote: { ...QUOTE, total_per_km: null } }, ["ready", "No limit is set.", two]],
    [few(10), ["blocked", `Needs 2, 1 is left. Lower ε to 0.5, ${raise}`, two, "Use ε 0.5"]],
    [few(5), ["blocked", `Needs 2, 0 is left. C${raise.slice(1)}`, two]],
  ]) {
    const { state, note, level, suggestion } = spaced(summary.summaryOf({ ...form, use: () => {}, ...more }));
    deepEqual([state, note, level, ...(suggestion ? [suggestion.text] : [])], expected, JSON.stringify(more));
  }
  equal(summary.setNeeded(["A", "B"]), "A, B read landmarks: choose a landmark set or define one.");
  equal(summary.setNeeded(), "Choose a landmark set.");
});

test("what a release spends, and what follows the noise", () => {
  const of = (more, experiment = false, n = 1) =>
    spending({ ...QUOTE, ...more }, RADIUS, Array(n).fill({ guarantee: { not_covered: [] } }), experiment).join(" ");
  const leak = "About any one event the release may leak ε = 2 per 200 m.";
  equal(spaced(of({})), `${leak} Earlier releases: 1. The budget is 10.`);
  const simulated = of({ spent_per_km: 0, total_per_km: null }, true);
  equal(simulated, "Simulations are not published, so they spend nothing. Nothing is spent yet.");
  match(of({ stability: 3 }, false, 2), /uploaded record the 2 releases together .* charged 3 × ε \(once/);
  match(of({ fits: false }), /more than the budget of 10[^.]*\.$/);
  deepEqual(afterwards([]), []);
  const steps = Object.entries({ A: true, B: false }).map(([title, causal]) => ({ title, causal }));
  const [first, live] = afterwards(steps);
  match(first, /^Then A, then B, over each release/);
  match(live, /^Not on live data/);
});

test("a configuration comes back from its file; what the form cannot hold is refused by its reason", () => {
  const known = { mechanisms: ["u", "p"], steps: ["filter"], common: ["epsilon", "radius_m"] };
  const level = { epsilon: 1, radius_m: 200 };
  const spec = (name, more = {}, own = level) => ({ mechanism: { name, ...own }, ...more });
  const steps = { postprocess: [{ name: "filter", q: 1 }], seed: 5 };
  deepEqual(parse(asText([spec("u", steps), spec("p", steps)]), known), {
    ...{ level, steps: steps.postprocess, seed: 5 },
    mechanisms: [spec("u").mechanism, spec("p").mechanism],
  });
  const { seed, steps: none } = parse(JSON.stringify(spec("u")), known);
  deepEqual([seed, none], [null, []]);
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
    throws(() => parse(text, known), message, text);
});

const trackOf = (first, n) => ({ first, n, positions: { place: (i) => ({ x: first + i, y: 0 }) } });
const BOX = { left: 0.4, right: 0.6, top: 0.3, bottom: 0.4 };

test("runs in a track are those of the dataset, cut and counted from its first event", () => {
  const of = (first, n) => preview.runsIn({ first, n }, rows("0 2, 4 9, 9 12")).join(" ");
  gives(of, { "0, 3": "0,2", "3, 5": "1,5", "8, 4": "0,1 1,4", "12, 3": "" });
});

test("noise is drawn amid the longest run of landmarks, else amid the first track, else of the box", () => {
  const anchor = (tracks, runs) => Object.values(preview.anchorOf({ tracks, box: BOX }, runs)).join(" ");
  const tracks = [trackOf(0, 10), trackOf(10, 20)];
  deepEqual(Object.keys(preview.anchorOf({ tracks, box: BOX }, [])), ["x", "y", "landmark"]);
  equal(anchor(tracks, rows("0 4, 12 19, 20 27")), "15 0 true");
  deepEqual([anchor(tracks, []), anchor([], [[0, 4]])], ["5 0 false", "0.5 0.35 false"]);
});

test("of many series the twelve longest are drawn, without what would be too much together", () => {
  const drawn = (points) => preview.drawable(points.map((one) => ({ points: one }))).map((one) => one.points);
  deepEqual(drawn([3, 9, 5]), [9, 5, 3]);
  deepEqual(drawn(Array.from({ length: 20 }, (_, i) => i)).join(), "19,18,17,16,15,14,13,12,11,10,9,8");
  deepEqual(drawn([120_000, 90_000, 80_001, 80_000, 1]), [120_000, 80_000]);
  deepEqual(drawn([200_001, 7]), [7]);
});

test("a length of the map is the shorter in metres the farther from the equator", () => {
  ok(Math.abs(preview.metresAt(0.5) - 2 * Math.PI * EARTH_RADIUS_M) < 1e-6);
  for (const lat of [-70, 30, 60]) {
    const share = preview.metresAt(unitY(lat)) / preview.metresAt(0.5);
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

test("circles of landmarks and of other events, one where they are alike, none where there is no noise", () => {
  const titles = (...given) => {
    const group = (events, median_m, p95_m) => ({ events, median_m, p95_m });
    const [landmark, regular, overall] = [group(...given.slice(0, 3)), group(...given.slice(3)), group(9, 1, 2)];
    const found = groupsOf({ expected: { landmark, regular, overall } }, { colour: "--m1", dash: "" });
    return found.map(({ title, half }) => `${title} ${half}`).join("; ");
  };
  gives(titles, { "3, 10, 20, 6, 5, 9": "A landmark 10; Another event 5" });
  gives(titles, {
    "3, 10, 20, 6, 10, 21": "A landmark 10; Another event 10",
    "3, 10, 20, 6, 10.00000001, 20": "Any event 1",
  });
  gives(titles, { "0, 10, 20, 6, 5, 9": "Any event 1", "3, 10, 20, 0, 5, 9": "Any event 1" });
  gives(titles, { "3, 10, 20, 6, null, null": "A landmark 10" });
});

test("what a level protects, in a sentence that never rounds a share up to certainty", () => {
  deepEqual([protectionOf("guess", 75), protectionOf("epsilon", 0.3)], [{ guess: 0.75 }, { epsilon: 0.3 }]);
  const text = (radius_m, guess) => spaced(protectionText({ radius_m, guess }));
  const independent = /^If events are independent.* each up to 200 m away, is right with at most 73\.1 %\.$/;
  match(text(200, 0.73106), independent);
  match(text(1000, 0.99999999), / each up to 1 km away, is right with over 99\.9 %\.$/);
  match(text(1000, 0.999), /with at most 99\.9 %\.$/);
});
