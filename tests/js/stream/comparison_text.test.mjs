import assert from "node:assert/strict";
import { test } from "node:test";

import * as text from "../../../static/js/stream/comparison_text.js";
import { check, spaced } from "../cases.mjs";
import { FakeElement, setElements } from "../elements.mjs";
import { draws } from "../support.mjs";

const PROMISE = Object.fromEntries(
  ["promise-title", "promise", "shown-swatch"].map((name) => [`[data-${name}]`, new FakeElement(name)]),
);
setElements(PROMISE);
const AXIS = { labels: ["Mon", "Tue", "Wed", "Thu"], edges: [0, 2, 4, 6, 8], timestamps: 8 };

test("counts have all digits, small estimates three", () =>
  check(text.countText, [
    [[0], "0"],
    [[123456789], "123,456,789"],
    [[-7], "-7"],
    [[99.987], "100"],
    [[100.06], "100.1"],
    [[12.345], "12.3"],
    [[1234.56], "1,234.6"],
    [[-100.04], "-100"],
    [[0.012345], "0.0123"],
  ]));

test("a window holds the timestamps before its end and no column more", () => {
  const comparison = { window_spent: [0.1, 0.2, 0.3, null] };
  const at = (size, column) => text.windowAt(AXIS, comparison, size, column, "Uniform");
  check(at, [
    [[2, 2], { first: 2, last: 2, text: "Wed to Wed: Uniform 0.3" }],
    [[4, 2], { first: 1, last: 2, text: "Tue to Wed: Uniform 0.3" }],
    [[5, 2], { first: 0, last: 2, text: "Mon to Wed: Uniform 0.3" }],
    [[3, 1], { first: 0, last: 1, text: "Mon to Tue: Uniform 0.2" }],
    [[99, 1], { first: 0, last: 1, text: "Mon to Tue: Uniform 0.2" }],
    [[2, 3], null],
    [[2, 9], null],
  ]);
  assert.equal(text.windowAt(AXIS, undefined, 2, 0, ""), null);
});

test("the columns of a window are the fewest that hold all its timestamps", () => {
  const draw = draws(6);
  for (let i = 0; i < 200; i += 1) {
    const edges = [0];
    for (let k = draw.int(1, 20); k > 0; k -= 1) edges.push(Number(edges.at(-1)) + draw.int(1, 5));
    const labels = edges.slice(1).map(String);
    const column = draw.int(0, labels.length - 1);
    const size = draw.int(1, 30);
    const found = text.windowAt({ edges, labels }, { window_spent: labels.map(() => 1) }, size, column, "");
    const begins = Math.max(edges[column + 1] - size, 0);
    assert.ok(
      found && edges[found.first] <= begins && begins < edges[found.first + 1],
      `${size} before ${column} of ${edges}`,
    );
  }
});

test("the span of a range names its first and its last column", () => {
  assert.equal(text.rangeText(AXIS, [1, 4]), "Tue to Thu");
  assert.equal(text.rangeText(AXIS, [2, 3]), "Wed to Wed");
});

test("a mean error where there is one", () => {
  const comparison = { dimensions: { absolute_error: [12.345, null] } };
  check(
    (k) => text.errorNote(comparison, k),
    [
      [[0], "mean error 12.3"],
      [[1], ""],
      [[2], ""],
    ],
  );
  assert.equal(text.errorNote(undefined, 0), "");
});

test("whether a release stayed within its budget, and what is unsound or unknown", () => {
  const note = (most_spent, unsound = "", others = []) => {
    const release = { id: "a", title: "A", epsilon: 1, unsound };
    return text.budgetNote({ comparisonOf: () => ({ most_spent }) }, release, [release, ...others]);
  };
  check(note, [
    [[1], "never above ε = 1"],
    [[1 + 1e-12], "never above ε = 1"],
    [[1 + 1e-8], "up to 1, above ε = 1"],
    [[1.234567], "up to 1.235, above ε = 1"],
    [[null], "no budgets are stored with A"],
    [[undefined], ""],
    [[1, "nothing bounds it"], "never above ε = 1 · A has no guarantee: what it spends is not what it leaks"],
    [[1, "", [{ id: "b", title: "B", epsilon: 2, unsound: "" }]], "A: never above ε = 1"],
    [
      [1, "", [{ id: "b", title: "B", epsilon: 1, unsound: "so" }]],
      "never above ε = 1 · B has no guarantee: what it spends is not what it leaks",
    ],
  ]);
});

test("what shares a pixel or a column is stated, and only then", () => {
  const sentences = (dimensions, rows, signed = false, axis = AXIS) => text.columnsText(axis, dimensions, rows, signed);
  const alone = { ...AXIS, timestamps: 4 };
  assert.match(
    sentences(10, 4),
    /^A row of pixels shows the largest count of at most 3 dimensions\. Each of 4 columns/,
  );
  assert.match(sentences(10, 4, true), /shows the largest difference, up or down, of at most 3 dimensions/);
  assert.match(sentences(5, 4), /at most 2 dimensions/);
  assert.match(sentences(4, 4), /^Each of 4 columns is a mean; errors are of all 8 timestamps\. The heat map/);
  assert.match(sentences(4, 4, false, alone), /^The heat map shows the dimensions/);
});

const valuesOf = (truth, released, edges = AXIS.edges) => {
  const line = new FakeElement("p");
  const cells = { truth, a: released, b: 8 };
  text.showValues(line, {
    page: { dimensions: { names: ["tea", "mugs"] }, axis: { ...AXIS, edges } },
    known: { cells: (id) => ({ at: () => cells[id] }) },
    cell: { dimension: 1, column: 2 },
    shown: { id: "a", brief: "Uniform" },
    others: [
      { id: "a", brief: "Uniform" },
      { id: "b", brief: "Sample" },
    ],
  });
  return spaced(line.children.map((child) => child.textContent));
};

test("the values of a cell: truth, release, their signed difference and its share, other releases once", () => {
  const mean = "Wed, mean of 2 timestamps";
  assert.deepEqual(valuesOf(40, 50), ["mugs", mean, "truth 40", "Uniform 50", "difference +10 (+25 %)", "Sample 8"]);
  assert.equal(valuesOf(40, 30)[4], "difference −10 (−25 %)");
  assert.equal(valuesOf(0, 3)[4], "difference +3");
  assert.equal(valuesOf(0, 0.5)[4], "difference +0.5");
  assert.equal(valuesOf(8, 7.5)[4], "difference −0.5 (−6.25 %)");
  assert.equal(valuesOf(4, 4)[4], "difference 0 (+0 %)");
  assert.equal(valuesOf(4, 4, [0, 1, 2, 3, 4])[1], "Wed");
});

test("a legend goes from 0, of differences from one end to the other", () => {
  const host = new FakeElement("div");
  const ends = (signed) => {
    text.showLegend(host, signed, 2000);
    return [host.children[0], host.children[2]];
  };
  assert.deepEqual(ends(false), ["0", "≥ 2,000, log"]);
  assert.deepEqual(ends(true), ["−2,000", "+2,000, log"]);
});

test("values keep the width of the longest", () => {
  const line = new FakeElement("p");
  text.reserveValues(line, { axis: { labels: ["a", "long label"], edges: [0, 1, 2] }, largest: 12345 });
  assert.deepEqual([line.style["--number"], line.style["--time"]], ["9ch", "10ch"]);
});

test("the promise of a release; a simulation is called one, and unsound only what is", () => {
  const sentences = (seeded, unsound = "") => {
    const style = { colour: "", dash: "" };
    text.showPromise({ heading: "A", level: "w-event", statement: "It holds.", seeded, unsound, style });
    return PROMISE["[data-promise]"].textContent;
  };
  assert.equal(sentences(false), "It holds.");
  assert.match(sentences(true), /^A seeded simulation: .* Drawn with private noise, this would hold: It holds\.$/);
  assert.match(sentences(true, "so"), /is not published\. It holds\.$/);
  assert.equal(PROMISE["[data-promise-title]"].textContent, "A, w-event");
  assert.equal(PROMISE["[data-shown-swatch]"].children.length, 1);
});
