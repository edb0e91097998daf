import assert from "node:assert/strict";
import { test } from "node:test";

import { byColour, nearestStep } from "../../../static/js/map/people_steps.js";
import {
  frameOf,
  nearestPoint,
  pointsWithin,
  Positions,
  positionsOf,
  SIZE,
  TURN,
} from "../../../static/js/map/positions.js";
import { draws } from "../support.mjs";

const draw = draws(31);
/** A walk of n points over some degrees. */
function walkOf(n, { step = 2e5, lon = 0, ends = null } = {}) {
  const track = { lonE7: new Int32Array(n), y: new Int32Array(n), ends };
  for (let i = 0, x = lon, y = 1e8; i < n; i += 1) {
    [track.lonE7[i], track.y[i]] = [x, y];
    [x, y] = [x + draw.real(-step, step), y + draw.real(-step, step)];
  }
  return track;
}
/** A view of the world `scale` pixels wide around point i. */
function viewOf(positions, i, scale = 2 ** 20) {
  const { x, y } = positions.place(i);
  return { width: 300, height: 200, zoom: Math.log2(scale / 256), scale, left: x * scale - 150, top: y * scale - 100 };
}
/** Where all points are in a view, in pixels. */
function placesIn(positions, view) {
  const { across, down, left, top } = frameOf(view, positions.middle);
  return Array.from({ length: positions.n }, (_, i) => [positions.d(i) * across + left, positions.y[i] * down + top]);
}

test("a place is within half a turn of the middle, and the same on the globe", () => {
  const lonE7 = Int32Array.from([-1_790_000_000, 1_790_000_000, 0]);
  const positions = new Positions({ lonE7, y: new Int32Array(3), ends: null }, 179.5);
  for (let i = 0; i < 3; i += 1) {
    assert.ok(Math.abs(positions.d(i)) <= TURN / 2);
    assert.equal((positions.d(i) + positions.middle - lonE7[i]) % TURN, 0);
  }
  assert.equal(positions.d(0), 15_000_000);
  assert.ok(Math.abs(positions.place(0).x - 181 / 360 - 0.5) < 1e-12);
});

test("pixels of a frame are those of the view's unit square", () => {
  const positions = new Positions(walkOf(50), 3);
  const view = viewOf(positions, 20);
  const places = placesIn(positions, view);
  assert.ok(Math.abs(places[20][0] - 150) < 1e-6 && Math.abs(places[20][1] - 100) < 1e-6);
  places.forEach(([x, y], i) => {
    const at = positions.place(i);
    assert.ok(Math.abs(at.x * view.scale - view.left - x) < 1e-6 && Math.abs(at.y * view.scale - view.top - y) < 1e-6);
  });
});

test("points in a rectangle are those that an exhaustive search finds, of any part, until the visitor stops", () => {
  for (const n of [1, 2, SIZE, SIZE + 1, SIZE + 2, 5 * SIZE + 7]) {
    const positions = new Positions(walkOf(n), 0);
    const view = viewOf(positions, n >> 1);
    const places = placesIn(positions, view);
    for (let k = 0; k < 20; k += 1) {
      const box = {
        x: draw.real(-50, 250),
        y: draw.real(-50, 150),
        width: draw.real(1, 200),
        height: draw.real(1, 200),
      };
      const isIn = ([x, y]) => x >= box.x && x <= box.x + box.width && y >= box.y && y <= box.y + box.height;
      const all = places.flatMap((at, i) => (isIn(at) ? [i] : []));
      assert.deepEqual(pointsWithin(view, positions, box), all, `${n} points`);
      const [start, end] = [draw.int(0, n), draw.int(0, n)].sort((a, b) => a - b);
      const seen = [];
      const rectangle = [box.x, box.y, box.x + box.width, box.y + box.height];
      positions.eachPoint(frameOf(view, positions.middle), rectangle, (i) => void seen.push(i), start, end);
      assert.deepEqual(
        seen,
        all.filter((i) => i >= start && i < end),
      );
      const two = [];
      positions.eachPoint(frameOf(view, positions.middle), rectangle, (i) => two.push(i) < 2);
      assert.deepEqual(two, all.slice(0, 2));
    }
  }
});

test("the nearest point is the one an exhaustive search finds, within reach", () => {
  const positions = new Positions(walkOf(3000), 2.35);
  const view = viewOf(positions, 1500);
  const places = placesIn(positions, view);
  let found = 0;
  for (let k = 0; k < 100; k += 1) {
    const at = { x: draw.real(100, 200), y: draw.real(50, 150) };
    const away = places.map(([x, y]) => Math.hypot(x - at.x, y - at.y));
    const least = Math.min(...away);
    const nearest = nearestPoint(view, positions, at, 14);
    assert.equal(nearest, least < 14 ? away.indexOf(least) : -1);
    found += Number(nearest >= 0);
  }
  assert.ok(found > 10 && found < 100, `${found} of 100 were within reach`);
});

test("chunks that meet a rectangle are visited, others may be left out", () => {
  const positions = new Positions(walkOf(4 * SIZE), 0);
  const view = viewOf(positions, 2 * SIZE + 5);
  const visited = new Set();
  positions.eachChunk(frameOf(view, positions.middle), 0, 0, view.width, view.height, (c) => visited.add(c));
  placesIn(positions, view).forEach(([x, y], i) => {
    if (x >= 0 && x <= view.width && y >= 0 && y <= view.height)
      assert.ok(visited.has(Math.min(3, Math.floor(i / SIZE))), `point ${i}`);
  });
  positions.eachChunk(frameOf(view, positions.middle), 1e9, 0, 2e9, 1, () => assert.fail("far away"));
});

test("bounds are around all points", () => {
  const track = walkOf(1500);
  const [lon, y] = [track.lonE7, track.y];
  assert.deepEqual(new Positions(track, 0).bounds(), {
    west: Math.min(...lon),
    east: Math.max(...lon),
    north: Math.min(...y),
    south: Math.max(...y),
  });
  assert.equal(new Positions(walkOf(0), 0).bounds(), null);
});

test("what is left out for a zoom lies within half a pixel of what is drawn, and chunks stay whole", () => {
  const n = 9 * SIZE + 3;
  const positions = new Positions(walkOf(n, { step: 4e3 }), 0);
  const zoom = 10;
  const { indices, from } = positions.level(zoom);
  assert.ok(indices.length < 0.8 * n && indices.length > positions.chunks);
  assert.deepEqual([indices[0], indices.at(-1)], [0, n - 1]);
  const scale = 256 * 2 ** zoom;
  const pixel = (i) => [(positions.d(i) / TURN) * scale, (positions.y[i] / 2 ** 32) * scale];
  let k = 0;
  for (let i = 0; i < n; i += 1) {
    if (indices[k + 1] === i) k += 1;
    const [[x, y], [a, b]] = [pixel(i), pixel(indices[k])];
    assert.ok(Math.abs(x - a) < 0.5 && Math.abs(y - b) < 0.5, `point ${i} for ${indices[k]}`);
  }
  for (let c = 0; c < positions.chunks; c += 1) assert.equal(indices[from[c]], c * SIZE);
  assert.equal(indices[from[positions.chunks]], n - 1);
});

test("few points, points far apart and tracks in pieces are drawn whole; levels are stored, the last three", () => {
  assert.equal(new Positions(walkOf(4095), 0).level(0).indices, null);
  assert.equal(new Positions(walkOf(5000, { step: 2e6 }), 0).level(14).indices, null);
  assert.equal(new Positions(walkOf(5000, { ends: [2500, 5000] }), 0).level(0).indices, null);
  const positions = new Positions(walkOf(5000), 0);
  const one = positions.level(3);
  assert.equal(positions.level(2.5), one);
  for (const zoom of [4, 5]) positions.level(zoom);
  assert.equal(positions.level(3), one);
  positions.level(6); // the fourth: 4 was not requested for longest
  assert.deepEqual([...positions.levels.keys()], [5, 3, 6]);
});

test("the same track on the same map is prepared once", () => {
  const track = walkOf(10);
  assert.equal(positionsOf(track, 2.5), positionsOf(track, 2.5));
  assert.notEqual(positionsOf(track, 2.5), positionsOf(track, 3));
});

test("the nearest step is found between its ends, none leads from one person to the next", () => {
  const column = (...values) => Int32Array.from(values);
  const track = { lonE7: column(0, 1e7, 2e7, 0, 1e7), y: column(0, 0, 0, 1e8, 1e8), ends: column(3, 3, 5) };
  const view = { width: 360, height: 360, zoom: 0, scale: 360, left: 0, top: 0 }; // a pixel to a degree
  const nearest = (x, y, reach = 3) => nearestStep(view, new Positions(track, 0), { x, y }, reach);
  const below = 180 + (1e8 / 2 ** 32) * 360;
  assert.deepEqual([nearest(181.5, 181), nearest(180.5, below), nearest(181, 184.2)], [2, 4, -1]);
  assert.deepEqual(
    [nearest(181.5, 177.1), nearest(181.5, 176.9), nearest(184, 180, 1.9), nearest(184, 180, 2.1)],
    [2, -1, -1, 2],
  );
});

test("the nearest step is the one an exhaustive search finds", () => {
  const positions = new Positions(walkOf(1200, { ends: [500, 1200] }), 0);
  const view = viewOf(positions, 600);
  const places = placesIn(positions, view);
  for (let k = 0; k < 60; k += 1) {
    const [x, y] = [draw.real(100, 200), draw.real(50, 150)];
    const away = places.map(([bx, by], i) => {
      if (!i || i === 500) return Infinity;
      const [ax, ay] = places[i - 1];
      const length = (bx - ax) ** 2 + (by - ay) ** 2;
      const along = length ? Math.max(0, Math.min(1, ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length)) : 0;
      return Math.hypot(ax + along * (bx - ax) - x, ay + along * (by - ay) - y);
    });
    const least = Math.min(...away);
    const found = nearestStep(view, positions, { x, y }, 5);
    if (least > 5) assert.equal(found, -1);
    else assert.ok(away[found] <= least + 1e-9, `${found} at ${away[found]}, not ${least}`);
  }
});

test("pieces are grouped by their colour", () => {
  assert.deepEqual(byColour(["x", "y", "x"], 3), [
    ["x", [0, 2]],
    ["y", [1]],
  ]);
});
