import { deepEqual, equal, match, ok } from "node:assert/strict";

import { test } from "node:test";

import * as checkins from "../../../static/js/checkins/release_form.js";
import { placeOf } from "../../../static/js/components/release_form/axis.js";
import * as errors from "../../../static/js/stream/error_text.js";
import * as stream from "../../../static/js/stream/release_form.js";
import { check, gives, spaced } from "../cases.mjs";
import { FakeElement, setElements } from "../elements.mjs";
import { draws } from "../support.mjs";

setElements();
const { showPromises, spendingText } = await import("../../../static/js/components/release_form/quoted_form.js");
const { QuotedTable } = await import("../../../static/js/components/release_form/quoted_form.js");
const { partsOf } = await import("../../../static/js/components/release_form/release_table.js");
const { createFollowed } = await import("../../../static/js/components/release_form/followed.js");
const { summaryOf } = await import("../../../static/js/components/release_form/submit_summary.js");

const joined = (nodes) => [nodes].flat(Infinity).map((one) => one.textContent ?? one);
const textOf = (nodes) => spaced(joined(nodes).join(""));

test("a title names the package of a mechanism of someone else, the mark first", () => {
  const texts = (title) => partsOf(title).map(({ textContent }) => textContent);
  deepEqual(texts("Skip + Random-walk smoother"), ["Skip", "+ Random-walk smoother"]);
  deepEqual(texts("Adaptive (literal)"), ["Adaptive (literal)"]);
  const marked = ["Halves", "not reviewed · own-mechanism 0.1.0", "+ Smoother"];
  deepEqual(texts("Halves (own-mechanism 0.1.0, not reviewed) + Smoother"), marked);
});

test("figures in a table have one precision", () => {
  gives(errors.counts, { 26.7: "27", 1262.4: "1,262", 3.46: "3.5", 4: "4.0", 0: "0.0" });
  gives(errors.relative, { 0.0912: ".091", 1.173: "1.173", 0: ".000", 1234.5: "1,230" });
  gives(checkins.rate, { 462: ".462", 1000: "1.000", 5: ".005" });
  gives(checkins.signed, { 15: "+.015", "-117": "−.117", 0: ".000" });
});

test("the answer of count streams names the best, its errors and those of zeros, or what to do", () => {
  const forecast = { typical_error: 27, p95_error: 160.2, are: 0.091 };
  const best = { key: "a", title: "Shrink", found: { forecast } };
  equal(
    textOf(stream.answerText(best, 0.239, 11)),
    "Usable: Shrinkhalf of the counts within 27 of the truth, 95 % within 160. " +
      "Least ARE of 11 mechanisms on your counts: .091, zeros .239",
  );
  match(textOf(stream.answerText(null, 0.239, 11)), /^No release is usable at this level.* zeros has an ARE of \.239$/);
  match(textOf(stream.answerText(null, null, 11)), /^No verdict: there are no counts/);
  match(
    textOf(stream.ruleText({ usable: 0.1, coarse: 0.239 }, "1 % here")),
    /\.100coarse: better than zeros, \.239Floor of the ARE: 1 % here$/,
  );
  deepEqual(stream.ruleText(null), []);
});

test("the answer of check-ins is in next places of 1,000, beside the public baseline", () => {
  const row = (title, hits, name = "usable") => ({ key: title, title, found: { hits, verdict: { name } } });
  const [one, other, far] = [row("Gravity", 463), row("Blend", 462), row("Tree", 330, "worse-than-free")];
  const [mechanisms, unknown] = [[one.found], [{ hits: null }]];
  equal(
    textOf(checkins.answerText(one, { public: 447, mechanisms })),
    "Usable: Gravity463 of 1,000 next places are among ten proposed; the nearest ten cells, free and public, find 447",
  );
  const without = (found) => textOf(checkins.answerText(null, found));
  match(without({ public: 447, mechanisms }), /^No model is usable at this level.* find 447 of 1,000/);
  match(without({ public: 447, mechanisms: unknown }), /^No verdict: the hits of models are not known.* find 447/);
  match(without({ public: null, mechanisms: unknown }), /^No verdict: no user moves from cell/);
  const why = (...rows) => textOf(checkins.ruleText({ usable_gain: 10 }, rows[0], rows));
  match(why(one, other, far), /more than \.010\..*Why Gravityties with Blend \(\.001 apart\); it finds the most of 3/);
  match(why(one, far), /Why Gravityit finds the most of 2 models/);
  ok(!textOf(checkins.ruleText({ usable_gain: 10 }, null, [far])).includes("Why"));
});

test("what is not covered is an ε that is never less than that of a chain of neighbours", () => {
  const facts = { timestamps: 389, step: "week" };
  const of = (level, more = facts) => stream.uncovered({ sensitivity: 1, ...level }, more);
  deepEqual(of({ epsilon: 1, window: 100 }), [
    "A person who changes 3 in one week: ε 3 instead of 1.",
    "All 389 weeks together: up to ε 4, 4 windows.",
  ]);
  equal(of({ epsilon: 1, window: 389 }).length, 1);
  const draw = draws(31);
  for (let i = 0; i < 100; i += 1) {
    const [timestamps, window] = [draw.int(2, 500), draw.int(1, 500)];
    const texts = of({ epsilon: 1, window }, { timestamps, step: "day" });
    const windows = Number(texts[1]?.match(/, ([\d,]+) windows?\.$/)[1] ?? 1);
    ok(windows * window >= timestamps && (windows - 1) * window < timestamps, `${timestamps} ${window}`);
  }
});

const rowOf = (values, title = "Tree") => ({ title, fields: { values: () => values } });

test("a guarantee is about what the parameters protect", () => {
  const of = (values) => checkins.short(rowOf(values)).join("2.72");
  match(of({ privacy_unit: "user", relation: "add-remove" }), /^If one person’s whole history is added or removed, /);
  match(
    of({ privacy_unit: "record", relation: "replace-one" }),
    /^If one check-in is replaced by another, .* 2\.72\.$/,
  );
  const weeks = stream.short({ window: 100, sensitivity: 2 }, "week").join("2.72");
  match(weeks, /^In any 100 weeks in a row, .* one week by at most 2 in sum moves .* factor of 2\.72\.$/);
  match(stream.short({ window: 1, sensitivity: 1 }, "day")[0], /^In any one day, /);
});

test("cells have the size of their box", () => {
  const manhattan = { west: -74.03, south: 40.69, east: -73.91, north: 40.83, side: 16 };
  equal(spaced(checkins.cellsText(manhattan)), "Cells 632 m × 973 m. They are published.");
  for (const changes of [{ east: -75 }, { side: 0 }, { west: null }, { north: NaN }])
    equal(checkins.cellsText({ ...manhattan, ...changes }), "");
});

const PROMISE = {
  ...{
    title: "Tree",
    statement: "whichever user is added",
    assumptions: ["A person has one name."],
    publishable: true,
  },
  ...{ not_covered: ["the box"], caveats: ["Times."], noise_sd: 1.414, noise_varies: true, public_baseline: "" },
};

function promised(promises, rows, more = []) {
  const parts = Object.fromEntries(
    ["promises", "statements", "uncovered", "uncovered-list"].map((name) => [name, new FakeElement("div")]),
  );
  const [host, title] = [new FakeElement("div"), new FakeElement("h3")];
  const named = (selector) => (selector === "h3" ? title : parts[selector.slice(6, -1)]);
  host.querySelector = parts.uncovered.querySelector = named;
  const kind = { short: () => ["Odds change by ", "."], uncovered: () => more, noun: "model" };
  showPromises(host, promises, { rows, values: { epsilon: 1 }, ...kind });
  const texts = Object.entries(parts).map(([name, one]) => [name, textOf([one])]);
  return { ...Object.fromEntries(texts), hidden: parts.uncovered.hidden, title: title.textContent };
}

test("a promise is stated once, with what none covers; without a guarantee only that", () => {
  const [a, b] = [rowOf({}, "A"), rowOf({}, "B")];
  const one = promised([PROMISE], [a], ["More."]);
  equal(one.promises, "Guarantee. Odds change by 2.72. ");
  equal(one["uncovered-list"], "More.The box.Times.");
  match(one.statements, /TreeWhichever user is added\.Assumes: A person has one name\..*: at least 1\.41\.$/);
  const other = { ...PROMISE, caveats: [] };
  equal(promised([PROMISE, other], [a, b])["uncovered-list"], "The box.");
  const unsound = { ...other, publishable: false, statement: "There is no guarantee: so." };
  const two = promised([PROMISE, unsound], [a, b]);
  equal(two.promises, "A: Odds change by 2.72. B: There is no guarantee: so. ");
  const none = promised([], []);
  deepEqual([none.promises, none.hidden], ["Tick a model to read what it guarantees.", true]);
});

test("rows are in the order of their figure, with what is free amid them and weaker promises last", () => {
  const listed = ["a", "b", "c", "weak"].map((name) => ({
    ...{ name, title: name, summary: "", fields: [], style: { colour: "#000000", dash: "" }, own: {} },
    publishable: name !== "c",
  }));
  const table = new FakeElement("table");
  FakeElement.prototype.contains ??= () => false;
  Object.defineProperty(FakeElement.prototype, "childElementCount", { get: () => -1, configurable: true });
  globalThis.HTMLElement ??= class {};
  const heads = ["", "", "number", "errors__axis", "verdict", "errors__open"].map((className) => ({ className }));
  table.tHead = { rows: [{ cells: heads }] };
  const free = { title: "zeros", lineStyle: { colour: "--muted", dash: "" }, figureOf: ({ zeros }) => zeros };
  const kind = {
    ...{ apart: "Weaker", free, figureOf: ({ are }) => are },
    isApart: ({ mechanism }) => mechanism.name === "weak",
  };
  const rows = new QuotedTable(table, listed, kind, { onChange() {}, simulateAll() {} });
  const classes = (row) => row.all("td").map((cell) => cell.attributes.class);
  deepEqual(classes(rows.rows[0].element).slice(1), ["number", "errors__axis", "verdict", "errors__open"]);
  deepEqual(classes(rows.free.element).slice(1), ["number", "errors__axis", "verdict", "errors__open"]);
  const show = (mechanisms) => rows.show({ zeros: 0.2, mechanisms }, rows.rows);
  const shown = () =>
    table
      .all("tbody")
      .flatMap((body) => body.children)
      .filter(({ hidden, dataset }) => !hidden && !("unkept" in dataset))
      .map((row) => row.texts("th")[0].split("Simulate")[0]);
  const found = (are, name) => ({ are, verdict: { name } });
  const forecasts = [found(0.3, "worse-than-free"), found(0.1, "usable"), found(0.05, "usable"), found(0.01, "usable")];
  show(forecasts);
  deepEqual(shown(), ["c", "b", "zeros", "a", "Weaker", "weak"]);
  deepEqual(
    rows.chosen().map(({ title }) => title),
    ["b"],
  );
  rows.isTouched = true;
  show([found(0.1, "usable"), ...forecasts.slice(1)]);
  deepEqual(
    rows.chosen().map(({ title }) => title),
    ["b"],
  );
  rows.isTouched = false;
  show(forecasts.map(({ are }) => found(are, "coarse")));
  deepEqual(rows.chosen(), []);
  show(forecasts.map((one, i) => ({ ...one, made: i === 1 ? "/compare/?release=b" : null })));
  deepEqual([rows.best().title, rows.chosen().length], ["b", 0]); // it is there: neither it nor the next best is ticked
});

const BUDGET = { price: 1, spent: 2, after: 3, total: 5, fits: true, label: "the budget" };

test("what a release is charged", () => {
  const of = (more, simulation = false) => spendingText({ ...BUDGET, ...more }, simulation);
  check(of, [
    [[{}], "Charges ε = 1 of the budget; ε = 3 would be spent of 5."],
    [[{ total: null }], "Charges ε = 1 of the budget; ε = 3 would be spent. There is no limit."],
    [[{ fits: false }], "Charges ε = 1 of the budget; ε = 3 would be spent of 5. The budget does not suffice."],
    [[{}, true], "A simulation is charged nothing."],
  ]);
});

test("a linear axis holds its values between its ends", () => {
  const place = (value) => Number(placeOf({ least: 0, most: 100, isLinear: true }, value).toFixed(9));
  gives(place, { 0: 0.03, 50: 0.5, 100: 0.97, "-5": 0.03, 200: 0.97 });
});

const AGAIN = "A second one is charged, too: whoever has both releases can average their noise.";

test("a preview is of what is ticked, unless another is chosen since", () => {
  const choice = Object.assign(new FakeElement("select"), { value: "" });
  const [rows, shown] = [["a", "b", "c"].map((key) => ({ key, title: key })), []];
  const followed = createFollowed(choice, () => shown.push(choice.value));
  followed.follow([]); // before any
  followed.offer(rows, [rows[1], rows[2]]);
  equal(choice.value, "b");
  followed.follow([rows[2]]); // b is unticked
  followed.follow([]); // c too
  deepEqual(shown, ["c", "a"]);
  choice.value = "b";
  choice.emit("change");
  followed.follow([]);
  followed.offer(rows, []);
  equal(choice.value, "b"); // no tick since
  followed.follow([rows[0]]);
  deepEqual(shown, ["c", "a", "b", "a"]);
});

test("what has no guarantee is simulated only", () => {
  const form = {
    ...{
      chosen: ["RescueDP"],
      text: "ε 1",
      experiment: false,
      budget: { spent: 0, cost: 1, total: 5, fits: true, unit: "ε" },
    },
    ...{ isCurrent: true, invalid: [], updating: false, problem: "", isUnsound: true, noun: "model" },
  };
  check(
    (more) => {
      const { state, note, label } = summaryOf({ ...form, ...more });
      return [state, note, label].join("|");
    },
    [
      [[{}], "blocked|There is no guarantee: simulation only.|Create 1 model"],
      [[{ isUnsound: false }], "ready|4 is left after it.|Create 1 model"],
      [[{ experiment: true }], "ready|Not published: spends nothing.|Run 1 simulation, not private"],
      [[{ chosen: [], isTouched: true }], "blocked|Tick a model in the table.|No model chosen"],
      [[{ chosen: [], unusable: "Raise ε." }], "blocked|Raise ε.|No usable model"],
      [[{ chosen: [], isMade: true }], `blocked|${AGAIN}|Made already`],
      [[{ isUnsound: false, isMade: true }], `ready|4 is left after it. ${AGAIN}|Create 1 model`],
      [[{ experiment: true, isMade: true }], "ready|Not published: spends nothing.|Run 1 simulation, not private"],
    ],
  );
});
