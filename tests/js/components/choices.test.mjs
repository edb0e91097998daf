/* Where errors are shown, what is requested once, and what pages choose at first. */
import { deepEqual, equal, rejects } from "node:assert/strict";
import { test } from "node:test";

import { check, gives, joined } from "../cases.mjs";
import { pageOf, setGlobals } from "../support.mjs";

setGlobals({ document: pageOf(), window: new EventTarget() });
const { slower } = await import("../../../static/js/components/jobs.js");
const { placed } = await import("../../../static/js/components/experiment_form/mechanisms_form.js");
const loss = await import("../../../static/js/trajectory/loss/mechanism_parameters.js");
const { createSimulations } = await import("../../../static/js/trajectory/compare/error_chart.js");
const { cutMap } = await import("../../../static/js/trajectory/compare/map_modes.js");
const { failZone } = await import("../../../static/js/trajectory/landmark_editor/zone_editor.js");
const { sizeText } = await import("../../../static/js/trajectory/release_form/noise_preview.js");
const { peopleViewFor } = await import("../../../static/js/trajectory/series_choice.js");
const { simulationsText } = await import("../../../static/js/checkins/comparison_text.js");
const { area } = await import("../../../static/js/trajectory/landmark_editor/zone_editor.js");

test("an error of an experiment is shown at the control of its field, that of a zone beside the zone", () => {
  const shown = [];
  const part = (name, found) => ({ fail: (...given) => (shown.push([name, ...given]), found) });
  const parts = { other: part("other", false), data: part("data"), runs: part("runs"), measures: part("measures") };
  const at = (field, more = {}) => {
    shown.length = 0;
    return [placed({ field }, "no", { ...parts, releases: part("releases", true), ...more }), ...shown];
  };
  const release = (parameter, places) => ["releases", parameter, { release: null, at: null, ...places }, "no"];
  check(at, [
    [[undefined], [false]],
    [["name"], [false]],
    [["dataset"], [true, ["data", null, "", "no"]]],
    [["seed"], [true, ["runs", [{ field: "seed", message: "no" }]]]],
    [["repetitions"], [true, ["runs", [{ field: "repetitions", message: "no" }]]]],
    [["metrics.3.k"], [true, ["measures", 3, "k", "no"]]],
    [["metrics"], [true, ["measures", null, "metrics", "no"]]],
    [["base.data.mean"], [true, ["data", 0, "mean", "no"]]],
    [["base.data.1.mean"], [true, ["data", 1, "mean", "no"]]],
    [["base.release.mechanism.window"], [true, release("window")]],
    [["base.release.2.mechanism.radii.4"], [true, release("radii", { release: 2, at: 4 })]],
    [["base.release.x1"], [true, release("base")]],
    [
      ["base.release", { releases: part("releases", false) }],
      [false, release("base")],
    ],
    [["grid.data.1.mean"], [true, ["other", ["grid", "data", "1", "mean"], "no"], ["data", 1, "mean", "no"]]],
    [
      ["grid.data.1.mean", { other: part("other", true) }],
      [true, ["other", ["grid", "data", "1", "mean"], "no"]],
    ],
  ]);
  const zone = (field) => [failZone(part("zone"), 12, { field, message: "no" }), ...shown.splice(0)];
  shown.length = 0;
  check(zone, [
    ...["zones", "zones.12", "zones.x", undefined].map((field) => [[field], [false]]),
    ...[0, 11].map((index) => [[`parameters.zones.${index}.label`], [true, ["zone", index, "No"]]]),
  ]);
});

test("the pause between requests grows up to the most while nothing moves, and is the first of another pace", () => {
  const [busy, idle] = [4, 100].map((first) => ({ first, most: 3 * first, by: 2 }));
  const requests = [[busy], [busy], [busy], [busy], [busy, true], [busy], [idle], [idle], [busy]];
  equal(
    joined(requests, ([pace, moved = false]) => slower(pace, moved)),
    "4,8,12,12,4,8,100,200,4",
  );
});

test("parameters of a report are read, and its simulations are requested once unless they fail", async () => {
  check(loss.read, [
    [[""], {}],
    [["{"], {}],
    [['{"a":{"b":1}}'], { a: { b: 1 } }],
  ]);
  check(loss.usual, [
    [[{ default: 0, example: 2 }], 0],
    [[{ default: null, example: 2 }], 2],
    [[{}], null],
  ]);
  const sent = [];
  let refused = true;
  const answer = async (mechanisms) => {
    sent.push(mechanisms.map(({ k }) => k));
    if (refused) throw new Error("no");
    return { n: sent.length };
  };
  const { of } = createSimulations(answer);
  const shown = Array.from({ length: 24 }, (_, k) => ({ layer: { release: { mechanism: { k: k >> 1 } } } }));
  await rejects(of(shown.slice(1, 4), 0));
  refused = false;
  const found = [await of(shown.slice(1, 4), 0), await of(shown.slice(0, 3), 0), await of(shown.slice(0, 3), 1)];
  deepEqual(found.map(({ n }) => n), [2, 2, 3]); // prettier-ignore
  deepEqual(
    [found[0].keys, sent[0]],
    [
      ['{"k":0}', '{"k":1}'],
      [0, 1],
    ],
  );
  const many = Array.from({ length: 30 }, (_, k) => ({ layer: { release: { mechanism: { k } } } }));
  equal((await of(many, 0)).keys.length, 20);
});

test("two layers are cut at the divider; how large the noise is beside the dataset; a view of people", async () => {
  const cut = (left, right, mode, split) => {
    let found = null;
    cutMap({ clip: (...given) => (found = given) }, [{ id: left }, { id: right }], { mode, split });
    return found;
  };
  const side = (id, name) => ({ [id]: name, [`errors-${id}`]: name });
  deepEqual(cut("a", "b", "swipe", 30), [{ ...side("a", "left"), ...side("b", "right") }, 0.3]);
  deepEqual(cut("a", "b", "overlay", 50), [null, 0.5]);
  const one = { id: "a" };
  cutMap({ clip: (sides) => equal(sides, null) }, [one, one], { mode: "swipe", split: 50 });
  const size = (largest, small = false) => sizeText({ times: 2.345, small, largest, extent: 5000 });
  check(size, [
    [[5000], ""],
    [[10, true], "They are too small at this scale: an inset enlarges them. "],
    [[5001, true], "They are larger than your data: the view is zoomed out 2.3×. "],
    [[8e6], "They reach around the world. "],
  ]);
  const views = [[["a", "b"], 0], [["a"], null], [["a"], 0]]; // prettier-ignore
  const made = await Promise.all(views.map(([series, chosen]) => peopleViewFor(series, { series: chosen })));
  deepEqual(made.map(({ name }) => name), ["createPeopleView", "createPeopleView", ""]); // prettier-ignore
  equal(made[2]().isOn(), false);
});

test("how large zones are, and how many models are simulations", () => {
  check(area, [[[99_999], "100,000 m²"], [[1e5], "0.1 km²"], [[2.5e6], "2.5 km²"]]); // prettier-ignore
  const are = (number) => simulationsText(number).split(":")[0];
  gives(are, { 0: "", 1: "1 model of the list is a seeded simulation" });
  gives(are, { 2: "2 models of the list are seeded simulations" });
});
