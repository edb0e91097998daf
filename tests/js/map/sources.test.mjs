import { deepEqual, equal, ok, rejects, throws } from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { test } from "node:test";

import { findCities, loadCities, plain } from "../../../static/js/map/cities.js";
import { builtInLayer, decode, drawLevel, riverWidth } from "../../../static/js/map/natural_earth.js";
import { unitX, unitY } from "../../../static/js/map/projection.js";
import { layersOf } from "../../../static/js/map/vector_tile.js";
import * as tiles from "../../../static/js/map/vector_tiles.js";
import { gives, joined, rows } from "../cases.mjs";
import { draws, pageOf, setGlobals } from "../support.mjs";

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
let [requests, status] = [0, 503];
const ranges = [];
setGlobals({
  fetch: async (url, options) => {
    requests += 1;
    const file = fileOf(/world|detail/.exec(url)?.[0] ?? "cities");
    const [, from, last] = /bytes=(\d+)-(\d+)/.exec(options?.headers.Range) ?? [];
    if (from) ranges.push(Number(from));
    if (!from || status !== 206) return new Response(file, { status });
    return new Response(file.subarray(Number(from), Number(last) + 1), { status });
  },
  document: pageOf(),
  getComputedStyle: () => ({ getPropertyValue: (name) => name }),
  Path2D: Path,
  DOMMatrix: class {
    constructor(values) {
      Object.assign(this, { values });
    }
  },
});

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

// A writer of vector tiles, after https://github.com/mapbox/vector-tile-spec/tree/master/2.1

const varint = (value) => (value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))]);
const field = (number, bytes) => [...varint(number * 8 + 2), ...varint(bytes.length), ...bytes];
const whole = (number, value) => [...varint(number * 8), ...varint(value)];
const text = (value) => [...new TextEncoder().encode(value)];
const zigzag = (value) => (value < 0 ? -2 * value - 1 : 2 * value);
const command = (id, count) => id + 8 * count;

/** The commands of rings of [x, y], each closed where it is an area. */
function geometry(rings, isArea = false) {
  let [x, y] = [0, 0];
  const to = ([a, b]) => {
    const moved = [zigzag(a - x), zigzag(b - y)];
    [x, y] = [a, b];
    return moved;
  };
  return rings.flatMap(([first, ...rest]) => [
    ...[command(1, 1), ...to(first)],
    ...(rest.length ? [command(2, rest.length), ...rest.flatMap(to)] : []),
    ...(isArea ? [command(7, 1)] : []),
  ]);
}
const feature = (type, commands, tags = []) => [
  ...field(2, tags.flatMap(varint)),
  ...whole(3, type),
  ...field(4, commands.flatMap(varint)),
];
const layer = (name, features, { keys = [], values = [], extent = [] } = {}) =>
  field(3, [
    ...field(1, text(name)),
    ...features.flatMap((one) => field(2, one)),
    ...keys.flatMap((key) => field(3, text(key))),
    ...values.flatMap((value) => field(4, value)),
    ...extent,
  ]);
const read = (bytes) => layersOf(Uint8Array.from(bytes).buffer);
const ringsOf = (commands, type = 2) =>
  read(layer("a", [feature(type, commands)]))[0].features[0].rings.map((ring) => [...ring]);
const LINE = geometry([rows("0 0, 900 900")]);

test("lines are read as they were written, also far and negative ones", () => {
  const draw = draws(51);
  for (let k = 0; k < 100; k += 1) {
    const coordinate = () => draw.int(-(10 ** draw.int(1, 8)), 10 ** draw.int(1, 8));
    const rings = draw.list(draw.int(1, 4), () => draw.list(draw.int(1, 200), () => [coordinate(), coordinate()]));
    const flat = rings.map((ring) => ring.flat());
    deepEqual(ringsOf(geometry(rings)), flat);
  }
});

test("the specification's example of a polygon with a hole; several points are rings of their own", () => {
  const commands = [
    9, 0, 0, 26, 20, 0, 0, 20, 19, 0, 15, 9, 22, 2, 26, 18, 0, 0, 18, 17, 0, 15, 9, 4, 13, 26, 0, 8, 8, 0, 0, 7, 15,
  ];
  const [outer, hole] = ["0 0 10 0 10 10 0 10 0 0", "11 11 20 11 20 20 11 20 11 11"];
  deepEqual(ringsOf(commands, 3), rows(`${outer}, ${hole}, 13 13 13 17 17 17 17 13 13 13`));
  deepEqual(ringsOf([command(1, 2), zigzag(5), zigzag(7), zigzag(-2), zigzag(-5)], 1), rows("5 7, 3 2"));
  deepEqual(ringsOf(geometry([rows("3 4, 5 4, 5 6")], true), 3), rows("3 4 5 4 5 6 3 4"), "an area is closed");
});

test("layers have names and extents, features their type", () => {
  const streets = layer("Straßen", [], { extent: whole(5, 512) });
  const found = read([...layer("earth", [feature(3, LINE)]), ...streets]);
  const texts = found.map(({ name, extent, features }) => `${name} ${extent} ${features.length}`);
  deepEqual(texts, ["earth 4096 1", "Straßen 512 0"]);
  equal(found[0].features[0].type, 3);
});

test("a feature's kind is the first of the properties that name one, and a text", () => {
  const string = (value) => field(1, text(value));
  const kinds = (...tags) => {
    const values = [string("Rue"), string("primary"), string("motorway"), whole(5, 1), string("")];
    const keys = ["name", "class", "kind", "oneway"];
    return read(layer("roads", [feature(2, LINE, tags)], { keys, values }))[0].features[0].kind;
  };
  gives(kinds, { "0, 0, 1, 1": "primary", "1, 1, 2, 2": "motorway", "1, 1, 2, 4": "primary", "0, 0, 3, 3": "" });
  gives(kinds, { "2, 3": "", "2, 99": "" });
  equal(kinds(3, 2, 1, 2), "motorway", "a value's number is no key");
});

test("fields of other kinds are passed over", () => {
  const wide = [...varint(9 * 8 + 1), ...Array(8).fill(3), ...varint(9 * 8 + 5), ...Array(4).fill(3)];
  const found = read([...wide, ...whole(9, 300), ...field(9, [1]), ...layer("a", [])]);
  deepEqual([found.length, found[0].name], [1, "a"]);
});

test("what the server lacks is an empty tile, another error is one; how wide roads and rivers are", async () => {
  gives(riverWidth, { 0: 1, 4: 1, 6: 2, 9: 3.5, 10: 4, 14: 4 });
  const width = (...given) => Number(tiles.roadWidth(...given).toFixed(4));
  gives(width, { "path, 5": 1, "path, 13": 1, "path, 15": 1.8225, "motorway, 12": 2, "primary, 14": 2.7 });
  status = 404;
  deepEqual(await tiles.read("/tile"), []);
  for (status of [403, 405, 500]) await rejects(tiles.read("/tile"), new RegExp(`status ${status}`));
});

test("a damaged tile is refused", () => {
  const roads = layer("roads", [feature(2, LINE)]);
  for (let cut = 1; cut < roads.length; cut += 1) throws(() => read(roads.slice(0, cut)), RangeError, String(cut));
  throws(() => read([...varint(3 * 8 + 3)]), /a field of type 3/);
  throws(() => ringsOf([command(2, 500_001)]), /more than 500000 points/);
  deepEqual(ringsOf([command(7, 1)]), []);
});
