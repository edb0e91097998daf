import { deepEqual, equal, fail, match, notEqual, ok } from "node:assert/strict";
import { test } from "node:test";

import { degreesText, stepFor } from "../../../static/js/map/graticule.js";
import { cellAt } from "../../../static/js/map/grid.js";
import { boxOf, countIn } from "../../../static/js/map/guesses.js";
import { outsideText } from "../../../static/js/map/controls.js";
import { byColour } from "../../../static/js/map/people_layer.js";
import * as places from "../../../static/js/map/positions.js";
import * as projection from "../../../static/js/map/projection.js";
import { check, columns, gives, rows, spaced } from "../cases.mjs";
import { draws } from "../support.mjs";

const { frameOf, nearestStep, Positions, SIZE, TURN } = places;
const { distanceM, EARTH_RADIUS_M, heightE32, near, unitX, unitY } = projection;
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
const alike = (a, b, by, about = "") => ok(Math.abs(a - b) <= by, `${a} and ${b} ${about}`);

test("a place is within half a turn of the middle, and the same on the globe", () => {
  const lonE7 = Int32Array.from([-1_790_000_000, 1_790_000_000, 0]);
  const positions = new Positions({ lonE7, y: new Int32Array(3), ends: null }, 179.5);
  for (let i = 0; i < 3; i += 1) {
    ok(Math.abs(positions.d(i)) <= TURN / 2);
    equal((positions.d(i) + positions.middle - lonE7[i]) % TURN, 0);
  }
  equal(positions.d(0), 15_000_000);
  const opposite = new Positions({ lonE7: Int32Array.of(TURN / 2, -TURN / 2), y: new Int32Array(2), ends: null }, 0);
  deepEqual([opposite.d(0), opposite.d(1), opposite.starts], [TURN / 2, -TURN / 2, null]);
  alike(positions.place(0).x, 181 / 360 + 0.5, 1e-12);
});

test("pixels of a frame are those of the view's unit square", () => {
  const positions = new Positions(walkOf(50), 3);
  const view = viewOf(positions, 20);
  const found = placesIn(positions, view);
  ok(Math.abs(found[20][0] - 150) < 1e-6 && Math.abs(found[20][1] - 100) < 1e-6);
  found.forEach(([x, y], i) => {
    const at = positions.place(i);
    alike(at.x * view.scale - view.left, x, 1e-6);
    alike(at.y * view.scale - view.top, y, 1e-6);
  });
});

test("points in a rectangle are those that an exhaustive search finds, of any part, until the visitor stops", () => {
  for (const n of [1, 2, SIZE, SIZE + 1, SIZE + 2, 5 * SIZE + 7]) {
    const positions = new Positions(walkOf(n), 0);
    const view = viewOf(positions, n >> 1);
    const frame = frameOf(view, positions.middle);
    const found = placesIn(positions, view);
    for (let k = 0; k < 20; k += 1) {
      const [x, y, width, height] = [draw.real(-50, 250), draw.real(-50, 150), draw.real(1, 200), draw.real(1, 200)];
      const rectangle = [x, y, x + width, y + height];
      const isIn = ([a, b]) => a >= x && a <= x + width && b >= y && b <= y + height;
      const all = found.flatMap((at, i) => (isIn(at) ? [i] : []));
      deepEqual(places.pointsWithin(view, positions, { x, y, width, height }), all, `${n} points`);
      const [start, end] = [draw.int(0, n), draw.int(0, n)].sort((a, b) => a - b);
      const [seen, two] = [[], []];
      positions.eachPoint(frame, rectangle, (i) => void seen.push(i), start, end);
      positions.eachPoint(frame, rectangle, (i) => two.push(i) < 2);
      deepEqual([seen, two], [all.filter((i) => i >= start && i < end), all.slice(0, 2)]);
    }
  }
});

test("as many points are counted in a rectangle as lie there, whole chunks without looking", () => {
  for (const n of [0, 1, 5, SIZE, SIZE + 1, 5 * SIZE + 7]) {
    const positions = new Positions(walkOf(n, { step: 3e5 }), 0);
    for (const scale of [2 ** 8, 2 ** 14, 2 ** 18]) {
      const view = viewOf(n ? positions : new Positions(walkOf(1), 0), n ? draw.int(0, n - 1) : 0, scale);
      const within = placesIn(positions, view).filter(([x, y]) => x >= 0 && y >= 0 && x <= 300 && y <= 200);
      equal(positions.countIn(frameOf(view, 0), [0, 0, 300, 200]), within.length, `${n} at ${scale}`);
    }
  }
  equal(spaced([outsideText({ n: 1605, within: 138 })])[0], "1,467 of 1,605 points outside this view");
});

test("a cloud is counted and bounded as its places are", () => {
  const [x, y] = [Float64Array.from([0.5, 0.5001, 0.7]), Float64Array.from([0.4, 0.4002, 0.6])];
  const view = { scale: 1000, left: 450, top: 350, width: 100, height: 100 };
  equal(countIn({ x, y }, view), 2);
  const { west, east, north, south } = boxOf({ x, y }, 0);
  ok(Math.abs(west) < 1 && Math.abs(east - 0.2 * TURN) < 1, `${west} ${east}`);
  ok(Math.abs(north + 0.1 * 2 ** 32) < 1 && Math.abs(south - 0.1 * 2 ** 32) < 1, `${north} ${south}`);
});

test("edges belong to a rectangle, and to the box around a chunk", () => {
  const frame = { across: 0.5, down: 0.25, left: 1, top: 2 };
  const lines = Array.from({ length: 25 }, (_, i) => [2 * (i % 5), 4 * Math.floor(i / 5)]);
  const [seen, met] = [[], []];
  new Positions(columns(lines), 0).eachPoint(frame, [2, 3, 4, 5], (...given) => void seen.push(given));
  lines.forEach((one, i) => new Positions(columns([one]), 0).eachChunk(frame, 2, 3, 4, 5, () => met.push(i)));
  deepEqual(met, [6, 7, 8, 11, 12, 13, 16, 17, 18]);
  for (const [at, found] of seen.entries()) deepEqual(found, [met[at], (at % 3) + 2, Math.floor(at / 3) + 3]);
  new Positions(columns([]), 0).eachChunk(frame, -9, -9, 9, 9, () => fail("of nothing"));
  for (const n of [1, SIZE + 1, SIZE + 2, 3 * SIZE]) {
    const positions = new Positions(walkOf(n), 1);
    const boxes = Array.from({ length: positions.chunks }, (_, c) => {
      const within = Array.from({ length: n }, (_, i) => i).slice(c * SIZE, (c + 1) * SIZE + 1);
      const [d, y] = [within.map((i) => positions.d(i)), within.map((i) => positions.y[i])];
      return [Math.min(...d), Math.max(...d), Math.min(...y), Math.max(...y)];
    });
    deepEqual([Math.ceil(Math.max(1, n - 1) / SIZE), [...positions.boxes]], [boxes.length, boxes.flat()]);
    const firsts = boxes.map((_, c) => c * SIZE);
    deepEqual({ ...positions.all, from: [...positions.all.from] }, { indices: null, from: [...firsts, n - 1] });
  }
  deepEqual([...new Positions(walkOf(0), 0).all.from], [0, 0]);
});

test("the nearest point is the one an exhaustive search finds, within reach", () => {
  const positions = new Positions(walkOf(3000), 2.35);
  const view = viewOf(positions, 1500);
  const all = placesIn(positions, view);
  let found = 0;
  for (let k = 0; k < 100; k += 1) {
    const at = { x: draw.real(100, 200), y: draw.real(50, 150) };
    const away = all.map(([x, y]) => Math.hypot(x - at.x, y - at.y));
    const least = Math.min(...away);
    const nearest = places.nearestPoint(view, positions, at, 14);
    equal(nearest, least < 14 ? away.indexOf(least) : -1);
    found += Number(nearest >= 0);
  }
  ok(found > 10 && found < 100, `${found} of 100 were within reach`);
});

test("bounds are around all points; the same track on the same map is prepared once", () => {
  const track = walkOf(1500);
  const { west, east, north, south } = new Positions(track, 0).bounds();
  deepEqual([west, east], [Math.min(...track.lonE7), Math.max(...track.lonE7)]);
  deepEqual([north, south], [Math.min(...track.y), Math.max(...track.y)]);
  equal(new Positions(walkOf(0), 0).bounds(), null);
  equal(places.positionsOf(track, 2.5), places.positionsOf(track, 2.5));
  notEqual(places.positionsOf(track, 2.5), places.positionsOf(track, 3));
});

test("few points, points far apart and tracks in pieces are drawn whole; levels are stored, the last three", () => {
  for (const [n, level] of rows("4096 3, 8193 9, 8194 9, 5000 10")) {
    const track = new Positions(walkOf(n, { step: 4e3 }), 0);
    const [kept, reach] = [[], [TURN, 2 ** 32].map((world) => world / 512 / 2 ** level)];
    for (let i = 0; i < n; i += 1) {
      const [d, y] = [track.d(i) - track.d(kept.at(-1) ?? 0), track.y[i] - track.y[kept.at(-1) ?? 0]];
      if (i % SIZE === 0 || i === n - 1 || Math.abs(d) >= reach[0] || Math.abs(y) >= reach[1]) kept.push(i);
    }
    const { indices, from } = track.level(level);
    const firsts = kept.flatMap((i, at) => (i % SIZE === 0 && i < n - 1 ? [at] : []));
    deepEqual([[...indices], [...from]], [kept, [...firsts, kept.length - 1]]);
  }
  equal(new Positions(walkOf(4095), 0).level(0).indices, null);
  equal(new Positions(walkOf(5000, { step: 2e6 }), 0).level(14).indices, null);
  equal(new Positions(walkOf(5000, { ends: [2500, 5000] }), 0).level(0).indices, null);
  const positions = new Positions(walkOf(5000), 0);
  const one = positions.level(3);
  equal(positions.level(2.5), one);
  for (const zoom of [4, 5]) positions.level(zoom);
  equal(positions.level(3), one);
  positions.level(6); // the fourth: 4 was not requested for longest
  deepEqual([...positions.levels.keys()], [5, 3, 6]);
  for (const zoom of [-2, 0.1, 30]) positions.level(zoom);
  deepEqual([...positions.levels.keys()], [0, 1, 22]);
});

test("the nearest step is found between its ends, none leads from one person to the next", () => {
  const column = (...values) => Int32Array.from(values);
  const track = { lonE7: column(0, 1e7, 2e7, 0, 1e7), y: column(0, 0, 0, 1e8, 1e8), ends: column(3, 3, 5) };
  const view = { width: 360, height: 360, zoom: 0, scale: 360, left: 0, top: 0 }; // a pixel to a degree
  const nearest = (x, y, reach = 3) => nearestStep(view, new Positions(track, 0), { x, y }, reach);
  const down = (1e8 / 2 ** 32) * 360; // from the first person to the second, px
  gives(nearest, { "180.5, 181": 1, "181.5, 181": 2, "181.5, 177.1": 2, "181.5, 176.9": -1, "181, 184.2": -1 });
  gives(nearest, { "184, 180, 1.9": -1, "184, 180, 2.1": 2, "177.1, 180": 1, "185.1, 180": -1 });
  deepEqual([nearest(180.5, 180 + down), nearest(181, 180 + down / 2 + 0.1, 9)], [4, 4]);
  equal(nearest(181, 180 + down / 2 - 0.1, 9), 2);
});

test("the nearest step is the one an exhaustive search finds", () => {
  const positions = new Positions(walkOf(1200, { ends: [500, 1200] }), 0);
  const view = viewOf(positions, 600);
  const all = placesIn(positions, view);
  for (let k = 0; k < 60; k += 1) {
    const [x, y] = [draw.real(100, 200), draw.real(50, 150)];
    const away = all.map(([bx, by], i) => {
      if (!i || i === 500) return Infinity;
      const [ax, ay] = all[i - 1];
      const length = (bx - ax) ** 2 + (by - ay) ** 2;
      const along = length ? Math.max(0, Math.min(1, ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length)) : 0;
      return Math.hypot(ax + along * (bx - ax) - x, ay + along * (by - ay) - y);
    });
    const least = Math.min(...away);
    const found = nearestStep(view, positions, { x, y }, 5);
    ok(least > 5 ? found === -1 : away[found] <= least + 1e-9, `${found} at ${away[found]}, not ${least}`);
  }
});

test("pieces are grouped by their colour", () => {
  equal(JSON.stringify(byColour(["x", "y", "x"], 3)), '[["x",[0,2]],["y",[1]]]');
  equal(JSON.stringify(byColour(["x", "y", "x"], 2)), '[["x",[0]],["y",[1]]]');
});

test("a longitude within half a turn of the middle is the same place", () => {
  const draw = draws(21);
  for (let k = 0; k < 300; k += 1) {
    const [lon, middle] = [draw.real(-720, 720), draw.real(-400, 400)];
    const found = near(lon, middle);
    ok(Math.abs(found - middle) <= 180 + 1e-9, `${lon} near ${middle}: ${found}`);
    alike(Math.round((found - lon) / 360) * 360, found - lon, 1e-9);
  }
  gives(near, { "-179, 179": 181, "179, -179": -181, "2, 1": 2 });
});

test("places in the unit square", () => {
  gives(unitX, { "-180": 0, 0: 0.5, 180: 1, 360: 1.5 });
  gives((lat) => Number(unitY(lat).toFixed(9)), { 0: 0.5, 90: 0, "-90": 1 });
  alike(unitY(45), 0.5 - Math.log(1 + Math.SQRT2) / (2 * Math.PI), 1e-12);
});

test("a latitude is read back from its place, and north is above; heights are the same places in whole numbers", () => {
  const draw = draws(22);
  const lats = draw.list(300, () => draw.real(-85, 85)).sort((a, b) => a - b);
  lats.forEach((lat, i) => {
    alike(projection.latAt(unitY(lat)), lat, 1e-9);
    alike(unitY(-lat), 1 - unitY(lat), 1e-12);
    if (i) ok(unitY(lat) <= unitY(lats[i - 1]));
    const latE7 = Math.round(lat * 1e7);
    alike(heightE32(latE7), (unitY(latE7 / 1e7) - 0.5) * 2 ** 32, 1, String(lat));
  });
  deepEqual([Math.abs(heightE32(0)), heightE32(9e8), heightE32(-9e8)], [0, -(2 ** 31), 2 ** 31 - 1]);
});

test("a box over the antimeridian is in one piece", () => {
  deepEqual(projection.unrolled([170, -1, -170, 1]), { west: 170, south: -1, east: 190, north: 1, middle: 180 });
  deepEqual(projection.unrolled([1, 2, 3, 4]), { west: 1, south: 2, east: 3, north: 4, middle: 2 });
});

test("distances: known ones, symmetric, over the antimeridian, never a detour", () => {
  alike(distanceM(116.4, 39.9, 116.318417, 39.984702), 11708.159, 0.001);
  alike(distanceM(0, 0, 180, 0), Math.PI * EARTH_RADIUS_M, 1e-6);
  alike(distanceM(0, 0, 0, 1), (Math.PI / 180) * EARTH_RADIUS_M, 1e-6);
  alike(distanceM(179.9, 10, -179.9, 10), distanceM(0.1, 10, -0.1, 10), 1e-6);
  const draw = draws(24);
  const place = () => [draw.real(-180, 180), draw.real(-90, 90)];
  for (let k = 0; k < 200; k += 1) {
    const [a, b, c] = [place(), place(), place()];
    alike(distanceM(...a, ...b), distanceM(...b, ...a), 1e-6);
    ok(distanceM(...a, ...b) <= distanceM(...a, ...c) + distanceM(...c, ...b) + 1e-6);
    alike(distanceM(...a, ...a), 0, 1e-9);
  }
});

test("every corner of a circle is its radius away, and it closes", () => {
  const draw = draws(25);
  for (let k = 0; k < 60; k += 1) {
    const [lon, lat, radius] = [draw.real(-180, 180), draw.real(-89, 89), 10 ** draw.real(0, 6)];
    const corners = projection.circle(lon, lat, radius, 32);
    equal(corners.length, 33);
    for (const [x, y] of corners) alike(distanceM(lon, lat, x, y), radius, 1e-6 * radius + 1e-6);
    alike(corners[0][0], corners[32][0], 1e-9);
    ok(corners[0][1] > lat || lat + radius / 111_195 > 90, "it begins in the north");
  }
});

test("lines are 96 px apart or more, at 1, 2 or 5 times a power of ten or at parts of a turn", () => {
  const draw = draws(73);
  for (let k = 0; k < 500; k += 1) {
    const degrees = 10 ** draw.real(-7, -0.1);
    const step = stepFor(degrees);
    ok(step / degrees >= 95.9 || step === 90, `${degrees} → ${step}`);
    ok(step / degrees <= 96 * 3.1, `${degrees} → ${step}: too far apart`);
    if (step < 1) match(step.toExponential(6), /^[125]\.000000e/);
    else ok([1, 2, 5, 10, 15, 30, 45, 90].includes(step), String(step));
  }
  deepEqual([5 / 960, 10 / 96, 11 / 96, 1].map(stepFor), [0.5, 10, 15, 90]);
});

test("degrees have the decimals of the step and their side", () => {
  check(degreesText, [
    [[2.35, 0.05, ["E", "W"]], "2.35° E"],
    [[-2.35, 0.05, ["E", "W"]], "2.35° W"],
    [[48.5, 0.5, ["N", "S"]], "48.5° N"],
    [[-30, 10, ["N", "S"]], "30° S"],
    [[0, 0.1, ["N", "S"]], "0.0°"],
    [[-180, 30, ["E", "W"]], "180°"],
    [[190, 10, ["E", "W"]], "170° W"],
    [[-200, 20, ["E", "W"]], "160° E"],
    [[5, 1, ["E", "W"]], "5° E"],
  ]);
});

test("the cell at a place, from the south-west, with all edges", () => {
  const grid = { west: 2, south: 48, east: 4, north: 49, columns: 4, rows: 2 };
  const cell = (lon, lat) => cellAt(grid, { lon, lat });
  gives(cell, { "2, 48": 0, "2.49, 48.49": 0, "2.5, 48": 1, "2, 48.5": 4, "3.99, 48.99": 7, "4, 49": 7 });
  gives(cell, { "362.6, 48": 1, "-357.4, 48": 1, "1.99, 48": -1, "4.01, 48": -1, "3, 47.99": -1, "3, 49.01": -1 });
  const middles = rows(
    "2.25 48.25, 2.75 48.25, 3.25 48.25, 3.75 48.25, 2.25 48.75, 2.75 48.75, 3.25 48.75, 3.75 48.75",
  );
  middles.forEach((middle, i) => equal(cell(...middle), i));
});
