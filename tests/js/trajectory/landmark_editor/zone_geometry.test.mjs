import assert from "node:assert/strict";
import { test } from "node:test";

import { distanceM } from "../../../../static/js/map/projection.js";
import * as zones from "../../../../static/js/trajectory/landmark_editor/zone_geometry.js";
import { draws } from "../../support.mjs";

const polygon = (...corners) => zones.polygonZone(corners);
const square = (west = 2, south = 48, size = 1) =>
  polygon([west, south], [west + size, south], [west + size, south + size], [west, south + size]);
const TRIANGLE = polygon([0, 0], [4, 0], [0, 4]);
const PACIFIC = polygon([179, -1], [-179, -1], [-179, 1], [179, 1]);
const close = (found, expected, share = 1e-9) =>
  assert.ok(Math.abs(found - expected) <= share * Math.abs(expected), `${found}, expected ${expected}`);

test("positions have seven decimals, longitudes within half a turn, latitudes within the poles", () => {
  assert.deepEqual(zones.position(2.123456789, 48.987654321), [2.1234568, 48.9876543]);
  assert.deepEqual(zones.position(190, 95), [-170, 90]);
  assert.deepEqual(zones.position(-541, -95), [179, -90]);
});

test("a drawn circle has six digits of its radius, a typed one all", () => {
  assert.equal(zones.circleZone(2, 48, 123.456789).radius_m, 123.457);
  assert.equal(zones.typedCircle(2, 48, 123.456789).radius_m, 123.456789);
});

test("a polygon's ring is closed and its corners are given back", () => {
  const corners = [
    [2, 48],
    [3, 48],
    [3, 49],
  ];
  const zone = zones.polygonZone(corners, "Clinic");
  assert.deepEqual(zone.coordinates, [[...corners, corners[0]]]);
  assert.deepEqual(zones.cornersOf(zone), corners);
  assert.deepEqual([zones.nameOf(zone, 3), zones.nameOf(square(), 3)], ["Clinic", "Polygon 4"]);
  assert.equal(zones.nameOf(zones.circleZone(2, 48, 9), 0), "Circle 1");
});

test("the middle of a zone, over the antimeridian too", () => {
  assert.deepEqual(zones.middleOf(square()), [2.5, 48.5]);
  assert.deepEqual(zones.middleOf(PACIFIC), [180, 0]);
  assert.deepEqual(zones.middleOf(zones.circleZone(2, 48, 9)), [2, 48]);
});

test("areas: a cap's, a square degree's at the equator, less its holes, whichever way round", () => {
  close(zones.areaM2(zones.circleZone(2, 48, 1000)), Math.PI * 1e6, 1e-6);
  close(zones.areaM2(square(0, 0)), 111_195.08 ** 2, 1e-3);
  close(zones.areaM2(PACIFIC), 4 * 111_195.08 ** 2, 1e-3);
  const holed = { ...square(), coordinates: [...square().coordinates, ...square(2.25, 48.25, 0.5).coordinates] };
  close(zones.areaM2(holed), zones.areaM2(square()) - zones.areaM2(square(2.25, 48.25, 0.5)));
  const turned = { ...square(), coordinates: square().coordinates.map((ring) => ring.toReversed()) };
  close(zones.areaM2(turned), zones.areaM2(square()));
});

test("a circle holds what is within its radius", () => {
  const draw = draws(12);
  for (let i = 0; i < 300; i += 1) {
    const [lon, lat] = [draw.real(-180, 180), draw.real(-80, 80)];
    const zone = zones.typedCircle(lon, lat, draw.real(1, 1e5));
    const [x, y] = [lon + draw.real(-2, 2), lat + draw.real(-1, 1)];
    const [first, second] = zone.center;
    assert.equal(zones.contains(zone, x, y), distanceM(x, y, first, second) <= zone.radius_m, `${x} ${y}`);
  }
});

test("a polygon holds what is in its ring and in no hole, over the antimeridian too", () => {
  const holed = { ...square(), coordinates: [...square().coordinates, ...square(2.25, 48.25, 0.5).coordinates] };
  for (const [zone, lon, lat, expected] of [
    [square(), 2.5, 48.5, true],
    [square(), 3.1, 48.5, false],
    [square(), 1.9, 48.5, false],
    [square(), 2.5, 49.1, false],
    [holed, 2.5, 48.5, false],
    [holed, 2.1, 48.5, true],
    [TRIANGLE, 1, 2.9, true],
    [TRIANGLE, 1, 3.1, false],
    [TRIANGLE, 3, 0.9, true],
    [TRIANGLE, 3, 1.1, false],
    [PACIFIC, 179.5, 0, true],
    [PACIFIC, -179.5, 0, true],
    [PACIFIC, 0, 0, false],
    [PACIFIC, 178, 0, false],
  ])
    assert.equal(zones.contains(zone, lon, lat), expected, `${lon} ${lat}`);
});

test("where on the globe a polygon lies does not matter, however wide it is", () => {
  const draw = draws(16);
  for (let i = 0; i < 300; i += 1) {
    const [width, bend] = [draw.real(1, 340), draw.real(-20, 20)];
    const tops = draw.list(8, (k) => [-170 + (width * k) / 7, 30 + bend * draw.real(0, 1)]);
    const zone = polygon(...tops, ...tops.map(([lon]) => [lon, -30]).reverse());
    const [lon, lat] = [draw.real(-180, 180), draw.real(-29, 9)];
    const turn = draw.int(-179, 180);
    const turned = polygon(...zones.cornersOf(zone).map(([x, y]) => [x + turn, y]));
    assert.equal(zones.contains(zone, lon, lat), lon > -170 && lon < width - 170, `${lon} in ${width}`);
    assert.equal(zones.contains(turned, lon + turn, lat), zones.contains(zone, lon, lat), `${lon} by ${turn}`);
    const [[middle], [there]] = [zone, turned].map(zones.middleOf);
    assert.ok(Math.abs(Math.sin(((there - middle - turn) * Math.PI) / 360)) < 1e-6, `${there} for ${middle + turn}`);
  }
});

test("of several zones at a place the smallest is found", () => {
  const all = [square(), zones.circleZone(2.5, 48.5, 100), square(2, 48, 5)];
  assert.deepEqual([zones.zoneAt(all, 2.5, 48.5), zones.zoneAt(all, 2.1, 48.1), zones.zoneAt(all, 6, 52)], [1, 0, 2]);
  assert.equal(zones.zoneAt(all, 10, 10), -1);
});

test("events in a zone are those it contains, of the track that is given", () => {
  const draw = draws(13);
  const trackOf = (places) => ({ n: places.length, lonAt: (i) => places[i][0], latAt: (i) => places[i][1] });
  for (const zone of [square(), zones.circleZone(2.5, 48.5, 40_000)])
    for (let i = 0; i < 2; i += 1) {
      const places = draw.list(400, () => [draw.real(1, 4), draw.real(47, 50)]);
      const inside = places.filter(([lon, lat]) => zones.contains(zone, lon, lat)).length;
      assert.ok(inside > 0);
      const track = trackOf(places);
      assert.deepEqual([zones.eventsIn(zone, track), zones.eventsIn(zone, track)], [inside, inside]);
    }
});

test("a handle leads to where it is put, and back", () => {
  for (const zone of [square(), PACIFIC, zones.circleZone(2, 48, 5000)])
    for (const { id, lon, lat } of zones.handlesOf(zone, "it").filter(({ kind }) => kind !== "between")) {
      const there = zones.moved(zone, id, lon + 0.25, lat - 0.125);
      const again = zones.moved(there, id, lon, lat);
      const [x, y] = zones.middleOf(again);
      const [x0, y0] = zones.middleOf(zone);
      assert.ok(Math.abs(x - x0) + Math.abs(y - y0) < 1e-6, id);
      close(zones.areaM2(again), zones.areaM2(zone), 1e-4);
      assert.notDeepEqual(there, zone);
    }
});

test("corners are moved, added between two, and removed until three are left", () => {
  const zone = square();
  assert.deepEqual(zones.cornersOf(zones.moved(zone, "corner-2", 9, 50))[2], [9, 50]);
  const five = zones.cornersOf(zones.moved(zone, "between-3", 1, 48.5));
  assert.deepEqual([five.length, five[4], five[3]], [5, [1, 48.5], [2, 49]]);
  assert.deepEqual(zones.cornersOf(zones.moved(zone, "between-0", 2.5, 47)).slice(0, 3), [
    [2, 48],
    [2.5, 47],
    [3, 48],
  ]);
  const three = zones.withoutCorner(zone, 0);
  assert.deepEqual(three.coordinates, [
    [
      [3, 48],
      [3, 49],
      [2, 49],
      [3, 48],
    ],
  ]);
  assert.equal(zones.withoutCorner(three, 0), three);
  assert.deepEqual(zone, square(), "no zone is changed");
});

test("handles of a polygon: the centre, each corner, and the middle of each edge", () => {
  const found = zones.handlesOf(square(), "Polygon 1");
  assert.deepEqual(found.map(({ id }) => id).slice(0, 3), ["centre", "corner-0", "between-0"]);
  assert.equal(found.length, 9);
  assert.deepEqual([found[1].label, found[0].label], ["Corner 1 of Polygon 1", "Move Polygon 1"]);
  assert.deepEqual(found.slice(-1)[0], {
    ...{ id: "between-3", lon: 2, lat: 48.5, kind: "between" },
    label: "New corner after corner 4 of Polygon 1",
  });
});

test("the radius follows its handle and is never 0", () => {
  const zone = zones.circleZone(2, 48, 5000);
  const handle = zones.handlesOf(zone, "c")[1];
  assert.ok(Math.abs(handle.lat - 48) < 1e-4 && handle.lon > 2.05, "east of the centre");
  close(zones.moved(zone, "radius", handle.lon, handle.lat).radius_m, 5000, 1e-5);
  assert.equal(zones.moved(zone, "radius", 2, 48).radius_m, 0.1);
});

test("zones come back from GeoJSON as they were written", () => {
  const all = [{ ...square(), label: "Clinic" }, zones.circleZone(2.5, 48.5, 750), PACIFIC];
  assert.deepEqual(zones.fromGeoJSON(`\uFEFF${JSON.stringify(zones.toGeoJSON(all))}`), all);
});

test("shapes of other programs: multipolygons, collections, altitudes, other names", () => {
  const ring = [
    [2, 48, 9],
    [3, 48, 9],
    [3, 49, 9],
    [2, 48, 9],
  ];
  const flat = ring.map(([lon, lat]) => [lon, lat]);
  const read = (one) => zones.fromGeoJSON(JSON.stringify(one));
  const feature = (geometry, properties) => ({ type: "Feature", geometry, properties });
  assert.deepEqual(read({ type: "Polygon", coordinates: [ring] }), [
    { type: "Polygon", coordinates: [flat], label: "" },
  ]);
  const parts = read(feature({ type: "MultiPolygon", coordinates: [[ring], [ring]] }, { name: "Two" }));
  assert.deepEqual(
    parts.map(({ label, coordinates }) => [label, coordinates]),
    [
      ["Two", [flat]],
      ["Two", [flat]],
    ],
  );
  const point = { type: "Point", coordinates: [2, 48, 9] };
  const collection = { type: "GeometryCollection", geometries: [point] };
  assert.deepEqual(read(feature(collection, { radius: 5, title: "It" })), [
    { type: "Circle", center: [2, 48], radius_m: 5, label: "It" },
  ]);
});

test("what is no zone is refused by its place", () => {
  const refused = (text) => {
    try {
      return zones.fromGeoJSON(text);
    } catch (error) {
      return error.message;
    }
  };
  assert.match(refused("{"), /not JSON/);
  assert.match(refused('{"type": "FeatureCollection", "features": []}'), /no features/);
  assert.match(refused("null"), /Feature 1 is no shape/);
  const line = { type: "LineString", coordinates: [] };
  const features = [square(), { type: "Feature", geometry: line }];
  assert.match(refused(JSON.stringify({ type: "FeatureCollection", features })), /Feature 2 is a LineString/);
  assert.match(refused('{"type": "Point", "coordinates": [2, 48]}'), /Feature 1 is a Point/);
});

test("a set's zones are edited in parts, with labels", () => {
  const [a, b] = [square(), square(5)].map(({ coordinates }) => coordinates);
  const unnamed = { type: "Circle", center: [2, 48], radius_m: 9 };
  assert.deepEqual(zones.asDrawn([{ type: "MultiPolygon", coordinates: [a, b], label: "X" }, unnamed]), [
    { type: "Polygon", coordinates: a, label: "X" },
    { type: "Polygon", coordinates: b, label: "X" },
    { ...unnamed, label: "" },
  ]);
});
