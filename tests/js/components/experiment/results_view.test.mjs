import assert from "node:assert/strict";
import { test } from "node:test";

import {
  alignedTo,
  axisLineStyles,
  comparable,
  distinct,
  indexOf,
  mayLie,
  panelsOf,
  sameAs,
  usualView,
  withRole,
} from "../../../../static/js/components/experiment/results_view.js";

const axis = (name, ...labels) => ({
  name,
  title: name.toUpperCase(),
  values: labels.map((label) => ({ label, number: Number(label) || null, none: label === "none" })),
});
const [SIZE, SORT, DUMMY] = [axis("size", "1", "2"), axis("release", "A", "B"), axis("dummy", "none", "few", "many")];
/** The mean of a cell states its place; without dummies both sorts are the same. */
const point = (i, j, k, share = 0) => ({ at: [i, j, k], share, values: [{ mean: 100 * i + (k && 10 * j) + k, n: 3 }] });
const CELLS = [0, 1].flatMap((i) => [0, 1].flatMap((j) => [0, 1, 2].map((k) => point(i, j, k))));
const RESULTS = { axes: [SIZE, SORT, DUMMY], points: CELLS, along: 0, marked: false, level: null, measures: ["error"] };
const lineText = ({ value, x, y, baseline }) => `${value}${baseline ? " baseline" : ""}: ${x} → ${y}`;
const texts = (results, view) =>
  panelsOf(results, view).map(({ title, lines }) => [title, ...lines.map(lineText)].join("; "));

test("numbers lie along, what is compared is lines, and a baseline is in every chart", () => {
  const view = usualView(RESULTS);
  assert.deepEqual(view, { measure: 0, along: 0, lines: 1, facet: 2, fixed: {} });
  const baseline = "null baseline: 1,2 → 0,100";
  assert.deepEqual(texts(RESULTS, view), [
    `few; 0: 1,2 → 1,101; 1: 1,2 → 11,111; ${baseline}`,
    `many; 0: 1,2 → 2,102; 1: 1,2 → 12,112; ${baseline}`,
  ]);
  assert.deepEqual(usualView({ ...RESULTS, along: null }), {
    measure: 0,
    along: null,
    lines: 1,
    facet: 0,
    fixed: { 2: 0 },
  });
  assert.deepEqual(usualView({ ...RESULTS, along: 1 }).along, null);
  const marked = { axes: [axis("landmarks", "x", "y")], along: 0 };
  assert.deepEqual(
    [true, false].map((one) => [usualView({ ...marked, marked: one }).along, mayLie({ ...marked, marked: one })]),
    [
      [0, [0]],
      [null, []],
    ],
  );
  assert.deepEqual(mayLie(RESULTS), [0]);
});

test("who was in a role takes the place of who comes, and one without a role is fixed", () => {
  const view = usualView(RESULTS);
  assert.deepEqual(withRole(view, "lines", 2), { ...view, lines: 2, facet: 1 });
  const fixed = withRole(view, "facet", null);
  assert.deepEqual(fixed, { ...view, facet: null, fixed: { 2: 0 } });
  assert.deepEqual(withRole(fixed, "lines", 2), { ...view, lines: 2, facet: null, fixed: { 1: 0 } });
  assert.deepEqual(withRole(view, "lines", 1), view);
  assert.deepEqual(texts(RESULTS, { ...fixed, fixed: { 2: 1 } }), ["By release; 0: 1,2 → 1,101; 1: 1,2 → 11,111"]);
  assert.deepEqual(texts(RESULTS, { ...view, along: null, facet: 0, lines: null, fixed: { 1: 1, 2: 2 } }), [
    "SIZE 1; null: 0 → 12",
    "SIZE 2; null: 0 → 112",
  ]);
  const few = {
    ...RESULTS,
    marked: true,
    points: [
      { ...CELLS[1], share: 0.3 },
      { ...CELLS[2], values: [null] },
    ],
  };
  assert.deepEqual(texts(few, { ...fixed, lines: null, fixed: { 2: 1 } }), ["All cells; null: 0.3 → 1"]);
});

test("another experiment is read under the same axes, whatever their order; what it lacks is missing", () => {
  const turned = CELLS.slice(1).map((one) => ({ ...one, at: one.at.toReversed() }));
  const other = { ...RESULTS, axes: RESULTS.axes.toReversed(), points: turned };
  const found = alignedTo(RESULTS, other);
  assert.deepEqual(found.points.slice(1), CELLS.slice(1));
  assert.deepEqual([found.points[0], found.axes], [{ at: [0, 0, 0], share: null, values: [null] }, RESULTS.axes]);
  assert.equal(sameAs(indexOf(RESULTS), other.axes, turned[4]), CELLS[5]);
  assert.equal(sameAs(indexOf(other), RESULTS.axes, CELLS[0]), null);
  assert.deepEqual([comparable(RESULTS, other), comparable(RESULTS, { axes: [SIZE, SORT] })], [true, false]);
});

test("a mechanism that comes again has its next line style, and what has none the palette's in turn", () => {
  const palette = { a: ["a1", "a2"], b: ["b1", "b2"] };
  const styles = (...names) => axisLineStyles({ values: names.map((mechanism) => ({ mechanism })) }, palette).join(" ");
  assert.equal(styles("a", "b", "a", "a", "b"), "a1 b1 a2 a1 b2");
  assert.equal(styles("x", "x", "x", "x", "x"), "a1 b1 a2 b2 a1");
  assert.deepEqual(axisLineStyles(null, palette), ["a1"]);
});

test("of lines that lie on each other the longest is left; a billionth beside it is on it, a millionth is not", () => {
  const line = (name, x, y) => ({ name, x, y });
  const of = (...lines) => distinct(lines).map(({ name }) => name);
  const [long, part] = [line("long", [1, 2, 3], [5, 6, 4000]), line("part", [1, 2], [5, 6])];
  assert.deepEqual(of(part, long), ["long"]);
  assert.deepEqual(of(line("none", [], []), long), ["long"]);
  const near = [line("near", [1], [5 + 4e-9]), line("large", [3], [4000 + 3e-6]), line("small", [0.1], [0.2 + 9e-10])];
  assert.deepEqual(of(long, line("tiny", [0.1, 9], [0.2, 1]), ...near), ["long", "tiny"]);
  const apart = [
    ...[line("farther", [1], [5 + 6e-9]), line("smaller", [0.1], [0.2 + 2e-9]), line("other x", [2], [5])],
    ...[line("other y", [1, 2], [5, 7]), line("beyond", [1, 4], [5, 6])],
  ];
  assert.deepEqual(new Set(of(long, line("tiny", [0.1], [0.2]), ...apart)).size, 7);
  assert.deepEqual(of(...near.slice(0, 1), part, line("again", [1, 2], [5, 6])), ["part"]);
});
