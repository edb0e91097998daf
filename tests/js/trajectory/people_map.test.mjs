import assert from "node:assert/strict";
import { test } from "node:test";

import { byColour, nearestStep } from "../../../static/js/map/people_steps.js";
import { Positions } from "../../../static/js/map/positions.js";
import { track } from "./two_people.mjs";

const view = { width: 360, height: 360, zoom: 0, scale: 360, left: 0, top: 0 }; // a pixel to a degree
const DOWN = (1e8 / 2 ** 32) * 360; // from the first person to the second, px
const nearest = (x, y, reach = 3) => nearestStep(view, new Positions(track, 0), { x, y }, reach);

test("pieces are drawn colour by colour", () => {
  assert.deepEqual(byColour(["x", "y", "x"], 3), [
    ["x", [0, 2]],
    ["y", [1]],
  ]);
  assert.deepEqual(byColour(["x", "y", "x"], 2), [
    ["x", [0]],
    ["y", [1]],
  ]);
});

test("the nearest step of a person, within reach; none leads from one person to the next", () => {
  assert.deepEqual([nearest(180.5, 181), nearest(181.5, 181), nearest(180.5, 180 + DOWN)], [1, 2, 4]);
  assert.deepEqual([nearest(181, 184.2, 1), nearest(181, 176.9), nearest(181, 177.1)], [-1, -1, 2]);
  assert.deepEqual([nearest(184.9, 180), nearest(185.1, 180), nearest(177.1, 180, 3)], [2, -1, 1]);
  assert.equal(nearest(181, 180 + DOWN / 2 + 0.1, 9), 4);
  assert.equal(nearest(181, 180 + DOWN / 2 - 0.1, 9), 2);
});
