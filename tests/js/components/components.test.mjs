import { deepEqual, equal, ok } from "node:assert/strict";
import { test } from "node:test";

import { draggedBox, handlesOf, isBox, roundedBox } from "../../../static/js/components/box_edit.js";
import { budgetShares, floorOf } from "../../../static/js/components/submit_bar.js";
import { watchStates } from "../../../static/js/components/job_status.js";
import { matching } from "../../../static/js/components/search_select.js";
import { playSchedule } from "../../../static/js/components/timeline_playback.js";
import { usualStep } from "../../../static/js/core/sorted_search.js";
import { timelineScale } from "../../../static/js/components/timeline_scale.js";
import { gives, joined } from "../cases.mjs";
import { draws, pageOf, plain, setGlobals } from "../support.mjs";

const BOX = { west: 2, south: 48, east: 3, north: 49 };

test("four numbers in order on the globe are a box", () => {
  deepEqual([isBox(BOX), isBox({ west: -180, south: -90, east: 180, north: 90 }), isBox(null)], [true, true, false]);
  for (const changes of [
    ...[{ east: 2 }, { north: null }, { west: "2" }, { east: 180.5 }],
    ...[{ west: -180.5 }, { south: 49 }, { south: -91 }, { north: 90.1 }],
  ])
    equal(isBox({ ...BOX, ...changes }), false, JSON.stringify(changes));
});

test("a handle moves its own sides", () => {
  for (const [id, lon, lat, changes] of [
    ["south-west", 1.5, 47.123456, { west: 1.5, south: 47.1235 }],
    ["north-east", 3.25, 49.5, { east: 3.25, north: 49.5 }],
    ["north-west", 3.5, 47, { west: 2.999, north: 48.001 }],
    ["south-east", 190, -95, { east: 180, south: -90 }],
    ["centre", 3.5, 49.5, { west: 3, south: 49, east: 4, north: 50 }],
    ["centre", 200, 99, { west: 179, south: 89, east: 180, north: 90 }],
    ["centre", -200, -99, { west: -180, south: -90, east: -179, north: -89 }],
  ])
    deepEqual(draggedBox(BOX, id, lon, lat), { ...BOX, ...changes }, id);
});

test("whatever is dragged remains a box of four decimals, the middle keeps its size", () => {
  const draw = draws(14);
  const ids = ["south-west", "south-east", "north-west", "north-east", "centre"];
  let box = BOX;
  for (let k = 0; k < 500; k += 1) {
    const id = draw.pick(ids);
    const moved = draggedBox(box, id, draw.real(-250, 250), draw.real(-120, 120));
    ok(isBox(moved), `${id}: ${JSON.stringify(moved)}`);
    for (const side of Object.values(moved)) equal(Number(side.toFixed(4)), side);
    if (id === "centre") {
      ok(Math.abs(moved.east - moved.west - (box.east - box.west)) < 3e-4);
      ok(Math.abs(moved.north - moved.south - (box.north - box.south)) < 3e-4);
    }
    box = moved;
  }
});

test("a box without extent has the least one", () => {
  const least = { west: 179.999, south: 89.999, east: 180, north: 90 };
  deepEqual(roundedBox({ west: 180, south: 90, east: 180, north: 90 }), least);
  const globe = { west: -180, south: -90, east: 180, north: 90 };
  deepEqual(roundedBox({ west: -181, south: -91, east: 181, north: 91 }), globe);
  const turned = { west: 2, south: 1, east: 2.001, north: 1.001 };
  deepEqual(roundedBox({ west: 2, south: 1, east: 2.00001, north: 0 }), turned);
});

test("handles lie at their corners, and each moves what it names", () => {
  const handles = handlesOf(BOX);
  const places = joined(handles, ({ id, lon, lat }) => `${id} ${lon} ${lat}`);
  equal(places, "south-west 2 48,south-east 3 48,north-west 2 49,north-east 3 49,centre 2.5 48.5");
  for (const { id, lon, lat } of handles) deepEqual(draggedBox(BOX, id, lon, lat), BOX, id);
});

test("a rounded number is at most the number, and a thousandth of it below at most", () => {
  const draw = draws(12);
  for (const value of draw.list(500, () => 10 ** draw.real(-8, 12))) {
    const found = floorOf(value);
    ok(found <= value * (1 + 1e-9) && found > value * 0.99, `${value} → ${found}`);
    deepEqual([Number(found.toPrecision(3)), floorOf(found)], [found, found]);
  }
  deepEqual([0.3336, 3.1, 12345, 0.1 + 0.2].map(floorOf), [0.333, 3.1, 12300, 0.3]);
  deepEqual([0, -1, NaN, Infinity].map(floorOf), [0, 0, 0, 0]);
});

test("the shares of a budget are within it, and what is left or over is exact", () => {
  const draw = draws(13);
  for (let k = 0; k < 300; k += 1) {
    const [spent, cost, total] = [draw.real(0, 12), draw.real(0, 12), draw.real(0.1, 12)];
    const found = budgetShares({ spent, cost, total });
    ok(found.spent >= 0 && found.cost >= 0 && found.spent + found.cost <= 1 + 1e-12);
    ok(Math.abs(Number(found.left) - found.over - (total - spent - cost)) < 1e-9);
    ok(found.left === 0 || found.over === 0);
  }
});

test("shares of known budgets", () => {
  const of = (spent, cost, total) =>
    Object.values(budgetShares({ spent, cost, total })).map((one) => one && Number(one.toFixed(9)));
  deepEqual(Object.keys(budgetShares({ spent: 1, cost: 1, total: 1 })), ["spent", "cost", "left", "over"]);
  gives(of, { "3.8, 2, 10": [0.38, 0.2, 4.2, 0], "3.8, 7, 10": [0.38, 0.62, 0, 0.8], "12, 1, 10": [1, 0, 0, 3] });
  gives(of, { "0, 1, 0": [1, 0, 0, 1], "1, 1, null": [0, 0, null, 0], "1, null, 4": [0.25, 0, 3, 0] });
  gives(of, { "0.1, 0.2, 0.3": [0.333333333, 0.666666667, 0, 0] });
  gives((...given) => of(...given)[3] > 0, {
    "1000, 5e-7, 1000": false,
    "1000, 2e-6, 1000": true,
    "0.1, 2e-9, 0.1": true,
  });
});

/** The rows of the page. */
let rows = [];
let page = pageOf();

function rowOf(job) {
  const parts = { "[data-stage]": { textContent: "" }, progress: { value: 0 } };
  return { dataset: { job }, querySelector: (selector) => parts[selector], parts };
}
const send = (name, detail) => page.dispatchEvent(new CustomEvent(name, { detail }));

function open(...jobs) {
  rows = jobs.map(rowOf);
  page = Object.assign(pageOf(), { querySelectorAll: () => rows });
  setGlobals({ document: page });
}

test("rows follow their jobs", () => {
  open("a", "b", "c");
  watchStates(() => {});
  send("cairn:progress", [
    { id: "a", state: "queued", queue_position: 2 },
    { id: "b", state: "running", progress: 0.996, stage: "Drawing" },
    { id: "c", state: "running", progress: 0.5 },
  ]);
  const texts = rows.map(({ parts }) => `${plain(parts["[data-stage]"].textContent)}: ${parts.progress.value}`);
  const running = ["drawing · 99 %: 0.996", "running · 50 %: 0.5"];
  deepEqual(texts, ["waiting for a worker, second in the queue: 0", ...running]);
});

test("a job is over once, also where its row was removed before; one that was not shown is none of it", () => {
  open("a");
  let [over, changed] = [0, 0];
  const change = () => {
    rows = [];
    changed += 1;
  };
  watchStates(change, () => (over += 1));
  const states = [[{ id: "a", state: "queued" }], null, [], []];
  const counts = states.map((jobs) => (send(jobs ? "cairn:progress" : "cairn:jobs", jobs ?? {}), over));
  deepEqual([counts, changed], [[0, 0, 1, 1], 1]);
  open();
  watchStates(() => (over += 1));
  send("cairn:progress", [{ id: "x", state: "running", progress: 0 }]);
  send("cairn:progress", []);
  equal(over, 1);
});

test("what begins with the text comes first, then what holds it, in their order; no text lists all", () => {
  const options = ["Ben", "Johanna", "Anna", "Hannes"].map((text) => ({ text }));
  const found = (text) => joined(matching(options, text), (one) => one.text);
  gives(found, { " an ": "Anna,Johanna,Hannes", x: "" });
  gives(found, { HANN: "Hannes,Johanna", "  ": "Ben,Johanna,Anna,Hannes" });
});

const draw = draws(62);

test("the usual step is the median", () => {
  deepEqual([usualStep([0, 1, 2, 3, 100], 5), usualStep([0, 10, 11], 3), usualStep([5], 1)], [1, 10, 0]);
  const long = Float64Array.from({ length: 20_000 }, (_, i) => 3 * i);
  equal(usualStep(long, long.length), 3);
  equal(usualStep([0, 5, 6, 11, 12, 13], 6), 1, "of few events every one counts");
  const uneven = (n, first) =>
    Float64Array.from(
      { length: n },
      (
        (at) => (_, i) =>
          (at += i % 2 ? (i < first ? 1 : 5) : 1)
      )(0),
    );
  deepEqual([usualStep(uneven(2000, 20), 2000), usualStep(uneven(2001, 20), 2001)], [1, 5], "of more every second");
});

/** The events that are shown at times in ms. */
function shownAt(series, speed, times, at = 0) {
  const next = playSchedule(series, speed, at, 0);
  return times.map((now) => (at = next(at, now)));
}

test("a series plays at its speed up to its last event, a long gap for a second and a half", () => {
  const even = { time: null, last: 9, usual: 0 };
  deepEqual(shownAt(even, 2, [0, 499, 500, 2000, 9000]), [0, 0, 1, 4, 9]);
  deepEqual(shownAt(even, 2, [500], 3), [4]);
  const timed = { time: [0, 10, 20, 30], last: 3, usual: 10 };
  deepEqual(shownAt(timed, 10, [999, 1000, 2000, 3000, 4000]), [0, 1, 2, 3, 3]);
  deepEqual(shownAt({ ...timed, last: 2 }, 10, [9000]), [2]);
  const series = { time: [0, 10, 20, 5000, 5010], last: 4, usual: 10 };
  deepEqual(shownAt(series, 10, [1000, 2000, 3000, 3500, 3501, 4501]), [1, 2, 2, 2, 3, 4]);
  deepEqual(shownAt({ ...series, usual: 1000 }, 10, [2000, 3501]), [2, 2], "ten usual steps are no long gap");
});

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
        ok(x >= 8 - 1e-9 && x <= 692 + 1e-9, `${i} of ${n} at ${x}`);
        if (i) ok(x >= scale.place(i - 1));
        const found = scale.eventAt(x);
        ok(Math.abs(scale.place(found) - x) < 1e-6, `${i} of ${n} found as ${found}`);
      }
    }
});

test("ends and middles", () => {
  const even = timelineScale({ n: 5, time: null }, 416);
  deepEqual([0, 2, 4].map(even.place), [8, 208, 408]);
  deepEqual([-50, 0, 257, 259, 900].map(even.eventAt), [0, 0, 2, 3, 4]);
  equal(timelineScale({ n: 1, time: null }, 416).place(0), 208);
  const late = timelineScale({ n: 3, time: [0, 90, 100] }, 416);
  deepEqual([late.place(1), late.eventAt(200), late.eventAt(100)], [368, 1, 0]);
  equal(timelineScale({ n: 3, time: [7, 7, 7] }, 416).place(1), 208, "at one instant they lie evenly");
});

test("the first event at a pixel or farther right is the one an exhaustive search finds", () => {
  for (const time of [null, timesOf(200, 60)]) {
    const scale = timelineScale({ n: 200, time }, 500);
    const places = Array.from({ length: 200 }, (_, i) => scale.place(i));
    for (let k = 0; k < 100; k += 1) {
      const x = draw.pick([draw.real(-10, 510), draw.pick(places)]);
      const first = places.findIndex((at) => at >= x);
      equal(scale.firstFrom(x), first < 0 ? 200 : first, String(x));
    }
  }
});

test("texts of ticks: clocks within a day, days beyond, numbers without times", () => {
  const numbered = timelineScale({ n: 5, time: null }, 416).ticks();
  equal(JSON.stringify(numbered), '[[8,"1"],[108,"2"],[208,"3"],[308,"4"],[408,"5"]]');
  const texts = (series) => joined(timelineScale(series, 500).ticks(), ([, text]) => text);
  equal(texts({ n: 5000, time: null }), "1,000,2,000,3,000,4,000,5,000");
  const at = (n, width, step) => {
    const time = step ? Array.from({ length: n }, (_, i) => NEW_YEAR + i * step) : null;
    return joined(timelineScale({ n, time }, width).ticks(), ([, text]) => text, " ");
  };
  gives(at, { "7, 500": "2 4 6", "60, 500": "10 20 30 40 50 60", "199, 400": "50 100 150", "1000, 130": "500 1,000" });
  gives(at, {
    "10, 9": "5 10",
    "250, 900": "50 100 150 200 250",
    "49, 500, 1800": "1 Jan 04:00 08:00 12:00 16:00 20:00 2 Jan",
  });
  gives(at, { "25, 500, 60": "00:00 00:05 00:10 00:15 00:20", "8, 500, 86400": "2 Jan 4 Jan 6 Jan 8 Jan" });
  gives(at, { "31, 500, 300": "1 Jan 00:30 01:00 01:30 02:00 02:30", "5, 260, 3600": "1 Jan 02:00 04:00" });
  gives((length) => texts({ n: 2, time: [NEW_YEAR, NEW_YEAR + length] }), {
    240: "00:00,00:01,00:02,00:03,00:04",
    20: "00:00:00,00:00:05,00:00:10,00:00:15,00:00:20",
    3600: "00:00,00:15,00:30,00:45,01:00",
    108000: "1 Jan,06:00,12:00,18:00,2 Jan,06:00",
    345600: "1 Jan,2 Jan,3 Jan,4 Jan,5 Jan",
  });
  const clock = timelineScale({ n: 2, time: [NEW_YEAR, NEW_YEAR + 240] }, 416).ticks();
  equal(String(clock.map(([x]) => x)), "8,108,208,308,408");
});
