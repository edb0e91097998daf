/* What modules of forms, dialogs and lists compute beside the elements they make. */

import { deepEqual, equal, throws } from "node:assert/strict";
import { test } from "node:test";
import { historyOf } from "../../../static/js/checkins/comparison.js";
import { venuesRelease } from "../../../static/js/checkins/comparison_text.js";
import { check, gives, spaced } from "../cases.mjs";
import { pageOf, setGlobals } from "../support.mjs";

setGlobals({ document: pageOf() });
const { opensLog } = await import("../../../static/js/components/experiment/chart_panels.js");
const { ordered } = await import("../../../static/js/components/experiment_form/value_list.js");
const { lack } = await import("../../../static/js/components/experiment_form/measures.js");
const { where } = await import("../../../static/js/components/experiment_form/plan.js");
const { specIn } = await import("../../../static/js/components/experiment_form/spec_text.js");
const { inPercent, ofValue } = await import("../../../static/js/components/experiment_form/value_list.js");
const { ownValues } = await import("../../../static/js/components/experiment_form/variant_cards.js");
const fields = await import("../../../static/js/components/form_fields.js");
const report = await import("../../../static/js/components/import_report.js");
const { statusText, title } = await import("../../../static/js/components/jobs.js");
const { isGiven } = await import("../../../static/js/components/number_field.js");
const { linksUrl } = await import("../../../static/js/components/dialogs.js");
const { stepOf } = await import("../../../static/js/components/timeline.js");
const attack = await import("../../../static/js/trajectory/compare/attacks.js");
const { valueOf } = await import("../../../static/js/trajectory/compare/attacks.js");
const { meaning } = await import("../../../static/js/trajectory/compare/releases_view.js");
const { otherText } = await import("../../../static/js/trajectory/experiment_form/data_source.js");
const { stepVariance } = await import("../../../static/js/trajectory/postprocess_steps.js");

test("a slider reaches from a hundredth to a hundred times the example, within the bounds, in two digits", () => {
  const ends = (field) => [0, 200, 400].map(fields.logarithmic(field).value);
  check(ends, [
    [[{ example: 1, minimum: null, maximum: null }], [0.01, 1, 100]],
    [[{ example: 1, minimum: 0, maximum: null }], [0.01, 1, 100]],
    [[{ example: 1, minimum: 0.04, maximum: 25 }], [0.04, 1, 25]],
    [[{ example: 3, minimum: 1, maximum: null, whole: true }], [1, 17, 300]],
  ]);
  const slider = fields.logarithmic({ example: 1, minimum: 0.04, maximum: 25 });
  deepEqual([0.04, 1, 25].map(slider.position), [0, 200, 400]);
  for (let position = 0; position <= 400; position += 40)
    equal(Math.abs(slider.position(slider.value(position)) - position) <= 3, true);
});

test("a share, a seed and the text beside a number", () => {
  const [most, n] = [Number.MAX_SAFE_INTEGER, 2 ** 32];
  check(fields.isShare, [
    ...[
      [[{ minimum: 0, maximum: 1 }], true],
      [[{ minimum: 0, maximum: 2 }], false],
    ],
    ...[
      [[{ minimum: 1, maximum: 1 }], false],
      [[{ minimum: null, maximum: 1 }], false],
    ],
  ]);
  const seeds = [{ whole: true, maximum: most }, { whole: true, maximum: n }, { maximum: most }];
  deepEqual(
    seeds.map((one) => Boolean(fields.isSeed(one))),
    [true, false, false],
  );
  const hint = (field, value) => fields.hintOf(field)?.(value) ?? "";
  check(hint, [
    [[{ unit: "s" }, 60], "1 min"],
    [[{ unit: "m" }, 2000], "2 km"],
    [[{ minimum: 0, maximum: 1 }, 0.5], "50 %"],
    [[{ unit: "km/h", minimum: 0, maximum: 9 }, 0.5], ""],
  ]);
  deepEqual([0, 100, 400].map(fields.SHARES.value), [0, 0.25, 1]);
  deepEqual([{ minimum: 0.25, maximum: 0.5 }, { minimum: null }].map(inPercent), [
    ...[{ unit: "%", minimum: 25, maximum: 50 }, { unit: "%", minimum: 0, maximum: 100 }], // prettier-ignore
  ]);
  deepEqual([0, 0.25, 1].map(fields.SHARES.position), [0, 100, 400]);
});

test("only what is not usual of a form is sent, and nothing while a number is missing", () => {
  const own = (values) =>
    ownValues({ values: () => values }, [
      { name: "a", default: 1 },
      { name: "b", default: 2, required: true },
      { name: "c", default: null },
    ]);
  deepEqual(own({ a: 1, b: 2, c: 3 }), { b: 2, c: 3 });
  deepEqual(own({ a: 2, b: 1, c: 1 }), { a: 2, b: 1, c: 1 });
  for (const missing of [null, NaN]) equal(own({ a: missing, b: 2, c: 3 }), null);
  deepEqual([0, "", null, NaN].map(isGiven), [true, true, false, false]);
});

test("boxes have the usual order unless those chosen have another", () => {
  check(
    (chosen) => ordered(chosen, ["a", "b", "c", "d"]).join(""),
    [
      [[[]], "abcd"],
      [[["b", "d"]], "abcd"],
      [[["d", "b"]], "dbac"],
      [[["a", "c", "b"]], "acbd"],
    ],
  );
});

test("charts open with a logarithmic axis for metres and ε that are nowhere below 0", () => {
  const of = (unit, lines, more = {}) =>
    opensLog({ panels: lines.map((line) => ({ lines: [line] })), measure: { name: "m", unit }, ...more });
  const [up, down, band] = [{ y: [0, 5] }, { y: [1, -1] }, { y: [1], low: [-1], high: [2] }];
  check(of, [
    [["m", [up, up]], true],
    [["ε", [up]], true],
    [["share", [up]], false],
    [["share", [up], { wide: true }], true],
    [["m", [up, down]], false],
    [["m", [up, band]], false],
    [["m", [up], { measure: { name: "stream-pearson", unit: "m" } }], false],
  ]);
});

test("what a measure lacks, and what a spec has that the form does not show", () => {
  const [release, time] = [{ needs_release: true }, { needs_time: true }];
  check(lack, [
    [[release, null, true], "Choose a mechanism to measure this."],
    [[release, "uniform", true], ""],
    [[time, null, true], ""],
    [[time, "uniform", false], "These data have no times."],
    [[{}, null, false], ""],
  ]);
  const other = (join, first_events) => otherText({ series: { join, first_events } }, {});
  check(other, [
    [["person", null], "As in the spec: the series of each person joined in the order of time, with all events."],
    [["person", 9], ""],
    [["none", 1500], "As in the spec: the first 1,500 events of each series."],
    [["none", null], ""],
  ]);
  deepEqual([otherText({}, {}), otherText({ series: { join: "none", first_events: 2 } }, null)], ["", ""]);
});

test("where an experiment runs", () => {
  const found = [{ at_once: true, parts: 9 }, { parts: 1 }, { parts: 2 }].map(where);
  deepEqual(
    found.map((text) => text.slice(0, 21)),
    ["It runs immediately.", "It runs in one part a", "It runs in about 2 pa"],
  );
});

test("a spec is read from its text alone or from what has one; anything else is refused", () => {
  const spec = { base: { epsilon: 1 } };
  for (const one of [spec, { spec, name: "a" }]) deepEqual(specIn(JSON.stringify(one)), spec);
  for (const text of [
    "[]",
    "null",
    "3",
    '{"base": []}',
    '{"base": null}',
    '{"base": "x"}',
    '{"spec": [1]}',
    '{"spec": 1}',
  ])
    throws(() => specIn(text), /no “base”/, text);
  throws(() => specIn("{"), /^Error: This is not JSON: .+\.$/);
  deepEqual(
    [ofValue(0, "low"), ofValue(2, "low"), ofValue(null, "low"), ofValue(NaN, "low")],
    [...["Value 1: low", "Value 3: low", "low", "low"]],
  );
});

const job = (state, more) => ({ state, progress: 0.25, ...more });

test("the jobs of the button: running, waiting, failed, and how far they are", () => {
  const [running, waiting] = [job("running"), job("queued", { progress: 0.75 })];
  check(
    (...given) => title(...given).join(" | "),
    [
      [[[], 0, 0], "Jobs | Jobs"],
      [[[], 0, 2], "2 jobs failed | 2 failed"],
      [[[waiting], 1, 1], "1 job waiting | 1 job"],
      [[[running], 1, 0], "1 job running · 25 % | 1 job · 25 %"],
      [[[running, waiting], 2, 0], "1 of 2 jobs running · 50 % | 2 jobs · 50 %"],
      [[[running, running], 7, 0], "2 of 7 jobs running · 25 % | 7 jobs · 25 %"],
    ],
  );
  check(statusText, [
    [[job("done")], "done"],
    [[job("failed", { error: { message: "no" } })], "failed: no"],
    [[job("running", { stage: "Drawing" })], "drawing · 25 %"],
    [[job("running", { eta_s: 0 })], "running · 25 % · 1 s left"],
    [[job("running", { eta_s: 2.2 })], "running · 25 % · 3 s left"],
    [[job("running", { eta_s: null })], "running · 25 %"],
  ]);
});

test("what was understood of a file, and lines in a list", () => {
  check(report.rows, [
    [[[6], 1, "line"], "line 6"],
    [[[6, 7, 9], 3, "line"], "lines 6, 7 and 9"],
    [[[6, 7], 1206, "line"], "lines 6, 7 and 1,204 more"],
  ]);
  const read = { format: "gpx", format_title: "GPX", kept: 20, rows_read: 21, row_unit: "point", series_count: 1 };
  check(report.understood, [
    [[read], "GPX, 20 of 21 points read in 1 series"],
    [[{ ...read, format_title: null, rows_read: 20 }], "gpx, 20 events read in 1 series"],
    [[{ ...read, kind: "stream", kept: 374 }, { dimensions: 1298 }], "GPX, 374 timestamps of 1,298 dimensions"],
    [[{ ...read, kind: "stream", kept: 1 }, { dimensions: 0 }], "GPX, 1 timestamp of 0 dimensions"],
    [[{ ...read, kind: "stream", rows_read: 20 }], "GPX, 20 timestamps"],
    [[{ ...read, kind: "checkins", rows_read: 20 }], "GPX, 20 check-ins"],
    [[{ ...read, kind: "checkins", rows_read: 20 }, { users: 1 }], "GPX, 20 check-ins of 1 user"],
  ]);
  const dropped = { a: { count: 2, message: "No place." }, b: { count: 9, message: "No time." } };
  check(report.whyFew, [
    [[{ ...read, kept: 10, dropped }], "9 points refused: No time."],
    [[{ ...read, kept: 11, dropped }], ""],
    [[{ ...read, kept: 1, dropped: {} }], ""],
  ]);
  deepEqual([{ code: "no_points" }, { code: "bad_times" }, { code: "other" }, {}].map(report.needsColumns), [
    ...[true, true, false, false],
  ]);
});

test("keys on the timeline", () => {
  const at = (key, from, n = 100, more = {}) => stepOf({ key, ...more }, from, n);
  check(at, [
    ...[
      ["ArrowRight", 6],
      ["ArrowUp", 6],
      ["ArrowLeft", 4],
      ["ArrowDown", 4],
    ].map(([key, to]) => [[key, 5], to]),
    ...[
      ["PageUp", 10],
      ["PageDown", 0],
      ["Home", 0],
      ["End", 99],
      ["a", null],
    ].map(([key, to]) => [[key, 5], to]),
    [["PageDown", 50], 45],
    [["PageUp", 3, 10], 4],
    [["ArrowRight", 99], 99],
    [["ArrowLeft", 0], 0],
    [["End", 0, 0], null],
    ...["ctrlKey", "metaKey", "altKey", "shiftKey"].map((name) => [["End", 5, 100, { [name]: true }], null]),
  ]);
});

test("why an attack cannot be tried, its parameters, its series and its headline", () => {
  const method = { reads_draws: false, needs: [], population: false };
  const [release, dataset] = [
    { postprocess: [] },
    { has_time: false, people: 1, series: [{ name: "Ada" }, { name: "" }] },
  ];
  const refused = (own, of = {}, data = {}) =>
    attack.refusal({ ...method, ...own }, { ...release, ...of }, { ...dataset, ...data }).slice(0, 29);
  check(refused, [
    [[{}, { postprocess: [1] }], ""],
    [[{ reads_draws: true }], ""],
    [[{ reads_draws: true }, { postprocess: [1] }], "This attack reads the sampled"],
    [[{ needs: ["time"] }], "This attack needs times, and "],
    [[{ needs: ["time"] }, {}, { has_time: true }], ""],
    [[{ population: true }], "This attack needs the series "],
    [[{ population: true }, {}, { people: 2 }], ""],
  ]);
  deepEqual(
    [0, 1, 2].map((i) => attack.seriesName(dataset, i)),
    ["Ada", "Series 2", "Series 3"],
  );
  const parameters = [
    { label: "Radius", unit: "m", value: 1234.5678 },
    { label: "Runs", value: 3 },
  ];
  equal(spaced(attack.parametersOf({ parameters })), "Radius 1,234.57 m · Runs 3");
  check(valueOf, [
    [[{ value: null }, { series: null }], "none"],
    [[{ value: 1, share: true }, { series: 0 }], "yes"],
    [[{ value: 0, share: true }, { series: 0 }], "no"],
    [[{ value: 0.5, share: true }, { series: null }], "50 %"],
    [[{ value: 20, unit: "m" }, { series: 0 }], "20 m"],
    [[{ value: 2, unit: "bits" }, { series: 0 }], "2 bits"],
    [[{ value: 2, unit: "" }, { series: 0 }], "2"],
  ]);
});

test("the odds that a level allows, and the step variance of a speed", () => {
  gives((epsilon) => /at most (.*?) times as likely/.exec(meaning({ epsilon, radius_m: 5 }))[1], {
    0: "1",
    13.8: "985,000",
    13.9: "e to the 13.9",
  });
  gives(stepVariance, { "36, 10": 5000, "3.6, 2": 2, "0, 9": 0 });
});

test("fields of all mechanisms, the history in an address, links of what is deleted, venues of a grid", () => {
  const having = (...names) => ({ fields: names.map((name) => ({ name })) });
  const common = (...given) => fields.commonFields(given).map(({ name }) => name);
  deepEqual([common(having("a", "b", "c"), having("c", "b")), common(having("a"))], [["b", "c"], ["a"]]);
  check(historyOf, [
    [[null], []],
    [["1,x,22,1234567,-3,"], [1, 22]],
  ]);
  const id = "0123456789abcdef0123456789abcdef0123";
  equal(linksUrl(`/api/v1/releases/${id}/`), `/api/v1/publications/?release=${id}&page_size=200`);
  equal(linksUrl(`/api/v1/audits/${id}/`), null);
  const of = (release, ...more) => venuesRelease(more, release, ({ grid }) => grid);
  const on = (grid, mechanism = "checkin-venues") => ({ mechanism, grid });
  deepEqual([of(on(1, "own"), on(2), on(1)), of(on(1), on(1)), of(on(1, "own"), on(2))], [on(1), on(1), null]);
});
