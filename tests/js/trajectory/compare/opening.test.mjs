import assert from "node:assert/strict";
import { test } from "node:test";

import { assignLineStyles, linesOf } from "../../../../static/js/trajectory/compare/line_styles.js";
import {
  gridLayers,
  mapsOf,
  ranked,
  resizedMaps,
  sidesOf,
} from "../../../../static/js/trajectory/compare/map_choice.js";
import { bestOf, openingOf } from "../../../../static/js/trajectory/compare/opening.js";
import { draws } from "../../support.mjs";

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
    assert.equal(bestOf([waiting, ...mixed.map(({ one }) => one)])?.id, some[0]?.id);
  }
});

const VIEW = { hidden: new Set(["x"]), isHidden: false, show: null, left: null, right: null, maps: null };
const opened = (view, requested = []) => {
  const { hidden, best } = openingOf({ ...VIEW, ...view }, requested, ["a", "b", "c"]);
  return [[...hidden].join(), best];
};

test("the comparison opens on what the address names, else on the best release", () => {
  for (const [view, requested, expected] of [
    [{}, [], ["x,a,b,c", true]],
    [{}, ["b"], ["x,a,c", false]],
    [{}, ["b", "c"], ["x", false]],
    [{ isHidden: true }, [], ["x", false]],
    [{ show: "all" }, [], ["x", false]],
    [{ show: "best" }, ["b"], ["x,a,b,c", true]],
    [{ show: "best", isHidden: true }, ["b", "c"], ["x,a,b,c", true]],
    [{ left: "a", right: "original" }, [], ["x,b,c", false]],
    [{ maps: ["original", "c"] }, ["b"], ["x,a", false]],
  ])
    assert.deepEqual(opened(view, requested), expected, JSON.stringify([view, requested]));
});

const line = (name) => ({ name, colour: "", dash: "" });
const palette = { u: [line("u1"), line("u2"), line("u3")], p: [line("p1"), line("p2")] };
const drawn = (id, name = "u", created_at = id, postprocess = []) => ({
  id,
  mechanism: { name },
  created_at,
  postprocess,
});
const given = (releases, chosen = undefined) =>
  Object.fromEntries([...assignLineStyles(releases, palette, chosen)].map(([id, { name }]) => [id, name]));

test("a mechanism's own line is of its release without steps, the next ones of the others by age", () => {
  assert.deepEqual(
    linesOf(palette).map(({ name }) => name),
    ["u1", "p1"],
  );
  assert.deepEqual(given([drawn("a", "u", "1", [1]), drawn("b", "u", "2"), drawn("c", "p")]), {
    a: "u2",
    b: "u1",
    c: "p1",
  });
  assert.deepEqual(given([drawn("c"), drawn("b"), drawn("a")]), { c: "u1", b: "u3", a: "u2" });
});

test("a line that was chosen is taken before all, and given once", () => {
  const chosen = new Map([
    ["b", 0],
    ["c", 7],
  ]);
  assert.deepEqual(given([drawn("a"), drawn("b", "p"), drawn("c", "p")], chosen), { b: "u1", c: "p1", a: "u2" });
});

test("a line of another mechanism can be chosen", () =>
  assert.deepEqual(given([drawn("a"), drawn("b")], new Map([["a", 1]])), { a: "p1", b: "u1" }));

test("every release has a line of its mechanism, distinct while there are enough", () => {
  const draw = draws(21);
  for (let i = 0; i < 100; i += 1) {
    const releases = draw.list(draw.int(1, 7), (k) =>
      drawn(
        `r${k}`,
        draw.pick(["u", "p"]),
        String(draw.int(0, 9)),
        draw.list(draw.int(0, 2), () => 1),
      ),
    );
    const found = given(releases);
    for (const { id, mechanism } of releases) assert.equal(found[id][0], mechanism.name);
    for (const name of ["u", "p"]) {
      const own = releases.filter(({ mechanism }) => mechanism.name === name).map(({ id }) => found[id]);
      assert.equal(new Set(own).size, Math.min(own.length, palette[name].length), own.join());
    }
  }
});

const track = (id, error_m = 0, shown = true, ready = true) => ({
  ...{ id, error_m, ready, owner: id === "original", errors: null },
  mapLayer: shown ? { id, opacity: 1, order: 5 } : null,
});
const TRACKS = [
  track("far", 9),
  track("hidden", 1, false),
  track("original"),
  track("near", 2),
  track("late", 0, true, false),
];
const ids = (some) => some.map(({ id }) => id).join();

test("maps show the original and what is shown, the most exact first, unless others were chosen", () => {
  for (const tracks of [TRACKS, TRACKS.toReversed()]) assert.equal(ids(ranked(tracks)), "original,near,far,hidden");
  assert.equal(ids(sidesOf(TRACKS, { left: null, right: null })), "original,near");
  assert.equal(ids(sidesOf(TRACKS, { left: "far", right: "gone" })), "far,near");
  assert.equal(ids(sidesOf([track("original")], { left: null, right: null })), "original,original");
  assert.equal(ids(mapsOf(TRACKS, { maps: null }, 4)), "original,near,far");
  assert.equal(ids(mapsOf(TRACKS, { maps: null }, 2)), "original,near");
  assert.equal(ids(mapsOf(TRACKS, { maps: ["far", "hidden"] }, 4)), "far,hidden");
  assert.equal(ids(mapsOf(TRACKS, { maps: ["far", "gone"] }, 4)), "original,near,far");
  assert.equal(ids(mapsOf(TRACKS, { maps: ["far"] }, 4)), "original,near,far");
  assert.equal(ids(mapsOf([track("original"), track("a", 1, false)], { maps: null }, 4)), "original,a");
  assert.equal(ids(mapsOf([track("original")], { maps: null }, 4)), "original,original");
});

test("more maps get the best of the others, fewer keep the first", () => {
  const [far, original] = [TRACKS[0], TRACKS[2]];
  assert.deepEqual(resizedMaps(TRACKS, [far, original], 4), ["far", "original", "near", "hidden"]);
  assert.deepEqual(resizedMaps(TRACKS, [far, original], 1), ["far"]);
  assert.deepEqual(resizedMaps([original], [original], 2), ["original", "original"]);
});

test("the original lies faint below a release, where it is shown and wished", () => {
  const below = (one, faint = true, all = TRACKS) =>
    gridLayers(one, all, { faint }).map(({ id, order }) => [id, order]);
  assert.deepEqual(below(TRACKS[0]), [
    ["far", 5],
    ["original", -1],
  ]);
  assert.deepEqual(below(TRACKS[0], false), [["far", 5]]);
  assert.deepEqual(below(TRACKS[2]), [["original", 5]]);
  assert.deepEqual(below(TRACKS[0], true, [TRACKS[0], track("original", 0, false)]), [["far", 5]]);
});
