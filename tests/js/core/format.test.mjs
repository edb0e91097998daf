import { deepEqual, doesNotMatch, equal, match, ok } from "node:assert/strict";
import { test } from "node:test";

import { rangeOf, readdress, withQuery } from "../../../static/js/core/address.js";
import { isInRuns, runsWithin, runsWithout, spanOf } from "../../../static/js/core/event_runs.js";
import { fileName, pageFileName } from "../../../static/js/core/dom.js";
import * as format from "../../../static/js/core/format.js";
import { valueText } from "../../../static/js/core/format.js";
import { levelText, markedTitle, within } from "../../../static/js/core/level.js";
import * as style from "../../../static/js/core/series_style.js";
import { lastAtMost, nearestIndex } from "../../../static/js/core/sorted_search.js";
import { check, gives, rows } from "../cases.mjs";
import { draws, pageOf, plain, setGlobals } from "../support.mjs";

const page = pageOf();
const addresses = [];
setGlobals({
  document: page,
  location: { href: "http://cairn/x/?keep=1#part" },
  history: { replaceState: (...given) => addresses.push(given) },
  getComputedStyle: () => ({
    getPropertyValue: (name) => ({ "--foreground": " #222 ", "--accent": "#c00" })[name] ?? "",
  }),
  matchMedia: (query) => ({ matches: query.includes("reduce") }),
});

test("a whole number has commas between thousands and no fraction; events count from 1", () => {
  gives(format.whole, { 0: "0", 999.4: "999", 999.5: "1,000", 12345: "12,345", "-1234567": "-1,234,567" });
  gives(format.eventNumber, { 0: "1", 999: "1,000" });
});

test("nouns in the plural, one is singular", () => {
  gives(format.plural, { event: "events", entry: "entries", day: "days", match: "matches", box: "boxes" });
  gives(format.plural, { class: "classes", person: "people", "other person": "other people", matrix: "matrices" });
  gives(format.plural, { "time series": "time series" });
  gives((n) => format.count(n, "event"), { 0: "0 events", 1: "1 event", 2: "2 events", 1407: "1,407 events" });
});

test("the place in the queue; only the first letter becomes a capital", () => {
  const queued = (ahead) => format.queued(ahead).replace("waiting for a worker", "").replace(" in the queue", "");
  equal(format.queued(null), "waiting for a worker");
  gives(queued, { null: "", 0: "", 1: ", first", 10: ", tenth", 11: ", number 11", 1234: ", number 1,234" });
  equal(format.queued(1), "waiting for a worker, first in the queue");
  equal(format.queued(11), "waiting for a worker, number 11 in the queue");
  check(format.capitalized, [
    [["level ε of GPS"], "Level ε of GPS"],
    [[""], ""],
  ]);
});

test("significant digits, no exponent; tenths keep all digits of a whole number", () => {
  gives(format.number, { 0.00123456: "0.00123", 12.345: "12.3", 1234: "1,230", 1e-7: "0.0000001" });
  equal(format.number(1234.56, 5), "1,234.6");
  gives(format.tenths, { 123456808: "123,456,808", 12.34: "12.3", 12.35: "12.4" });
});

test("lengths, at the borders between their forms", () => {
  gives(format.metres, {
    null: "–",
    undefined: "–",
    0: "0 m",
    1.234: "1.2 m",
    9.99: "10 m",
    10: "10 m",
    141.4: "141 m",
  });
  gives(format.metres, { 999: "999 m", 1000: "1 km", 2789: "2.79 km", "-2789": "-2.79 km", 99999: "100 km" });
  gives(format.metres, { 1234000: "1,234 km", 123456: "123 km" });
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
    ok(Math.abs(found[i] - length) <= 0.051 * length, `${length} read as ${found[i]}`);
    if (i) ok(found[i] >= found[i - 1], `${length} below the one before it`);
  }
});

test("shares; a job is at 100 % only when it is over; bytes in powers of a thousand", () => {
  gives(format.percent, { 0.407: "40.7 %", 1: "100 %", 0: "0 %" });
  equal(plain(format.percent(0.123456, 2)), "12 %");
  gives(format.done, { 0: "0 %", 0.645: "64 %", 0.99: "99 %", 0.996: "99 %", 1: "100 %", 1.2: "100 %" });
  equal(plain(format.done(1 - 2 ** -53)), "99 %");
  gives(format.bytes, { 0: "0 B", 999: "999 B", 1000: "1 kB", 1234567: "1.23 MB", 9e9: "9 GB", 5e12: "5,000 GB" });
});

test("durations, never more than a minute too much or too little from two hours on", () => {
  gives(format.duration, { null: "–", 0.123: "0.12 s", 8: "8 s", 59.6: "1 min", 60: "1 min", 61: "1 min 1 s" });
  gives(format.duration, { 3600: "1 h", 7199: "1 h 59 min", 7229: "2 h", 7230: "2 h 1 min", 12000: "3 h 20 min" });
  gives(format.duration, { 9.999: "10 s", 86400: "1 d", 187200: "2 d 4 h" });
  const draw = draws(2);
  const size = { d: 86_400, h: 3600, min: 60, s: 1 };
  for (const seconds of draw.list(300, () => 10 ** draw.real(1, 6.5))) {
    const parts = plain(format.duration(seconds)).matchAll(/(\d+) (\w+)/g);
    const read = [...parts].reduce((sum, [, value, unit]) => sum + Number(value) * size[unit], 0);
    const off = seconds >= 86_400 ? 3600 : seconds >= 3600 ? 60 : 1;
    ok(Math.abs(read - seconds) <= off, `${seconds} s as ${format.duration(seconds)}`);
  }
});

test("times are in UTC, of seconds, texts and dates alike; a span names its second day only where it differs", () => {
  const at = Date.UTC(2008, 1, 3, 8, 42, 10);
  for (const time of [at / 1000, new Date(at), "2008-02-03T08:42:10Z", "2008-02-03T10:42:10+02:00"]) {
    equal(format.day(time), "3 Feb 2008");
    equal(format.moment(time), "3 Feb 2008, 08:42:10");
    equal(format.moment(time, { seconds: false }), "3 Feb 2008, 08:42");
  }
  const until = (end) => format.span("2008-02-02T13:33:00Z", end);
  equal(until("2008-02-04T11:20:00Z"), "2 Feb 2008, 13:33 to 4 Feb 2008, 11:20 UTC");
  equal(until("2008-02-02T13:40:00Z"), "2 Feb 2008, 13:33 to 13:40 UTC");
});

test("values with their units", () => {
  gives(valueText, {
    "1234, m": "1.23 km",
    "0.0123456, ε": "ε 0.0123",
    "1234.4, count": "1,234",
    "0.4, share": "40 %",
  });
  gives(valueText, { "12.5, %": "12.5 %", "7, ": "7", "0, m": "0 m", "null, m": "–", "undefined, ": "–" });
  equal(valueText(NaN, "ε"), "–");
});

// tests/test_both_languages.py compares known names with dashboard/core/filenames.py

test("a name is safe on every system, whatever its parts are", () => {
  const draw = draws(11);
  const letters = ["a", "Z", "9", ".", "-", "_", "/", "\\", ":", "\0", "\u202e", "é", "北", "🚶", " ", "..", "ﬁ"];
  for (let k = 0; k < 500; k += 1) {
    const parts = draw.list(draw.int(0, 4), () => draw.list(draw.int(0, 90), () => draw.pick(letters)).join(""));
    const name = fileName(parts, "csv");
    match(name, /^[\p{L}\p{N}][\p{L}\p{M}\p{N}._-]*\.csv$/u, JSON.stringify(parts));
    doesNotMatch(name, /\.\.|--|__|[-._]\.csv$|_[-.]|[-.]_/, JSON.stringify(parts));
    const lengths = name.split("_").map((part) => Array.from(part.replace(/\.csv$/, "")).length);
    ok(Math.max(...lengths) <= 60, name);
    equal(fileName(name.slice(0, -4).split("_"), "csv"), name, "a name stays as it is");
  }
});

test("the files of a page begin with its dataset", () => {
  equal(pageFileName("error_landmarks", "svg"), "error_landmarks.svg");
  page.body.dataset.files = "Taxi day";
  equal(pageFileName("error_landmarks", "svg"), "Taxi-day_error_landmarks.svg");
});

test("a range of an address is two whole numbers in order", () => {
  gives(rangeOf, { "0-1": [0, 1], "10-200": [10, 200], null: null, a: null });
  for (const text of ["", "5", "5-5", "6-5", "-1-5", "-5", "1-2-3", "1.5-3", "1-2.5", "a-b", "1-b"])
    equal(rangeOf(text), null, text);
});

test("parameters are added behind those there are; the address follows readably, and the rest of it stays", () => {
  equal(withQuery("/a/", { q: "x y", n: 2 }), "/a/?q=x+y&n=2");
  equal(withQuery("/a/?b=1", { q: "&" }), "/a/?b=1&q=%26");
  readdress(({ searchParams }) => searchParams.set("view", "1,2:3/4"));
  deepEqual(addresses, [[null, "", "http://cairn/x/?keep=1&view=1,2:3%2F4#part"]]);
});

test("both searches find what an exhaustive search finds; of two at the same distance the lower one", () => {
  const draw = draws(9);
  for (let k = 0; k < 500; k += 1) {
    const sorted = draw.list(draw.int(0, 12), () => draw.int(0, 9)).sort((a, b) => a - b);
    const value = draw.int(-1, 20) / 2;
    const last = sorted.findLastIndex((one) => one <= value);
    equal(lastAtMost(sorted, value), last, `${value} in ${sorted}`);
    const away = sorted.map((one) => Math.abs(one - value));
    const found = nearestIndex(sorted, value);
    equal(sorted.length ? away[found] : found, sorted.length ? Math.min(...away) : -1, `${value} in ${sorted}`);
  }
  deepEqual([nearestIndex([0, 2], 1), nearestIndex([0, 2], 1.01)], [0, 1]);
});

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
    const [within, without] = [runsWithin(runs, [first, after]), runsWithout(runs, runsOf(others))];
    const found = [events.map((_, i) => isInRuns(runs, i)), eventsOf(within), eventsOf(without)];
    const inside = events.map((on, i) => on && i >= first && i < after);
    const outside = events.map((on, i) => on && !others[i]);
    deepEqual(found, [events, inside, outside]);
    for (const [a, b] of [...within, ...without]) ok(a < b, "no run is empty");
  }
});

test("without a range runs stay as they are; a span has its last event, and two events at least", () => {
  deepEqual([runsWithin([[1, 3]], null), runsWithin([[1, 3]])], [[[1, 3]], [[1, 3]]]);
  deepEqual([spanOf([2, 6], 10), spanOf([2, 3], 10), spanOf(null, 10)], rows("2 5, 2 3, 0 9"));
  deepEqual(spanOf(null, 1), [0, 1]);
});

test("a level within another radius and back is the level", () => {
  const draw = draws(8);
  for (let k = 0; k < 200; k += 1) {
    const [epsilon, radius, reference] = [draw.real(0.01, 10), draw.real(1, 2000), draw.real(1, 2000)];
    const there = within(epsilon, radius, reference);
    ok(Math.abs(within(there, reference, radius) / epsilon - 1) < 1e-12, `${epsilon} in ${radius}`);
    ok(reference > radius === there > epsilon, "in a larger radius the level is higher");
  }
  equal(within(0.01, 1, 200), 2);
});

test("a level states how it was set where that is another radius, also in place of a title's own", () => {
  const stated = "ε 2 within 200 m (set as 0.01 within 1 m)";
  check(levelText, [
    [[0.01, 1, 200], stated],
    [[1, 200, 200], "ε 1 within 200 m"],
  ]);
  const title = (text, epsilon, radius_m) => markedTitle(text, { epsilon, radius_m }, 200);
  gives(title, { "Skip · ε 0.01 / 1 m, 0.01, 1": `Skip · ${stated}`, "Skip (2), 0.01, 1": `Skip (2) · ${stated}` });
  gives(title, { "Skip · ε 0.01 / 1 m (2), 0.01, 1": `Skip (2) · ${stated}` });
  gives(title, { "Skip · ε 1 / 200 m (2), 1, 200": "Skip · ε 1 / 200 m (2)" });
});

test("a colour for the theme that is shown, or for both", () => {
  const hue = { light: "#111", dark: "#eee" };
  const colours = () => ["#e69f00", "--accent", hue, null, undefined].map(style.cssColour);
  page.documentElement.dataset.theme = "light";
  deepEqual([style.isDark(), ...colours()], [false, "#e69f00", "#c00", "#111", "#222", "#222"]);
  page.documentElement.dataset.theme = "dark";
  deepEqual([style.isDark(), ...colours()], [true, "#e69f00", "#c00", "#eee", "#222", "#222"]);
  const both = ["#e69f00", "--accent", hue].map(style.themedColour);
  deepEqual(both, ["#e69f00", "var(--accent)", "light-dark(#111, #eee)"]);
});

test("dashes as lengths and as Plotly takes them; listeners of the theme, and whether motion is wanted", () => {
  deepEqual(["7 3 2 3", "", null].map(style.dashLengths), [[7, 3, 2, 3], [], []]);
  deepEqual(["7 3 2 13", "", null].map(style.plotDash), ["7px,3px,2px,13px", "solid", "solid"]);
  let calls = 0;
  style.onTheme(() => (calls += 1));
  page.dispatchEvent(new Event("cairn:theme"));
  deepEqual([calls, style.mayMove()], [1, false]);
});
