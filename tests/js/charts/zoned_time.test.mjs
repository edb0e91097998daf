import assert from "node:assert/strict";
import { test } from "node:test";

import { daysText, momentText, offsetOf, shownZone, timeTicks } from "../../../static/js/charts/zoned_time.js";

const ZONES = ["UTC", "Europe/Berlin", "Asia/Kolkata", "America/New_York"];
const [HOUR, DAY] = [3600, 86_400];
const NEW_YEAR = Date.UTC(2024, 0, 1) / 1000;
const LENGTHS = [30, 600, 3 * HOUR, 26 * HOUR, 5 * DAY, 40 * DAY, 400 * DAY, 4000 * DAY, 40_000 * DAY];
const SUMMER = NEW_YEAR + 90 * DAY + HOUR; // when clocks in Berlin are put forward
const STARTS = [NEW_YEAR + 17 * DAY + 4321.5, NEW_YEAR + 88 * DAY, SUMMER - 1.5 * HOUR];

/** What a clock in the zone reads. */
function clock(time, zone) {
  const format = new Intl.DateTimeFormat("en-GB", {
    ...{ timeZone: zone, year: "numeric", month: "short", day: "numeric" },
    ...{ hour: "2-digit", minute: "2-digit", second: "2-digit" },
  });
  const parts = Object.fromEntries(format.formatToParts(time * 1000).map(({ type, value }) => [type, value]));
  return { ...parts, month: parts.month.slice(0, 3) };
}

test("ticks are round readings of a clock in the zone, in order, few, and within the span", () => {
  for (const start of STARTS)
    for (const length of LENGTHS)
      for (const most of [2, 5, 12])
        for (const zone of ZONES) {
          const about = `${length} s from ${start}, ${most} in ${zone}`;
          const ticks = timeTicks([start, start + length], most, zone);
          const times = ticks.map(([time]) => time);
          assert.deepEqual(
            times,
            [...new Set(times)].sort((a, b) => a - b),
            about,
          );
          assert.ok(ticks.length <= most + 1, about);
          for (const [time, text] of ticks) {
            assert.ok(time >= start - 1 && time <= start + length + 1, about);
            const { year, month, day, hour, minute, second } = clock(time, zone);
            const isDay = `${hour}:${minute}:${second}` === "00:00:00";
            const texts = isDay
              ? [`${day} ${month}`, `${month} ${year}`, year]
              : [`${hour}:${minute}`, `${hour}:${minute}:${second}`];
            assert.ok(texts.includes(text), `${text} at ${JSON.stringify(texts)}, ${about}`);
          }
        }
});

test("ticks of known spans", () => {
  const of = (from, to, most, zone = "UTC") =>
    timeTicks([NEW_YEAR + from, NEW_YEAR + to], most, zone).map(([time, text]) => [time - NEW_YEAR, text]);
  assert.deepEqual(of(0, 20, 4), [
    [0, "1 Jan"],
    [5, "00:00:05"],
    [10, "00:00:10"],
    [15, "00:00:15"],
    [20, "00:00:20"],
  ]);
  assert.deepEqual(of(-HOUR, HOUR, 4), [
    [-HOUR, "23:00"],
    [-HOUR / 2, "23:30"],
    [0, "1 Jan"],
    [HOUR / 2, "00:30"],
    [HOUR, "01:00"],
  ]);
  assert.deepEqual(of(0, DAY, 2, "America/New_York"), [
    [5 * HOUR, "1 Jan"],
    [17 * HOUR, "12:00"],
  ]);
  assert.deepEqual(of(DAY, 100 * DAY, 4), [
    [31 * DAY, "Feb 2024"],
    [60 * DAY, "Mar 2024"],
    [91 * DAY, "Apr 2024"],
  ]);
  assert.deepEqual(of(-400 * DAY, 800 * DAY, 4), [
    [-365 * DAY, "2023"],
    [0, "2024"],
    [366 * DAY, "2025"],
    [731 * DAY, "2026"],
  ]);
});

test("an hour that clocks leave out has no ticks", () => {
  const ticks = timeTicks([SUMMER - 3 * HOUR, SUMMER + 2 * HOUR], 10, "Europe/Berlin");
  assert.deepEqual(
    ticks.map(([time, text]) => `${text} ${(time - SUMMER) / HOUR}`),
    [
      "23:00 -3",
      "23:30 -2.5",
      "31 Mar -2",
      "00:30 -1.5",
      "01:00 -1",
      "01:30 -0.5",
      "03:00 0",
      "03:30 0.5",
      "04:00 1",
      "04:30 1.5",
      "05:00 2",
    ],
  );
});

test("offsets, also of half hours and of summer", () => {
  const summer = Date.UTC(2024, 6, 1) / 1000;
  const found = ZONES.map((zone) => [offsetOf(NEW_YEAR, zone), offsetOf(summer + 0.7, zone)].map((one) => one / HOUR));
  assert.deepEqual(found, [
    [0, 0],
    [1, 2],
    [5.5, 5.5],
    [-5, -4],
  ]);
});

test("a moment in its zone; in UTC where the zone is not known", () => {
  assert.deepEqual(
    [...ZONES, "Nowhere/Land"].map((zone) => momentText(NEW_YEAR, zone)),
    [
      "1 Jan 2024, 00:00:00",
      "1 Jan 2024, 01:00:00",
      "1 Jan 2024, 05:30:00",
      "31 Dec 2023, 19:00:00",
      "1 Jan 2024, 00:00:00",
    ],
  );
  assert.equal(shownZone("Nowhere/Land"), "UTC");
  assert.equal(shownZone("Asia/Kolkata"), "Asia/Kolkata");
});

test("days name what differs", () => {
  const spans = [
    [0, 5],
    [0, DAY],
    [-DAY, 0],
    [0, 366 * DAY],
  ];
  assert.deepEqual(
    spans.map(([from, to]) => daysText([NEW_YEAR + from, NEW_YEAR + to], "UTC")),
    ["1 Jan 2024", "1 Jan to 2 Jan 2024", "31 Dec 2023 to 1 Jan 2024", "1 Jan 2024 to 1 Jan 2025"],
  );
});
