import assert from "node:assert/strict";
import { test } from "node:test";

import { timelineScale } from "../../../static/js/components/timeline_scale.js";
import { draws } from "../support.mjs";

const draw = draws(61);
const NEW_YEAR = Date.UTC(2024, 0, 1) / 1000;
const timesOf = (n, step) => {
  let at = NEW_YEAR;
  return draw.list(n, () => (at += draw.pick([0, draw.real(0, step)])));
};

test("events lie in order within the strip, and each is found where it lies", () => {
  for (const n of [1, 2, 3, 100, 1000])
    for (const time of [null, timesOf(n, 600)]) {
      const scale = timelineScale({ n, time }, 700);
      for (let i = 0; i < n; i += 1) {
        const x = scale.place(i);
        assert.ok(x >= 8 - 1e-9 && x <= 692 + 1e-9, `${i} of ${n} at ${x}`);
        if (i) assert.ok(x >= scale.place(i - 1));
        const found = scale.eventAt(x);
        assert.ok(Math.abs(scale.place(found) - x) < 1e-6, `${i} of ${n} found as ${found}`);
      }
    }
});

test("ends and middles", () => {
  const even = timelineScale({ n: 5, time: null }, 416);
  assert.deepEqual([0, 2, 4].map(even.place), [8, 208, 408]);
  assert.deepEqual([-50, 0, 257, 259, 900].map(even.eventAt), [0, 0, 2, 3, 4]);
  assert.equal(timelineScale({ n: 1, time: null }, 416).place(0), 208);
  const late = timelineScale({ n: 3, time: [0, 90, 100] }, 416);
  assert.deepEqual([late.place(1), late.eventAt(200), late.eventAt(100)], [368, 1, 0]);
  assert.equal(timelineScale({ n: 3, time: [7, 7, 7] }, 416).place(1), 208, "at one instant they lie evenly");
});

test("the first event at a pixel or farther right is the one an exhaustive search finds", () => {
  for (const time of [null, timesOf(200, 60)]) {
    const scale = timelineScale({ n: 200, time }, 500);
    const places = Array.from({ length: 200 }, (_, i) => scale.place(i));
    for (let k = 0; k < 100; k += 1) {
      const x = draw.pick([draw.real(-10, 510), draw.pick(places)]);
      const first = places.findIndex((at) => at >= x);
      assert.equal(scale.firstFrom(x), first < 0 ? 200 : first, String(x));
    }
  }
});

test("ticks are in order, within the strip and no closer than 72 px on average", () => {
  for (const [n, step] of [
    [20, 1],
    [500, 60],
    [800, 7200],
    [300, 1e6],
  ])
    for (const width of [200, 700, 1500]) {
      const places = timelineScale({ n, time: timesOf(n, step) }, width)
        .ticks()
        .map(([x]) => x);
      assert.ok(places.length <= width / 72 + 1, `${places.length} in ${width} px`);
      assert.ok(places.every((x, i) => x >= 8 && x <= width - 8 + 1e-6 && (!i || x > places[i - 1])));
    }
});

test("texts of ticks: clocks within a day, days beyond, numbers without times", () => {
  const texts = (series, width = 500) =>
    timelineScale(series, width)
      .ticks()
      .map(([, text]) => text);
  const from = (length) => ({ n: 2, time: [NEW_YEAR, NEW_YEAR + length] });
  assert.deepEqual(texts(from(20)), ["00:00:00", "00:00:05", "00:00:10", "00:00:15", "00:00:20"]);
  assert.deepEqual(texts(from(3600)), ["00:00", "00:15", "00:30", "00:45", "01:00"]);
  assert.deepEqual(texts(from(30 * 3600)), ["1 Jan", "06:00", "12:00", "18:00", "2 Jan", "06:00"]);
  assert.deepEqual(texts(from(4 * 86_400)), ["1 Jan", "2 Jan", "3 Jan", "4 Jan", "5 Jan"]);
  assert.deepEqual(texts({ n: 5000, time: null }), ["1,000", "2,000", "3,000", "4,000", "5,000"]);
  assert.deepEqual(texts(from(240)), ["00:00", "00:01", "00:02", "00:03", "00:04"]);
  const clock = timelineScale(from(240), 416).ticks();
  assert.equal(String(clock.map(([x]) => x)), "8,108,208,308,408");
  assert.deepEqual(timelineScale({ n: 5, time: null }, 416).ticks(), [
    [8, "1"],
    [108, "2"],
    [208, "3"],
    [308, "4"],
    [408, "5"],
  ]);
});
