import { deepEqual, equal, ok } from "node:assert/strict";
import { test } from "node:test";
import {
  alongOf,
  eventAxis,
  eventScale,
  eventText,
  hasTimes,
  linearAxis,
  logAxis,
  shareAxis,
  valueAxis,
} from "../../../static/js/charts/axes.js";
import { endLabels, spread, widthOf } from "../../../static/js/charts/end_labels.js";
import { wrapped } from "../../../static/js/core/text_lines.js";
import { daysText, momentText, offsetOf, shownZone, timeTicks } from "../../../static/js/charts/zoned_time.js";
import { check, gives, joined, rows } from "../cases.mjs";
import { draws, plain, setGlobals } from "../support.mjs";

const texts = ({ ticktext }) => ticktext.join(" ");

test("ticks of linear axes", () => {
  const of = (...arrays) => texts(linearAxis(arrays).axis);
  check(of, [
    [[[1, 3, null], [2]], "0 1 2 3"],
    [[[-40, 20], [null]], "-40 -20 0 20"],
    [[[-0.02, -0.01]], "-0.02 -0.015 -0.01 -0.005 0"],
    [[[0], []], "0 0.2 0.4 0.6 0.8 1"],
    [[[-3e9, 1]], "-3e9 -2e9 -1e9 0"],
    [[[1_200_000]], "0 500,000 1,000,000"],
    [[[2e-6]], "0 5e-7 1e-6 1.5e-6 2e-6"],
  ]);
});

test("a linear axis has 0, all values and at most seven ticks at even distances", () => {
  const draw = draws(3);
  for (let k = 0; k < 300; k += 1) {
    const size = 10 ** draw.real(-6, 8);
    const values = draw.list(draw.int(1, 9), () => draw.real(-size, draw.pick([0, size])));
    const { axis, floor } = linearAxis([values, [null]]);
    const [low, high] = axis.range;
    equal(floor, 0);
    for (const value of [0, ...values, ...axis.tickvals])
      ok(low <= value && value <= high, `${value} on ${axis.range}`);
    ok(axis.tickvals.length >= 2 && axis.tickvals.length <= 7, `${axis.tickvals} for ${axis.range}`);
    ok(axis.tickvals.includes(0), `${axis.tickvals}`);
    const steps = axis.tickvals.slice(1).map((at, i) => at - axis.tickvals[i]);
    ok(Math.max(...steps) - Math.min(...steps) < 1e-5 * (high - low), `${axis.tickvals}`);
  }
});

test("decades and their parts are as short as they can be", () => {
  const text = (power) => valueAxis([[10 ** power, 3 * 10 ** power]], true).ticktext.join(" ");
  gives(text, { "-4": "10⁻⁴ ", "-3": ".001 .002", "-1": ".1 .2", 0: "1 2", 2: "100 200", 3: "1k 2k" });
  gives(text, { 5: "100k 200k", 6: "1M 2M", 8: "100M 200M", 9: "10⁹ " });
  const { range, tickvals } = valueAxis([[1, 9]], true);
  const found = [...range, ...tickvals, ...logAxis([[0, 10]], true).axis.range].map((one) => Number(one.toFixed(4)));
  deepEqual(found, [-0.02, 0.9742, 1, 2, 5, -0.85, 1.102]);
});

test("a logarithmic axis has whole decades around the positive values", () => {
  const { axis, floor } = logAxis([[0.02, 3, -1, null], [700]], false);
  deepEqual([floor, ...axis.tickvals.map((at) => Number(at.toPrecision(9)))], [0.01, 0.01, 0.1, 1, 10, 100, 1000]);
  equal(texts(axis), ".01 .1 1 10 100 1k");
  ok(axis.range[0] === -2 && axis.range[1] > 3);
});

test("an exact 0 has a place of its own below the decades", () => {
  const { axis, floor } = logAxis([[0, 5, 50]], true);
  deepEqual([axis.ticktext[0], axis.tickvals[0]], ["0", floor]);
  ok(floor < 1 && axis.range[0] < Math.log10(floor));
});

test("decades are at most seven, and there is at least one", () => {
  const logTicks = (...values) => texts(logAxis([values], false).axis);
  check(logTicks, [
    [[1e-9, 1e3], "10⁻⁴ .01 1 100"],
    [[-1, null], "1 10"],
    [[2e4, 3e9], "10k 1M 100M 10¹⁰"],
  ]);
  equal(logAxis([[10]], false).axis.range[0], 0);
});

test("events count from 1, and their ticks are round numbers", () => {
  const first = { range: [0, 99], tickvals: [19, 39, 59, 79, 99], ticktext: ["20", "40", "60", "80", "100"] };
  deepEqual(eventAxis([0, 99]), first);
  deepEqual([texts(eventAxis([0, 3])), texts(eventAxis([999, 12_000]))], ["1 2 3 4", "5,000 10,000"]);
  const draw = draws(4);
  for (let k = 0; k < 200; k += 1) {
    const first = draw.int(0, 10 ** draw.int(0, 6));
    const last = first + draw.int(1, 10 ** draw.int(1, 6));
    const { tickvals } = eventAxis([first, last]);
    const inside = tickvals.every((at) => at >= first && at <= last);
    ok(tickvals.length <= 6 && inside, `${first} to ${last}: ${tickvals}`);
  }
});

test("a horizontal axis of values is no wider than they are, with 1, 2 and 5 where decades are few", () => {
  const valueTicks = (...values) => texts(valueAxis([values], true));
  check(valueTicks, [
    [[1, 20], "1 2 5 10 20"],
    [[0.01, 0.5], ".01 .02 .05 .1 .2 .5"],
    [[1, 1e4], "1 10 100 1k 10k"],
    [[2000, 5e6], "10k 100k 1M"],
    [[2000, 5e4], "2k 5k 10k 20k 50k"],
    [[1e-5, 5e-5], "10⁻⁵  "],
  ]);
  const { range } = valueAxis([[3, 3]], true);
  ok(range[0] < Math.log10(3) && Math.log10(3) < range[1]);
  deepEqual(valueAxis([[1, 2]], false), linearAxis([[1, 2]]).axis);
  const shares = shareAxis().axis;
  deepEqual(shares.tickvals, [0, 0.25, 0.5, 0.75, 1]);
  ok(shares.range[0] === 0 && shares.range[1] > 1);
});

test("labels keep their order and a gap, within the plot, and stay where there is space", () => {
  const draw = draws(5);
  for (let k = 0; k < 300; k += 1) {
    const [gap, height] = [draw.int(1, 15), draw.int(100, 400)];
    const wanted = draw.list(draw.int(0, Math.floor(height / gap) - 1), () => draw.real(0, height));
    const found = spread(wanted, gap, height);
    const order = wanted.map((_, i) => i).sort((a, b) => wanted[a] - wanted[b]);
    for (const at of found) ok(at >= -1e-9 && at <= height, `${wanted} → ${found}`);
    for (let i = 1; i < order.length; i += 1)
      ok(found[order[i]] - found[order[i - 1]] >= gap - 1e-9, `${wanted} → ${found}`);
    const sorted = order.map((i) => wanted[i]);
    if (sorted.every((at, i) => !i || at - sorted[i - 1] >= gap)) deepEqual(found, wanted);
  }
  const found = [[10, 11, 50], [58, 59, 60], [11, 10], []].map((wanted) => spread(wanted, 10, 60));
  deepEqual(found, [[10, 20, 50], [40, 50, 60], [20, 10], []]);
});

test("lines that are hidden, empty or end in a gap have no label", () => {
  const bold = { name: "b", y: [10], strong: true };
  const lines = [{}, { visible: false }, { y: [] }, { y: [1, null] }, bold].map((more) => ({
    name: "a",
    y: [0, 5],
    ...more,
  }));
  const labels = endLabels(lines, { range: [0, 10] }, 100, { size: 11 });
  equal(labels.map(({ text, y, font }) => `${text} ${y} ${font.weight}`).join(), "a 0.5 undefined,b 1 700");
  equal(endLabels([{ name: "a", y: [0, 5] }], { range: [4, 6] }, 100, { size: 11 })[0].y, 0.5);
});

const [HOUR, DAY] = [3600, 86_400];
const NEW_YEAR = Date.UTC(2024, 0, 1) / 1000;
const at = [0, 1, 2, 10].map((hours) => NEW_YEAR + hours * HOUR);
const times = { at, zone: "UTC" };
const ticks = { at: [0, 2], text: ["dawn", "dusk"] };

test("the axis chosen, else names where there are some", () => {
  check(alongOf, [
    [[{}], "event"],
    [[{ along: "time" }], "event"],
    [[{ times }], "event"],
    [[{ times, along: "time" }], "time"],
    [[{ ticks }], "time"],
    [[{ ticks, along: "event" }], "event"],
  ]);
  deepEqual([{}, { times }, { ticks }].map(hasTimes), [false, true, true]);
});

test("by their number, also without any time, events lie evenly; names may take the place of numbers", () => {
  const scale = eventScale({ item: "step" });
  deepEqual([scale.name, scale.place(3), scale.eventAt(2.6), scale.half], ["event", 3, 3, 0.5]);
  deepEqual([scale.title([0, 3]), scale.overhang(() => 100), scale.range([2, 5])], ["step number", 0, [2, 5]]);
  equal(eventScale({ times: { at: [], zone: "UTC" }, along: "time" }).name, "event");
  const named = eventScale({ ticks });
  deepEqual([named.name, named.title([0, 3]), named.overhang((text) => 10 * text.length)], ["time", "time", 22]);
  deepEqual(named.axis([0, 3], 500), { range: [0, 3], tickvals: [0, 2], ticktext: ["dawn", "dusk"] });
});

test("by time, every event lies at its time and is found there", () => {
  const scale = eventScale({ times, along: "time" });
  equal(scale.name, "time");
  for (const event of at.keys()) deepEqual([scale.place(event), scale.eventAt(at[event])], [at[event], event]);
  deepEqual([scale.place(-5), scale.place(99)], [at[0], at[3]]);
  deepEqual([at[0] - 9, at[1] + 0.4 * HOUR, at[1] + 0.6 * HOUR].map(scale.eventAt), [0, 1, 2]);
  equal(scale.half, HOUR / 2); // of the median step: 1, 1 and 8 hours
  deepEqual([...scale.range([1, 3]), ...scale.range([2, 2])], [at[1], at[3], at[2] - 1, at[2] + 1]);
  equal(scale.title([0, 3]), "time (UTC), 1 Jan 2024");
  ok(scale.axis([0, 3], 700).tickvals.length > scale.axis([0, 3], 200).tickvals.length);
});

test("an event's text has its number from 1, its time in its zone or its name", () => {
  equal(eventText({}, 0), "event 1");
  equal(eventText({ item: "step", times: { at: [], zone: "UTC" } }, 1499), "step 1,500");
  equal(eventText({ times: { at, zone: "Asia/Kolkata" } }, 1), "event 2 · 1 Jan 2024, 06:30:00");
  equal(plain(eventText({ times, pointName: (event) => `<${event}>` }, 1)), "<1> · event 2");
});

setGlobals({ document: { createElement: () => ({ getContext: () => null }) } });
const unmeasured = widthOf("abcd", { family: "", size: 10 });
const context = { font: "", measureText: (text) => ({ width: 6 * text.length }) };
setGlobals({ document: { createElement: () => ({ getContext: () => context }) } });
const FONT = { family: "sans-serif", size: 11 };

test("a text is measured in its font, or estimated", () => {
  equal(unmeasured, 24);
  deepEqual([widthOf("abc", FONT), context.font], [18, "400 11px sans-serif"]);
  widthOf("abc", { ...FONT, weight: 600 });
  equal(context.font, "600 11px sans-serif");
});

test("lines are as long as they may be and lose nothing; what has no space may be longer", () => {
  const measured = (one) => widthOf(one, FONT);
  const text = "Each event's own loss, mean over events, ε, log";
  for (let width = 0; width <= 300; width += 7) {
    const lines = wrapped(text, width, measured);
    equal(lines.join(" "), text);
    lines.forEach((line, i) => {
      ok(widthOf(line, FONT) <= width || !line.includes(" "), `“${line}” in ${width} px`);
      const [next] = (lines[i + 1] ?? "").split(" ");
      if (next) ok(widthOf(`${line} ${next}`, FONT) > width, `“${line} ${next}” fits in ${width} px`);
    });
  }
  deepEqual([wrapped("a  b", 18, measured), wrapped("", 100, measured)], [["a b"], []]);
});

const ZONES = ["UTC", "Europe/Berlin", "Asia/Kolkata", "America/New_York"];
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
  const spans = STARTS.flatMap((start) => LENGTHS.map((length) => [start, length]));
  for (const [start, length] of spans)
    for (const most of [2, 5, 12])
      for (const zone of ZONES) {
        const about = `${length} s from ${start}, ${most} in ${zone}`;
        const found = timeTicks([start, start + length], most, zone);
        ok(found.length <= most + 1, about);
        for (const [i, [time, text]] of found.entries()) {
          ok(time >= start - 1 && time <= start + length + 1 && (!i || time > found[i - 1][0]), about);
          const { year, month, day, hour, minute, second } = clock(time, zone);
          const isDay = `${hour}:${minute}:${second}` === "00:00:00";
          const days = [`${day} ${month}`, `${month} ${year}`, year];
          const possible = isDay ? days : [`${hour}:${minute}`, `${hour}:${minute}:${second}`];
          ok(possible.includes(text), `${text} at ${JSON.stringify(possible)}, ${about}`);
        }
      }
});

test("ticks of known spans", () => {
  const of = (from, to, most, unit = HOUR, zone = "UTC") => {
    const found = timeTicks([NEW_YEAR + from * unit, NEW_YEAR + to * unit], most, zone);
    return joined(found, ([time, text]) => `${(time - NEW_YEAR) / unit} ${text}`, ", ");
  };
  equal(of(0, 20, 4, 1), "0 1 Jan, 5 00:00:05, 10 00:00:10, 15 00:00:15, 20 00:00:20");
  equal(of(-1, 1, 4), "-1 23:00, -0.5 23:30, 0 1 Jan, 0.5 00:30, 1 01:00");
  equal(of(0, 24, 2, HOUR, "America/New_York"), "5 1 Jan, 17 12:00");
  equal(of(1, 100, 4, DAY), "31 Feb 2024, 60 Mar 2024, 91 Apr 2024");
  equal(of(-400, 800, 4, DAY), "-365 2023, 0 2024, 366 2025, 731 2026");
});

test("an hour that clocks leave out has no ticks", () => {
  const found = timeTicks([SUMMER - 3 * HOUR, SUMMER + 2 * HOUR], 10, "Europe/Berlin");
  const texts = found.map(([time, text]) => `${(time - SUMMER) / HOUR} ${text}`).join(", ");
  const before = "-3 23:00, -2.5 23:30, -2 31 Mar, -1.5 00:30, -1 01:00, -0.5 01:30";
  equal(texts, `${before}, 0 03:00, 0.5 03:30, 1 04:00, 1.5 04:30, 2 05:00`);
});

test("offsets, also of half hours and of summer", () => {
  const [winter, summer] = [NEW_YEAR, Date.UTC(2024, 6, 1) / 1000 + 0.7];
  const offsets = (time) => ZONES.map((zone) => offsetOf(time, zone) / HOUR);
  deepEqual([offsets(winter), offsets(summer)], rows("0 1 5.5 -5, 0 2 5.5 -4"));
});

test("a moment in its zone; in UTC where the zone is not known; days name what differs", () => {
  const moment = (zone) => `${shownZone(zone)}: ${momentText(NEW_YEAR, zone)}`;
  check(moment, [
    [["UTC"], "UTC: 1 Jan 2024, 00:00:00"],
    [["Europe/Berlin"], "Europe/Berlin: 1 Jan 2024, 01:00:00"],
    [["Asia/Kolkata"], "Asia/Kolkata: 1 Jan 2024, 05:30:00"],
    [["America/New_York"], "America/New_York: 31 Dec 2023, 19:00:00"],
    [["Nowhere/Land"], "UTC: 1 Jan 2024, 00:00:00"],
  ]);
  const days = (from, to) => daysText([NEW_YEAR + from, NEW_YEAR + to], "UTC");
  check(days, [
    [[0, 5], "1 Jan 2024"],
    [[0, DAY], "1 Jan to 2 Jan 2024"],
    [[-DAY, 0], "31 Dec 2023 to 1 Jan 2024"],
    [[0, 366 * DAY], "1 Jan 2024 to 1 Jan 2025"],
  ]);
});
