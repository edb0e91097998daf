import { deepEqual, doesNotMatch, equal } from "node:assert/strict";
import { test } from "node:test";

import { assignLineStyles, linesOf } from "../../../static/js/trajectory/compare/releases.js";
import * as choice from "../../../static/js/trajectory/compare/map_layers.js";
import { listedIds, markSources } from "../../../static/js/trajectory/compare/map_layers.js";
import { bestOf, openingOf } from "../../../static/js/trajectory/compare/visibility.js";
import * as layers from "../../../static/js/trajectory/compare/releases.js";
import { readViewState, setLineStyle, writeViewState } from "../../../static/js/trajectory/compare/view_state.js";
import { Track } from "../../../static/js/trajectory/track.js";
import { gives, joined, rows } from "../cases.mjs";
import { setElements } from "../elements.mjs";
import { addressBar, draws, setGlobals } from "../support.mjs";

setElements();
const requested = [];
setGlobals({
  fetch: async (url) => {
    requested.push(String(url));
    return Response.json({ event: [0, 4, 8], budget: [0.1, 0.2, 0.3], decimated: !String(url).includes("whole") });
  },
});
const { boxAround, isWithin, marksOf } = await import("../../../static/js/trajectory/compare/attacks.js");

const at = (lon, lat, found_lon = null, found_lat = null) => ({ lon, lat, found_lon, found_lat });
const trackOf = (n, event = null) => {
  const column = () => new Int32Array(n);
  return new Track({ lonE7: column(), latE7: column(), y: column(), event });
};

test("the box around an attack holds the dataset and all places, true and guessed", () => {
  const of = (places, bounds) => boxAround({ places, track: null }, bounds);
  deepEqual(of([at(1, 50, 9, 40), at(null, null, -3, 48)], [2, 47, 4, 49]), [-3, 40, 9, 50]);
  deepEqual(of([], [2, 47, 4, 49]), [2, 47, 4, 49]);
  deepEqual(of([at(1, 50)], [179, 0, -179, 1]), [179, 0, -179, 1]);
  equal(of([], null), null);
  deepEqual(boxAround({ places: [], track: { bounds: () => [1, 2, 3, 4] } }, [9, 9, 9, 9]), [1, 2, 3, 4]);
});

test("whether a map shows all of a box", () => {
  const bounds = [2, 47, 4, 49];
  equal(isWithin(bounds, bounds), true);
  for (const beyond of rows("1 47 4 49, 2 46 4 49, 2 47 5 49, 2 47 4 50"))
    equal(isWithin(beyond, bounds), false, String(beyond));
  deepEqual([isWithin(null, bounds), isWithin(bounds, null)], [true, true]);
  equal(isWithin([5, 0, 6, 1], [179, 0, -179, 1]), true);
});

test("what lies above the lines for an attack: guessed places, or the path", () => {
  const [places] = marksOf({ places: [at(1, 2, 3, 4), at(1, 2)], track: null }, null);
  const [path] = marksOf({ places: [], track: trackOf(9) }, [2, 5]);
  deepEqual([places.id, places.count, path.id, path.count, path.source.n], ["guesses", 1, "guessed", 9, 3]);
});

const layerOf = (more = {}, set = null) =>
  new layers.Layer(
    {
      ...{ id: "a", title: "Uniform", state: "done", landmark_set: null, postprocess: [] },
      ...{ mechanism: { name: "u", epsilon: 1, radius_m: 200 }, urls: { series: "/series/", errors: "/errors/" } },
      ...more,
    },
    set,
  );

test("what was published for an event, in a whole track and in a reduced one", () => {
  const layer = layerOf();
  const indices = (...events) => events.map((event) => layer.indexOf(event));
  deepEqual(indices(0), [-1]);
  layer.track = trackOf(4);
  deepEqual(indices(0, 3, 4), [0, 3, -1]);
  layer.track = trackOf(3, Int32Array.of(0, 5, 9));
  deepEqual(indices(0, 5, 6, 9, 10), [0, 1, -1, 2, -1]);
});

test("a layer is ready once its track is there, or rests; a small one does not rest", () => {
  const layer = layerOf();
  const state = () => [layer.drawn, layer.ready, layer.chartable];
  deepEqual([state(), layer.visible], [[false, false, false], true]);
  layer.track = trackOf(200_000);
  layer.wasShown = true;
  deepEqual([state(), layer.rest()], [[true, true, true], false]);
  layer.track = trackOf(200_001);
  deepEqual([layer.rest(), layer.track, state()], [true, null, [false, true, true]]);
  layer.forget();
  deepEqual([layer.leave(), layer.visible, layer.holds, state()], ["a", false, 0, [false, true, true]]);
  const [unseen, failed] = [layerOf(), layerOf({ state: "failed" })];
  unseen.track = failed.track = trackOf(1);
  deepEqual([unseen.ready, unseen.chartable, failed.drawn, failed.open], [true, false, false, false]);
  deepEqual([layerOf({ state: "queued" }).open, layerOf({ state: "running" }).open], [true, true]);
});

test("a curve is fetched once, closer where the whole is thinned out, on the set it is compared on", async () => {
  const range = [2, 9];
  const layer = layerOf({}, "7");
  const [one, same] = await Promise.all([layer.curve(0), layer.curve(0)]);
  equal(one, same);
  await layer.curve(0, undefined, range);
  await layer.curve(0, undefined, range);
  const budgets = [0, 5, 7, 99].map((event) => layer.budgetAt(0, event));
  deepEqual([...budgets, layer.budgetAt(1, 0)], [0.1, 0.2, 0.3, 0.3, null]);
  const own = layerOf({ landmark_set: "3", urls: { series: "/whole/" } }, "7");
  await own.curve(0);
  await own.curve(0, undefined, range);
  deepEqual(requested, [
    "/series/?n=2&s=0.1&diameter_m=1000&series=0&landmarks_of=7&points=4000",
    "/series/?n=2&s=0.1&diameter_m=1000&series=0&first=2&after=9&landmarks_of=7&points=4000",
    "/whole/?n=2&s=0.1&diameter_m=1000&series=0&points=4000",
  ]);
});

test("tracks are held up to twelve million points; small ones always", () => {
  const fits = (n, ...held) =>
    layers.fitsInMemory(
      held.map((holds) => ({ holds })),
      n,
    );
  gives((n) => fits(n, 11_000_000, 700_000), { 300000: true, 300001: false, 200000: true });
  equal(fits(200_000, 12_000_000), true);
});

test("releases of one title are numbered from the oldest, and ranked as the palette is", () => {
  const planned = layerOf({ id: "p", title: "Planned", mechanism: { name: "p" } });
  const some = [layerOf({ id: "new" }), planned, layerOf({ id: "old" })];
  equal(some.map((layer) => layers.titleOf(layer, some)).join(), "Uniform (2),Planned,Uniform (1)");
  const smoothed = layerOf({ id: "s", postprocess: [1] });
  const ranked = [smoothed, ...some].sort(layers.byRank({ p: [], u: [] }));
  equal(ranked.map(({ id }) => id).join(), "p,new,old,s");
});

test("facts are the parameters that a title has not; layers are listed as they were ordered, others after them", () => {
  const mechanism = { name: "p", epsilon: 1, radius_m: 2, q: 9, how: "by-time", none: null, empty: "" };
  equal(layers.factsOf({ mechanism, derived_from: 4 }), "by time · derived from another release");
  equal(layers.factsOf({ mechanism: { name: "u", epsilon: 1, radius_m: 2 }, derived_from: null }), "");
  const listed = (order) => listedIds([{ id: "a" }, { id: "b" }, { id: "c" }], { order }).join();
  deepEqual([listed(null), listed(["c", "original"])], ["original,a,b,c", "c,original,a,b"]);
});

test("marks: landmarks without their dummies, each counted in the range", () => {
  const counts = (more) => {
    const marks = markSources({ original: trackOf(30), runs: rows("0 10, 20 25"), range: null, zones: null, ...more });
    return marks.map(({ id, count }) => `${id} ${count}`).join();
  };
  equal(counts({ dummies: null }), "landmarks 15");
  equal(counts({ dummies: [[2, 5]], zones: [1, 2] }), "landmarks 12,dummies 3,zones 2");
  equal(counts({ dummies: [[2, 5]], range: [4, 22] }), "landmarks 7,dummies 1");
});

const release = (id, more = {}) => ({
  ...{ id, state: "done", seed: null, verdict: { name: "usable" }, owner_view: { p95_error_m: 5 } },
  ...{ created_at: "2024-01-01", ...more },
});
const named = (name) => ({ verdict: { name } });

test("the best release: published before simulated, then by verdict, error and newness", () => {
  const inOrder = [
    release("a", { created_at: "2024-01-03", owner_view: { p95_error_m: 4 } }),
    release("b", { created_at: "2024-01-02" }),
    release("c"),
    release("d", { owner_view: null }),
    release("e", { ...named("coarse"), owner_view: { p95_error_m: 1 } }),
    release("f", named("too-large")),
    release("g", named("hides-nothing")),
    release("h", { verdict: null }),
    release("i", { seed: 0, owner_view: { p95_error_m: 0 } }),
  ];
  const draw = draws(20);
  for (let i = 0; i < 60; i += 1) {
    const some = inOrder.filter(() => draw.int(0, 1));
    const mixed = some.map((one) => ({ one, at: draw.real(0, 1) })).sort((a, b) => a.at - b.at);
    const waiting = release("z", { state: "running" });
    equal(bestOf([waiting, ...mixed.map(({ one }) => one)])?.id, some[0]?.id);
  }
});

test("the comparison opens on what the address names, else on the best release", () => {
  const usual = { hidden: new Set(["x"]), isHidden: false, show: null, left: null, right: null, maps: null };
  for (const [view, requested, expected] of [
    [{}, [], "x,a,b,c true"],
    [{}, ["b"], "x,a,c false"],
    [{}, ["b", "c"], "x false"],
    [{ isHidden: true }, [], "x false"],
    [{ show: "all" }, [], "x false"],
    [{ show: "best" }, ["b"], "x,a,b,c true"],
    [{ show: "best", isHidden: true }, ["b", "c"], "x,a,b,c true"],
    [{ left: "a", right: "original" }, [], "x,b,c false"],
    [{ maps: ["original", "c"] }, ["b"], "x,a false"],
  ]) {
    const { hidden, best } = openingOf({ ...usual, ...view }, requested, ["a", "b", "c"]);
    equal(`${[...hidden]} ${best}`, expected, JSON.stringify([view, requested]));
  }
});

const line = (name) => ({ name, colour: "", dash: "" });
const palette = { u: ["u1", "u2", "u3"].map(line), p: ["p1", "p2"].map(line) };
const drawn = (id, name = "u", created_at = id, postprocess = []) => ({
  ...{ id, mechanism: { name }, created_at, postprocess },
});
const given = (releases, chosen = undefined) =>
  Object.fromEntries([...assignLineStyles(releases, palette, chosen)].map(([id, { name }]) => [id, name]));

test("a mechanism's own line is of its release without steps, the next ones of the others by age", () => {
  const own = joined(linesOf(palette), ({ name }) => name);
  equal(own, "u1,p1");
  const found = given([drawn("a", "u", "1", [1]), drawn("b", "u", "2"), drawn("c", "p")]);
  deepEqual(found, { a: "u2", b: "u1", c: "p1" });
  deepEqual(given([drawn("c"), drawn("b"), drawn("a")]), { c: "u1", b: "u3", a: "u2" });
});

test("a line that was chosen, also of another mechanism, is taken before all, and given once", () => {
  const chosen = new Map(Object.entries({ b: 0, c: 7 }));
  deepEqual(given([drawn("a"), drawn("b", "p"), drawn("c", "p")], chosen), { b: "u1", c: "p1", a: "u2" });
  deepEqual(given([drawn("a"), drawn("b")], new Map([["a", 1]])), { a: "p1", b: "u1" });
});

test("every release has a line of its mechanism, distinct while there are enough", () => {
  const draw = draws(21);
  const any = (k) => drawn(`r${k}`, draw.pick(["u", "p"]), String(draw.int(0, 9)), Array(draw.int(0, 2)).fill(1));
  for (let i = 0; i < 100; i += 1) {
    const releases = draw.list(draw.int(1, 7), any);
    const found = given(releases);
    for (const { id, mechanism } of releases) equal(found[id][0], mechanism.name);
    for (const name of ["u", "p"]) {
      const own = releases.filter(({ mechanism }) => mechanism.name === name).map(({ id }) => found[id]);
      equal(new Set(own).size, Math.min(own.length, palette[name].length), own.join());
    }
  }
});

const track = (id, error_m = 0, shown = true, ready = true) => ({
  ...{ id, error_m, ready, owner: id === "original", errors: null },
  mapLayer: shown ? { id, opacity: 1, order: 5 } : null,
});
const ORIGINAL = track("original");
const FAR = track("far", 9);
const TRACKS = [FAR, track("hidden", 1, false), ORIGINAL, track("near", 2), track("late", 0, true, false)];
const ids = (some) => joined(some, ({ id }) => id);

test("maps show the original and what is shown, the most exact first, unless others were chosen", () => {
  for (const tracks of [TRACKS, TRACKS.toReversed()]) equal(ids(choice.ranked(tracks)), "original,near,far,hidden");
  const sides = (left, right, tracks = TRACKS) => ids(choice.sidesOf(tracks, { left, right }));
  gives(sides, { "null, null": "original,near", "far, gone": "far,near" });
  equal(sides(null, null, [ORIGINAL]), "original,original");
  const maps = (most, chosen = null, tracks = TRACKS) => ids(choice.mapsOf(tracks, { maps: chosen }, most));
  gives(maps, { 4: "original,near,far", 2: "original,near" });
  equal(maps(4, ["far", "hidden"]), "far,hidden");
  for (const chosen of [["far", "gone"], ["far"]]) equal(maps(4, chosen), "original,near,far", chosen.join());
  equal(maps(4, null, [ORIGINAL, track("a", 1, false)]), "original,a");
  equal(maps(4, null, [ORIGINAL]), "original,original");
});

test("more maps get the best of the others, fewer keep the first", () => {
  deepEqual(choice.resizedMaps(TRACKS, [FAR, ORIGINAL], 4), ["far", "original", "near", "hidden"]);
  deepEqual(choice.resizedMaps(TRACKS, [FAR, ORIGINAL], 1), ["far"]);
  deepEqual(choice.resizedMaps([ORIGINAL], [ORIGINAL], 2), ["original", "original"]);
});

test("the original lies faint below a release, where it is shown and wished", () => {
  const below = (one, faint = true, all = TRACKS) =>
    joined(choice.gridLayers(one, all, { faint }), ({ id, order }) => `${id} ${order}`);
  deepEqual([below(FAR), below(FAR, false), below(ORIGINAL)], ["far 5,original -1", "far 5", "original 5"]);
  equal(below(FAR, true, [FAR, track("original", 0, false)]), "far 5");
});

const IDS = ["a1", "b2"].map((end) => `01234567-89ab-cdef-0123-4567abcdef${end}`);
const { place, go } = addressBar();
const read = (query = "") => {
  go(query);
  return readViewState();
};
const written = (view, more = {}) => {
  writeViewState(view, { set: "5", releases: IDS, ...more });
  return new URLSearchParams(place.search);
};

test("an address without parameters is the usual view, which is not written", () => {
  const view = read("?landmark_set=3&other=1");
  deepEqual([view.mode, view.split, view.maps, view.order, view.range], ["overlay", 50, null, null, null]);
  deepEqual([view.series, view.faint, view.lines, view.byPerson, view.isHidden], [0, true, false, true, false]);
  view.opacity.set("a", 1);
  view.split = 20;
  written(view);
  equal(place.search, "?landmark_set=3&other=1");
  view.range = [2, 5];
  written(view);
  view.range = null;
  written(view);
  doesNotMatch(place.search, /range|opacity|split/);
  view.mode = "swipe";
  view.split = 50;
  deepEqual([written(view).get("mode"), written(view).get("split")], ["swipe", null]);
});

test("numbers of the address are within their bounds", () => {
  const split = (text) => read(`?split=${text}`).split;
  gives(split, { 0: 0, 100: 100, 33: 33, 101: 50, "-1": 50, "": 50, x: 50 });
  const { opacity } = read("?opacity=a:40,b:0,c:101,d,e:100");
  deepEqual(Object.fromEntries(opacity), { a: 0.4, b: 0, c: 1, d: 1, e: 1 });
  gives((text) => read(`?range=${text}`).range, { "3-9": [3, 9], "9-9": null, x: null });
  deepEqual(read("?maps=a,b,c,d,e").maps, ["a", "b", "c", "d"]);
});

test("modes, drawings and series that are none are left out", () => {
  deepEqual([read("?mode=swipe").mode, read("?mode=dance").mode], ["swipe", "overlay"]);
  deepEqual([...read("?draw=a:points,b:fog,c").drawings], [["a", "points"]]);
  gives((text) => read(`?series=${text}`).series, { all: null, 3: 3, x: 0, "": 0, "-2": 0, 1.5: 0 });
});

test("a view that is not usual names the set and the releases it is of", () => {
  const view = read("?show=best&release=x&release=y");
  view.range = [2, 5];
  const found = written(view);
  deepEqual([found.get("landmark_set"), found.getAll("release"), found.get("show")], ["5", IDS, null]);
  equal(found.get("range"), "2-5");
});

test("what is hidden from the start is usual, another choice is not", () => {
  const view = read();
  view.hidden = new Set(["x"]);
  view.opening = new Set(["x"]);
  equal(written(view).size, 0);
  equal(written(view, { pinned: true }).get("hide"), "x");
  view.hidden.add("y");
  equal(written(view).get("hide"), "x,y");
  view.hidden = new Set(["y"]);
  equal(written(view).get("hide"), "y");
});

test("a line of the palette is of one layer", () => {
  const view = { lineStyles: new Map(Object.entries({ a: 1, b: 2 })) };
  setLineStyle(view, "c", 2);
  setLineStyle(view, IDS[0], 1);
  equal([...view.lineStyles].join(" "), "c,2 abcdefa1,1");
});

test("what is written is read again", () => {
  const draw = draws(19);
  const name = () => draw.pick(["original", "aaaaaaa1", "aaaaaaa2", "landmarks"]);
  const names = (least) => [...new Set(draw.list(draw.int(least, 4), name))];
  for (let i = 0; i < 300; i += 1) {
    const view = read();
    const mode = draw.pick(["overlay", "swipe", "grid"]);
    const first = draw.int(0, 50);
    Object.assign(view, {
      ...{ mode, range: draw.pick([null, [first, first + draw.int(1, 50)]]), lines: draw.int(0, 1) === 1 },
      ...(mode === "swipe" && { left: name(), right: name(), split: draw.int(0, 100) }),
      ...(mode === "grid" && { maps: names(1), faint: draw.int(0, 1) === 1 }),
      ...{ order: draw.pick([null, names(1)]), opacity: new Map(names(0).map((one) => [one, draw.int(0, 99) / 100])) },
      ...{ hidden: new Set(names(0)), lineStyles: new Map(names(0).map((one, k) => [one, k])) },
      ...{ drawings: new Map(names(0).map((one) => [one, draw.pick(["line", "points", "density"])])) },
      ...{ series: draw.pick([null, 0, 7]), byPerson: draw.int(0, 1) === 1 },
    });
    written(view, { pinned: true });
    deepEqual({ ...read(place.search), isHidden: false }, { ...view, isHidden: false }, place.search);
  }
});
