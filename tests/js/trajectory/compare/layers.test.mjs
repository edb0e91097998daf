import assert from "node:assert/strict";
import { test } from "node:test";

import {
  byRank,
  factsOf,
  fitsInMemory,
  Layer,
  titleOf,
} from "../../../../static/js/trajectory/compare/release_layers.js";
import { listedIds, markSources } from "../../../../static/js/trajectory/compare/map_layers.js";
import { Track } from "../../../../static/js/trajectory/track.js";
import { setElements } from "../../elements.mjs";
import { setGlobals } from "../../support.mjs";

setElements();
const RANGE = [2, 9];
const requested = [];
setGlobals({
  fetch: async (url) => {
    requested.push(String(url));
    return Response.json({ event: [0, 4, 8], budget: [0.1, 0.2, 0.3], decimated: !String(url).includes("whole") });
  },
});
const { boxAround, isWithin, marksOf } = await import("../../../../static/js/trajectory/compare/attacks.js");

const at = (lon, lat, found_lon = null, found_lat = null) => ({ lon, lat, found_lon, found_lat });

test("the box around an attack holds the dataset and all places, true and guessed", () => {
  const of = (places, bounds) => boxAround({ places, track: null }, bounds);
  assert.deepEqual(of([at(1, 50, 9, 40), at(null, null, -3, 48)], [2, 47, 4, 49]), [-3, 40, 9, 50]);
  assert.deepEqual(of([], [2, 47, 4, 49]), [2, 47, 4, 49]);
  assert.deepEqual(of([at(1, 50)], [179, 0, -179, 1]), [179, 0, -179, 1]);
  assert.equal(of([], null), null);
  assert.deepEqual(boxAround({ places: [], track: { bounds: () => [1, 2, 3, 4] } }, [9, 9, 9, 9]), [1, 2, 3, 4]);
});

test("whether a map shows all of a box", () => {
  const bounds = [2, 47, 4, 49];
  assert.equal(isWithin(bounds, bounds), true);
  for (const [side, by] of [
    [0, -1],
    [1, -1],
    [2, 1],
    [3, 1],
  ])
    assert.equal(
      isWithin(
        bounds.map((value, i) => value + (i === side ? by : 0)),
        bounds,
      ),
      false,
      String(side),
    );
  assert.deepEqual(
    [isWithin(null, bounds), isWithin(bounds, null), isWithin([5, 0, 6, 1], [179, 0, -179, 1])],
    [true, true, true],
  );
});

test("what lies above the lines for an attack: guessed places, or the path", () => {
  const [places] = marksOf({ places: [at(1, 2, 3, 4), at(1, 2)], track: null }, null);
  assert.deepEqual([places.id, places.count], ["guesses", 1]);
  const [path] = marksOf({ places: [], track: trackOf(9) }, [2, 5]);
  assert.deepEqual([path.id, path.count, path.source.n], ["guessed", 9, 3]);
});

const trackOf = (n, event = null) => {
  const column = () => new Int32Array(n);
  return new Track({ lonE7: column(), latE7: column(), y: column(), event });
};
const release = (more = {}) => ({
  ...{ id: "a", title: "Uniform", state: "done", landmark_set: null, postprocess: [] },
  ...{ mechanism: { name: "u", epsilon: 1, radius_m: 200 }, urls: { series: "/series/", errors: "/errors/" }, ...more },
});
const layerOf = (more = {}, set = null) => new Layer(release(more), set);

test("what was published for an event, in a whole track and in a reduced one", () => {
  const layer = layerOf();
  assert.equal(layer.indexOf(0), -1);
  layer.track = trackOf(4);
  assert.deepEqual(
    [0, 3, 4].map((event) => layer.indexOf(event)),
    [0, 3, -1],
  );
  layer.track = trackOf(3, Int32Array.of(0, 5, 9));
  assert.deepEqual(
    [0, 5, 6, 9, 10].map((event) => layer.indexOf(event)),
    [0, 1, -1, 2, -1],
  );
});

test("a layer is ready once its track is there, or rests; a small one does not rest", () => {
  const layer = layerOf();
  const state = () => [layer.drawn, layer.ready, layer.chartable];
  assert.deepEqual([state(), layer.visible], [[false, false, false], true]);
  layer.track = trackOf(200_000);
  layer.wasShown = true;
  assert.deepEqual([state(), layer.rest()], [[true, true, true], false]);
  layer.track = trackOf(200_001);
  assert.deepEqual([layer.rest(), layer.track, state()], [true, null, [false, true, true]]);
  layer.forget();
  assert.deepEqual([layer.leave(), layer.visible, layer.holds, state()], ["a", false, 0, [false, true, true]]);
  const unseen = layerOf();
  unseen.track = trackOf(1);
  assert.deepEqual([unseen.ready, unseen.chartable], [true, false]);
  const failed = layerOf({ state: "failed" });
  failed.track = trackOf(1);
  assert.deepEqual(
    [failed.drawn, failed.open, layerOf({ state: "queued" }).open, layerOf({ state: "running" }).open],
    [false, false, true, true],
  );
});

test("a curve is fetched once, closer where the whole is thinned out, on the set it is compared on", async () => {
  requested.length = 0;
  const layer = layerOf({}, "7");
  const [one, same] = await Promise.all([layer.curve(0), layer.curve(0)]);
  assert.equal(one, same);
  assert.deepEqual(requested, ["/series/?n=2&s=0.1&diameter_m=1000&series=0&landmarks_of=7&points=4000"]);
  await layer.curve(0, undefined, RANGE);
  await layer.curve(0, undefined, RANGE);
  assert.deepEqual(requested.slice(1), [
    "/series/?n=2&s=0.1&diameter_m=1000&series=0&first=2&after=9&landmarks_of=7&points=4000",
  ]);
  assert.deepEqual(
    [0, 5, 7, 99].map((event) => layer.budgetAt(0, event)),
    [0.1, 0.2, 0.3, 0.3],
  );
  assert.equal(layer.budgetAt(1, 0), null);
  const own = layerOf({ landmark_set: "3", urls: { series: "/whole/" } }, "7");
  await own.curve(0);
  await own.curve(0, undefined, RANGE);
  assert.deepEqual(requested.slice(2), ["/whole/?n=2&s=0.1&diameter_m=1000&series=0&points=4000"]);
});

test("tracks are held up to three million points; small ones always", () => {
  const layers = [{ holds: 2_000_000 }, { holds: 700_000 }];
  assert.deepEqual(
    [300_000, 300_001, 200_000].map((n) => fitsInMemory(layers, n)),
    [true, false, true],
  );
  assert.equal(fitsInMemory([{ holds: 3_000_000 }], 200_000), true);
});

test("releases of one title are numbered from the oldest, and ranked as the palette is", () => {
  const layers = [
    layerOf({ id: "new" }),
    layerOf({ id: "p", title: "Planned", mechanism: { name: "p" } }),
    layerOf({ id: "old" }),
  ];
  assert.deepEqual(
    layers.map((layer) => titleOf(layer, layers)),
    ["Uniform (2)", "Planned", "Uniform (1)"],
  );
  const smoothed = layerOf({ id: "s", postprocess: [1] });
  const order = byRank({ p: [], u: [] });
  assert.deepEqual(
    [smoothed, ...layers].sort(order).map(({ id }) => id),
    ["p", "new", "old", "s"],
  );
});

test("facts are the parameters that a title has not", () => {
  const mechanism = { name: "p", epsilon: 1, radius_m: 2, q: 9, how: "by-time", none: null, empty: "" };
  assert.equal(factsOf({ mechanism, derived_from: 4 }), "9 · by time · derived from another release");
  assert.equal(factsOf({ mechanism: { name: "u", epsilon: 1, radius_m: 2 }, derived_from: null }), "");
});

test("layers are listed as they were ordered, the others after them", () => {
  const layers = [{ id: "a" }, { id: "b" }, { id: "c" }];
  assert.deepEqual(listedIds(layers, { order: null }), ["original", "a", "b", "c"]);
  assert.deepEqual(listedIds(layers, { order: ["c", "original"] }), ["c", "original", "a", "b"]);
});

test("marks: landmarks without their dummies, each counted in the range", () => {
  const marks = (more) =>
    markSources({
      original: trackOf(30),
      runs: [
        [0, 10],
        [20, 25],
      ],
      range: null,
      ...more,
    });
  const counts = (more) => marks(more).map(({ id, count }) => [id, count]);
  assert.deepEqual(counts({ dummies: null, zones: null }), [["landmarks", 15]]);
  assert.deepEqual(counts({ dummies: [[2, 5]], zones: [1, 2] }), [
    ["landmarks", 12],
    ["dummies", 3],
    ["zones", 2],
  ]);
  assert.deepEqual(counts({ dummies: [[2, 5]], zones: null, range: [4, 22] }), [
    ["landmarks", 7],
    ["dummies", 1],
  ]);
});
