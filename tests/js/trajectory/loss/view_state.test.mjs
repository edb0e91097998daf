import assert from "node:assert/strict";
import { test } from "node:test";

import * as loss from "../../../../static/js/trajectory/loss/view_state.js";
import { draws, setGlobals } from "../../support.mjs";

const place = { href: "", search: "" };
const go = (href) => Object.assign(place, { href, search: new URL(href).search });
const replaceState = (_, __, to) => go(to);
setGlobals({ location: place, history: { replaceState } });
const read = (query = "", more = {}) => {
  go(`https://cairn.example/compare/${query}`);
  return loss.readState(more);
};

test("what the address does not name, or names wrongly, is as usual", () => {
  const usual = read();
  assert.deepEqual([usual.corr, usual.view, usual.bound, usual.diameter_m], ["moderate", "event", "bridge", "1000"]);
  for (const query of ["corr=x", "corr=own", "corr=estimated", "view=x", "side=x", "part=x", "bound=x", "axis=x"])
    assert.deepEqual(read(`?${query}&show=all`), usual, query);
});

test("own matrices and estimates need what they are of", () => {
  assert.equal(read("?corr=own&forward=[[1]]").corr, "own");
  assert.equal(read("?corr=own&backward=[[1]]").corr, "own");
  assert.equal(read("?corr=estimated&cell_m=500").corr, "estimated");
  assert.equal(read("?corr=estimated&smoothing=1").corr, "moderate");
});

test("what is written is read again, and nothing that is as usual or of another correlation", () => {
  const draw = draws(22);
  for (let i = 0; i < 200; i += 1) {
    const more = { epsilon: "1" };
    const state = read("", more);
    Object.assign(state, {
      ...{ corr: draw.pick(["weak", "moderate", "strong"]), view: draw.pick(["event", "landmarks"]) },
      ...{ side: draw.pick(["total", "backward", "forward"]), part: draw.pick(["joint", "own"]) },
      ...{ bound: draw.pick(["bridge", "published"]), axis: draw.pick(["log", "linear"]) },
      ...{ diameter_m: draw.pick(["1000", "50"]), epsilon: draw.pick(["1", "3"]) },
      ...(draw.int(0, 1) && { corr: "own", forward: "[[0.5,0.5],[0,1]]" }),
    });
    loss.writeState(state, more);
    assert.deepEqual(read(place.search, more), state, place.search);
  }
  loss.writeState({ ...read(), forward: "[[1]]", cell_m: "5" });
  assert.equal(place.search, "");
});

test("a correlation as the API takes it", () => {
  const state = { corr: "strong", diameter_m: "500", forward: "[[1]]", backward: "", cell_m: "9", smoothing: "" };
  for (const [corr, query, body] of [
    ["weak", { n: 2, s: 1, diameter_m: "500" }, { n: 2, s: 1, diameter_m: 500 }],
    ["moderate", { n: 2, s: 0.1, diameter_m: "500" }, { n: 2, s: 0.1, diameter_m: 500 }],
    ["strong", { n: 2, s: 0.01, diameter_m: "500" }, { n: 2, s: 0.01, diameter_m: 500 }],
    ["own", { forward: "[[1]]", diameter_m: "500" }, { forward: "[[1]]", diameter_m: 500 }],
    ["estimated", { cell_m: "9" }, { cell_m: 9 }],
  ]) {
    assert.deepEqual(loss.correlationQuery({ ...state, corr }), query, corr);
    assert.deepEqual(loss.correlationBody({ ...state, corr }), body, corr);
  }
  assert.deepEqual(loss.correlationQuery({ ...state, corr: "estimated", smoothing: "1" }), {
    cell_m: "9",
    smoothing: "1",
  });
  assert.deepEqual(
    [loss.boundQuery({ bound: "published" }), loss.boundQuery({ bound: "bridge" })],
    [{ bound: "published" }, {}],
  );
});
