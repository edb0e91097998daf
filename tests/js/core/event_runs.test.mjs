import assert from "node:assert/strict";
import { test } from "node:test";

import { isInRuns, runsWithin, runsWithout, spanOf } from "../../../static/js/core/event_runs.js";
import { draws } from "../support.mjs";

const N = 40;

function runsOf(events) {
  const runs = [];
  events.forEach((on, i) => {
    if (!on) return;
    const last = runs.at(-1);
    if (last?.[1] === i) last[1] = i + 1;
    else runs.push([i, i + 1]);
  });
  return runs;
}
const eventsOf = (runs) => Array.from({ length: N }, (_, i) => runs.some(([a, b]) => a <= i && i < b));

test("runs behave as the sets of their events", () => {
  const draw = draws(10);
  for (let k = 0; k < 300; k += 1) {
    const events = draw.list(N, () => draw.real(0, 1) < 0.6);
    const others = events.map((on) => on && draw.real(0, 1) < 0.4);
    const runs = runsOf(events);
    const [first, after] = [draw.int(0, N), draw.int(0, N)].sort((a, b) => a - b);
    assert.deepEqual(
      events.map((_, i) => isInRuns(runs, i)),
      events,
    );
    const within = runsWithin(runs, [first, after]);
    assert.deepEqual(
      eventsOf(within),
      events.map((on, i) => on && i >= first && i < after),
    );
    const without = runsWithout(runs, runsOf(others));
    assert.deepEqual(
      eventsOf(without),
      events.map((on, i) => on && !others[i]),
    );
    for (const [a, b] of [...within, ...without]) assert.ok(a < b, "no run is empty");
  }
});

test("without a range runs stay as they are", () => {
  assert.deepEqual(runsWithin([[1, 3]], null), [[1, 3]]);
  assert.deepEqual(runsWithin([[1, 3]]), [[1, 3]]);
});

test("the span of a range has its last event, and two events at least", () => {
  const cases = [
    [
      [2, 6],
      [2, 5],
    ],
    [
      [2, 3],
      [2, 3],
    ],
    [null, [0, 9]],
  ];
  for (const [range, span] of cases) assert.deepEqual(spanOf(range, 10), span);
  assert.deepEqual(spanOf(null, 1), [0, 1]);
});
