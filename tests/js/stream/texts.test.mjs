import { deepEqual, equal, match, ok } from "node:assert/strict";
import { test } from "node:test";

import * as text from "../../../static/js/stream/comparison_text.js";
import { MOST_PINNED, restoreViewState } from "../../../static/js/stream/view_state.js";
import { check, gives, spaced } from "../cases.mjs";
import { FakeElement, setElements } from "../elements.mjs";
import { addressBar, draws } from "../support.mjs";

const PROMISE = Object.fromEntries(
  ["promise-title", "promise", "shown-swatch"].map((name) => [`[data-${name}]`, new FakeElement(name)]),
);
setElements(PROMISE);
const AXIS = { labels: ["Mon", "Tue", "Wed", "Thu"], edges: [0, 2, 4, 6, 8], timestamps: 8 };

test("counts have all digits, small estimates three", () => {
  gives(text.countText, {
    0: "0",
    123456789: "123,456,789",
    "-7": "-7",
    99.987: "100",
    100.06: "100.1",
    12.345: "12.3",
  });
  gives(text.countText, { 1234.56: "1,234.6", "-100.04": "-100", 0.012345: "0.0123" });
});

test("a window holds the timestamps before its end and no column more", () => {
  const comparison = { window_spent: [0.1, 0.2, 0.3, null, 0.123456] };
  const at = (size, column) => {
    const found = text.windowAt(AXIS, comparison, size, column, "Uniform");
    return found && `${found.first} ${found.last} ${found.text}`;
  };
  gives(at, { "2, 2": "2 2 Wed to Wed: Uniform 0.3", "4, 2": "1 2 Tue to Wed: Uniform 0.3" });
  gives(at, { "5, 2": "0 2 Mon to Wed: Uniform 0.3", "3, 1": "0 1 Mon to Tue: Uniform 0.2" });
  gives(at, { "99, 1": "0 1 Mon to Tue: Uniform 0.2", "2, 3": null, "2, 9": null });
  const five = { labels: [..."abcde"], edges: [0, 1, 2, 3, 4, 5] };
  equal(text.windowAt(five, comparison, 1, 4, "Uniform").text, "e to e: Uniform 0.1235");
  equal(text.windowAt(AXIS, undefined, 2, 0, ""), null);
});

test("the columns of a window are the fewest that hold all its timestamps", () => {
  const draw = draws(6);
  for (let i = 0; i < 200; i += 1) {
    const edges = [0];
    for (let k = draw.int(1, 20); k > 0; k -= 1) edges.push(edges.at(-1) + draw.int(1, 5));
    const labels = edges.slice(1).map(String);
    const column = draw.int(0, labels.length - 1);
    const size = draw.int(1, 30);
    const { first } = text.windowAt({ edges, labels }, { window_spent: labels.map(() => 1) }, size, column, "");
    const begins = Math.max(edges[column + 1] - size, 0);
    ok(edges[first] <= begins && begins < edges[first + 1], `${size} before ${column} of ${edges}`);
  }
});

test("the span of a range names its first and its last column; a mean error where there is one", () => {
  deepEqual([text.rangeText(AXIS, [1, 4]), text.rangeText(AXIS, [2, 3])], ["Tue to Thu", "Wed to Wed"]);
  const comparison = { dimensions: { absolute_error: [12.345, null] } };
  gives((k) => text.errorNote(comparison, k), { 0: "mean error 12.3", 1: "", 2: "" });
  equal(text.errorNote(undefined, 0), "");
});

test("whether a release stayed within its budget, and what is unsound or unknown", () => {
  const note = (most_spent, unsound = "", others = []) => {
    const release = { id: "a", title: "A", epsilon: 1, unsound };
    return text.budgetNote({ comparisonOf: () => ({ most_spent }) }, release, [release, ...others]);
  };
  const b = { id: "b", title: "B", epsilon: 1, unsound: "" };
  const unsound = "has no guarantee: what it spends is not what it leaks";
  check(note, [
    [[1], "never above ε = 1"],
    [[1 + 1e-12], "never above ε = 1"],
    [[1 + 1e-8], "up to 1, above ε = 1"],
    [[1.234567], "up to 1.235, above ε = 1"],
    [[null], "no budgets are stored with A"],
    [[undefined], ""],
    [[1, "nothing bounds it"], `never above ε = 1 · A ${unsound}`],
    [[1, "", [{ ...b, epsilon: 2 }]], "A: never above ε = 1"],
    [[1, "", [{ ...b, unsound: "so" }]], `never above ε = 1 · B ${unsound}`],
  ]);
});

test("what shares a pixel or a column is stated, and only then", () => {
  const sentences = (dimensions, rows, signed = false, axis = AXIS) => text.columnsText(axis, dimensions, rows, signed);
  match(sentences(10, 4), /^A row of pixels shows the largest count of at most 3 dimensions\. Each of 4 columns/);
  match(sentences(10, 4, true), /shows the largest difference, up or down, of at most 3 dimensions/);
  match(sentences(5, 4), /at most 2 dimensions/);
  match(
    sentences(4, 4),
    /^Each of 4 columns is a mean; errors are of all 8 timestamps\. Shades are by rank: half of the true counts/,
  );
  match(sentences(4, 4, false, { ...AXIS, timestamps: 4 }), /^Shades are by rank.* The heat map shows the dimensions/);
});

test("the values of a cell: truth, release, their signed difference and its share, other releases once", () => {
  const valuesOf = (truth, released, edges = AXIS.edges) => {
    const line = new FakeElement("p");
    const cells = { truth, a: released, b: 8 };
    const [shown, other] = [
      { id: "a", brief: "Uniform" },
      { id: "b", brief: "Sample" },
    ];
    text.showValues(line, {
      page: { dimensions: { names: ["tea", "mugs"] }, axis: { ...AXIS, edges } },
      known: { cells: (id) => ({ at: () => cells[id] }) },
      cell: { dimension: 1, column: 2 },
      ...{ shown, others: [shown, other] },
    });
    return spaced(line.children.map((child) => child.textContent));
  };
  const mean = "Wed, mean of 2 timestamps";
  deepEqual(valuesOf(40, 50), ["mugs", mean, "truth 40", "Uniform 50", "difference +10 (+25 %)", "Sample 8"]);
  const difference = (...given) => valuesOf(...given)[4].replace("difference ", "");
  gives(difference, { "40, 30": "−10 (−25 %)", "0, 3": "+3", "0, 0.5": "+0.5", "8, 7.5": "−0.5 (−6.25 %)" });
  equal(difference(4, 4), "0 (+0 %)");
  equal(valuesOf(4, 4, [0, 1, 2, 3, 4])[1], "Wed");
});

test("a time of full minutes is stated to the minute, other labels as they are", () => {
  gives(text.timeText, { "2024-05-19T23:00:00.000Z": "2024-05-19 23:00", "2024-05-19": "2024-05-19", w1: "w1" });
  gives(text.timeText, { "2024-05-19T23:00:30Z": "2024-05-19T23:00:30Z" });
});

test("a legend goes from 0, of differences from one end to the other; values keep the width of the longest", () => {
  const host = new FakeElement("div");
  const ends = (signed) => {
    text.showLegend(host, signed, { limit: 2000, middle: signed ? 0 : 12.5, name: signed ? "log" : "by rank" });
    return [0, 2, 4].map((i) => host.children[i]).join(" ");
  };
  deepEqual([ends(false), ends(true)], ["0 12.5 ≥ 2,000, by rank", "−2,000 0 +2,000, log"]);
  const line = new FakeElement("p");
  text.reserveValues(line, { axis: { labels: ["a", "long label"], edges: [0, 1, 2] }, largest: 12345 });
  deepEqual([line.style["--number"], line.style["--time"]], ["9ch", "10ch"]);
});

test("the promise of a release; a simulation is called one, and unsound only what is", () => {
  const sentences = (seeded, unsound = "") => {
    const style = { colour: "", dash: "" };
    text.showPromise({ heading: "A", level: "w-event", statement: "It holds.", seeded, unsound, style });
    return PROMISE["[data-promise]"].textContent;
  };
  equal(sentences(false), "It holds.");
  match(sentences(true), /^A seeded simulation: .* Drawn with private noise, this would hold: It holds\.$/);
  match(sentences(true, "so"), /is not published\. It holds\.$/);
  equal(PROMISE["[data-promise-title]"].textContent, "A, w-event");
  equal(PROMISE["[data-shown-swatch]"].children.length, 1);
});

const ID = "01234567-89ab-cdef-0123-456789abcdef";
const OTHER = "01234567-89ab-cdef-0123-4567fedcba98";
const known = { releases: [{ id: ID }, { id: OTHER }], dimensions: 20, columns: 9 };
const { place, go } = addressBar();
/** A state as the page opens, changed to what the address names. */
function opened(query = "") {
  go(query);
  const state = {
    ...{ view: "release", shown: { id: ID }, visible: new Set(["truth", ID]), pinned: [3, 4], search: "", order: [] },
    ...{ sorting: { key: "total", descending: true }, cell: { dimension: 3, column: 8 }, range: [0, 9], common: false },
  };
  return { state, store: restoreViewState(state, known) };
}
const restored = (query) => opened(`?${query}`).state;

test("without parameters the state is as the page opens", () => {
  const { view, cell, range, pinned, visible, search, common } = opened().state;
  deepEqual([view, cell, range, pinned], ["release", { dimension: 3, column: 8 }, [0, 9], [3, 4]]);
  deepEqual([[...visible], search, common], [["truth", ID], "", false]);
});

test("a cell is within the dimensions and columns, a range ends with the last column at the latest", () => {
  const cell = (at) => Object.values(restored(`at=${at}`).cell).join();
  gives(cell, { "0-0": "0,0", "19-8": "19,8", "20-0": "3,8", "0-9": "3,8", "-1-2": "3,8", 5: "3,8", "5-": "3,8" });
  gives(cell, { "1.5-2": "3,8", "a-b": "3,8", "": "3,8" });
  const range = (text) => restored(`range=${text}`).range.join();
  gives(range, { "0-9": "0,9", "2-5": "2,5", "8-9": "8,9", "2-10": "0,9", "5-5": "0,9", "6-5": "0,9", x: "0,9" });
});

test("pinned dimensions are there, each once, at most as many as can be pinned", () => {
  const pinned = (text) => restored(`pinned=${text}`).pinned.join();
  gives(pinned, { "0,19,20": "0,19", "7,7,2": "7,2", "1,,2": "1,2", "-1,x,1e1,6": "6", "": "" });
  const all = [...Array(20).keys()];
  deepEqual(restored(`pinned=${all}`).pinned, all.slice(0, MOST_PINNED));
});

test("lines are named by the ends of their ids", () => {
  const visible = (lines) => [...restored(`lines=${lines}`).visible].join();
  gives(visible, { "89abcdef,truth": `truth,${ID}`, "fedcba98,nothing": OTHER, "": "" });
});

test("views and orders that are none change nothing", () => {
  deepEqual([restored("view=difference").view, restored("view=nonsense").view], ["difference", "release"]);
  deepEqual(restored("sort=-error").sorting, { key: "error", descending: true });
  deepEqual(restored("sort=name").sorting, { key: "name", descending: false });
  deepEqual(restored("sort=id").sorting, { key: "total", descending: true });
  deepEqual([restored("scale=common").common, restored("search=tea%20cup").search], [true, "tea cup"]);
});

test("an address has what is other than at first, the release always", () => {
  const { state, store } = opened("?tab=1&search=x");
  state.search = "";
  store();
  equal(place.search, `?tab=1&release=${ID}`);
  state.range = [2, 5];
  state.visible = new Set(["truth", OTHER]);
  store();
  equal(place.search, `?tab=1&release=${ID}&lines=fedcba98,truth&range=2-5`);
});

test("what is stored is restored", () => {
  const draw = draws(10);
  for (let i = 0; i < 200; i += 1) {
    const { state, store } = opened();
    const first = draw.int(0, 8);
    Object.assign(state, {
      view: draw.pick(["truth", "release", "difference"]),
      visible: new Set(["truth", ID, OTHER].filter(() => draw.int(0, 1))),
      pinned: [...new Set(draw.list(draw.int(0, MOST_PINNED), () => draw.int(0, 19)))],
      search: draw.pick(["", "tea", "a,b:c &=%", "ε –"]),
      sorting: { key: draw.pick(["name", "total", "error"]), descending: draw.int(0, 1) === 1 },
      cell: { dimension: draw.int(0, 19), column: draw.int(0, 8) },
      ...{ range: [first, draw.int(first + 1, 9)], common: draw.int(0, 1) === 1 },
    });
    store();
    const inOrder = (one) => ({ ...one, visible: [...one.visible].sort() });
    deepEqual(inOrder(opened(place.search).state), inOrder(state), place.search);
  }
});
