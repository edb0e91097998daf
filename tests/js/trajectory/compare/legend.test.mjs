/* What the comparison draws and lists of its layers, from the same state. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { cursorText, eventNear, selectionOf } from "../../../../static/js/trajectory/compare/cursor.js";
import { entriesOf } from "../../../../static/js/trajectory/compare/legend.js";
import { markLayers, tracksOf } from "../../../../static/js/trajectory/compare/map_layers.js";
import { imageOf } from "../../../../static/js/trajectory/compare/map_image.js";
import { createMapView } from "../../../../static/js/trajectory/compare/map_panes.js";
import { createDrawings } from "../../../../static/js/trajectory/compare/legend.js";
import { Layer } from "../../../../static/js/trajectory/compare/releases.js";
import { Track } from "../../../../static/js/trajectory/track.js";
import { plain } from "../../support.mjs";

const isText = (found, ...lines) =>
  assert.deepEqual(
    found.map((one) => plain([one].flat().join(" "))),
    lines,
  );

/** A track of longitudes and latitudes in turn. */
function trackAt(...degrees) {
  const column = (side) =>
    Int32Array.from(
      degrees.filter((_, i) => i % 2 === side),
      (value) => value * 1e7,
    );
  return new Track({ lonE7: column(0), latE7: column(1), y: column(1) });
}
function layerOf(id, mae_m, track) {
  const mechanism = { name: "u", epsilon: 1, radius_m: 200, scale: 5 };
  const layer = new Layer({ id, state: "done", mechanism, postprocess: [], owner_view: { mae_m }, seed: null });
  return Object.assign(layer, { track });
}
const original = trackAt(2, 48, 3, 48, 4, 48);
const [near, far, away] = [
  layerOf("near", 5, trackAt(2, 48, 3, 48.01)),
  layerOf("far", 900, trackAt(9, 50, 3, 48)),
  layerOf("away", 1, null),
];
near.curves.set("0 n=2&s=0.1&diameter_m=1000", { event: [0, 1, 2], budget: [0.5, 0, 0.5] });
const layers = [near, far, away];
const lineStyles = new Map(layers.map(({ id }) => [id, { colour: id }]));
const view = (more = {}) => {
  const opacity = new Map([["far", 0.5]]);
  return { order: null, opacity, hidden: new Set(), drawings: new Map(), range: null, lines: true, series: 0, ...more };
};
const none = { view() {}, drawn() {} };
const cursor = { series: 0, event: 1 };
const titled = ({ id }) => id;

test("lines lie with the best above, or as ordered; error lines far below their own", () => {
  const tracks = (more) => {
    const [shown, drawings] = [view(more), createDrawings(view(), none)];
    return tracksOf({ original, layers, view: shown, lineStyles, titleOf: titled, drawings }).map(
      ({ id, mapLayer, errors }) => [id, mapLayer?.order, mapLayer?.opacity, errors?.order, errors?.opacity],
    );
  };
  isText(tracks(), "original 90 1  ", "near 88 0.85 8 0.5", "far 87 0.425 7 0.25", "away    ");
  const ordered = tracks({ order: ["far"], lines: false, hidden: new Set(["original", "near"]) });
  isText(ordered, "far 90 0.425  ", "original    ", "near    ", "away    ");
  isText(tracks({ series: null }), "original 90 1  ", "near 88 0.85  ", "far 87 0.425  ", "away    ");
  const [own, one, again] = [0, 1, 1].map((i) => {
    const drawings = createDrawings(view(), none);
    return tracksOf({ original, layers, view: view(), lineStyles, titleOf: titled, drawings })[i].mapLayer.lineStyle;
  });
  assert.equal(
    JSON.stringify([own, one]),
    '[{"colour":"--foreground","width":1.8},{"colour":"near","width":1.5,"fade":true}]',
  );
  assert.equal(one, again, "the map draws again what is another object");
  const marks = ["landmarks", "zones"].map((id) => ({ id, kind: id, source: [id] }));
  const shown = markLayers(marks, view({ hidden: new Set(["zones"]), opacity: new Map([["landmarks", 0.3]]) }));
  isText(shown.map(Object.values), "landmarks landmarks landmarks  0.3 0");
});

test("a map draws what is new, and changes no more than what differs", () => {
  const calls = [];
  const note =
    (name) =>
    (one, ...more) =>
      calls.push([name, one.id ?? one, ...more].join(" "));
  const { show } = createMapView(new Proxy({}, { get: (_, name) => note(name) }));
  const line = { id: "a", kind: "track", source: original, lineStyle: {}, opacity: 1, order: 2, drawing: "line" };
  const mark = { id: "m", kind: "zones", source: [], lineStyle: null, opacity: 1, order: 0 };
  const after = (...mapLayers) => {
    show(mapLayers);
    return calls.splice(0);
  };
  isText(after(line, mark), "addTrack a", "addZones m", "setOpacity m 1");
  isText(after({ ...line }, { ...mark }));
  isText(after({ ...line, order: 3 }, { ...mark, order: 3, opacity: 0.5 }), "setOrder a 3", "setOpacity m 0.5");
  const faint = { ...line, order: 3, opacity: 0.5, drawing: "points" };
  isText(after(faint), "remove m", "setStyle a [object Object]", "setOpacity a 0.5");
  isText(after({ ...line, kind: "people" }, mark), "addPeople a", "addZones m", "setOpacity m 1");
});

test("an event's errors, budgets, links and circles", () => {
  const texts = (layer) => [0, 1, 2].map((event) => cursorText({ series: 0, event }, layer, original));
  isText(texts(near), "this event: 0 m · ε = 0.5", "this event: 1.11 km · repeated, ε = 0", "this event: left out");
  isText(texts(far).slice(1, 2), "this event: 0 m · ");
  isText([...texts(away), cursorText(cursor, near, null)], "", "", "", "");
  const chosen = (event, ids, active = null) =>
    selectionOf(event, ids, { original, layers, runs: [[0, 1]], cursor, lineStyles, active });
  const { circles, links, ...place } = chosen(0, ["near"]);
  isText([Object.values(place), ...links.map(Object.values)], "2 48 true", "2 48 near");
  isText(
    circles.map(({ radius_m, label }) => [Math.round(radius_m), label]),
    "671 50 %",
    "1898 95 %",
  );
  const counts = [chosen(1, ["near"]), chosen(0, ["near", "far"]), chosen(0, ["near", "far"], near)];
  isText(
    counts.map((one) => [one.links.length, one.circles.length]),
    "1 0",
    "2 0",
    "2 2",
  );
  const map = { nearest: (id) => ["near", "far"].indexOf(id) };
  const found = [layers, [away, far], [away]].map((some) =>
    eventNear(map, null, 9, { original, layers: some, view: view({ range: [1, 3] }) }),
  );
  assert.deepEqual(found, [1, 2, null]);
});

test("what the legend lists of a release, and of the marks", () => {
  const drawings = createDrawings(view(), none);
  drawings.note("near", "density", [1, 10]);
  const marks = [{ id: "zones", title: "Zones", count: 2 }];
  const rest = { marks, lineStyles, cursor, original, active: far, alone: "near", titled, drawings };
  away.release.eta_s = 61.2;
  const all = entriesOf({ layers, view: view({ hidden: new Set(["original"]) }), ...rest });
  const [, ...releases] = all.slice(0, 4);
  const shown = all.map(({ id, opacity, visible, place }) => [id, opacity, visible, place?.first, place?.last]);
  isText(shown.slice(0, 2), "original 1 false true false", "near 1 true false false");
  isText(shown.slice(2), "far 0.5 true false false", "away 1 true false true", "zones 1 true  ");
  isText([releases[0].facts], "drawn as density, events per cell 1–9 · 10+");
  const states = releases.map(({ active, alone, ...one }) => [active, alone, one.private, one.state, one.eta]);
  isText(states, "false true true done ", "true false true done ", "false false true reading 1 min 2 s");
});

test("a choice of a drawing is reported once, and what was drawn where it changed", () => {
  const [shown, calls] = [view(), []];
  const drawings = createDrawings(shown, { view: () => calls.push("view"), drawn: () => calls.push("drawn") });
  drawings.choose("a", "points");
  for (const classes of [[1], [1], [2]]) drawings.note("a", "points", classes);
  isText(calls, "view", "drawn", "drawn");
  isText(
    ["a", "b"].map((id) => Object.values(drawings.entry(id))),
    "points points drawn as points",
    "auto line ",
  );
  drawings.choose("a", "auto");
  assert.deepEqual([drawings.chosen("a"), shown.drawings.size], ["auto", 0]);
});

test("what a saved image of the map states", () => {
  const drawings = createDrawings(view(), none);
  const people = { isOn: () => false };
  const known = { marks: [], lineStyles, titled, dataset: { name: "Data" }, people, drawings, original };
  const seeded = Object.assign(layerOf("seeded", 1, original), { visible: true });
  seeded.release.seed = 4;
  const image = (some, more = {}) => imageOf({ ...known, layers: some, view: view(), ...more });
  const stated = [image([near, away]), image([near, seeded]), image([])].map(({ title, file, notes, published }) =>
    [title, file, notes.length, published, "/"].flat().join(" "),
  );
  isText(stated, "Data: near u eps1 D200m 0 near /", "Data 2-releases 1 near seeded /", "Data 0 /");
  const names = (more) => image([near], more).entries.map(({ name, kind }) => `${name} ${kind}`);
  isText(names(), "Original line", "near line", "Selected event selection");
  isText(names({ people: { isOn: () => true }, view: view({ byPerson: true }) }), "Original people", "near people");
});
