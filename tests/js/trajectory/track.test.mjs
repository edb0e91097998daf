import assert from "node:assert/strict";
import { test } from "node:test";

import { decodeTrack, fetchTrack, joinTracks, Track } from "../../../static/js/trajectory/track.js";
import { frameOf } from "../../../static/js/trajectory/track_frame.js";
import { eventOf, partOf, pickedFrom } from "../../../static/js/trajectory/track_parts.js";
import { heightE32 } from "../../../static/js/map/projection.js";
import { draws, setGlobals } from "../support.mjs";

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
function encoded({
  lon = [0],
  lat = [0],
  time_ms = [],
  event = [],
  ends = [],
  unit = 1,
  magic = 0x4e524943,
  version = 2,
} = {}) {
  const streams = [lon, lat, time_ms, event, ends].map(streamOf);
  const flags = (time_ms.length ? 1 : 0) | (event.length ? 2 : 0) | (ends.length ? 4 : 0);
  const bytes = new Uint8Array([...Array(40).fill(0), ...streams.flat()]);
  const view = new DataView(bytes.buffer);
  const head = [magic, version, lon.length, flags, unit, ...streams.map(({ length }) => length)];
  head.forEach((value, i) => view.setUint32(4 * i, value, true));
  return bytes.buffer;
}

test("a track is read as it was written", async () => {
  const draw = draws(17);
  for (let i = 0; i < 40; i += 1) {
    const n = draw.int(1, 60);
    const lon = draw.list(n, () => draw.int(-1.8e9, 1.8e9));
    const lat = draw.list(n, () => draw.int(-9e8, 9e8));
    const time_ms = draw.list(n, () => draw.int(-1e12, 4e12));
    const event = draw.list(n, (k) => 3 * k + draw.int(0, 2));
    const track = await decodeTrack(encoded({ lon, lat, time_ms, event, ends: [0, n] }));
    assert.deepEqual([[...track.lonE7], [...track.latE7]], [lon, lat]);
    assert.deepEqual(
      [...(track.time ?? [])],
      time_ms.map((ms) => ms / 1000),
    );
    assert.deepEqual([[...(track.event ?? [])], [...(track.ends ?? [])], track.n], [event, [0, n], n]);
    assert.deepEqual([...track.y], lat.map(heightE32));
  }
});

test("positions are multiples of the unit; what a track lacks is null", async () => {
  const track = await decodeTrack(encoded({ lon: [3, -2], lat: [1, 0], unit: 1000 }));
  assert.deepEqual(
    [[...track.lonE7], [...track.latE7]],
    [
      [3000, -2000],
      [1000, 0],
    ],
  );
  assert.deepEqual([track.time, track.event, track.ends, track.lonAt(0)], [null, null, null, 0.0003]);
  assert.equal((await decodeTrack(encoded({ time_ms: [5000] }), { time: false })).time, null);
});

test("what is no track, or of another version, is refused", async () => {
  await assert.rejects(decodeTrack(new ArrayBuffer(39)), /not a trajectory/);
  await assert.rejects(decodeTrack(encoded({ magic: 1 })), /not a trajectory/);
  await assert.rejects(decodeTrack(encoded({ version: 1 })), /reload the page/);
});

const trackOf = (places, more = {}) => {
  const [lonE7, latE7] = [0, 1].map((axis) => Int32Array.from(places, (place) => Math.round(place[axis] * 1e7)));
  return new Track({ lonE7, latE7, y: latE7.map(heightE32), ...more });
};

test("the box of a track, over the antimeridian west of its east", () => {
  assert.deepEqual(
    trackOf([
      [2, 48],
      [3, 47],
      [1, 49],
    ]).bounds(),
    [1, 47, 3, 49],
  );
  assert.deepEqual(
    trackOf([
      [179, 0],
      [-179, 1],
    ]).bounds(),
    [179, 0, -179, 1],
  );
  assert.deepEqual(
    trackOf([
      [-179, 0],
      [179, 1],
    ]).bounds(),
    [179, 0, -179, 1],
  );
  assert.deepEqual(
    trackOf([
      [179, 0],
      [-1.5, 1],
    ]).bounds(),
    [179, 0, -1.5, 1],
  );
  assert.deepEqual(
    trackOf([
      [-179, 0],
      [1.5, 1],
    ]).bounds(),
    [1.5, 0, -179, 1],
  );
  assert.equal(trackOf([]).bounds(), null);
});

test("tracks are joined in their order", () => {
  const [a, b] = [
    trackOf([
      [1, 2],
      [3, 4],
    ]),
    trackOf([[5, 6]]),
  ];
  assert.equal(joinTracks([a]), a);
  const all = joinTracks([a, b]);
  assert.deepEqual([[...all.lonE7], [...all.latE7], all.n], [[1e7, 3e7, 5e7], [2e7, 4e7, 6e7], 3]);
  assert.deepEqual([...all.y], [...a.y, ...b.y]);
});

test("a part has the events of its range, and leads back to them", () => {
  const reduced = trackOf(
    [
      [0, 0],
      [1, 0],
      [2, 0],
      [3, 0],
    ],
    { event: Int32Array.of(0, 5, 9, 20) },
  );
  const whole = trackOf([
    [0, 0],
    [1, 0],
    [2, 0],
    [3, 0],
  ]);
  const lons = (track, range) => [...partOf(track, range).lonE7].map((lon) => lon / 1e7);
  assert.deepEqual([lons(reduced, [5, 20]), lons(reduced, [6, 9]), lons(reduced, [0, 21])], [[1, 2], [], [0, 1, 2, 3]]);
  assert.deepEqual([lons(whole, [1, 3]), lons(whole, [3, 99])], [[1, 2], [3]]);
  assert.equal(partOf(whole, null), whole);
  assert.equal(partOf(whole, [1, 3]), partOf(whole, [1, 3]), "the map draws again what is another object");
  assert.deepEqual([eventOf(reduced, [5, 20], 1), eventOf(reduced, null, 3), eventOf(whole, [1, 3], 1)], [9, 20, 2]);
  assert.deepEqual(
    [
      ...pickedFrom(whole, [
        [0, 1],
        [2, 4],
      ]).lonE7,
    ].map((lon) => lon / 1e7),
    [0, 2, 3],
  );
});

test("a frame leaves far draws out on both sides and holds the others, over the antimeridian too", () => {
  const draw = draws(18);
  const places = draw.list(1000, (k) =>
    k < 5 ? [-90, -60] : k < 10 ? [120, 60] : [170 + draw.real(0, 20), draw.real(0, 10)],
  );
  const [west, south, east, north] = frameOf(
    trackOf(places.map(([x, y]) => [x > 180 ? x - 360 : x, y]).sort(() => draw.real(-1, 1))),
  );
  assert.ok(west >= 169.9 && west < 172 && east > -172 && east <= -169.9, `${west} to ${east}`);
  assert.ok(south > -0.1 && south < 1 && north > 9 && north < 10.1, `${south} to ${north}`);
  assert.deepEqual(frameOf(trackOf([[2, 48]])), [2, 48, 2, 48]);
});

test("a long track is read in slices, and one that is not there is reported", async () => {
  const lon = Array.from({ length: 70_000 }, (_, i) => 3 * i - 1000);
  const buffer = encoded({ lon, lat: lon.map(() => 5) });
  assert.deepEqual([...(await decodeTrack(buffer)).lonE7], lon);
  setGlobals({ fetch: async (url) => new Response(buffer, { status: url === "/there" ? 200 : 404 }) });
  assert.equal((await fetchTrack("/there")).n, 70_000);
  await assert.rejects(fetchTrack("/gone"), /could not be loaded \(404\)/);
});

test("a frame leaves out a hundredth at each end", () => {
  const near = (found, expected) =>
    found.forEach((value, i) => assert.ok(Math.abs(value - expected[i]) < 1e-9, `${found}`));
  const places = Array.from({ length: 101 }, (_, k) => [k / 10, k / 10]);
  near(frameOf(trackOf(places)), [0.1, 0.1, 9.9, 9.9]);
  near(frameOf(trackOf(places.map(([x, y]) => [x > 5 ? x - 185 : x + 175, y]))), [175.1, 0.1, -175.1, 9.9]);
});
