import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { Marks } from "../../../../static/js/trajectory/landmark_editor/event_mask.js";
import { History } from "../../../../static/js/trajectory/landmark_editor/history.js";
import { placesOf } from "../../../../static/js/trajectory/landmark_editor/landmark_places.js";
import { circleZone } from "../../../../static/js/trajectory/landmark_editor/zone_geometry.js";
import { draws } from "../../support.mjs";

test("runs of a mask are given back, and its events are those in them", () => {
  const draw = draws(14);
  for (let i = 0; i < 200; i += 1) {
    const n = draw.int(1, 60);
    const marks = new Marks(n);
    const events = draw.list(n, (event) => event).filter(() => draw.int(0, 2));
    if (events.length) assert.equal(marks.toggle(events), true);
    assert.deepEqual([marks.events(), marks.count], [events, events.length]);
    const again = new Marks(n);
    again.replace([[0, n]]);
    again.replace(marks.runs());
    assert.deepEqual(again.mask, marks.mask);
    const [from, to] = [draw.int(0, n), n - draw.int(0, 3)];
    const part = marks
      .runs(from, Math.max(from, to))
      .flatMap(([start, end]) => draw.list(end - start, (k) => from + start + k));
    assert.deepEqual(
      part,
      events.filter((event) => event >= from && event < to),
    );
  }
});

test("events that are all marked are unmarked, otherwise all are marked", () => {
  const marks = new Marks(5);
  assert.deepEqual([marks.toggle([1, 2]), marks.toggle([2, 3]), marks.events()], [true, true, [1, 2, 3]]);
  assert.deepEqual([marks.toggle([1, 2]), marks.events(), marks.has(3), marks.has(1)], [false, [3], true, false]);
});

test("how two sets overlap, whichever is first", () => {
  const marks = new Marks(10);
  marks.replace([
    [0, 4],
    [6, 8],
  ]);
  assert.deepEqual(marks.overlap([[2, 7]]), { both: 3, onlyFirst: 3, onlySecond: 2, jaccard: 3 / 8 });
  const other = new Marks(10);
  other.replace([[2, 7]]);
  assert.deepEqual(other.overlap(marks.runs()), { both: 3, onlyFirst: 2, onlySecond: 3, jaccard: 3 / 8 });
  assert.equal(new Marks(10).overlap([]).jaccard, 1);
  assert.equal(marks.overlap([]).jaccard, 0);
});

test("steps are undone and done again in their order; another step ends what was undone", () => {
  const history = new History(0);
  assert.deepEqual([history.undo(), history.redo(), history.now], [false, false, 0]);
  [1, 2, 3].forEach((state) => history.put(state));
  assert.deepEqual([history.undo(), history.undo(), history.now], [true, true, 1]);
  assert.deepEqual([history.redo(), history.now], [true, 2]);
  history.put(9);
  assert.deepEqual([history.redo(), history.now, history.undo(), history.now], [false, 9, true, 2]);
});

test("changes of the same thing in quick succession are one step", () => {
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
  assert.deepEqual([history.undo(), history.now], [true, "ab"]);
  assert.deepEqual([history.undo(), history.now], [true, ""]);
  typed("x", "label", 2800);
  typed("xy", "radius", 2801);
  typed("xyz", null, 2802);
  typed("xyz!", null, 2803);
  for (const state of ["xyz", "xy", "x", ""]) assert.deepEqual([history.undo(), history.now], [true, state]);
  mock.restoreAll();
});

test("the last 200 steps are remembered", () => {
  const history = new History(0);
  for (let state = 1; state <= 250; state += 1) history.put(state);
  while (history.undo());
  assert.equal(history.now, 50);
});

/** A track at rest at `places`, an event each minute. */
const trackOf = (places, timed = true) => ({
  n: places.length,
  lonAt: (i) => places[i][0],
  latAt: (i) => places[i][1],
  time: timed ? places.map((_, i) => 60 * i) : null,
});
const HOME = [2, 48];
const beside = (metres) => [2, 48 + metres / 111_195];

test("stays near each other are at one place, the place of most events first", () => {
  const places = [HOME, HOME, [2.5, 48], beside(150), beside(150), beside(150), beside(450)];
  const runs = [
    [0, 2],
    [2, 3],
    [3, 6],
    [6, 7],
  ];
  const found = placesOf(runs, trackOf(places), { zones: [], reach_m: 200 });
  assert.deepEqual(
    found.map(({ stays, events, seconds }) => [stays, events, seconds]),
    [
      [
        [
          [0, 2],
          [3, 6],
        ],
        5,
        180,
      ],
      [[[2, 3]], 1, 0],
      [[[6, 7]], 1, 0],
    ],
  );
  assert.deepEqual([found[0].name, found[0].lon, found[0].lat], [null, 2, 48]);
  assert.equal(placesOf(runs, trackOf(places, false), { zones: [], reach_m: 200 })[0].seconds, null);
});

test("stays in one zone are at one place, with its name, however far apart", () => {
  const zone = circleZone(2, 48, 2000, "Work");
  const found = placesOf(
    [
      [0, 1],
      [1, 2],
      [2, 3],
    ],
    trackOf([HOME, beside(1500), beside(2500)]),
    { zones: [zone], reach_m: 100 },
  );
  assert.deepEqual(
    found.map(({ name, events }) => [name, events]),
    [
      ["Work", 2],
      [null, 1],
    ],
  );
});

test("every run is at exactly one place, near its middle or at it", () => {
  const draw = draws(15);
  for (let i = 0; i < 50; i += 1) {
    const places = draw.list(40, () => [179.99 + draw.real(0, 0.02), draw.pick([-60, 0, 70]) + draw.real(0, 0.01)]);
    const runs = draw.list(20, (k) => [2 * k, 2 * k + 1]);
    const found = placesOf(runs, trackOf(places), { zones: [], reach_m: 300 });
    assert.deepEqual(
      found.flatMap(({ stays }) => stays).sort(([a], [b]) => a - b),
      runs,
    );
    for (const { stays, lat } of found)
      for (const [k] of stays) assert.ok(Math.abs(places[k][1] - lat) * 111_195 <= 430);
  }
});
