import assert from "node:assert/strict";
import { test } from "node:test";

import { frameOf } from "../../../static/js/map/positions.js";
import { drawSteps, PathWriter, shape } from "../../../static/js/map/track_steps.js";
import { noted, positionsOf, VIEW } from "./places.mjs";

/** The lines that are drawn of all steps, rounded. */
function stepsOf(positions, view = VIEW) {
  const lines = [];
  const writer = { line: (...ends) => lines.push(ends.map(Math.round)) };
  const level = { indices: null, from: [0, positions.n - 1] };
  drawSteps(writer, view, frameOf(view, positions.middle), 1, positions, level, 0);
  return lines;
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
