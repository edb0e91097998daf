import assert from "node:assert/strict";
import { test } from "node:test";

import {
  otherSweeps,
  sharedFields,
  toForm,
  toSpec,
} from "../../../../static/js/components/experiment_form/kind_spec.js";
import { draws } from "../../support.mjs";

const field = (name, more = {}) => ({ name, symbol: name[0], choices: [], default: 1, required: false, ...more });
const LISTED = [
  { name: "count", fields: [field("epsilon", { required: true }), field("window"), field("west", { symbol: "" })] },
  { name: "sketch", fields: [field("epsilon", { required: true }), field("west", { symbol: "" }), field("depth")] },
];
const fields = sharedFields(LISTED);
const known = {
  mechanisms: new Map(LISTED.map(({ name, fields: own }) => [name, own])),
  generators: new Map([["city", [field("people")]]]),
  measures: new Map([
    ["error", []],
    ["rank", [field("k")]],
  ]),
  cell: [field("events")],
  steps: new Map(),
  landmarks: new Map(),
  dummies: new Map(),
};

test("shared parameters are those of all mechanisms; those without a symbol are not swept", () => {
  assert.deepEqual(
    fields.swept.map(({ name }) => name),
    ["epsilon"],
  );
  assert.deepEqual(
    fields.single.map(({ name }) => name),
    ["west"],
  );
  const chosen = sharedFields([{ fields: [field("sort", { symbol: "", choices: ["a"] })] }]);
  assert.deepEqual([chosen.swept.length, chosen.single.length], [1, 0]);
});

test("what else can be swept is of all that is chosen, no text and no choice", () => {
  const paths = (mechanisms, data = null) =>
    otherSweeps({ mechanisms: mechanisms.map((name) => ({ name })), data }, fields, known).map(({ path }) => path);
  assert.deepEqual(paths(["count"]), ["release.mechanism.window", "events"]);
  assert.deepEqual(paths(["count", "sketch"]), ["events"]);
  assert.deepEqual(paths(["sketch"], [{ name: "city" }]), ["release.mechanism.depth", "data.people", "events"]);
});

/** A form that may be. */
function formOf(draw) {
  const numbers = () => draw.list(draw.int(1, 3), (i) => draw.int(2, 9) + 10 * i);
  const mechanisms = draw.pick([["count"], ["sketch"], ["count", "sketch"]]).map((name) => ({ name }));
  const data = draw.pick([null, [{ name: "city" }], [{ name: "city" }, { name: "city", people: 9 }]]);
  const offered = otherSweeps({ mechanisms, data }, fields, known).map(({ path }) => path);
  return {
    mechanisms,
    swept: { epsilon: numbers() },
    single: { west: draw.int(2, 9) },
    data,
    other: draw.pick([null, ...offered.map((path) => ({ path, values: [...numbers(), 1] }))]),
    metrics: draw.pick([["error"], ["error", { name: "rank", k: 5 }]]),
    repetitions: draw.int(1, 9),
    seed: draw.int(0, 9),
    common: draw.pick([true, false]),
  };
}

test("a form that becomes a spec is the same form again", () => {
  const draw = draws(64);
  for (let k = 0; k < 300; k += 1) {
    const form = formOf(draw);
    const spec = toSpec("stream", form);
    assert.deepEqual(toForm(spec, fields, known), form, JSON.stringify(spec));
    assert.ok(Object.values(spec.grid).every((values) => values.length > 1)); // one value is no axis
  }
});

test("a spec that the form cannot hold is none of it", () => {
  const spec = toSpec("stream", formOf(draws(65)));
  assert.ok(toForm(spec, fields, known));
  const mechanism = { name: "count", epsilon: 1, west: 2 };
  const cases = {
    "an unknown mechanism": { base: { release: { mechanism: { name: "unknown" } } }, grid: {} },
    "an unknown measure": { metrics: ["unknown"] },
    "an unknown generator": { base: { ...spec.base, data: { name: "unknown" } }, grid: {} },
    "two more sweeps": {
      base: { release: { mechanism } },
      grid: { events: [1, 2], "release.mechanism.window": [1, 2] },
    },
    "a sweep that is not offered": { base: { release: { mechanism } }, grid: { "release.mechanism.depth": [1, 2] } },
    "boxes that differ": { base: {}, grid: { release: [1, 2].map((west) => ({ mechanism: { ...mechanism, west } })) } },
    "more than the form shows": { base: { release: { mechanism }, redraw: true }, grid: {} },
    "no spec": { base: null },
  };
  for (const [name, changes] of Object.entries(cases))
    assert.equal(toForm({ ...spec, ...changes }, fields, known), null, name);
});
