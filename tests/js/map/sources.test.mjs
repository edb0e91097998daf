import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { test } from "node:test";

import { findCities, loadCities, plain } from "../../../static/js/map/cities.js";
import { cityLayer } from "../../../static/js/map/cities.js";
import { builtInLayer, decode, drawLevel, riverWidth } from "../../../static/js/map/natural_earth.js";
import { unitX, unitY } from "../../../static/js/map/projection.js";
import * as tiles from "../../../static/js/map/vector_tiles.js";
import { gives, joined, rows } from "../cases.mjs";
import { pageOf, setGlobals } from "../support.mjs";

const FOLDER = new URL("../../../static/base-map/", import.meta.url);
/** The file of the base map whose name begins so. */
const fileOf = (begin) =>
  readFileSync(
    new URL(
      readdirSync(FOLDER).find((one) => one.startsWith(begin)),
      FOLDER,
    ),
  );

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
let [requests, status, address] = [0, 503, ""];
const ranges = [];
setGlobals({
  fetch: async (url, options) => {
    requests += 1;
    address = url;
    const file = fileOf(/world|detail/.exec(url)?.[0] ?? "cities");
    const [, from, last] = /bytes=(\d+)-(\d+)/.exec(options?.headers?.Range) ?? [];
    if (from) ranges.push(Number(from));
    if (!from || status !== 206) return new Response(file, { status });
    return new Response(file.subarray(Number(from), Number(last) + 1), { status });
  },
  document: pageOf(),
  window: {},
  getComputedStyle: () => ({ getPropertyValue: (name) => name }),
  Path2D: Path,
  DOMMatrix: class {
    constructor(values) {
      Object.assign(this, { values });
    }
  },
});

const { boxText, consentText } = await import("../../../static/js/map/basemap_panel.js");

const throws = (text) => {
  throw new Error(text);
};

test("letters without accents, small and once apart", () => {
  gives(plain, { "  Zürich ": "zurich", "SÃO  Paulo": "sao paulo", Łódź: "lodz", Großstadt: "grossstadt" });
  gives(plain, { "Xi’an": "xi'an", Ærø: "aero" });
});

test("a list that could not be loaded is requested again, one that was is not", async () => {
  await rejects(loadCities("/cities"), /status 503/);
  status = 200;
  const all = await loadCities("/cities");
  equal(await loadCities("/cities"), all);
  equal(requests, 2);
  ok(all.length > 1000);
  const { country, lon, lat } = all.find((one) => one.name === "Paris");
  equal(country, "France");
  ok(Math.hypot(lon - 2.35, lat - 48.86) < 0.1);
  all.forEach(({ rank }, i) => ok(!i || rank >= all[i - 1].rank, "the most important first"));
});

test("cities are found without accents and by other names", async () => {
  const all = await loadCities("/cities");
  const first = (text) => findCities(all, text)[0]?.name;
  gives(first, { zurich: "Zürich", Zürich: "Zürich", ZÜR: "Zürich", münchen: "Munich", koln: "Cologne" });
  gives(first, { "sao pau": "Sao Paulo", kobenhavn: "København", york: "York", "new yor": "New York", lyon: "Lyon" });
  for (const text of ["", "qqq", "*", "   "]) deepEqual(findCities(all, text), [], text);
});

test("names that begin with the text come before those with a later part, at most so many", () => {
  const all = ["New York", "York", "Yorkville", "Ork"].map((name) => ({ name, keys: [plain(name)] }));
  const found = (...given) => joined(findCities(all, ...given), ({ name }) => name);
  gives(found, { york: "York,Yorkville,New York", "york, 2": "York,Yorkville", "york, 1": "York", ork: "Ork" });
});

const unpacked = (bytes) => decode(Uint8Array.from(gunzipSync(bytes)).buffer);
const { finer, ...coarsest } = unpacked(fileOf("world."));
const detail = fileOf("detail.");
const cellsOf = ([from, length]) => [...unpacked(detail.subarray(from, from + length)).cells];
const levels = [
  coarsest,
  ...finer.map((level) => ({ ...level, cells: new Map(Object.values(level.pieces).flatMap(cellsOf)) })),
];

/** The colour at a place of a level. */
const colourAt = (level, lon, lat) => colourOf((ctx, view) => drawLevel(ctx, view, level), lon, lat);

/** The colour that a layer gives a place. */
function colourOf(layer, lon, lat) {
  const scale = 256 * 2 ** 9;
  const view = { width: 9, height: 9, zoom: 9, scale, left: unitX(lon) * scale - 4, top: unitY(lat) * scale - 4 };
  let colour = "";
  let at = [1, 0, 0];
  const ctx = {
    fillRect: () => (colour = ctx.fillStyle),
    fill(path, rule) {
      equal(rule, "evenodd");
      if (path.holds((4.5 - at[1]) / at[0], (4.5 - at[2]) / at[0])) colour = ctx.fillStyle;
    },
    getTransform: () => ({ multiply: ({ values }) => values }),
    setTransform: ([k, , , , x, y]) => (at = [k, x, y]),
  };
  for (const name of ["save", "restore", "stroke", "setLineDash"]) ctx[name] = () => {};
  layer(ctx, view);
  return colour;
}

test("what is wet and what is dry, at each of the three scales; the world repeats sideways", () => {
  equal(levels.length, 3);
  const places = {
    "--map": rows("2.35 48.85, 8 61, -105 50, -120 40, 0 -84, 24 -29"),
    "--map-water": rows("-30 40, 112 -5, -87 44, 179.9 -40, 50 42"),
  };
  const lakes = rows("9.4 47.6, 6.5 46.45"); // which the coarsest scale leaves out
  for (const level of levels) {
    for (const [colour, some] of Object.entries(places))
      for (const [lon, lat] of some) {
        equal(colourAt(level, lon, lat), colour, `${lon}, ${lat} at zoom ${level.zoom}`);
        if (level !== levels[1]) continue;
        for (const turn of [-360, 360]) equal(colourAt(level, lon + turn, lat), colour, `${lon} and ${turn}`);
      }
    for (const [lon, lat] of lakes)
      equal(colourAt(level, lon, lat), level.zoom ? "--map-water" : "--map", `${lon}, ${lat} at ${level.zoom}`);
  }
});

test("a map requests the pieces that it shows, again where that failed, and of a server without ranges", async () => {
  const events = [];
  const on = { changed: () => events.push("changed"), failed: () => events.push("failed") };
  const layer = builtInLayer({ world: "/world", detail: "/detail" }, on);
  const lands = async (lon, lat) => {
    const colour = colourOf(layer, lon, lat);
    await new Promise((done) => setTimeout(done, 100));
    return [colour, ...events.splice(0)].join(" ");
  };
  status = 503;
  equal(await lands(9.4, 47.6), " failed");
  status = 200;
  equal(await lands(9.4, 47.6), " changed");
  status = 503;
  equal(await lands(9.4, 47.6), "--map failed"); // not in the coarsest scale
  for (const [lon, lat, answer] of rows("9.4 47.6 206, 6.5 46.45 206, -87 44 200")) {
    status = answer;
    await lands(lon, lat);
    equal(await lands(lon, lat), "--map-water", `${lon}, ${lat}`);
  }
  equal(new Set(ranges).size, ranges.length - 1, "each once, and the one that failed again");
  ok(ranges.length < 6);
});

test("cells have four layers, whose lines end at their last points", () => {
  for (const { cells } of levels)
    for (const { layers } of cells.values()) {
      equal(layers.length, 4);
      for (const { points, ends } of layers) equal(ends.at(-1) ?? 0, points.length / 2);
    }
});

test("how wide streets and rivers are", () => {
  gives(riverWidth, { 0: 1, 4: 1, 6: 2, 9: 3.5, 10: 4, 14: 4 });
  const width = (...given) => Number(tiles.roadWidth(...given).toFixed(4));
  gives(width, { "path, 5": 0.7, "minor_road, 12": 1, "minor_road, 14": 1.8225, "highway, 12": 2.2, "rail, 16": 0.7 });
  gives(width, { "highway, 22": 19.8, "minor_road, 22": 9 });
});

test("a feature's kind is the first of the properties that name one, and a text", () => {
  const kind = (props) => tiles.kindOf({ props });
  equal(kind({ name: "Rue", class: "primary" }), "primary");
  equal(kind({ class: "primary", kind: "highway" }), "highway");
  equal(kind({ kind: 3, class: "primary" }), "primary");
  equal(kind({ name: "Rue" }), "");
});

test("zooms that the file lacks are not requested; a tile that the server lacks is none, an error is one", async () => {
  const found = tiles.source("/tiles/{z}/{x}/{y}", [4, 6]);
  const before = requests;
  for (const zoom of [3, 7]) equal(await found.getZxy(zoom, 0, 0), undefined);
  equal(requests, before);
  status = 404;
  equal(await found.getZxy(4, 1, 2), undefined);
  equal(address, "/tiles/4/1/2");
  for (status of [403, 405, 500]) await rejects(found.getZxy(4, 1, 2), new RegExp(`status ${status}`));
  status = 200;
  ok((await found.getZxy(4, 1, 2)).data.byteLength > 0);
});

test("Natural Earth is not drawn beyond zoom 10, and not requested either", async () => {
  const before = requests;
  const draw = builtInLayer({ world: "/world", detail: "/detail" }, { changed() {}, failed() {} });
  const names = cityLayer("/cities", 0, () => {});
  const view = { width: 9, height: 9, scale: 256 * 2 ** 10, left: 0, top: 0 };
  const ctx = new Proxy({}, { get: () => throws("drawn"), set: () => throws("drawn") });
  for (const zoom of [10.25, 11, 18]) for (const one of [draw, names]) one(ctx, { ...view, zoom });
  equal(requests, before);
  for (const one of [draw, names]) await rejects(async () => one(ctx, { ...view, zoom: 10 }), /drawn/);
});

const OFFER = { host: "maps.example.org", encrypted: true, box: [2.2, 48.8, 2.5, 48.95], tiles: 2, most_mb: 100 };

test("the consent names the host, the region, the box and the size, and what is not encrypted", () => {
  equal(boxText([-1.5, -2, 181.5, 3]), "2.000° S to 3.000° N, 1.500° W to 178.500° W");
  const text = consentText({ ...OFFER, region: [1.40625, 47.99, 2.8125, 49.838] });
  for (const part of [
    "maps.example.org",
    "47.990° N to 49.838° N, 1.406° E to 2.813° E",
    "2 tiles of zoom 8",
    "100 MB",
  ])
    ok(text.includes(part), part);
  ok(text.includes("48.800° N to 48.950° N, 2.200° E to 2.500° E"));
  ok(!text.includes("encryption"));
  ok(consentText({ ...OFFER, encrypted: false, region: OFFER.box }).includes("Without encryption"));
  const kept = consentText({ ...OFFER, kept: true, region: OFFER.box });
  ok(kept.includes("nothing is requested") && !kept.includes(OFFER.host));
});

test("the library that draws vector tiles is the file that its licence names", () => {
  const of = (name) => readFileSync(new URL(`../../../static/vendor/protomaps-leaflet/${name}`, import.meta.url));
  const digest = createHash("sha256").update(of("protomaps-leaflet.js")).digest("hex");
  ok(of("LICENSE").includes(`SHA-256 ${digest}`));
});
