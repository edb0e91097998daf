import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { test } from "node:test";

import { heightE32 } from "../../../static/js/map/projection.js";
import * as people from "../../../static/js/trajectory/people.js";
import { gapsText, showStepFacts, stepText } from "../../../static/js/trajectory/step_statistics.js";
import {
  decodeTrack,
  eventOf,
  fetchTrack,
  frameOf,
  joinTracks,
  partOf,
  pickedFrom,
  sizeOf,
  Track,
} from "../../../static/js/trajectory/track.js";
import { gives, rows } from "../cases.mjs";
import { draws, pageOf, plain, setGlobals } from "../support.mjs";

/** Whole numbers as bytes of seven bits, as dashboard/datasets/tracks.py writes their differences. */
function streamOf(numbers) {
  let last = 0n;
  return numbers.flatMap((number) => {
    const difference = BigInt(number) - last;
    last = BigInt(number);
    let left = difference < 0n ? -1n - 2n * difference : 2n * difference;
    const bytes = [];
    for (; left > 127n; left >>= 7n) bytes.push(Number(left & 127n) | 128);
    return [...bytes, Number(left)];
  });
}
function encoded({ lon = [0], lat = [0], time_ms = [], event = [], ends = [], ...more } = {}) {
  const { unit = 1, magic = 0x4e524943, version = 2 } = more;
  const streams = [lon, lat, time_ms, event, ends].map(streamOf);
  const flags = (time_ms.length ? 1 : 0) | (event.length ? 2 : 0) | (ends.length ? 4 : 0);
  const bytes = new Uint8Array([...Array(40).fill(0), ...streams.flat()]);
  const view = new DataView(bytes.buffer);
  const head = [magic, version, lon.length, flags, unit, ...streams.map(({ length }) => length)];
  head.forEach((value, i) => view.setUint32(4 * i, value, true));
  return bytes.buffer;
}

test("a box is as large as its longer side, over the antimeridian too", () => {
  deepEqual(rows("1 2 4 4, 1 2 4 9, 170 0 -170 3, 5 1 5 1").map(sizeOf), [3, 7, 20, 0]);
});

test("a track is read as it was written", async () => {
  const draw = draws(17);
  for (let i = 0; i < 40; i += 1) {
    const n = draw.int(1, 60);
    const lon = draw.list(n, () => draw.int(-1.8e9, 1.8e9));
    const lat = draw.list(n, () => draw.int(-9e8, 9e8));
    const time_ms = draw.list(n, () => draw.int(-1e12, 4e12));
    const event = draw.list(n, (k) => 3 * k + draw.int(0, 2));
    const track = await decodeTrack(encoded({ lon, lat, time_ms, event, ends: [0, n] }));
    const seconds = time_ms.map((ms) => ms / 1000);
    deepEqual([[...track.lonE7], [...track.latE7], [...track.time]], [lon, lat, seconds]);
    deepEqual([[...track.event], [...track.ends], track.n], [event, [0, n], n]);
    deepEqual([...track.y], lat.map(heightE32));
  }
});

test("positions are multiples of the unit; what a track lacks is null", async () => {
  const track = await decodeTrack(encoded({ lon: [3, -2], lat: [1, 0], unit: 1000 }));
  deepEqual([[...track.lonE7], [...track.latE7]], rows("3000 -2000, 1000 0"));
  deepEqual([track.time, track.event, track.ends, track.lonAt(0)], [null, null, null, 0.0003]);
  equal((await decodeTrack(encoded({ time_ms: [5000] }), { time: false })).time, null);
});

test("what is no track, or of another version, is refused", async () => {
  await rejects(decodeTrack(new ArrayBuffer(39)), /not a trajectory/);
  await rejects(decodeTrack(encoded({ magic: 1 })), /not a trajectory/);
  await rejects(decodeTrack(encoded({ version: 1 })), /reload the page/);
});

test("a long track is read in slices, and one that is not there is reported", async () => {
  const lon = Array.from({ length: 70_000 }, (_, i) => 3 * i - 1000);
  const buffer = encoded({ lon, lat: lon.map(() => 5) });
  deepEqual([...(await decodeTrack(buffer)).lonE7], lon);
  setGlobals({ fetch: async (url) => new Response(buffer, { status: url === "/there" ? 200 : 404 }) });
  equal((await fetchTrack("/there")).n, 70_000);
  await rejects(fetchTrack("/gone"), /could not be loaded \(404\)/);
});

test("the series of a dataset are requested in pages, one alone not at all", async () => {
  const requested = [];
  const page = (url) => (requested.push(url), url.includes("page=1&") ? [{ index: 0 }, { index: 1 }] : [{ index: 2 }]);
  setGlobals({ document: pageOf({}), fetch: async (url) => Response.json({ results: page(url) }) });
  const urls = { series: "/series/" };
  equal((await people.seriesOf({ series_count: 1, points: 7, urls }))[0].points, 7);
  deepEqual(await people.seriesOf({ series_count: 3, points: 7, urls }), [{ index: 0 }, { index: 1 }, { index: 2 }]);
  deepEqual(requested, ["/series/?page=1&page_size=5000", "/series/?page=2&page_size=5000"]);
});

const trackOf = (text, more = {}) => {
  const places = typeof text === "string" ? rows(text) : text;
  const [lonE7, latE7] = [0, 1].map((axis) => Int32Array.from(places, (place) => Math.round(place[axis] * 1e7)));
  return new Track({ lonE7, latE7, y: latE7.map(heightE32), ...more });
};

test("the box of a track, over the antimeridian west of its east", () => {
  const boxes = ["2 48, 3 47, 1 49", "179 0, -179 1", "-179 0, 179 1", "179 0, -1.5 1", "-179 0, 1.5 1"];
  const expected = rows("1 47 3 49, 179 0 -179 1, 179 0 -179 1, 179 0 -1.5 1, 1.5 0 -179 1");
  boxes.forEach((text, i) => deepEqual(trackOf(text).bounds(), expected[i], text));
  equal(trackOf([]).bounds(), null);
});

test("tracks are joined in their order", () => {
  const [a, b] = [trackOf("1 2, 3 4"), trackOf("5 6")];
  equal(joinTracks([a]), a);
  const all = joinTracks([a, b]);
  deepEqual([[...all.lonE7], [...all.latE7], all.n], [[1e7, 3e7, 5e7], [2e7, 4e7, 6e7], 3]);
  deepEqual([...all.y], [...a.y, ...b.y]);
});

test("a part has the events of its range, and leads back to them", () => {
  const whole = trackOf("0 0, 1 0, 2 0, 3 0");
  const reduced = trackOf("0 0, 1 0, 2 0, 3 0", { event: Int32Array.of(0, 5, 9, 20) });
  const lons = ({ lonE7 }) => [...lonE7].map((lon) => lon / 1e7).join();
  const parts = rows("5 20, 6 9, 0 21").map((range) => lons(partOf(reduced, range)));
  deepEqual([parts, lons(partOf(whole, [1, 3])), lons(partOf(whole, [3, 99]))], [["1,2", "", "0,1,2,3"], "1,2", "3"]);
  equal(partOf(whole, null), whole);
  equal(partOf(whole, [1, 3]), partOf(whole, [1, 3]), "the map draws again what is another object");
  deepEqual([eventOf(reduced, [5, 20], 1), eventOf(reduced, null, 3), eventOf(whole, [1, 3], 1)], [9, 20, 2]);
  equal(lons(pickedFrom(whole, rows("0 1, 2 4"))), "0,2,3");
});

test("a frame leaves a hundredth and far draws out on both sides, over the antimeridian too", () => {
  const draw = draws(18);
  const place = (k) => (k < 5 ? [-90, -60] : k < 10 ? [120, 60] : [170 + draw.real(0, 20), draw.real(0, 10)]);
  const turned = draw.list(1000, place).map(([x, y]) => [x > 180 ? x - 360 : x, y]);
  const [west, south, east, north] = frameOf(trackOf(turned.sort(() => draw.real(-1, 1))));
  ok(west >= 169.9 && west < 172 && east > -172 && east <= -169.9, `${west} to ${east}`);
  ok(south > -0.1 && south < 1 && north > 9 && north < 10.1, `${south} to ${north}`);
  deepEqual(frameOf(trackOf("2 48")), [2, 48, 2, 48]);
  const rounded = (places) => frameOf(trackOf(places)).map((value) => Number(value.toFixed(8)));
  const even = Array.from({ length: 101 }, (_, k) => [k / 10, k / 10]);
  deepEqual(rounded(even), [0.1, 0.1, 9.9, 9.9]);
  deepEqual(rounded(even.map(([x, y]) => [x > 5 ? x - 185 : x + 175, y])), [175.1, 0.1, -175.1, 9.9]);
});

const column = (...values) => Int32Array.from(values);
const track = new Track({
  ...{ lonE7: column(0, 1e7, 2e7, 0, 1e7), latE7: column(0, 0, 0, 5e7, 5e7), y: column(0, 0, 0, 1e8, 1e8) },
  ...{ event: column(0, 4, 9, 10, 19), ends: column(3, 3, 5) },
});
const one = (index, name, person) => ({ index, name, person, points: 5 });
const many = (n) => Array.from({ length: n }, (_, i) => one(i, `n${i}`, `n${i}`));

test("series of one person share a colour and are named apart", () => {
  const named = (...series) => people.peopleOf(series).map(({ name, number }) => `${name}: ${number}`);
  const four = named(one(0, "a", "a"), one(1, "b", "b"), one(2, "b2", "b"), one(3, "", "c"));
  deepEqual(four, ["a: 0", "b: 1", "b · b2: 1", "c · Series 4: 2"]);
  deepEqual(named(one(0, "x", "p"), one(1, "", "p")), ["x: 0", "Series 2: 1"]);
});

test("the eleventh person has the first colour again; lines of many people are thinner", () => {
  const found = people.peopleOf(many(12));
  equal(found.map(({ number }) => number).join(), "0,1,2,3,4,5,6,7,8,9,0,1");
  equal(found[10].colour, people.COLOURS[0]);
  deepEqual([found[11].index, found[11].points], [11, 5]);
  ok(people.lineWidth(51) < people.lineWidth(50));
});

test("what all of them are called, and their colours", () => {
  const shared = [one(0, "a", "x"), one(1, "b", "x")];
  deepEqual([people.allText(many(2)), people.allText(shared)], ["All 2 people", "All 2 series"]);
  deepEqual([people.nounOf(many(3)), people.nounOf([...many(3), one(3, "again", "n0")])], ["person", "series"]);
  for (const some of [many(2), many(10), [...shared, one(2, "c", "y")]])
    equal(people.coloursText(some), "Each colour is a person.");
  equal(people.coloursText(many(11)), "Each colour is a person; colours repeat after 10 people.");
  equal(people.coloursText(shared), "Each colour is a series.");
});

test("colours are distinct and seen on the ground of both themes", () => {
  const luminance = (hex) => {
    const parts = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255);
    const [r, g, b] = parts.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => {
    const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
  };
  for (const { light, dark } of people.COLOURS) {
    ok(contrast(light, "#f1eee8") >= 3, light);
    ok(contrast(dark, "#1a1917") >= 3, dark);
  }
  equal(new Set(people.COLOURS.map(({ light }) => light)).size, 10);
});

test("the series of a point, an empty one among them, and the points of a series", () => {
  gives((i) => people.seriesAt(track, i), { 0: 0, 2: 0, 3: 2, 4: 2 });
  const [first, second, third] = [0, 1, 2].map((k) => people.seriesPart(track, k));
  deepEqual([first.n, second.n, third.n, third.lonAt(0), third.latAt(0)], [3, 0, 2, 0, 5]);
});

test("runs of events as points of a reduced track, exactly theirs; where none is left, the point before", () => {
  const points = (start, end) => people.runsOfPoints(track, [[start, end]]).join();
  gives(points, { "4, 10": "1,3", "5, 7": "1,2", "10, 20": "3,5", "0, 1": "0,1" });
  const draw = draws(7);
  for (let i = 0; i < 300; i += 1) {
    const events = new Set(draw.list(draw.int(1, 20), () => draw.int(0, 60)));
    const event = Int32Array.from(events).sort();
    const start = draw.int(0, 60);
    const end = draw.int(start + 1, 70);
    const [[first, after]] = people.runsOfPoints({ event }, [[start, end]]);
    const inside = [...event.keys()].filter((k) => event[k] >= start && event[k] < end);
    ok(first >= 0 && first < after && after <= event.length, `${first} to ${after}`);
    if (inside.length) deepEqual([first, after], [inside[0], inside.at(-1) + 1]);
  }
});

test("runs over the whole dataset as they lie in one series", () => {
  const of = (index) => people.runsOfSeries(rows("0 2, 4 9, 9 12"), [3, 5, 4], index);
  deepEqual([of(0), of(1), of(2)], [[[0, 2]], [[1, 5]], rows("0 1, 1 4")]);
});

test("the median step, and how much of the time is gaps", () => {
  const step = (median_m, median_s) => stepText({ median_m, median_s });
  gives(step, { "60, 1200": "20 min, 60 m", "0, null": "0 m", "null, null": "one event, no step" });
  gives(step, { "5, 1": "1 s, 5 m", "5, 0": "0 s, 5 m" });
  const gaps = (gap_s, gap_share) => gapsText({ gap_s, gap_share });
  gives(gaps, { "600, 0.25": "25 % of the time, in steps over 10 min", "10, 0": "none" });
  gives(gaps, { "null, null": "–", "600, null": "–", "null, 0.5": "–" });
});

test("facts that come after another choice are not shown", async () => {
  const [step, silence] = [{ textContent: "" }, { textContent: "" }];
  setGlobals({
    document: pageOf({ '[data-fact="step"]': step, '[data-fact="silence"]': silence }),
    fetch: async () => Response.json({ median_m: 60, median_s: null, gap_s: 10, gap_share: 0 }),
  });
  await showStepFacts("/steps/", () => true);
  deepEqual([step.textContent, silence.textContent], ["", ""]);
  await showStepFacts("/steps/", () => false);
  deepEqual([plain(step.textContent), silence.textContent], ["60 m", "none"]);
});
