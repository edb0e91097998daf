import { deepEqual, doesNotMatch, equal, match, throws } from "node:assert/strict";
import { test } from "node:test";

import * as forecast from "../../../static/js/trajectory/dummy_landmarks/method_cards.js";
import { showTable } from "../../../static/js/trajectory/loss/loss_table.js";
import * as text from "../../../static/js/trajectory/loss/loss_text.js";
import * as loss from "../../../static/js/trajectory/loss/view_state.js";
import { check, gives, joined, spaced } from "../cases.mjs";
import { FakeElement, setElements } from "../elements.mjs";
import { addressBar, draws } from "../support.mjs";

setElements();
const { place, go } = addressBar();
const { correlationText, matrixText } = await import("../../../static/js/trajectory/loss/correlation.js");
const { bodyOf, chartOf } = await import("../../../static/js/trajectory/loss/budget_plan.js");
const { rulesOf, textOf, valueOf } = await import("../../../static/js/trajectory/compare/loss_chart.js");

test("how many dummies to expect, and what they cost", () => {
  const expected = (landmarks, points, expected) => forecast.expected({ landmarks, points, expected });
  gives(expected, {
    "5, 5, 0": "Every event is a landmark: no dummies can be added.",
    "5, 105, 12.345": "About 12 of the 100 other events beside the 5 landmarks.",
    "1, 2000, 1234.5": "About 1,235 of the 1,999 other events beside the 1 landmark.",
  });
  const cost = (landmarks, points, expected) => forecast.budgetText({ landmarks, points, expected });
  const twice = "with that many events in L′, Uniform gives each landmark ε/10 instead of ε/5, 2 times the noise.";
  gives(cost, { "5, 9, 0.4": "", "4, 9, 5": `Cost: ${twice}` });
  const before = (earlier_selections, level_spent) => forecast.before({ earlier_selections, level_spent }, "More.");
  gives(before, { "0, 0": "", "2, 0.75": "2 earlier selections from these landmarks, ε = 0.75 in total. More." });
});

test("bars are as long as their share of the likeliest number", () => {
  const rows = forecast.bars([
    { first: 0, last: 0, probability: 0.2 },
    { first: 1, last: 1500, probability: 0.4 },
    { first: 1501, last: 1501, probability: 0.0009 },
  ]);
  const texts = rows.map((row) => `${row.texts("th")[0]}: ${row.texts("td")[1]}`);
  deepEqual(texts, ["0: 20 %", "1 to 1,500: 40 %", "1,501: < 0.1 %"]);
  const [first, second] = rows.map((row) => row.all("span")[0]?.style["inline-size"]);
  deepEqual([first, second], ["50%", "100%"]);
});

test("what a chart of losses shows, with whose bound it is", () => {
  const sentences = (view, found) => text.viewText(view, { diameter_m: 500, ...found });
  const event = sentences({ view: "event", side: "backward" }, {});
  match(event, /^Each event alone: what its release and the earlier ones leak about it\. An upper bound/);
  match(event, / 500 m apart\.$/);
  const pairwise = sentences({ view: "event", side: "total" }, { pairwise: true });
  match(pairwise, /apart, each two cells at their own distance\.$/);
  const joint = sentences({ view: "landmarks", part: "joint" }, { bound: "bridge" });
  match(joint, /^Each event and all landmarks together\. An upper bound/);
  const own = (more) => sentences({ view: "landmarks", part: "own" }, { bound: "published", ...more });
  match(own({}), /own part.* not an upper bound: between two .* bridge\.$/);
  match(own({ why: "two chains" }), / There is no bridge here: two chains\.$/);
  doesNotMatch(own({ why: "two chains", bound: "bridge" }), /no bridge/);
});

test("axes, levels and limits", () => {
  gives(text.lossAxis, { "undefined, false": "ε", "undefined, true": "ε, log", "500, true": "ε, 500 m apart, log" });
  gives(text.levelLabel, { "5, 1000": "ε = 5 at 1,000 m, no correlation" });
  equal(text.limitText([]), "");
  const limits = Object.entries({ Skip: 26.14, Uniform: null });
  equal(text.limitText(limits), " However long the series, at most: Skip 26.1, Uniform without limit.");
});

test("a correlation as text", () => {
  const estimated = { kind: "estimated", cell_m: "500", states: 7, smoothing: 1, mismatch: 0.123 };
  const differ = "Its two directions differ from one stationary chain by 0.1.";
  check(correlationText, [
    [[{ kind: "smoothed", diameter_m: 1000, s: 0.1 }], "Two states at most 1,000 m apart, smoothed by s = 0.1."],
    [[{ kind: "given", states: 1, diameter_m: 5 }], "Your matrix, states at most 5 m apart."],
    [[{ kind: "given", states: 3, diameter_m: 5 }], "Your matrices of 3 states, states at most 5 m apart."],
    [[estimated], `Estimated over cells of 500 m: 7 states, smoothing 1. ${differ}`],
  ]);
});

test("a matrix is typed in lines or as JSON; a wrong row is named", () => {
  const read = (typed, name = "Forward") => matrixText(typed, name);
  check(read, [
    [["0.9 0.1\n0.2, 0.8\n"], "[[0.9,0.1],[0.2,0.8]]"],
    [["0.5 0.5\n\n0.5 0.5"], "[[0.5,0.5],[0.5,0.5]]"],
    [[" [[1]] "], "[[1]]"],
    [["  "], ""],
  ]);
  throws(() => read("0.9 0.1\n0.2 x"), /^SyntaxError: Forward, row 2: /);
  throws(() => read("1.5 0", "Backward"), /^SyntaxError: Backward, row 1: /);
});

test("a plan's budgets are drawn at the distance of the losses, and called by their own", () => {
  const plan = {
    ...{ radius_m: 200, correlation: { diameter_m: 1000 }, n: 3, alpha: 1, event: [0, 1, 2] },
    ...{ total: [1, 1, 1], backward: [0.1, 0.2, 0.3], forward: [0.3, 0.2, 0.1], budget: [0.1, 0.05, 0.1] },
  };
  const chart = chartOf(plan, true, [0, 2]);
  const { name, y, step } = chart.lines.find(({ id }) => id === "budget");
  deepEqual([spaced(name), y, step], ["Budget (set within 200 m)", [0.5, 0.25, 0.5], true]);
  deepEqual(chart.lines.find(({ id }) => id === "backward").y, [0.1, 0.2, 0.3]);
  equal(spaced(chart.note), "ε, 1 km apart");
  deepEqual([chart.whole, chart.rules], [[0, 2], [{ y: 1, label: "target α = 1" }]]);
  const same = chartOf({ ...plan, radius_m: 1000 }, false, [0, 2]).lines[3];
  deepEqual([same.name, same.y], ["Budget", plan.budget]);
});

test("a plan is requested in numbers", () => {
  const state = { alpha: "0.5", radius_m: "200", method: "upper-bound", corr: "weak", diameter_m: "1000" };
  deepEqual(bodyOf(state, 7, 2), {
    ...{ alpha: 0.5, radius_m: 200, landmark_set: 7, series: 2, method: "upper-bound" },
    correlation: { n: 2, s: 1, diameter_m: 1000 },
  });
});

const curve = (level, more = {}) => ({
  title: `Level ${level}`,
  curve: {
    loss: { level, total: [1], backward: [2], forward: [3], supremum: { total: 4 * level } },
    landmark: { level: 2 * level, joint: [5], own: [6], bound: "bridge" },
    ...{ correlation: { kind: "smoothed", diameter_m: 1000, s: 0.1 }, ...more },
  },
});

test("the values of a view are those of its side or part", () => {
  const of = (view) => valueOf({ side: "forward", part: "own", ...view }, curve(1).curve)[0];
  deepEqual([of({ view: "event" }), of({ view: "event", side: "total" })], [3, 1]);
  deepEqual([of({ view: "landmarks" }), of({ view: "landmarks", part: "joint" })], [6, 5]);
});

test("a rule at each level that is shown, at most three, each once", () => {
  const rules = (view, part, ...curves) => rulesOf({ view, part }, curves);
  const of = (view, part, ...levels) => rules(view, part, ...levels.map((level) => curve(level))).map(({ y }) => y);
  deepEqual(of("event", undefined, 1, 2, 1 + 1e-9, 3, 4), [1, 2, 3]);
  deepEqual([of("landmarks", "joint", 1, 2), of("landmarks", "own", 1)], [[2, 4], [1]]);
  const none = curve(1, { landmark: { level: null } });
  deepEqual(rules("landmarks", "joint", none), [{ y: 1, label: "ε = 1 at 1,000 m, no correlation" }]);
});

test("a chart's sentences: correlation, view, limits, and what is missing why", () => {
  const missing = curve(2, { loss: { level: 2, total: null, undefined: "too long" }, landmark: { bound: null } });
  const sentences = textOf({ view: "event", side: "total", part: "joint" }, [curve(1), missing]);
  match(sentences, /^Two states at most 1,000 m apart.* Each event alone/);
  match(sentences, / However long the series, at most: Level 1 4\. Level 2: too long\.$/);
  doesNotMatch(textOf({ view: "landmarks", side: "total", part: "joint" }, [curve(1)]), /However long/);
});

test("a table of losses: the bridge above the published formula, simulated runs with their spread", () => {
  const planned = {
    ...{ name: "p", title: "Planned", level: 1, highest_budget: 0.25 },
    parameters: { radius_m: 200, step_variance_m2: 9e6, order: "by-time" },
    published: { joint: 1, own: 0.5 },
  };
  const adaptive = {
    ...{ name: "a", title: "Adaptive", level: 1, highest_budget: 1, parameters: { radius_m: 200, share: 0.5 } },
    bridge: { joint: 5, own: 6, least: { joint: 4 }, greatest: { joint: 7 }, most: { joint: 9 } },
    simulated: { runs: 20 },
  };
  const none = { name: "n", title: "None", parameters: { radius_m: 1 }, why_not: "it draws none" };
  const columns = [0, 1].map((k) => ({
    ...{ key: String(k), title: `Column ${k}` },
    report: { mechanisms: [{ ...planned, bridge: { joint: 2 + k, own: 3 + k } }, adaptive, none] },
  }));
  const [head, body] = [new FakeElement("thead"), new FakeElement("tbody")];
  const lineStyles = { p: { colour: "" }, a: { colour: "" }, n: { colour: "" } };
  const drawn = (part) => {
    showTable(head, body, columns, { part, current: "1", lineStyles });
    return body.all("tr").map((row) => [...row.texts("th"), ...row.texts("td")].join(" | "));
  };
  const runs = "5.004.00 to 7.00, no run above 9.00";
  const own = "Plannedorder: by time, step variance 9,000,000 m², radius 200 m";
  deepEqual(drawn("joint"), [
    `${own} | 1.00 | 2.00published 1.00 | 3.00published 1.00`,
    `Adaptiveshare 0.5, median of 20 simulated runs | 1.00 | ${runs} | ${runs}`,
    "None | It draws none.",
  ]);
  equal(drawn("own")[0], `${own} | 0.250 | 3.00published 0.500 | 4.00published 0.500`);
  const current = joined(head.all("th"), (one) => one.attributes["aria-current"]);
  equal(current, ",,,true");
});

const read = (query = "", more = {}) => {
  go(query);
  return loss.readState(more);
};

test("what the address does not name, or names wrongly, is as usual", () => {
  const usual = read();
  deepEqual([usual.corr, usual.view, usual.bound, usual.diameter_m], ["moderate", "event", "bridge", "1000"]);
  for (const query of ["corr=x", "corr=own", "corr=estimated", "view=x", "side=x", "part=x", "bound=x", "axis=x"])
    deepEqual(read(`?${query}&show=all`), usual, query);
});

test("own matrices and estimates need what they are of", () => {
  const corr = (query) => read(`?corr=${query}`).corr;
  gives(corr, { "own&forward=[[1]]": "own", "own&backward=[[1]]": "own", "estimated&cell_m=500": "estimated" });
  equal(corr("estimated&smoothing=1"), "moderate");
});

test("what is written is read again, and nothing that is as usual or of another correlation", () => {
  const draw = draws(22);
  for (let i = 0; i < 200; i += 1) {
    const more = { epsilon: "1" };
    const state = read("", more);
    Object.assign(state, {
      ...{ corr: draw.pick(["weak", "moderate", "strong"]), view: draw.pick(["event", "landmarks"]) },
      ...{ side: draw.pick(["total", "backward", "forward"]), part: draw.pick(["joint", "own"]) },
      ...{ bound: draw.pick(["bridge", "published"]), axis: draw.pick(["log", "linear"]) },
      ...{ diameter_m: draw.pick(["1000", "50"]), epsilon: draw.pick(["1", "3"]) },
      ...(draw.int(0, 1) && { corr: "own", forward: "[[0.5,0.5],[0,1]]" }),
    });
    loss.writeState(state, more);
    deepEqual(read(place.search, more), state, place.search);
  }
  loss.writeState({ ...read(), forward: "[[1]]", cell_m: "5" });
  equal(place.search, "");
});

test("a correlation as the API takes it", () => {
  const state = { corr: "strong", diameter_m: "500", forward: "[[1]]", backward: "", cell_m: "9", smoothing: "" };
  for (const [corr, query, numbers] of [
    ["weak", { n: 2, s: 1, diameter_m: "500" }, { diameter_m: 500 }],
    ["moderate", { n: 2, s: 0.1, diameter_m: "500" }, { diameter_m: 500 }],
    ["strong", { n: 2, s: 0.01, diameter_m: "500" }, { diameter_m: 500 }],
    ["own", { forward: "[[1]]", diameter_m: "500" }, { diameter_m: 500 }],
    ["estimated", { cell_m: "9" }, { cell_m: 9 }],
  ]) {
    deepEqual(loss.correlationQuery({ ...state, corr }), query, corr);
    deepEqual(loss.correlationBody({ ...state, corr }), { ...query, ...numbers }, corr);
  }
  const estimated = loss.correlationQuery({ ...state, corr: "estimated", smoothing: "1" });
  deepEqual(estimated, { cell_m: "9", smoothing: "1" });
  const own = loss.correlationQuery({ ...state, corr: "own", forward: "", backward: "[[1]]" });
  deepEqual(own, { backward: "[[1]]", diameter_m: "500" });
  deepEqual(loss.boundQuery({ bound: "published" }), { bound: "published" });
  deepEqual(loss.boundQuery({ bound: "bridge" }), {});
});
