import { deepEqual, equal, match, ok, rejects, throws } from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { Cells, createComparisonData, decodeCells, differenceOf } from "../../../static/js/stream/comparison_data.js";
import * as detection from "../../../static/js/stream/detection.js";
import { errorText, ordered, sorted } from "../../../static/js/stream/comparison_tables.js";
import { createNumbers } from "../../../static/js/stream/downloads.js";
import { csvOf, tableOf } from "../../../static/js/charts/chart_table.js";
import { gives, rows } from "../cases.mjs";
import { setElements } from "../elements.mjs";
import { setGlobals } from "../support.mjs";

setElements();

/** Cells as dashboard/datasets/heat_maps.py writes them. */
function encoded(columns, dimensions, values, [magic, version] = [0x544d4843, 2]) {
  const view = new DataView(new ArrayBuffer(24 + 8 * values.length));
  [magic, version, 0, columns, dimensions].forEach((value, i) => view.setUint32(4 * i, value, true));
  values.forEach((value, i) => view.setFloat64(24 + 8 * i, value, true));
  return view.buffer;
}

test("cells are read back dimension after dimension", () => {
  const cells = decodeCells(encoded(3, 2, [1, 2, 3, 4, 5.5, -6]));
  deepEqual([cells.columns, cells.dimensions], [3, 2]);
  deepEqual([[...cells.row(0)], [...cells.row(1)]], rows("1 2 3, 4 5.5 -6"));
  deepEqual([cells.at(0, 0), cells.at(0, 2), cells.at(1, 0), cells.at(1, 2)], [1, 3, 4, -6]);
});

test("what is no counts, too short or of another version is refused", () => {
  throws(() => decodeCells(new ArrayBuffer(20)), /These are no counts/);
  deepEqual([...decodeCells(encoded(0, 0, [])).values], [], "none are counts too");
  throws(() => decodeCells(encoded(1, 1, [1], [0x4e524943, 2])), /These are no counts/);
  throws(() => decodeCells(encoded(1, 1, [1], [0x544d4843, 1])), /reload the page/);
});

test("a difference is above 0 where more was published than counted, and swaps its sign with its sides", () => {
  const cells = (...values) => new Cells(2, 2, Float64Array.from(values));
  const [published, truth] = [cells(5, 0, 2.5, 7), cells(3, 4, 2.5, 10)];
  const { values, columns, dimensions } = differenceOf(published, truth);
  deepEqual([...values, columns, dimensions], [2, -4, 0, -3, 2, 2]);
  const back = [...differenceOf(truth, published).values].map((value) => 0 - value);
  deepEqual(back, [2, -4, 0, -3]);
});

const requested = [];
const refused = new Set();
const COUNTS = { "/truth": [0, 1, 4, 20], "/a/map": [1, 2, 5, 30], "/b/map": [0, 0, 0, 0] };
const JSONS = {
  ...{ "/a/comparison": { most_spent: 1 }, "/b/comparison": { most_spent: 2 } },
  ...{ "/a/grouping?dimension=1": { grouping: { group_size: [1] } }, "/b/grouping?dimension=1": { grouping: null } },
};
async function fetched(given) {
  const url = String(given);
  requested.push(url);
  if (refused.delete(url)) return new Response("{}", { status: 500 });
  return COUNTS[url] ? new Response(encoded(2, 2, COUNTS[url])) : Response.json(JSONS[url]);
}
setGlobals({ fetch: fetched });
const releases = ["a", "b"].map((id) => ({
  ...{ id, title: id.toUpperCase(), brief: `${id}!`, style: { colour: `--${id}`, width: 9 } },
  urls: { heat_map: `/${id}/map`, comparison: `/${id}/comparison`, grouping: `/${id}/grouping` },
}));
const made = () => createComparisonData({ truth: "/truth", releases, axis: null });
beforeEach(() => void requested.splice(0));

test("each is requested once, whoever needs it", async () => {
  const known = made();
  await Promise.all([known.load("a"), known.load("a"), known.load("b")]);
  await known.load("a");
  equal(requested.sort().join(), "/a/comparison,/a/map,/b/comparison,/b/map,/truth");
  deepEqual([...known.cells("a").values, known.comparisonOf("b").most_spent], [1, 2, 5, 30, 2]);
});

test("what failed is requested again", async () => {
  refused.add("/a/map");
  const known = made();
  await rejects(known.load("a"));
  await known.load("a");
  equal(requested.join().split("/a/map").length, 3);
  ok(known.cells("a"));
});

test("truth, release and difference, each of its release", async () => {
  const known = made();
  const values = (view, id) => [...(known.cellsOf(view, id)?.values ?? [])].join(" ");
  gives(values, { "truth, a": "", "difference, a": "" });
  await Promise.all([known.load("a"), known.load("b")]);
  gives(values, { "truth, b": "0 1 4 20", "release, b": "0 0 0 0", "difference, a": "1 1 1 10" });
  gives(values, { "difference, b": "0 -1 -4 -20" });
  equal(known.cellsOf("difference", "b"), known.cellsOf("difference", "b"));
});

test("the largest and the typical count are those of the upload", async () => {
  const known = made();
  deepEqual([known.shades(false).limit, known.typicalCount()], [1, 1]);
  await known.load("a");
  deepEqual([known.shades(false).limit, known.typicalCount()], [20, 8]);
});

test("visible releases are loaded ones, the shown one first", async () => {
  const known = made();
  const ids = (...visible) => {
    const found = known.visibleReleases({ shown: releases[1], visible: new Set(visible) });
    return found.map(({ id }) => id).join();
  };
  await known.load("a");
  equal(ids("a", "b"), "a");
  await known.load("b");
  deepEqual([ids("a", "b"), ids("a")], ["b,a", "a"]);
  const [{ id, name, style }, ...others] = known.linesOf([releases[1]]);
  deepEqual([id, name, style.width, others.length], ["b", "B", 2, 0]);
  deepEqual([...known.lineOfTruth().row(1)], [4, 20]);
});

test("groupings of those that report one, requested once", async () => {
  const known = made();
  refused.add("/b/grouping?dimension=1");
  await rejects(known.groupings(releases, 1));
  requested.length = 0;
  await known.groupings(releases, 1);
  deepEqual(requested, ["/b/grouping?dimension=1"], "what failed");
  for (let i = 0; i < 2; i += 1)
    deepEqual(await known.groupings(releases, 1), [{ name: "a!", colour: "--a", id: "a", group_size: [1] }]);
  equal(requested.length, 1);
});

test("an event takes fewer timestamps than there are, at most 10,000", () => {
  const of = (timestamps) => {
    const { rule, value } = detection.lengthRule(timestamps);
    ok(rule.whole && rule.required);
    return `${rule.minimum} to ${rule.maximum}, ${value}`;
  };
  gives(of, { 40: "1 to 39, 10", 11: "1 to 10, 10", 5: "1 to 4, 4", 1: "1 to 1, 1", 20000: "1 to 10000, 10" });
});

test("an area, or why there is none; what is detected and judged", () => {
  const text = (curve, positives) => detection.areaText({ curve, positives });
  deepEqual([text({ area: 0.98765 }, 4), text({ area: 0 }, 4)], ["0.988", "0"]);
  gives(text, { "null, 4": "every timestamp is such an event", "null, 0": "no such event" });
  match(detection.aboutText("jump"), /^A jump .* from that many timestamps before\. The uploaded counts are judged/);
  match(detection.aboutText("low-signal"), /^A low signal .* below the threshold\. The uploaded counts/);
});

test("releases without a curve are left out, the others keep their own", () => {
  const some = ["a", "b", "c"].map((id) => ({ id, title: id.toUpperCase(), style: { colour: `--${id}` }, urls: {} }));
  const found = [1, null, 3].map((x) => ({
    curve: x && { false_positive_rate: [0, x], true_positive_rate: [x, 1] },
    ...{ positives: 1, negatives: 1 },
  }));
  deepEqual(detection.curvesOf(some, found), [
    { id: "a", name: "A", colour: "--a", x: [0, 1], y: [1, 1] },
    { id: "c", name: "C", colour: "--c", x: [0, 3], y: [3, 1] },
  ]);
});

test("every error has one place: beside its field, where there is one, else with the others", () => {
  const fields = ["length", "event", undefined, "threshold", "constructor"];
  const errors = fields.map((field) => ({ field, message: `${field}` }));
  const { beside, others } = detection.besideFields(errors, ["length", "threshold"]);
  const texts = [beside, others].map((some) => some.map(({ message }) => message).join());
  deepEqual(texts, ["length,threshold", "event,undefined,constructor"]);
});

test("dimensions in the order of names or figures, equal ones by name, those without one as the least", () => {
  const known = { names: ["b", "a10", "a9"], totals: [5, 5, 7], errors: [0.5, null, 0.1] };
  const by = (key, descending, text = "") => ordered(known, text, { key, descending }).join(" ");
  gives(by, { "name, false": "2 1 0", "name, true": "0 1 2", "total, true": "2 1 0", "total, false": "1 0 2" });
  gives(by, { "error, true": "0 2 1", "error, false": "1 2 0" });
  gives(by, { "name, false,  A1 ": "1", "name, false, a": "2 1", "total, true, c": "" });
  const some = { names: ["a", "b"], totals: [1, 1], errors: [0, null] };
  deepEqual(ordered(some, "", { key: "error", descending: false }), [1, 0], "none is below 0");
});

test("errors in few characters", () => {
  gives(errorText, { null: "–", 0: "0.0", 0.1849: "0.18", 0.02: "0.020", 0.000244: "2.4e-4" });
  gives(errorText, { 9999: "10,000", 10000: "10k", 12345: "12.3k" });
});

const COUNTED = { truth: rows("1 2 3, 4 5 6"), a: rows("10 20 30, 40 50 60") };
const cellsOf = (id) => ({ row: (one) => COUNTED[id][one], at: (one, column) => COUNTED[id][one][column] });
const lineOf = (id, name) => ({ name, row: cellsOf(id).row });
const listed = [{ id: "a", title: "A", level: "w-event", window: 2, figures: { are: 0.5, mae: 7 } }];
const page = {
  ...{ axis: { labels: ["Mon", "Tue", "Wed"] }, dimensions: { names: ["tea", "mugs"] }, releases: listed },
  ...{ columns: ["are", "mae"].map((name) => ({ name, short: name.toUpperCase() })), zeros: { are: 1 } },
};
const known = {
  ...{ cells: cellsOf, cellsOf: (view, id) => cellsOf(view === "truth" ? view : id) },
  lineOfTruth: () => lineOf("truth", "Truth"),
  linesOf: (which) => which.map(({ id, title }) => lineOf(id, title)),
  comparisonOf: () => ({ window_spent: [0.1, null, 0.3] }),
};
const state = {
  ...{ order: [1, 0], view: "release", shown: listed[0] },
  ...{ cell: { dimension: 0, column: 2 }, pinned: [1], range: [1, 3] },
};
const lanes = [
  { label: ["A", "ε each"], values: [0.1, 0.2, 0.3] },
  { label: ["clusters: A"], values: [true, false, true] },
];
const numbers = createNumbers({ page, known, state, lines: () => listed }, () => lanes);
const written = ({ head, rows }) => [head(), ...rows()].map((row) => row.join(" | "));

test("the heat map: dimensions in the order shown, a column for each time", () => {
  deepEqual(written(numbers.heat), ["dimension | Mon | Tue | Wed", "mugs | 40 | 50 | 60", "tea | 10 | 20 | 30"]);
  deepEqual(numbers.heat.rows()[0], ["mugs", 40, 50, 60]);
  state.view = "truth";
  deepEqual(numbers.heat.rows()[0], ["mugs", 4, 5, 6]);
});

test("the selected column: truth beside each release", () => {
  deepEqual(written(numbers.column), ["dimension at Wed | truth | A", "mugs | 6 | 60", "tea | 3 | 30"]);
  state.cell.column = 0;
  deepEqual(written(numbers.column), ["dimension at Mon | truth | A", "mugs | 4 | 40", "tea | 1 | 10"]);
});

test("lanes and budgets by time", () => {
  const times = ["Mon | 0.1 | true", "Tue | 0.2 | false", "Wed | 0.3 | true"];
  deepEqual(written(numbers.lanes), ["time | A, ε each | clusters: A", ...times]);
  deepEqual(numbers.lanes.rows()[0], ["Mon", 0.1, true]);
  deepEqual(written(numbers.budget), ["time | A, ε in 2 timestamps", "Mon | 0.1", "Tue | ", "Wed | 0.3"]);
});

test("pinned dimensions within the range, truth first; errors of releases, and of publishing zeros", () => {
  deepEqual(written(numbers.pinned), ["time | mugs, Truth | mugs, A", "Tue | 5 | 50", "Wed | 6 | 60"]);
  const errors = ["A | w-event | 0.5 | 7", "Publish zeros |  | 1 | "];
  deepEqual(written(numbers.releases), ["release | level | ARE | MAE", ...errors]);
});

test("rows by a figure, those without it last both ways, the list itself unchanged", () => {
  const rows = Object.entries({ x: 2, zeros: 1, y: null, z: 3 }).map(([id, are]) => ({ id, figures: { are } }));
  const ids = (some) => some.map(({ id }) => id).join();
  deepEqual([ids(sorted(rows, "are", false)), ids(sorted(rows, "are", true))], ["zeros,x,z,y", "z,x,zeros,y"]);
  equal(ids(rows), "x,zeros,y,z");
});

test("rows as CSV: texts quoted where they must be, nothing where there is none, numbers whole", () => {
  const texts = ['the "best" one', 0.1];
  const others = [null, -5, true, 1e21];
  equal(csvOf(["a", "b,c"], [["x", 1], texts]), 'a,"b,c"\nx,1\n"the ""best"" one",0.1\n');
  equal(csvOf(["a"], [others]), "a\n,-5,true,1e+21\n");
  equal(csvOf(["=sum(1)", "two\nlines"], []), '\'=sum(1),"two\nlines"\n');
});

test("a table has all digits of whole numbers and six of others", () => {
  const body = Object.entries({ A: 123456789, 7: 0.123456789, B: 100000.25, C: null });
  const table = tableOf("Errors", ["release", "are"], [...body, [8, 1]]);
  equal(table.texts("th").join(), "release,are,7,A,B,C,8");
  deepEqual(table.texts("td"), ["0.123457", "123,456,789", "100,000.3", "–", "1"]);
  equal(table.texts("caption")[0], "Errors");
});

test("of many rows the first 200 are shown, and their number is stated", () => {
  const shown = (n) => {
    const table = tableOf(
      "Counts",
      ["n"],
      Array.from({ length: n }, (_, i) => [i]),
    );
    return [table.all("tbody")[0].all("tr").length, table.texts("caption")[0]];
  };
  deepEqual(shown(200), [200, "Counts"]);
  deepEqual(shown(201), [200, "Counts The first 200 of 201 rows; the CSV has them all."]);
});
