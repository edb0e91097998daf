import assert from "node:assert/strict";
import { test } from "node:test";

import { showTable } from "../../../../static/js/trajectory/loss/loss_table.js";
import * as text from "../../../../static/js/trajectory/loss/loss_text.js";
import { check, spaced } from "../../cases.mjs";
import { FakeElement, setElements } from "../../elements.mjs";
import { plain, setGlobals } from "../../support.mjs";

setElements();
setGlobals({ location: { search: "" } });
const { correlationText, matrixText } = await import("../../../../static/js/trajectory/loss/correlation.js");
const { bodyOf, chartOf } = await import("../../../../static/js/trajectory/loss/budget_plan.js");
const { rulesOf, textOf, valueOf } = await import("../../../../static/js/trajectory/compare/loss_chart.js");

test("what a chart of losses shows, with whose bound it is", () => {
  const sentences = (view, found) => text.viewText(view, { diameter_m: 500, ...found });
  const event = sentences({ view: "event", side: "backward" }, {});
  assert.match(
    event,
    /^Each event alone: what its release and the earlier ones leak about it\. An upper bound .* 500 m apart\.$/,
  );
  assert.match(
    sentences({ view: "event", side: "total" }, { pairwise: true }),
    /apart, each two cells at their own distance\.$/,
  );
  assert.match(
    sentences({ view: "landmarks", part: "joint" }, { bound: "bridge" }),
    /^Each event and all landmarks together\. An upper bound/,
  );
  assert.match(
    sentences({ view: "landmarks", part: "own" }, { bound: "published" }),
    /own part.* not an upper bound: between two .* bridge\.$/,
  );
  const why = { bound: "published", why: "two chains" };
  assert.match(sentences({ view: "landmarks", part: "own" }, why), / There is no bridge here: two chains\.$/);
  assert.doesNotMatch(sentences({ view: "landmarks", part: "own" }, { ...why, bound: "bridge" }), /no bridge/);
});

test("axes, levels and limits", () => {
  check(text.lossAxis, [
    [[undefined, false], "ε"],
    [[undefined, true], "ε, log"],
    [[500, true], "ε, 500 m apart, log"],
  ]);
  check(text.levelLabel, [[[5, 1000], "ε = 5 at 1,000 m, no correlation"]]);
  check(text.limitText, [
    [[[]], ""],
    [
      [
        [
          ["Skip", 26.14],
          ["Uniform", null],
        ],
      ],
      " However long the series, at most: Skip 26.1, Uniform without limit.",
    ],
  ]);
});

test("a correlation as text", () => {
  const estimated = { kind: "estimated", cell_m: "500", states: 7, smoothing: 1, mismatch: 0.123 };
  check(correlationText, [
    [[{ kind: "smoothed", diameter_m: 1000, s: 0.1 }], "Two states at most 1,000 m apart, smoothed by s = 0.1."],
    [[{ kind: "given", states: 1, diameter_m: 5 }], "Your matrix, states at most 5 m apart."],
    [[{ kind: "given", states: 3, diameter_m: 5 }], "Your matrices of 3 states, states at most 5 m apart."],
    [
      [estimated],
      "Estimated over cells of 500 m: 7 states, smoothing 1. " +
        "Its two directions differ from one stationary chain by 0.1.",
    ],
  ]);
});

test("a matrix is typed in lines or as JSON; a wrong row is named", () => {
  check(
    (typed) => matrixText(typed, "Forward"),
    [
      [["0.9 0.1\n0.2, 0.8\n"], "[[0.9,0.1],[0.2,0.8]]"],
      [["0.5 0.5\n\n0.5 0.5"], "[[0.5,0.5],[0.5,0.5]]"],
      [[" [[1]] "], "[[1]]"],
      [["  "], ""],
    ],
  );
  assert.throws(() => matrixText("0.9 0.1\n0.2 x", "Forward"), /^SyntaxError: Forward, row 2: /);
  assert.throws(() => matrixText("1.5 0", "Backward"), /^SyntaxError: Backward, row 1: /);
});

const PLAN = {
  ...{ radius_m: 200, correlation: { diameter_m: 1000 }, n: 3, alpha: 1, event: [0, 1, 2] },
  ...{ total: [1, 1, 1], backward: [0.1, 0.2, 0.3], forward: [0.3, 0.2, 0.1], budget: [0.1, 0.05, 0.1] },
};

test("a plan's budgets are drawn at the distance of the losses, and called by their own", () => {
  const chart = chartOf(PLAN, true, [0, 2]);
  const budget = chart.lines.find(({ id }) => id === "budget");
  assert.deepEqual(spaced([budget?.name, budget?.y, budget?.step]), [
    "Budget (set within 200 m)",
    [0.5, 0.25, 0.5],
    true,
  ]);
  assert.deepEqual(chart.lines.find(({ id }) => id === "backward")?.y, [0.1, 0.2, 0.3]);
  assert.equal(plain(chart.note), "ε, 1 km apart");
  assert.deepEqual([chart.whole, chart.rules], [[0, 2], [{ y: 1, label: "target α = 1" }]]);
  const same = chartOf({ ...PLAN, radius_m: 1000 }, false, [0, 2]).lines[3];
  assert.deepEqual([same.name, same.y], ["Budget", PLAN.budget]);
});

test("a plan is requested in numbers", () => {
  const state = { alpha: "0.5", radius_m: "200", method: "upper-bound", corr: "weak", diameter_m: "1000" };
  assert.deepEqual(bodyOf(state, 7, 2), {
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
  assert.deepEqual([of({ view: "event" }), of({ view: "event", side: "total" })], [3, 1]);
  assert.deepEqual([of({ view: "landmarks" }), of({ view: "landmarks", part: "joint" })], [6, 5]);
});

test("a rule at each level that is shown, at most three, each once", () => {
  const of = (view, ...levels) =>
    rulesOf(
      view,
      levels.map((level) => curve(level)),
    ).map(({ y }) => y);
  assert.deepEqual(of({ view: "event" }, 1, 2, 1 + 1e-9, 3, 4), [1, 2, 3]);
  assert.deepEqual(of({ view: "landmarks", part: "joint" }, 1, 2), [2, 4]);
  assert.deepEqual(of({ view: "landmarks", part: "own" }, 1), [1]);
  const none = { ...curve(1), curve: { ...curve(1).curve, landmark: { level: null } } };
  assert.deepEqual(rulesOf({ view: "landmarks", part: "joint" }, [none]), [
    { y: 1, label: "ε = 1 at 1,000 m, no correlation" },
  ]);
});

test("a chart's sentences: correlation, view, limits, and what is missing why", () => {
  const missing = curve(2, { loss: { level: 2, total: null, undefined: "too long" }, landmark: { bound: null } });
  const sentences = textOf({ view: "event", side: "total", part: "joint" }, [curve(1), missing]);
  assert.match(sentences, /^Two states at most 1,000 m apart.* Each event alone/);
  assert.match(sentences, / However long the series, at most: Level 1 4\. Level 2: too long\.$/);
  assert.doesNotMatch(textOf({ view: "landmarks", side: "total", part: "joint" }, [curve(1)]), /However long/);
});

test("a table of losses: the bridge above the published formula, simulated runs with their spread", () => {
  const given = {
    level: 1,
    highest_budget: 0.25,
    parameters: { radius_m: 200, step_variance_m2: 9e6, order: "by-time" },
  };
  const columns = [0, 1].map((k) => ({
    ...{ key: String(k), title: `Column ${k}` },
    report: {
      mechanisms: [
        {
          ...given,
          name: "p",
          title: "Planned",
          bridge: { joint: 2 + k, own: 3 + k },
          published: { joint: 1, own: 0.5 },
        },
        {
          ...{ name: "a", title: "Adaptive", level: 1, highest_budget: 1, parameters: { radius_m: 200, share: 0.5 } },
          ...{
            simulated: { runs: 20 },
            bridge: { joint: 5, own: 6, least: { joint: 4 }, greatest: { joint: 7 }, most: { joint: 9 } },
          },
        },
        { name: "n", title: "None", parameters: { radius_m: 1 }, why_not: "it draws none" },
      ],
    },
  }));
  const [head, body] = [new FakeElement("thead"), new FakeElement("tbody")];
  const drawn = (part) => {
    showTable(head, body, columns, {
      part,
      current: "1",
      lineStyles: { p: { colour: "" }, a: { colour: "" }, n: { colour: "" } },
    });
    return body.all("tr").map((row) => [...row.texts("th"), ...row.texts("td")]);
  };
  const own = "Plannedorder: by time, step variance 9,000,000 m², radius 200 m";
  assert.deepEqual(drawn("joint"), [
    [own, "1", "2published 1", "3published 1"],
    ["Adaptiveshare 0.5, median of 20 simulated runs", "1", "54 to 7, no run above 9", "54 to 7, no run above 9"],
    ["None", "It draws none."],
  ]);
  assert.deepEqual(drawn("own")[0].slice(1), ["0.25", "3published 0.5", "4published 0.5"]);
  assert.deepEqual(
    head.all("th").map((one) => one.attributes["aria-current"]),
    [undefined, undefined, undefined, "true"],
  );
});
