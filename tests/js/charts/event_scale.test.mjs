import assert from "node:assert/strict";
import { test } from "node:test";

import { alongOf, eventScale, eventText, hasTimes } from "../../../static/js/charts/event_scale.js";
import { plain } from "../support.mjs";

const HOUR = 3600;
const NEW_YEAR = Date.UTC(2024, 0, 1) / 1000;
const at = [0, 1, 2, 10].map((hours) => NEW_YEAR + hours * HOUR);
const times = { at, zone: "UTC" };
const ticks = { at: [0, 2], text: ["dawn", "dusk"] };

test("the axis chosen, else names where there are some", () => {
  const cases = [
    [{}, "event"],
    [{ along: "time" }, "event"],
    [{ times }, "event"],
    [{ times, along: "time" }, "time"],
    [{ ticks }, "time"],
    [{ ticks, along: "event" }, "event"],
  ];
  for (const [shown, along] of cases) assert.equal(alongOf(shown), along, JSON.stringify(shown));
  assert.deepEqual([{}, { times }, { ticks }].map(hasTimes), [false, true, true]);
});

test("by their number, events lie evenly", () => {
  const scale = eventScale({ item: "step" });
  assert.deepEqual([scale.name, scale.place(3), scale.eventAt(2.6), scale.half], ["event", 3, 3, 0.5]);
  assert.equal(scale.title([0, 3]), "step number");
  assert.equal(
    scale.overhang(() => 100),
    0,
  );
  assert.deepEqual(scale.range([2, 5]), [2, 5]);
});

test("names in place of numbers", () => {
  const scale = eventScale({ ticks });
  assert.deepEqual([scale.name, scale.title([0, 3])], ["time", "time"]);
  assert.deepEqual(scale.axis([0, 3], 500), { range: [0, 3], tickvals: [0, 2], ticktext: ["dawn", "dusk"] });
  assert.equal(
    scale.overhang((text) => 10 * text.length),
    22,
  );
});

test("by time, every event lies at its time and is found there", () => {
  const scale = eventScale({ times, along: "time" });
  assert.equal(scale.name, "time");
  for (const event of at.keys()) {
    assert.equal(scale.place(event), at[event]);
    assert.equal(scale.eventAt(scale.place(event)), event);
  }
  assert.deepEqual([scale.place(-5), scale.place(99)], [at[0], at[3]]);
  assert.deepEqual([at[0] - 9, at[1] + 0.4 * HOUR, at[1] + 0.6 * HOUR].map(scale.eventAt), [0, 1, 2]);
  assert.equal(scale.half, HOUR / 2); // of the median step: 1, 1 and 8 hours
  assert.deepEqual(scale.range([1, 3]), [at[1], at[3]]);
  assert.deepEqual(scale.range([2, 2]), [at[2] - 1, at[2] + 1]);
  assert.equal(scale.title([0, 3]), "time (UTC), 1 Jan 2024");
  assert.ok(scale.axis([0, 3], 700).tickvals.length > scale.axis([0, 3], 200).tickvals.length);
});

test("without any time events lie by their number", () => {
  assert.equal(eventScale({ times: { at: [], zone: "UTC" }, along: "time" }).name, "event");
});

test("an event's text has its number from 1, its time in its zone or its name", () => {
  assert.equal(eventText({}, 0), "event 1");
  assert.equal(eventText({ item: "step", times: { at: [], zone: "UTC" } }, 1499), "step 1,500");
  assert.equal(eventText({ times: { at, zone: "Asia/Kolkata" } }, 1), "event 2 · 1 Jan 2024, 06:30:00");
  assert.equal(plain(eventText({ times, pointName: (event) => `<${event}>` }, 1)), "<1> · event 2");
});
