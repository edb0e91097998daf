import assert from "node:assert/strict";
import { test } from "node:test";

import { frameEvents, playSchedule, usualStep } from "../../../static/js/components/playback_schedule.js";
import { draws } from "../support.mjs";

const draw = draws(62);

test("the usual step is the median", () => {
  assert.equal(usualStep([0, 1, 2, 3, 100], 5), 1);
  assert.equal(usualStep([0, 10, 11], 3), 10);
  assert.equal(usualStep([5], 1), 0);
  const long = Float64Array.from({ length: 20_000 }, (_, i) => 3 * i);
  assert.equal(usualStep(long, long.length), 3);
});

test("frames begin and end with the events, in order", () => {
  for (let k = 0; k < 100; k += 1) {
    const n = draw.int(1, 40);
    let at = 0;
    const time = draw.pick([null, draw.list(n, () => (at += draw.pick([1, 5, 1000])))]);
    const [first, last] = [draw.int(0, n - 1), draw.int(0, n - 1)].sort((a, b) => a - b);
    const events = frameEvents({ time, first, last }, draw.int(2, 60));
    assert.equal(events[0], first);
    assert.equal(events.at(-1), last);
    assert.ok(
      events.every((event, i) => !i || event >= events[i - 1]),
      String(events),
    );
  }
});

test("frames are even in time, and a long gap is as long as ten usual steps", () => {
  assert.deepEqual(frameEvents({ time: null, first: 2, last: 6 }, 5), [2, 3, 4, 5, 6]);
  assert.deepEqual(frameEvents({ time: [0, 1, 2, 4], first: 0, last: 3 }, 5), [0, 1, 2, 2, 3]);
  const gap = { time: [0, 1, 2, 3, 4, 5, 100_005], first: 0, last: 6 };
  assert.deepEqual(frameEvents(gap, 16), [0, 1, 2, 3, 4, ...Array(10).fill(5), 6]);
  assert.deepEqual(frameEvents({ time: null, first: 3, last: 3 }, 3), [3, 3, 3]);
  assert.deepEqual(frameEvents({ time: [0, 9, 10, 30], first: 1, last: 3 }, 4), [1, 2, 2, 3]);
});

/** The events that are shown at times in ms. */
function shownAt(series, speed, times, at = 0) {
  const next = playSchedule(series, speed, at, 0);
  return times.map((now) => (at = next(at, now)));
}

test("a series plays at its speed up to its last event", () => {
  const even = { time: null, last: 9, usual: 0 };
  assert.deepEqual(shownAt(even, 2, [0, 499, 500, 2000, 9000]), [0, 0, 1, 4, 9]);
  assert.deepEqual(shownAt(even, 2, [500], 3), [4]);
  const timed = { time: [0, 10, 20, 30], last: 3, usual: 10 };
  assert.deepEqual(shownAt(timed, 10, [999, 1000, 2000, 3000, 4000]), [0, 1, 2, 3, 3]);
  assert.deepEqual(shownAt({ ...timed, last: 2 }, 10, [9000]), [2]);
});

test("a long gap is played for a second and a half", () => {
  const series = { time: [0, 10, 20, 5000, 5010], last: 4, usual: 10 };
  assert.deepEqual(shownAt(series, 10, [1000, 2000, 3000, 3500, 3501, 4501]), [1, 2, 2, 2, 3, 4]);
  const short = { time: [0, 10, 20, 5000, 5010], last: 4, usual: 1000 };
  assert.deepEqual(shownAt(short, 10, [2000, 3501]), [2, 2], "ten usual steps are no long gap");
});
