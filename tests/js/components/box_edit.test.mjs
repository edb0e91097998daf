import assert from "node:assert/strict";
import { test } from "node:test";

import { draggedBox, handlesOf, isBox, roundedBox } from "../../../static/js/components/box_edit.js";
import { draws } from "../support.mjs";

const BOX = { west: 2, south: 48, east: 3, north: 49 };

test("four numbers in order on the globe are a box", () => {
  assert.equal(isBox(BOX), true);
  assert.equal(isBox({ west: -180, south: -90, east: 180, north: 90 }), true);
  const wrong = [
    { east: 2 },
    { north: null },
    { west: "2" },
    { east: 180.5 },
    { west: -180.5 },
    { south: 49 },
    { south: -91 },
    { north: 90.1 },
  ];
  for (const changes of wrong) assert.equal(isBox({ ...BOX, ...changes }), false, JSON.stringify(changes));
  assert.equal(isBox(null), false);
});

test("a handle moves its own sides", () => {
  const moves = [
    ["south-west", 1.5, 47.123456, { west: 1.5, south: 47.1235 }],
    ["north-east", 3.25, 49.5, { east: 3.25, north: 49.5 }],
    ["north-west", 3.5, 47, { west: 2.999, north: 48.001 }],
    ["south-east", 190, -95, { east: 180, south: -90 }],
    ["centre", 3.5, 49.5, { west: 3, south: 49, east: 4, north: 50 }],
    ["centre", 200, 99, { west: 179, south: 89, east: 180, north: 90 }],
    ["centre", -200, -99, { west: -180, south: -90, east: -179, north: -89 }],
  ];
  for (const [id, lon, lat, changes] of moves)
    assert.deepEqual(draggedBox(BOX, id, lon, lat), { ...BOX, ...changes }, id);
});

test("whatever is dragged remains a box of four decimals, the middle keeps its size", () => {
  const draw = draws(14);
  const ids = ["south-west", "south-east", "north-west", "north-east", "centre"];
  let box = BOX;
  for (let k = 0; k < 500; k += 1) {
    const id = draw.pick(ids);
    const moved = draggedBox(box, id, draw.real(-250, 250), draw.real(-120, 120));
    assert.ok(isBox(moved), `${id}: ${JSON.stringify(moved)}`);
    for (const side of Object.values(moved)) assert.equal(Number(side.toFixed(4)), side);
    if (id === "centre") {
      assert.ok(Math.abs(moved.east - moved.west - (box.east - box.west)) < 3e-4);
      assert.ok(Math.abs(moved.north - moved.south - (box.north - box.south)) < 3e-4);
    }
    box = moved;
  }
});

test("a box without extent has the least one", () => {
  assert.deepEqual(roundedBox({ west: 180, south: 90, east: 180, north: 90 }), {
    west: 179.999,
    south: 89.999,
    east: 180,
    north: 90,
  });
  assert.deepEqual(roundedBox({ west: 2, south: 1, east: 2.00001, north: 0 }), {
    west: 2,
    south: 1,
    east: 2.001,
    north: 1.001,
  });
});

test("handles lie at their corners, and each moves what it names", () => {
  const handles = handlesOf(BOX);
  assert.deepEqual(
    handles.map(({ id, lon, lat }) => [id, lon, lat]),
    [
      ["south-west", 2, 48],
      ["south-east", 3, 48],
      ["north-west", 2, 49],
      ["north-east", 3, 49],
      ["centre", 2.5, 48.5],
    ],
  );
  for (const { id, lon, lat } of handles) assert.deepEqual(draggedBox(BOX, id, lon, lat), BOX, id);
});
