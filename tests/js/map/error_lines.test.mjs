import assert from "node:assert/strict";
import { test } from "node:test";

import { drawErrors } from "../../../static/js/map/error_lines.js";
import { draws, setGlobals } from "../support.mjs";
import { noted, positionsOf, VIEW } from "./places.mjs";

setGlobals({
  document: { documentElement: { dataset: {} } },
  getComputedStyle: () => ({ getPropertyValue: () => "" }),
});
/** The lines of errors, [event's place, release's place]. */
function errorsOf(lines, view = VIEW) {
  const { ctx, calls } = noted();
  const every = drawErrors(ctx, view, { colour: "#000000", ...lines });
  const ends = calls
    .filter(([name]) => name === "moveTo" || name === "lineTo")
    .map(([, x, y]) => [Math.round(x), Math.round(y)]);
  return { every, lines: ends.flatMap((end, i) => (i % 3 === 0 ? [[...end, ...ends[i + 1]]] : [])) };
}

test("an error line leads from each event to its position in the release", () => {
  const [original, release] = [
    positionsOf([
      [0, 0],
      [10, 0],
      [20, 0],
    ]),
    positionsOf([
      [0, 10],
      [10, 10],
      [20, 10],
    ]),
  ];
  const all = { original, release, events: null, first: 0, after: 3 };
  assert.deepEqual(errorsOf(all).lines, [
    [100, 50, 100, 60],
    [110, 50, 110, 60],
    [120, 50, 120, 60],
  ]);
  assert.deepEqual(errorsOf({ ...all, first: 1, after: 2 }).lines, [[110, 50, 110, 60]]);
});

test("a release of fewer events has lines from those alone", () => {
  const original = positionsOf([
    [0, 0],
    [10, 0],
    [20, 0],
    [30, 0],
  ]);
  const release = positionsOf([
    [10, 10],
    [30, 10],
  ]);
  const found = errorsOf({ original, release, events: Int32Array.of(1, 3), first: 0, after: 4 });
  assert.deepEqual(found.lines, [
    [110, 50, 110, 60],
    [130, 50, 130, 60],
  ]);
});

test("events beyond a release have none, nor have those outside of the range", () => {
  const flat = { events: null, first: 0, after: 3 };
  const [three, two] = [3, 2].map((n) => positionsOf(Array.from({ length: n }, (_, i) => [10 * i, 0])));
  assert.equal(errorsOf({ original: three, release: two, ...flat }).lines.length, 2);
  assert.equal(errorsOf({ original: three, release: two, ...flat, events: [1, 2], first: 2 }).lines.length, 1);
});

test("one end in view is enough, and the line goes the near way around the globe", () => {
  const [original, release] = [
    positionsOf([
      [0, 0],
      [-170, 0],
    ]),
    positionsOf([
      [170, 0],
      [0, 0],
    ]),
  ];
  const found = errorsOf({ original, release, events: null, first: 0, after: 2 });
  assert.deepEqual(found.lines, [
    [100, 50, 270, 50],
    [-70, 50, 100, 50],
  ]);
  const world = { ...VIEW, width: 360, left: 0 };
  const over = errorsOf(
    { original: positionsOf([[175, 0]]), release: positionsOf([[-175, 0]]), events: null, first: 0, after: 1 },
    world,
  );
  assert.deepEqual(over.lines, [[355, 50, 365, 50]]);
});

test("of many events every second, fourth or eighth has a line", () => {
  const draw = draws(74);
  const places = draw.list(7000, () => [draw.real(-90, 90), draw.real(-40, 40)]);
  const [original, release] = [positionsOf(places), positionsOf(places)];
  const { every, lines } = errorsOf({ original, release, events: null, first: 0, after: 7000 });
  assert.deepEqual([every, lines.length], [4, 1750]);
});
