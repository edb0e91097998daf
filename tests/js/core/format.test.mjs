import assert from "node:assert/strict";
import { test } from "node:test";

import * as format from "../../../static/js/core/format.js";
import { draws, plain } from "../support.mjs";

/** `cases`: what a function makes of a value. */
const texts = (written, cases) => {
  for (const [value, text] of cases) assert.equal(plain(written(value)), text, String(value));
};

test("a whole number has commas between thousands and no fraction", () => {
  texts(format.whole, [
    [0, "0"],
    [999.4, "999"],
    [999.5, "1,000"],
    [12345, "12,345"],
    [-1234567, "-1,234,567"],
  ]);
});

test("the number of an event counts from 1", () => {
  texts(format.eventNumber, [
    [0, "1"],
    [999, "1,000"],
  ]);
});

test("nouns in the plural", () => {
  texts(format.plural, [
    ["event", "events"],
    ["entry", "entries"],
    ["day", "days"],
    ["match", "matches"],
    ["box", "boxes"],
    ["class", "classes"],
    ["person", "people"],
    ["other person", "other people"],
    ["time series", "time series"],
    ["matrix", "matrices"],
  ]);
});

test("one is singular, everything else plural", () => {
  texts(
    (n) => format.count(n, "event"),
    [
      [0, "0 events"],
      [1, "1 event"],
      [2, "2 events"],
      [1407, "1,407 events"],
    ],
  );
});

test("the place in the queue", () => {
  texts(format.queued, [
    [null, "waiting for a worker"],
    [0, "waiting for a worker"],
    [1, "waiting for a worker, first in the queue"],
    [10, "waiting for a worker, tenth in the queue"],
    [11, "waiting for a worker, number 11 in the queue"],
    [1234, "waiting for a worker, number 1,234 in the queue"],
  ]);
});

test("only the first letter becomes a capital", () => {
  texts(format.capitalized, [
    ["level ε of GPS", "Level ε of GPS"],
    ["", ""],
  ]);
});

test("significant digits, no exponent", () => {
  texts(format.number, [
    [0.00123456, "0.00123"],
    [12.345, "12.3"],
    [1234, "1,230"],
    [1e-7, "0.0000001"],
  ]);
  assert.equal(format.number(1234.56, 5), "1,234.6");
});

test("tenths keep all digits of a whole number", () => {
  texts(format.tenths, [
    [123456808, "123,456,808"],
    [12.34, "12.3"],
    [12.35, "12.4"],
  ]);
});

test("lengths, at the borders between their forms", () => {
  texts(format.metres, [
    [null, "–"],
    [undefined, "–"],
    [0, "0 m"],
    [1.234, "1.2 m"],
    [9.99, "10 m"],
    [10, "10 m"],
    [141.4, "141 m"],
    [999, "999 m"],
    [1000, "1 km"],
    [2789, "2.79 km"],
    [-2789, "-2.79 km"],
    [99_999, "100 km"],
    [1_234_000, "1,234 km"],
    [123_456, "123 km"],
  ]);
});

test("a length is read back within its rounding, and longer ones never read shorter", () => {
  const draw = draws(1);
  const read = (text) => {
    const [value, unit] = plain(text).split(" ");
    return Number(value.replaceAll(",", "")) * (unit === "km" ? 1000 : 1);
  };
  const lengths = draw.list(500, () => 10 ** draw.real(-2, 7)).sort((a, b) => a - b);
  const found = lengths.map((length) => read(format.metres(length)));
  for (const [i, length] of lengths.entries()) {
    assert.ok(Math.abs(found[i] - length) <= 0.051 * length, `${length} read as ${found[i]}`);
    if (i) assert.ok(found[i] >= found[i - 1], `${length} below the one before it`);
  }
});

test("shares", () => {
  texts(format.percent, [
    [0.407, "40.7 %"],
    [1, "100 %"],
    [0, "0 %"],
  ]);
  assert.equal(plain(format.percent(0.123456, 2)), "12 %");
});

test("a job is at 100 % only when it is over", () => {
  texts(format.done, [
    [0, "0 %"],
    [0.645, "64 %"],
    [0.99, "99 %"],
    [0.996, "99 %"],
    [1 - 2 ** -53, "99 %"],
    [1, "100 %"],
    [1.2, "100 %"],
  ]);
});

test("bytes in powers of a thousand", () => {
  texts(format.bytes, [
    [0, "0 B"],
    [999, "999 B"],
    [1000, "1 kB"],
    [1_234_567, "1.23 MB"],
    [9e9, "9 GB"],
    [5e12, "5,000 GB"],
  ]);
});

test("durations", () => {
  texts(format.duration, [
    [null, "–"],
    [0.123, "0.12 s"],
    [8, "8 s"],
    [59.6, "1 min"],
    [60, "1 min"],
    [61, "1 min 1 s"],
    [3600, "1 h"],
    [7199, "1 h 59 min"],
    [7229, "2 h"],
    [7230, "2 h 1 min"],
    [12_000, "3 h 20 min"],
    [86_400, "1 d"],
    [187_200, "2 d 4 h"],
  ]);
});

test("a duration never states more than a minute too much or too little from two hours on", () => {
  const draw = draws(2);
  const size = { d: 86_400, h: 3600, min: 60, s: 1 };
  for (const seconds of draw.list(300, () => 10 ** draw.real(1, 6.5))) {
    const parts = plain(format.duration(seconds)).matchAll(/(\d+) (\w+)/g);
    const read = [...parts].reduce((sum, [, value, unit]) => sum + Number(value) * size[unit], 0);
    const off = seconds >= 86_400 ? 3600 : seconds >= 3600 ? 60 : 1;
    assert.ok(Math.abs(read - seconds) <= off, `${seconds} s as ${format.duration(seconds)}`);
  }
});

test("times are in UTC, of seconds, texts and dates alike", () => {
  const at = Date.UTC(2008, 1, 3, 8, 42, 10);
  for (const time of [at / 1000, new Date(at), "2008-02-03T08:42:10Z", "2008-02-03T10:42:10+02:00"]) {
    assert.equal(format.day(time), "3 Feb 2008");
    assert.equal(format.moment(time), "3 Feb 2008, 08:42:10");
    assert.equal(format.moment(time, { seconds: false }), "3 Feb 2008, 08:42");
  }
});

test("a span names its second day only where it is another one", () => {
  assert.equal(
    format.span("2008-02-02T13:33:00Z", "2008-02-04T11:20:00Z"),
    "2 Feb 2008, 13:33 to 4 Feb 2008, 11:20 UTC",
  );
  assert.equal(format.span("2008-02-02T13:33:00Z", "2008-02-02T13:40:00Z"), "2 Feb 2008, 13:33 to 13:40 UTC");
});
