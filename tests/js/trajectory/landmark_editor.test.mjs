import { deepEqual, equal, notDeepEqual, ok, throws } from "node:assert/strict";
import { mock, test } from "node:test";

import { distanceM } from "../../../static/js/map/projection.js";
import { History, Marks } from "../../../static/js/trajectory/landmark_editor/editor_state.js";
import { placesOf } from "../../../static/js/trajectory/landmark_editor/landmark_facts.js";
import * as zones from "../../../static/js/trajectory/landmark_editor/zone_geometry.js";
import { check, gives, rows } from "../cases.mjs";
import { setElements } from "../elements.mjs";
import { draws } from "../support.mjs";

setElements();
const proposal = await import("../../../static/js/trajectory/landmark_editor/stay_proposal.js");
const { controls } = await import("../../../static/js/trajectory/landmark_editor/schedule_fields.js");

test("no landmarks, and more than half of the events, are reasons to propose others", () => {
  check(proposal.reasonOf, [
    [[0, 0], null],
    [[0, 8], "No landmarks: releases would treat all events alike."],
    [[1, 8], null],
    [[4, 8], null],
    [[5, 8], "62.5 % of the events are landmarks: they share one budget: little is left for each."],
  ]);
});

test("a proposal is a sentence of its duration and distance and what they find", () => {
  check(proposal.proposalText, [
    [[{ distance_m: 200, duration_s: 300, stays: 3, places: 2 }], "5 min and 200 m find 3 stays at 2 places"],
    [[{ distance_m: 1000, duration_s: 3600, stays: 1, places: 1 }], "1 h and 1 km find 1 stay at 1 place"],
  ]);
});

test("runs of a mask are given back, and its events are those in them", () => {
  const draw = draws(14);
  for (let i = 0; i < 200; i += 1) {
    const n = draw.int(1, 60);
    const marks = new Marks(n);
    const events = draw.list(n, (event) => event).filter(() => draw.int(0, 2));
    if (events.length) equal(marks.toggle(events), true);
    deepEqual([marks.events(), marks.count], [events, events.length]);
    const again = new Marks(n);
    again.replace([[0, n]]);
    again.replace(marks.runs());
    deepEqual(again.mask, marks.mask);
    const [from, to] = [draw.int(0, n), n - draw.int(0, 3)];
    const runs = marks.runs(from, Math.max(from, to));
    const part = runs.flatMap(([start, end]) => draw.list(end - start, (k) => from + start + k));
    deepEqual([part], [events.filter((event) => event >= from && event < to)]);
  }
});

test("events that are all marked are unmarked, otherwise all are marked", () => {
  const marks = new Marks(5);
  deepEqual([marks.toggle([1, 2]), marks.toggle([2, 3]), marks.events()], [true, true, [1, 2, 3]]);
  deepEqual([marks.toggle([1, 2]), marks.events(), marks.has(3), marks.has(1)], [false, [3], true, false]);
});

test("how two sets overlap, whichever is first", () => {
  const [marks, other] = [new Marks(10), new Marks(10)];
  marks.replace(rows("0 4, 6 8"));
  other.replace([[2, 7]]);
  deepEqual(marks.overlap([[2, 7]]), { both: 3, onlyFirst: 3, onlySecond: 2, jaccard: 3 / 8 });
  deepEqual(other.overlap(marks.runs()), { both: 3, onlyFirst: 2, onlySecond: 3, jaccard: 3 / 8 });
  deepEqual([new Marks(10).overlap([]).jaccard, marks.overlap([]).jaccard], [1, 0]);
});

test("steps are undone and done again in their order; another step ends what was undone", () => {
  const history = new History(0);
  deepEqual([history.undo(), history.redo(), history.now], [false, false, 0]);
  [1, 2, 3].forEach((state) => history.put(state));
  deepEqual([history.undo(), history.undo(), history.now], [true, true, 1]);
  deepEqual([history.redo(), history.now], [true, 2]);
  history.put(9);
  deepEqual([history.redo(), history.now, history.undo(), history.now], [false, 9, true, 2]);
});

test("changes of the same thing in quick succession are one step; the last 200 are remembered", () => {
  let now = 0;
  mock.method(performance, "now", () => now);
  const history = new History("");
  const typed = (state, key, at) => {
    now = at;
    history.put(state, key);
  };
  typed("a", "label", 1000);
  typed("ab", "label", 1899);
  typed("abc", "label", 2799);
  for (const state of ["ab", ""]) deepEqual([history.undo(), history.now], [true, state]);
  typed("x", "label", 2800);
  typed("xy", "radius", 2801);
  typed("xyz", null, 2802);
  typed("xyz!", null, 2803);
  for (const state of ["xyz", "xy", "x", ""]) deepEqual([history.undo(), history.now], [true, state]);
  mock.restoreAll();
  for (let state = 1; state <= 250; state += 1) history.put(state);
  while (history.undo());
  equal(history.now, 50);
});

/** A track at rest at `places`, an event each minute. */
const trackOf = (places, timed = true) => ({
  ...{ n: places.length, lonAt: (i) => places[i][0], latAt: (i) => places[i][1] },
  time: timed ? places.map((_, i) => 60 * i) : null,
});
const HOME = [2, 48];
const beside = (metres) => [2, 48 + metres / 111_195];

test("stays near each other are at one place, the place of most events first", () => {
  const places = [HOME, HOME, [2.5, 48], beside(150), beside(150), beside(150), beside(450)];
  const of = (timed) => placesOf(rows("0 2, 2 3, 3 6, 6 7"), trackOf(places, timed), { zones: [], reach_m: 200 });
  const found = of(true);
  const stays = found.map(({ stays, events, seconds }) => `${JSON.stringify(stays)} ${events} ${seconds}`);
  deepEqual(stays, ["[[0,2],[3,6]] 5 180", "[[2,3]] 1 0", "[[6,7]] 1 0"]);
  deepEqual([found[0].name, found[0].lon, found[0].lat, of(false)[0].seconds], [null, 2, 48, null]);
});

test("metres are shorter in degrees of longitude towards the poles", () => {
  for (const lat of [0, 60, -75]) {
    const east = (metres) => [20 + metres / (111_195 * Math.cos((lat * Math.PI) / 180)), lat];
    const found = placesOf(rows("0 1, 1 2, 2 3"), trackOf([east(0), east(190), east(-215)]), {
      zones: [],
      reach_m: 200,
    });
    deepEqual(
      found.map(({ events }) => events),
      [2, 1],
      String(lat),
    );
  }
});

test("stays in one zone are at one place, with its name, however far apart", () => {
  const zone = zones.circleZone(2, 48, 2000, "Work");
  const track = trackOf([HOME, beside(1500), beside(2500)]);
  const found = placesOf(rows("0 1, 1 2, 2 3"), track, { zones: [zone], reach_m: 100 });
  equal(found.map(({ name, events }) => `${name} ${events}`).join(), "Work 2,null 1");
});

test("every run is at exactly one place, near its middle or at it", () => {
  const draw = draws(15);
  for (let i = 0; i < 50; i += 1) {
    const places = draw.list(40, () => [179.99 + draw.real(0, 0.02), draw.pick([-60, 0, 70]) + draw.real(0, 0.01)]);
    const runs = draw.list(20, (k) => [2 * k, 2 * k + 1]);
    const found = placesOf(runs, trackOf(places), { zones: [], reach_m: 300 });
    const stays = found.flatMap(({ stays }) => stays).sort(([a], [b]) => a - b);
    deepEqual(stays, runs);
    for (const { stays, lat } of found) for (const [k] of stays) ok(Math.abs(places[k][1] - lat) * 111_195 <= 430);
  }
});

const changes = [];
const windows = () => controls.windows({ name: "windows", label: "Windows", help: "" }, (step) => changes.push(step));
const mon = (start, end) => ({ days: ["mon"], start, end });
const groups = ({ element }) =>
  element.all("div").filter((one) => one.attributes.role === "group" && one.attributes["aria-label"] !== "Days");
const button = (root, name) =>
  root.all("button").find((one) => [one.textContent, one.attributes["aria-label"]].includes(name));

test("windows are given back as they were set; at first every night", () => {
  const form = windows();
  const night = form.value();
  deepEqual(night, [{ days: ["mon", "tue", "wed", "thu", "fri", "sat", "sun"], start: "22:00", end: "06:00" }]);
  const set = [
    { days: ["mon", "fri"], start: "09:00", end: "17:30" },
    { days: ["sun"], start: "00:00", end: "24:00" },
    { days: [], start: "", end: "x" },
  ];
  form.set(set);
  deepEqual(form.value(), set);
  form.set(null);
  deepEqual(form.value(), night);
});

test("an hour of one digit gets its zero, other texts stay as typed", () => {
  const form = windows();
  const ends = (start, end) => {
    form.set([mon(start, end)]);
    return `${form.value()[0].start}, ${form.value()[0].end}`;
  };
  gives(ends, { " 9:05 , 0:00": "09:05, 00:00", "12:30, 25:99": "12:30, 25:99" });
  equal(ends("123:4", "9"), "123:4, 9");
});

test("a day is pressed and released; the whole day takes the place of its times", () => {
  const form = windows();
  form.set([{ ...mon("08:00", "09:00"), days: ["tue"] }]);
  changes.length = 0;
  button(form.element, "Monday").emit("click");
  button(form.element, "Tuesday").emit("click");
  deepEqual(form.value()[0].days, ["mon"]);
  const box = form.element.all("input").find((one) => one.attributes.type === "checkbox");
  box.checked = true;
  box.emit("input");
  deepEqual(form.value(), [mon("00:00", "24:00")]);
  deepEqual(changes, ["windows", "windows", "windows"]);
});

test("a window that does not end later on its day ends on the next", () => {
  const form = windows();
  const next = (start, end) => {
    form.set([mon(start, end)]);
    return form.element.textContent.includes("next day");
  };
  gives(next, { "22:00, 06:00": true, "08:00, 08:00": true, "08:00, 17:00": false, "9:00, 17:00": false });
  equal(next("", "06:00"), false);
});

test("another window begins as the last one; one always stays", () => {
  const form = windows();
  const second = { ...mon("12:00", "13:00"), days: ["tue"] };
  form.set([mon("10:00", "11:00"), second]);
  changes.length = 0;
  button(form.element, "Add a window").emit("click");
  deepEqual(form.value()[2], second);
  button(form.element, "Remove window 2").emit("click");
  deepEqual(form.value(), [mon("10:00", "11:00"), second]);
  button(groups(form)[0], "Remove window 1").emit("click");
  deepEqual(changes, ["windows added", "windows removed", "windows removed"]);
  equal(button(groups(form)[2], "Remove window 1").hidden, true);
});

test("a date that is not given is left out", () => {
  const date = controls.date({ name: "first", label: "First day", help: "" }, () => {});
  for (const value of ["2024-02-29", undefined]) {
    date.set(value);
    equal(date.value(), value);
  }
});

const polygon = (...corners) => zones.polygonZone(corners);
const square = (west = 2, south = 48, size = 1) =>
  polygon([west, south], [west + size, south], [west + size, south + size], [west, south + size]);
const TRIANGLE = polygon(...rows("0 0, 4 0, 0 4"));
const PACIFIC = polygon(...rows("179 -1, -179 -1, -179 1, 179 1"));
const HOLED = { ...square(), coordinates: [...square().coordinates, ...square(2.25, 48.25, 0.5).coordinates] };
const close = (found, expected, share = 1e-9) =>
  ok(Math.abs(found - expected) <= share * Math.abs(expected), `${found}, expected ${expected}`);

test("positions have seven decimals, longitudes within half a turn, latitudes within the poles", () => {
  gives(zones.position, { "2.123456789, 48.987654321": [2.1234568, 48.9876543], "190, 95": [-170, 90] });
  deepEqual(zones.position(-541, -95), [179, -90]);
  equal(zones.circleZone(2, 48, 123.456789).radius_m, 123.457, "a drawn circle has six digits");
  equal(zones.typedCircle(2, 48, 123.456789).radius_m, 123.456789, "a typed one all");
});

test("a polygon's ring is closed and its corners are given back", () => {
  const corners = rows("2 48, 3 48, 3 49");
  const zone = zones.polygonZone(corners, "Clinic");
  deepEqual([zone.coordinates, zones.cornersOf(zone)], [[[...corners, corners[0]]], corners]);
  deepEqual([zones.nameOf(zone, 3), zones.nameOf(square(), 3)], ["Clinic", "Polygon 4"]);
  equal(zones.nameOf(zones.circleZone(2, 48, 9), 0), "Circle 1");
});

test("the middle of a zone, over the antimeridian too", () => {
  deepEqual([square(), PACIFIC, zones.circleZone(2, 48, 9)].map(zones.middleOf), rows("2.5 48.5, 180 0, 2 48"));
});

test("areas: a cap's, a square degree's at the equator, less its holes, whichever way round", () => {
  close(zones.areaM2(zones.circleZone(2, 48, 1000)), Math.PI * 1e6, 1e-6);
  close(zones.areaM2(square(0, 0)), 111_195.08 ** 2, 1e-3);
  close(zones.areaM2(PACIFIC), 4 * 111_195.08 ** 2, 1e-3);
  close(zones.areaM2(HOLED), zones.areaM2(square()) - zones.areaM2(square(2.25, 48.25, 0.5)));
  const turned = { ...square(), coordinates: square().coordinates.map((ring) => ring.toReversed()) };
  close(zones.areaM2(turned), zones.areaM2(square()));
});

test("a circle holds what is within its radius", () => {
  const draw = draws(12);
  for (let i = 0; i < 300; i += 1) {
    const [lon, lat] = [draw.real(-180, 180), draw.real(-80, 80)];
    const zone = zones.typedCircle(lon, lat, draw.real(1, 1e5));
    const [x, y] = [lon + draw.real(-2, 2), lat + draw.real(-1, 1)];
    equal(zones.contains(zone, x, y), distanceM(x, y, ...zone.center) <= zone.radius_m, `${x} ${y}`);
  }
});

test("a polygon holds what is in its ring and in no hole, over the antimeridian too", () => {
  const holds = (zone) => (lon, lat) => zones.contains(zone, lon, lat);
  gives(holds(square()), { "2.5, 48.5": true, "3.1, 48.5": false, "1.9, 48.5": false, "2.5, 49.1": false });
  gives(holds(HOLED), { "2.5, 48.5": false, "2.1, 48.5": true });
  gives(holds(TRIANGLE), { "1, 2.9": true, "1, 3.1": false, "3, 0.9": true, "3, 1.1": false });
  gives(holds(PACIFIC), { "179.5, 0": true, "-179.5, 0": true, "0, 0": false, "178, 0": false });
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
    equal(zones.contains(zone, lon, lat), lon > -170 && lon < width - 170, `${lon} in ${width}`);
    equal(zones.contains(turned, lon + turn, lat), zones.contains(zone, lon, lat), `${lon} by ${turn}`);
    const [[middle], [there]] = [zone, turned].map(zones.middleOf);
    ok(Math.abs(Math.sin(((there - middle - turn) * Math.PI) / 360)) < 1e-6, `${there} for ${middle + turn}`);
  }
});

test("of several zones at a place the smallest is found", () => {
  const all = [square(), zones.circleZone(2.5, 48.5, 100), square(2, 48, 5)];
  const at = (lon, lat) => zones.zoneAt(all, lon, lat);
  gives(at, { "2.5, 48.5": 1, "2.1, 48.1": 0, "6, 52": 2, "10, 10": -1 });
});

test("events in a zone are those it contains, of the track that is given", () => {
  const draw = draws(13);
  for (const zone of [square(), zones.circleZone(2.5, 48.5, 40_000)])
    for (let i = 0; i < 2; i += 1) {
      const places = draw.list(400, () => [draw.real(1, 4), draw.real(47, 50)]);
      const inside = places.filter(([lon, lat]) => zones.contains(zone, lon, lat)).length;
      ok(inside > 0);
      const track = trackOf(places);
      deepEqual([zones.eventsIn(zone, track), zones.eventsIn(zone, track)], [inside, inside]);
    }
});

test("a handle leads to where it is put, and back", () => {
  for (const zone of [square(), PACIFIC, zones.circleZone(2, 48, 5000)])
    for (const { id, lon, lat } of zones.handlesOf(zone, "it").filter(({ kind }) => kind !== "between")) {
      const there = zones.moved(zone, id, lon + 0.25, lat - 0.125);
      const again = zones.moved(there, id, lon, lat);
      const [[x, y], [x0, y0]] = [again, zone].map(zones.middleOf);
      ok(Math.abs(x - x0) + Math.abs(y - y0) < 1e-6, id);
      close(zones.areaM2(again), zones.areaM2(zone), 1e-4);
      notDeepEqual(there, zone);
    }
});

test("corners are moved, added between two, and removed until three are left", () => {
  const zone = square();
  const moved = (...given) => zones.cornersOf(zones.moved(zone, ...given));
  deepEqual(moved("corner-2", 9, 50)[2], [9, 50]);
  deepEqual(moved("between-3", 1, 48.5), rows("2 48, 3 48, 3 49, 2 49, 1 48.5"));
  deepEqual(moved("between-0", 2.5, 47).slice(0, 3), rows("2 48, 2.5 47, 3 48"));
  const three = zones.withoutCorner(zone, 0);
  deepEqual(three.coordinates, [rows("3 48, 3 49, 2 49, 3 48")]);
  equal(zones.withoutCorner(three, 0), three);
  deepEqual(zone, square(), "no zone is changed");
});

test("handles of a polygon: the centre, each corner, and the middle of each edge", () => {
  const found = zones.handlesOf(square(), "Polygon 1");
  deepEqual([found[0].id, found[1].id, found[2].id], ["centre", "corner-0", "between-0"]);
  deepEqual([found.length, found[1].label, found[0].label], [9, "Corner 1 of Polygon 1", "Move Polygon 1"]);
  const label = "New corner after corner 4 of Polygon 1";
  deepEqual(found.at(-1), { id: "between-3", lon: 2, lat: 48.5, kind: "between", label });
});

test("the radius follows its handle and is never 0", () => {
  const zone = zones.circleZone(2, 48, 5000);
  const handle = zones.handlesOf(zone, "c")[1];
  ok(Math.abs(handle.lat - 48) < 1e-4 && handle.lon > 2.05, "east of the centre");
  close(zones.moved(zone, "radius", handle.lon, handle.lat).radius_m, 5000, 1e-5);
  equal(zones.moved(zone, "radius", 2, 48).radius_m, 0.1);
});

test("zones come back from GeoJSON as they were written", () => {
  const all = [{ ...square(), label: "Clinic" }, zones.circleZone(2.5, 48.5, 750), PACIFIC];
  deepEqual(zones.fromGeoJSON(`\uFEFF${JSON.stringify(zones.toGeoJSON(all))}`), all);
});

test("shapes of other programs: multipolygons, collections, altitudes, other names", () => {
  const ring = rows("2 48 9, 3 48 9, 3 49 9, 2 48 9");
  const type = "Polygon";
  const coordinates = [rows("2 48, 3 48, 3 49, 2 48")];
  const read = (one) => zones.fromGeoJSON(JSON.stringify(one));
  const feature = (geometry, properties) => ({ type: "Feature", geometry, properties });
  deepEqual(read({ type, coordinates: [ring] }), [{ type, coordinates, label: "" }]);
  const parts = read(feature({ type: "MultiPolygon", coordinates: [[ring], [ring]] }, { name: "Two" }));
  deepEqual(parts, Array(2).fill({ type, coordinates, label: "Two" }));
  const geometries = [{ type: "Point", coordinates: [2, 48, 9] }];
  const found = read(feature({ type: "GeometryCollection", geometries }, { radius: 5, title: "It" }));
  deepEqual(found, [{ type: "Circle", center: [2, 48], radius_m: 5, label: "It" }]);
});

test("what is no zone is refused by its place", () => {
  const line = { type: "Feature", geometry: { type: "LineString", coordinates: [] } };
  for (const [text, message] of [
    ["{", /not JSON/],
    ['{"type": "FeatureCollection", "features": []}', /no features/],
    ["null", /Feature 1 is no shape/],
    [JSON.stringify({ type: "FeatureCollection", features: [square(), line] }), /Feature 2 is a LineString/],
    ['{"type": "Point", "coordinates": [2, 48]}', /Feature 1 is a Point/],
  ])
    throws(() => zones.fromGeoJSON(text), message);
});

test("a set's zones are edited in parts, with labels", () => {
  const [a, b] = [square(), square(5)].map(({ coordinates }) => coordinates);
  const circle = { type: "Circle", center: [2, 48], radius_m: 9 };
  const found = zones.asDrawn([{ type: "MultiPolygon", coordinates: [a, b], label: "X" }, circle]);
  const parts = [a, b].map((coordinates) => ({ type: "Polygon", coordinates, label: "X" }));
  deepEqual(found, [...parts, { ...circle, label: "" }]);
});
