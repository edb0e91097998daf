import assert from "node:assert/strict";
import { test } from "node:test";

import { drawErrors } from "../../../static/js/map/error_lines.js";
import { frameOf, Positions } from "../../../static/js/map/positions.js";
import { Channel, draws, setGlobals } from "../support.mjs";

setGlobals({ MessageChannel: Channel });
const { drawSteps, PathWriter, shape } = await import("../../../static/js/map/track_layer.js");

const VIEW = { width: 200, height: 100, zoom: 0, scale: 360, left: 80, top: 130 }; // a pixel to a degree, around 0, 0
/** Positions at degrees from the middle; heights in pixels. @param {number[][]} places @param {any} ends */
const positionsOf = (places, ends = null, middle = 0) =>
  new Positions(
    {
      lonE7: Int32Array.from(places, ([lon]) => lon * 1e7),
      y: Int32Array.from(places, ([, y]) => (y / 360) * 2 ** 32),
      ends,
    },
    middle,
  );
/** The lines that are drawn of all steps, rounded. @param {Positions} positions */
function stepsOf(positions, view = VIEW) {
  /** @type {number[][]} */
  const lines = [];
  const writer = { line: (/** @type {number[]} */ ...ends) => lines.push(ends.map(Math.round)) };
  const level = { indices: null, from: [0, positions.n - 1] };
  drawSteps(writer, view, frameOf(view, positions.middle), 1, positions, level, 0);
  return lines;
}
/** A context that notes what is called. */
function noted() {
  const calls = /** @type {any[][]} */ ([]);
  const note =
    (/** @type {string} */ name) =>
    (/** @type {any[]} */ ...given) =>
      void calls.push([name, ...given]);
  const ctx = /** @type {any} */ ({});
  for (const name of ["beginPath", "moveTo", "lineTo", "closePath", "arc", "rect", "stroke", "fill"])
    ctx[name] = note(name);
  return { ctx, calls };
}

test("steps lead from point to point, but not from one piece to the next", () => {
  const places = [
    [-50, 0],
    [0, 10],
    [10, 20],
    [20, 0],
  ];
  assert.deepEqual(stepsOf(positionsOf(places)), [
    [50, 50, 100, 60],
    [100, 60, 110, 70],
    [110, 70, 120, 50],
  ]);
  assert.deepEqual(stepsOf(positionsOf(places, [2, 4])), [
    [50, 50, 100, 60],
    [110, 70, 120, 50],
  ]);
});

test("steps wholly beyond one side of the view are left out, those through it are not", () => {
  assert.deepEqual(
    stepsOf(
      positionsOf([
        [-170, 0],
        [-150, 0],
        [-140, 30],
      ]),
    ),
    [],
  );
  assert.equal(
    stepsOf(
      positionsOf(
        [
          [-150, 0],
          [150, 0],
        ],
        null,
        0,
      ),
    ).length,
    2,
    "the near way is over the edge",
  );
  assert.deepEqual(
    stepsOf(
      positionsOf([
        [-120, 0],
        [50, 40],
      ]),
    ),
    [[-20, 50, 150, 90]],
  );
  assert.deepEqual(
    stepsOf(
      positionsOf([
        [0, -100],
        [0, 100],
      ]),
    ),
    [[100, -50, 100, 150]],
  );
});

test("a step over the edge of the world leaves over one side and comes in over the other", () => {
  const world = { ...VIEW, width: 360, left: 0 };
  assert.deepEqual(
    stepsOf(
      positionsOf([
        [170, 0],
        [-170, 0],
      ]),
      world,
    ),
    [
      [350, 50, 370, 50],
      [-10, 50, 10, 50],
    ],
  );
  assert.deepEqual(
    stepsOf(
      positionsOf([
        [-170, 0],
        [170, 0],
      ]),
      world,
    ),
    [
      [10, 50, -10, 50],
      [370, 50, 350, 50],
    ],
  );
});

test("a path goes on where the last line ended, and is cut after two thousand corners", () => {
  const { ctx, calls } = noted();
  const writer = new PathWriter(ctx);
  writer.line(0, 0, 1, 1);
  writer.line(1, 1, 2, 0);
  writer.line(5, 5, 6, 6);
  assert.deepEqual(calls.map(([name]) => name).join(" "), "beginPath moveTo lineTo lineTo moveTo lineTo");
  for (let i = 0; i < 1997; i += 1) writer.line(6 + i, 6, 7 + i, 6);
  assert.deepEqual(
    calls.slice(-3).map(([name]) => name),
    ["stroke", "beginPath", "moveTo"],
  );
  writer.put(ctx);
  assert.equal(calls.filter(([name]) => name === "stroke").length, 2);
});

test("markers are centred on their place", () => {
  for (const marker of ["square", "diamond", "triangle-up", "x", "cross", "circle"]) {
    const { ctx, calls } = noted();
    shape(ctx, marker, 10, 20, 4);
    const xs = calls.flatMap(([name, x, , width]) =>
      name === "rect" ? [x, x + width] : name === "arc" ? [x - 4, x + 4] : (x ?? []),
    );
    assert.ok(Math.abs((Math.min(...xs) + Math.max(...xs)) / 2 - 10) < 1e-9, marker);
  }
  const { ctx, calls } = noted();
  shape(ctx, "cross", 0, 0, 1);
  assert.equal(calls.filter(([name]) => name !== "closePath").length, 12);
});

setGlobals({
  document: { documentElement: { dataset: {} } },
  getComputedStyle: () => ({ getPropertyValue: () => "" }),
});
/** The lines of errors, [event's place, release's place]. @param {any} lines */
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
