import assert from "node:assert/strict";
import { test } from "node:test";

import { readViewState, setLineStyle, writeViewState } from "../../../../static/js/trajectory/compare/view_state.js";
import { draws, setGlobals } from "../../support.mjs";

const IDS = ["a1", "b2"].map((end) => `01234567-89ab-cdef-0123-4567abcdef${end}`);
const place = { href: "", search: "" };
const go = (href) => Object.assign(place, { href, search: new URL(href).search });
const replaceState = (_, __, to) => go(to);
setGlobals({ location: place, history: { replaceState } });
const read = (query = "") => {
  go(`https://cairn.example/compare/${query}`);
  return readViewState();
};
const written = (view, more = {}) => {
  writeViewState(view, { set: "5", releases: IDS, ...more });
  return new URLSearchParams(place.search);
};

test("an address without parameters is the usual view, which is not written", () => {
  const view = read("?landmark_set=3&other=1");
  assert.deepEqual(
    [view.mode, view.split, view.maps, view.order, view.range, view.series],
    ["overlay", 50, null, null, null, 0],
  );
  assert.deepEqual([view.faint, view.lines, view.byPerson, view.isHidden], [true, false, true, false]);
  view.opacity.set("a", 1);
  view.split = 20;
  written(view);
  assert.equal(place.search, "?landmark_set=3&other=1");
  view.range = [2, 5];
  written(view);
  view.range = null;
  written(view);
  assert.doesNotMatch(place.search, /range|opacity|split/);
  view.mode = "swipe";
  view.split = 50;
  assert.deepEqual([written(view).get("mode"), written(view).get("split")], ["swipe", null]);
});

test("numbers of the address are within their bounds", () => {
  for (const [query, split] of [
    ["0", 0],
    ["100", 100],
    ["33", 33],
    ["101", 50],
    ["-1", 50],
    ["", 50],
    ["x", 50],
  ])
    assert.equal(read(`?split=${query}`).split, split, query);
  const { opacity } = read("?opacity=a:40,b:0,c:101,d,e:100");
  assert.deepEqual(
    [...opacity],
    [
      ["a", 0.4],
      ["b", 0],
      ["c", 1],
      ["d", 1],
      ["e", 1],
    ],
  );
  for (const [query, range] of [
    ["3-9", [3, 9]],
    ["9-9", null],
    ["x", null],
  ])
    assert.deepEqual(read(`?range=${query}`).range, range, query);
  assert.deepEqual(read("?maps=a,b,c,d,e").maps, ["a", "b", "c", "d"]);
});

test("modes, drawings and series that are none are left out", () => {
  assert.deepEqual([read("?mode=swipe").mode, read("?mode=dance").mode], ["swipe", "overlay"]);
  assert.deepEqual([...read("?draw=a:points,b:fog,c").drawings], [["a", "points"]]);
  const series = (text) => read(`?series=${text}`).series;
  assert.deepEqual(
    [series("all"), series("3"), series("x"), series(""), series("-2"), series("1.5")],
    [null, 3, 0, 0, 0, 0],
  );
});

test("a view that is not usual names the set and the releases it is of", () => {
  const view = read("?show=best&release=x&release=y");
  view.range = [2, 5];
  const found = written(view);
  assert.deepEqual([found.get("landmark_set"), found.getAll("release"), found.get("show")], ["5", IDS, null]);
  assert.equal(found.get("range"), "2-5");
});

test("what is hidden from the start is usual, another choice is not", () => {
  const view = read();
  view.hidden = new Set(["x"]);
  view.opening = new Set(["x"]);
  assert.equal(written(view).size, 0);
  assert.equal(written(view, { pinned: true }).get("hide"), "x");
  view.hidden.add("y");
  assert.equal(written(view).get("hide"), "x,y");
  view.hidden = new Set(["y"]);
  assert.equal(written(view).get("hide"), "y");
});

test("a line of the palette is of one layer", () => {
  const view = {
    lineStyles: new Map([
      ["a", 1],
      ["b", 2],
    ]),
  };
  setLineStyle(view, "c", 2);
  setLineStyle(view, IDS[0], 1);
  assert.deepEqual(
    [...view.lineStyles],
    [
      ["c", 2],
      ["abcdefa1", 1],
    ],
  );
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
    const again = read(place.search);
    assert.deepEqual({ ...again, isHidden: false }, { ...view, isHidden: false }, place.search);
  }
});
