import assert from "node:assert/strict";
import { test } from "node:test";

import { MOST_PINNED, restoreViewState } from "../../../static/js/stream/view_state.js";
import { draws, setGlobals } from "../support.mjs";

const ID = "01234567-89ab-cdef-0123-456789abcdef";
const OTHER = "01234567-89ab-cdef-0123-4567fedcba98";
const known = { releases: [{ id: ID }, { id: OTHER }], dimensions: 20, columns: 9 };
const place = { href: "", search: "" };
setGlobals({ location: place, history: { replaceState: (_, __, to) => go(to) } });
function go(href) {
  Object.assign(place, { href, search: new URL(href).search });
}
/** A state as the page opens, changed to what the address names. */
function opened(query = "") {
  go(`https://cairn.example/compare/${query}`);
  const state = {
    ...{ view: "release", shown: { id: ID }, visible: new Set(["truth", ID]), pinned: [3, 4], search: "", order: [] },
    ...{ sorting: { key: "total", descending: true }, cell: { dimension: 3, column: 8 }, range: [0, 9], common: false },
  };
  return { state, store: restoreViewState(state, known) };
}
const restored = (query) => opened(`?${query}`).state;

test("without parameters the state is as the page opens", () => {
  const { state } = opened();
  assert.deepEqual(
    [state.view, state.cell, state.range, state.pinned],
    ["release", { dimension: 3, column: 8 }, [0, 9], [3, 4]],
  );
  assert.deepEqual([[...state.visible], state.search, state.common], [["truth", ID], "", false]);
});

test("a cell is within the dimensions and columns", () => {
  for (const [at, dimension, column] of [
    ["0-0", 0, 0],
    ["19-8", 19, 8],
    ["20-0", 3, 8],
    ["0-9", 3, 8],
    ["-1-2", 3, 8],
    ["5", 3, 8],
    ["5-", 3, 8],
    ["", 3, 8],
    ["1.5-2", 3, 8],
    ["a-b", 3, 8],
  ])
    assert.deepEqual(restored(`at=${at}`).cell, { dimension, column }, at);
});

test("a range ends with the last column at the latest", () => {
  for (const [range, expected] of [
    ["0-9", [0, 9]],
    ["2-5", [2, 5]],
    ["8-9", [8, 9]],
    ["2-10", [0, 9]],
    ["5-5", [0, 9]],
    ["6-5", [0, 9]],
    ["x", [0, 9]],
  ])
    assert.deepEqual(restored(`range=${range}`).range, expected, range);
});

test("pinned dimensions are there, each once, at most as many as can be pinned", () => {
  for (const [pinned, expected] of [
    ["0,19,20", [0, 19]],
    ["7,7,2", [7, 2]],
    ["1,,2", [1, 2]],
    ["-1,x,1e1,6", [6]],
    ["", []],
  ])
    assert.deepEqual(restored(`pinned=${pinned}`).pinned, expected, pinned);
  const all = [...Array(20).keys()];
  assert.deepEqual(restored(`pinned=${all}`).pinned, all.slice(0, MOST_PINNED));
});

test("lines are named by the ends of their ids", () => {
  assert.deepEqual([...restored("lines=89abcdef,truth").visible], ["truth", ID]);
  assert.deepEqual([...restored("lines=fedcba98,nothing").visible], [OTHER]);
  assert.deepEqual([...restored("lines=").visible], []);
});

test("views and orders that are none change nothing", () => {
  assert.equal(restored("view=difference").view, "difference");
  assert.equal(restored("view=nonsense").view, "release");
  assert.deepEqual(restored("sort=-error").sorting, { key: "error", descending: true });
  assert.deepEqual(restored("sort=name").sorting, { key: "name", descending: false });
  assert.deepEqual(restored("sort=id").sorting, { key: "total", descending: true });
  assert.equal(restored("scale=common").common, true);
  assert.equal(restored("search=tea%20cup").search, "tea cup");
});

test("an address has what is other than at first, the release always", () => {
  const { state, store } = opened("?tab=1&search=x");
  state.search = "";
  store();
  assert.equal(place.search, `?tab=1&release=${ID}`);
  state.range = [2, 5];
  state.visible = new Set(["truth", OTHER]);
  store();
  assert.equal(place.search, `?tab=1&release=${ID}&lines=fedcba98,truth&range=2-5`);
});

test("what is stored is restored", () => {
  const draw = draws(10);
  for (let i = 0; i < 200; i += 1) {
    const { state, store } = opened();
    const first = draw.int(0, 8);
    Object.assign(state, {
      view: draw.pick(["truth", "release", "difference"]),
      visible: new Set(["truth", ID, OTHER].filter(() => draw.int(0, 1))),
      pinned: [...new Set(draw.list(draw.int(0, MOST_PINNED), () => draw.int(0, 19)))],
      search: draw.pick(["", "tea", "a,b:c &=%", "ε –"]),
      sorting: { key: draw.pick(["name", "total", "error"]), descending: draw.int(0, 1) === 1 },
      cell: { dimension: draw.int(0, 19), column: draw.int(0, 8) },
      range: [first, draw.int(first + 1, 9)],
      common: draw.int(0, 1) === 1,
    });
    store();
    const again = opened(place.search).state;
    assert.deepEqual(
      { ...again, visible: [...again.visible].sort() },
      { ...state, visible: [...state.visible].sort() },
      place.search,
    );
  }
});
