import assert from "node:assert/strict";
import { test } from "node:test";

import {
  circle,
  distanceM,
  EARTH_RADIUS_M,
  heightE32,
  latAt,
  near,
  unitX,
  unitY,
  unrolled,
} from "../../../static/js/map/projection.js";
import { draws } from "../support.mjs";

const alike = (a, b, by, about = "") => assert.ok(Math.abs(a - b) <= by, `${a} and ${b} ${about}`);

test("a longitude within half a turn of the middle is the same place", () => {
  const draw = draws(21);
  for (let k = 0; k < 300; k += 1) {
    const [lon, middle] = [draw.real(-720, 720), draw.real(-400, 400)];
    const found = near(lon, middle);
    assert.ok(Math.abs(found - middle) <= 180 + 1e-9, `${lon} near ${middle}: ${found}`);
    alike(Math.round((found - lon) / 360) * 360, found - lon, 1e-9);
  }
  assert.deepEqual([near(-179, 179), near(179, -179), near(2, 1)], [181, -181, 2]);
});

test("places in the unit square", () => {
  assert.deepEqual([-180, 0, 180, 360].map(unitX), [0, 0.5, 1, 1.5]);
  assert.deepEqual(
    [unitY(0), unitY(90), unitY(-90)].map((y) => Number(y.toFixed(9))),
    [0.5, 0, 1],
  );
  alike(unitY(45), 0.5 - Math.log(1 + Math.SQRT2) / (2 * Math.PI), 1e-12);
});

test("a latitude is read back from its place, and north is above", () => {
  const draw = draws(22);
  const lats = draw.list(300, () => draw.real(-85, 85)).sort((a, b) => a - b);
  lats.forEach((lat, i) => {
    alike(latAt(unitY(lat)), lat, 1e-9);
    alike(unitY(-lat), 1 - unitY(lat), 1e-12);
    if (i) assert.ok(unitY(lat) <= unitY(lats[i - 1]));
  });
});

test("heights are the same places in whole numbers", () => {
  const draw = draws(23);
  for (const lat of draw.list(300, () => draw.int(-850_000_000, 850_000_000)))
    alike(heightE32(lat), (unitY(lat / 1e7) - 0.5) * 2 ** 32, 1, String(lat));
  assert.equal(Math.abs(heightE32(0)), 0);
  assert.deepEqual([heightE32(9e8), heightE32(-9e8)], [-(2 ** 31), 2 ** 31 - 1]);
});

test("a box over the antimeridian is in one piece", () => {
  assert.deepEqual(unrolled([170, -1, -170, 1]), { west: 170, south: -1, east: 190, north: 1, middle: 180 });
  assert.deepEqual(unrolled([1, 2, 3, 4]), { west: 1, south: 2, east: 3, north: 4, middle: 2 });
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
    assert.ok(distanceM(...a, ...b) <= distanceM(...a, ...c) + distanceM(...c, ...b) + 1e-6);
    alike(distanceM(...a, ...a), 0, 1e-9);
  }
});

test("every corner of a circle is its radius away, and it closes", () => {
  const draw = draws(25);
  for (let k = 0; k < 60; k += 1) {
    const [lon, lat, radius] = [draw.real(-180, 180), draw.real(-89, 89), 10 ** draw.real(0, 6)];
    const corners = circle(lon, lat, radius, 32);
    assert.equal(corners.length, 33);
    for (const [x, y] of corners) alike(distanceM(lon, lat, x, y), radius, 1e-6 * radius + 1e-6);
    alike(corners[0][0], corners[32][0], 1e-9);
    assert.ok(corners[0][1] > lat || lat + radius / 111_195 > 90, "it begins in the north");
  }
});
