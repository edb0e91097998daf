import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { test } from "node:test";

import { decode, drawLevel } from "../../../static/js/map/natural_earth.js";
import { unitX, unitY } from "../../../static/js/map/projection.js";
import { pageOf, setGlobals } from "../support.mjs";

/** The rings of a path. */
class Path {
  rings = [];
  moveTo(x, y) {
    this.rings.push([[x, y]]);
  }
  lineTo(x, y) {
    this.rings.at(-1)?.push([x, y]);
  }
  /** Whether a place is inside, by the even-odd rule. */
  holds(x, y) {
    let inside = false;
    for (const ring of this.rings)
      ring.forEach(([ax, ay], i) => {
        const [bx, by] = ring[(i + 1) % ring.length];
        if (ay > y !== by > y && x < ax + ((y - ay) / (by - ay)) * (bx - ax)) inside = !inside;
      });
    return inside;
  }
}
setGlobals({
  document: pageOf(),
  getComputedStyle: () => ({ getPropertyValue: (name) => name }),
  Path2D: Path,
  DOMMatrix: class {
    constructor(values) {
      Object.assign(this, { values });
    }
  },
});

const FOLDER = new URL("../../../static/base-map/", import.meta.url);
const levels = ["world.", "detail."].flatMap((begin) => {
  const name = readdirSync(FOLDER).find((one) => one.startsWith(begin));
  const bytes = gunzipSync(readFileSync(new URL(String(name), FOLDER)));
  return decode(Uint8Array.from(bytes).buffer);
});

/** The colour at a place. */
function colourAt(level, lon, lat) {
  const scale = 256 * 2 ** 9;
  const view = { width: 9, height: 9, zoom: 9, scale, left: unitX(lon) * scale - 4, top: unitY(lat) * scale - 4 };
  let colour = "";
  let at = [1, 0, 0];
  const ctx = {
    fillRect: () => (colour = ctx.fillStyle),
    fill(path, rule) {
      assert.equal(rule, "evenodd");
      if (path.holds((4.5 - at[1]) / at[0], (4.5 - at[2]) / at[0])) colour = ctx.fillStyle;
    },
    getTransform: () => ({ multiply: ({ values }) => values }),
    setTransform: ([k, , , , x, y]) => (at = [k, x, y]),
  };
  for (const name of ["save", "restore", "stroke", "setLineDash"]) ctx[name] = () => {};
  drawLevel(ctx, view, level);
  return colour;
}

const PLACES = [
  ...[
    [2.35, 48.85],
    [8, 61],
    [-105, 50],
    [-120, 40],
    [0, -84],
    [24, -29],
  ].map(([lon, lat]) => [lon, lat, true]),
  ...[
    [-30, 40],
    [112, -5],
    [-87, 44],
    [179.9, -40],
    [50, 42],
  ].map(([lon, lat]) => [lon, lat, false]),
];
const LAKES = [
  [9.4, 47.6],
  [6.5, 46.45],
]; // which the coarsest scale leaves out

test("what is wet and what is dry, at each of the three scales", () => {
  assert.equal(levels.length, 3);
  for (const level of levels) {
    for (const [lon, lat, dry] of PLACES)
      assert.equal(colourAt(level, lon, lat), dry ? "--map" : "--map-water", `${lon}, ${lat} at zoom ${level.zoom}`);
    for (const [lon, lat] of LAKES)
      assert.equal(colourAt(level, lon, lat), level.zoom ? "--map-water" : "--map", `${lon}, ${lat} at ${level.zoom}`);
  }
});

test("the world repeats sideways", () => {
  for (const [lon, lat, dry] of PLACES.slice(0, 8))
    for (const turn of [-360, 360]) assert.equal(colourAt(levels[1], lon + turn, lat), dry ? "--map" : "--map-water");
});

test("cells have four layers, whose lines end at their last points", () => {
  for (const { cells } of levels)
    for (const { layers } of cells.values()) {
      assert.equal(layers.length, 4);
      for (const { points, ends } of layers) assert.equal(ends.at(-1) ?? 0, points.length / 2);
    }
});
