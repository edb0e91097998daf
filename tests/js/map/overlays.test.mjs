/* What modules that draw on the map compute: where lines, dots and views lie, and what texts state. */
import { deepEqual, equal, ok } from "node:assert/strict";
import { test } from "node:test";

import { degreesText } from "../../../static/js/map/graticule.js";
import { frameOf, Positions } from "../../../static/js/map/positions.js";
import { heightE32, latAt, unitX, unitY } from "../../../static/js/map/projection.js";
import { check, gives, rows } from "../cases.mjs";
import { draws, setGlobals } from "../support.mjs";

setGlobals({
  document: { documentElement: { dataset: {} } },
  getComputedStyle: () => ({ getPropertyValue: () => "" }),
});
const { movedBy } = await import("../../../static/js/map/canvas_layer.js");
const { drawDegrees, drawGraticule } = await import("../../../static/js/map/graticule.js");
const { drawDots } = await import("../../../static/js/map/markers.js");
const { lengthText, roundLength } = await import("../../../static/js/map/controls.js");
const { drawOutlines, drawPath } = await import("../../../static/js/map/grid.js");
const { drawZones } = await import("../../../static/js/map/zone_layer.js");
const { peopleLayer } = await import("../../../static/js/map/people_layer.js");
const { trackLayer } = await import("../../../static/js/map/track_layer.js");
const sheet = await import("../../../static/js/map/image/sheet.js");

/** A context that notes each call as [name, ...arguments], and what is set as ["=", name, value]. */
function noted(own = {}) {
  const calls = [];
  const known = { calls, canvas: { style: {} }, getTransform: () => ({ a: 1, e: 0, f: 0 }), ...own };
  return new Proxy(known, {
    get: (_, name) => known[name] ?? ((...given) => calls.push([name, ...given])),
    set: (_, name, to) => calls.push(["=", name, to]) > 0,
  });
}
const named = ({ calls }, name) => calls.filter(([one]) => one === name).map(([, ...given]) => given);

test("meridians and parallels are all multiples of a step in view, and labelled off the corners", () => {
  for (const [scale, lon, lat, step, more] of [
    [256, 0, 0, 90, {}], // beyond the poles there are none, and the world repeats sideways
    [2 ** 14, 2.35, 48.86, 5, {}],
    [2 ** 14, -179, -33, 5, { width: 900 }],
    [18_000, 10, -84, 2, {}], // no parallel is south of the map
    [2 ** 20, 116.4, 39.9, 0.05, { width: 900, height: 700 }],
  ]) {
    const size = { width: 600, height: 400, ...more };
    const [left, top] = [unitX(lon) * scale - size.width / 2, unitY(lat) * scale - size.height / 2];
    const [view, ctx] = [{ ...size, scale, left, top }, noted()];
    drawGraticule(ctx, view);
    const [from, to] = [named(ctx, "moveTo"), named(ctx, "lineTo")];
    const upright = from.filter(([, y], i) => y === 0 && to[i][1] === size.height).map(([x]) => x);
    const level = from.filter(([x, y], i) => x === 0 && to[i][0] === size.width && to[i][1] === y).map(([, y]) => y);
    const multiples = (low, high) =>
      Array.from({ length: 400 }, (_, k) => (k - 200 + Math.round(low / step)) * step).filter(
        (at) => at >= low && at <= high,
      );
    const [west, east] = [left, left + size.width].map((x) => (x / scale - 0.5) * 360);
    const [north, south] = [top, top + size.height].map((y) => latAt(Math.max(0, Math.min(1, y / scale))));
    deepEqual(
      upright,
      multiples(west, east).map((at) => Math.round(unitX(at) * scale - left) + 0.5),
    );
    deepEqual(
      level,
      multiples(south, north).map((at) => Math.round(unitY(at) * scale - top) + 0.5),
    );
    drawDegrees(ctx, view);
    const texts = named(ctx, "fillText");
    const across = upright.filter((x) => x > 70 && x < size.width - 110);
    const down = level.filter((y) => y > 34 && y < size.height - 52);
    deepEqual(
      texts.map(([, x, y]) => [x, y]),
      [...across.map((x) => [x + 4, 15]), ...down.map((y) => [6, y - 5])],
    );
    deepEqual(texts, named(ctx, "strokeText"));
    const degrees = (found, at, letters) =>
      found.map((value) => degreesText(value, step, letters)).filter((_, i) => at[i]);
    const onX = degrees(
      multiples(west, east),
      upright.map((x) => across.includes(x)),
      ["E", "W"],
    );
    const onY = degrees(
      multiples(south, north),
      level.map((y) => down.includes(y)),
      ["N", "S"],
    );
    deepEqual(
      texts.map(([text]) => text),
      [...onX, ...onY],
    );
  }
});

test("lengths of the scale bar: the largest 1, 2 or 5 of a power of ten that fits", () => {
  gives(lengthText, {
    1: "1 m",
    500: "500 m",
    999: "999 m",
    1000: "1 km",
    20_000: "20 km",
    0.05: "5 cm",
    0.5: "50 cm",
  });
  gives(roundLength, { 1: 1, 1.9: 1, 2: 2, 4.9: 2, 5: 5, 9.9: 5, 10: 10, 730: 500, 0.3: 0.2 });
});

test("what was drawn is moved by whole pixels and less than half of the view, or drawn again", () => {
  const view = { zoom: 3, width: 400, height: 200, left: 50, top: 20 };
  const of = (more, ratio = 1, last = {}) => movedBy({ ...view, ratio: 1, ...last }, { ...view, ...more }, ratio);
  check(of, [
    [[{ left: 40 }], [10, 0]],
    [[{ left: 55, top: 17 }], [-5, 3]],
    [[{ left: 49.5 }], null],
    [[{ top: 19.5 }], null],
    [
      [{ left: 49.5, top: 19 }, 2, { ratio: 2 }],
      [1, 2],
    ],
    [
      [{ left: -149, top: -79 }, 2, { ratio: 2 }],
      [398, 198],
    ],
    [[{ left: -150 }], null],
    [[{ left: -149 }], [199, 0]],
    [[{ top: 120 }], null],
    [[{ top: 119 }], [0, -99]],
    [[{ left: -149, top: 119 }], [199, -99]],
    [[{}, 2], null],
    ...["zoom", "width", "height"].map((name) => [[{ [name]: 77 }], null]),
  ]);
});

const VIEW = { width: 200, height: 100, scale: 360, left: 80, top: 130, zoom: 0 };
/** Positions at degrees from the middle, heights in pixels; and where they are in the view. */
function positionsAt(places) {
  const lonE7 = Int32Array.from(places, ([lon]) => lon * 1e7);
  const y = Int32Array.from(places, ([, at]) => (at / 360) * 2 ** 32);
  const positions = new Positions({ lonE7, y, ends: null }, 0);
  const { across, down, left, top } = frameOf(VIEW, positions.middle);
  return [positions, places.map((_, i) => [positions.d(i) * across + left, positions.y[i] * down + top])];
}
const isIn = ([x, y], by = 0) => x >= -by && x <= VIEW.width + by && y >= -by && y <= VIEW.height + by;

test("a line fades by the share of the view that it would cover, and has markers while they are few", () => {
  const draw = draws(5);
  for (const [n, reach] of [[40, 20], ...rows("200 130, 1500 60, 9000 130, 400 40, 401 40, 380 106")]) {
    const [positions, at] = positionsAt(draw.list(n, () => [draw.real(-reach, reach), draw.real(-reach, reach)]));
    let length = 0;
    for (let i = 1; i < n; i += 1) {
      const [[ax, ay], [bx, by]] = [at[i - 1], at[i]];
      const beside = Math.max(ax, bx) < 0 || Math.max(ay, by) < 0 || Math.min(ax, bx) > 200 || Math.min(ay, by) > 100;
      if (!beside && (n < 8000 || i % 2)) length += Math.min(200, Math.hypot(bx - ax, by - ay)) * (n < 8000 ? 1 : 2);
    }
    const covered = Math.min(1, (length * 0.02) / (200 * 100));
    const ctx = noted({ isVector: true });
    trackLayer(positions, { colour: "#000000", width: 0.02, opacity: 0.8, fade: true, dash: "solid" }).draw(
      ctx,
      VIEW,
      false,
    );
    const width = ctx.calls.find(([, name]) => name === "lineWidth")[2];
    ok(Math.abs(width - 0.02 / (1 + covered)) < 1e-9, `${width} of ${n}, ${covered}`);
    ok(Math.abs(ctx.canvas.style.opacity - 0.8 / (1 + 3 * covered)) < 1e-9);
    const few = at.filter((one) => isIn(one, 5)).length <= 400;
    equal(named(ctx, "fill").length, few ? 1 : 0, `${n}`);
    const marked = new Set(named(ctx, "arc").map(([x, y]) => `${Math.round(x)} ${Math.round(y)}`));
    for (const one of few ? at : []) equal(marked.has(one.map(Math.round).join(" ")), isIn(one, 5), `${one}`);
  }
});

test("of many people each piece that has a point in view is drawn, in the colour of its person", () => {
  const draw = draws(9);
  const around = draw.list(120, () => [draw.real(-140, 140), draw.real(-90, 90)]);
  const places = around.flatMap(([x, y]) => [0, 8, 16].map((by) => [x + by, y - by]));
  const [positions, at] = positionsAt(places);
  const ends = around.map((_, k) => 3 * (k + 1));
  const colours = around.map((_, k) => (k % 2 ? "#000001" : "#000002"));
  const ctx = noted({ isVector: true });
  peopleLayer(positions, ends, { colours, colour: "#000000" }).draw(ctx, VIEW, false);
  const drawn = { "#000001": new Set(), "#000002": new Set() };
  let colour;
  for (const [name, ...given] of ctx.calls) {
    if (name === "=" && given[0] === "strokeStyle") colour = given[1];
    if (["moveTo", "lineTo"].includes(name)) drawn[colour].add(String(given.map(Math.round)));
  }
  at.forEach((one, i) => {
    const piece = Math.floor(i / 3);
    if (isIn(one)) ok(drawn[colours[piece]].has(String(one.map(Math.round))), `point ${i}`);
    if (at.slice(3 * piece, 3 * piece + 3).every(([x]) => x < -40 || x > 240))
      ok(!drawn[colours[piece]].has(String(one.map(Math.round))), `point ${i} beside the view`);
  });
});

test("the points of many people are pixels of their colours, at every ratio of the screen", () => {
  setGlobals({
    ImageData: class {
      constructor(width, height) {
        Object.assign(this, { width, height, data: new Uint8ClampedArray(4 * width * height) });
      }
    },
  });
  const draw = draws(10);
  const [positions, at] = positionsAt(draw.list(60, () => [draw.real(-110, 110), draw.real(-60, 60)]));
  for (const ratio of [1, 2]) {
    const ctx = noted({ getTransform: () => ({ a: ratio, e: 0, f: 0 }) });
    const style = { colours: ["#112233", "#445566"], colour: "#000000", drawing: "points" };
    peopleLayer(positions, [30, 60], style).draw(ctx, VIEW, false);
    const [[{ width, data }]] = named(ctx, "putImageData");
    equal(width, 200 * ratio);
    const reds = Array.from({ length: data.length / 4 }, (_, k) => (data[4 * k + 3] ? data[4 * k] : 0));
    const drawn = new Set(reds.flatMap((red, k) => (red ? [k] : [])));
    at.forEach(([x, y], i) => {
      if (!isIn([x, y], -3)) return;
      const own = [i < 30 ? 0x11 : 0x44, 0x44];
      ok(own.includes(reds[Math.floor(y * ratio) * width + Math.floor(x * ratio)]), `point ${i} at ${ratio}`);
    });
    for (const k of drawn) {
      const [x, y] = [((k % width) + 0.5) / ratio, (Math.floor(k / width) + 0.5) / ratio];
      ok(
        at.some(([px, py]) => Math.hypot(px - x, py - y) < 3.2),
        `${x} ${y} at ${ratio}`,
      );
    }
  }
});

test("of dots one is drawn in each cell, none outside the view, and none where they are a crowd", () => {
  const draw = draws(12);
  const [positions, at] = positionsAt(draw.list(4000, () => [draw.real(-130, 130), draw.real(-90, 90)]));
  const cells = new Map();
  at.filter((one) => isIn(one, 6)).forEach(([x, y]) => {
    const key = `${Math.round((x + 6) / 6)} ${Math.round((y + 6) / 6)}`;
    if (!cells.has(key)) cells.set(key, [x, y]);
  });
  const expected = [...cells.values()];
  ok(expected.length > 300 && expected.length < 800, `${expected.length}`);
  const dots = (most) => {
    const ctx = noted();
    drawDots(ctx, VIEW, { positions, colour: "#000000", radius: 4, most });
    return named(ctx, "arc").map(([x, y]) => [x, y]);
  };
  deepEqual(dots(Infinity), expected);
  deepEqual(dots(expected.length), expected);
  deepEqual(dots(expected.length - 1), []);
});

test("cells, paths and zones lie where the view has them, also beyond the antimeridian", () => {
  const view = { width: 400, height: 300, scale: 7200, left: 7000, top: 3400, zoom: 4 };
  const at = (lon, lat) => [unitX(lon) * 7200 - 7000, unitY(lat) * 7200 - 3400].map((one) => one.toFixed(3));
  const round = (found) => found.map((one) => one.slice(0, 2).map((value) => value.toFixed(3)));
  const cell = noted();
  drawOutlines(cell, view, { boxes: [[-179, 1, -176, 3]], colour: "#000000" }, 179);
  const [[x, y, width, height]] = named(cell, "strokeRect");
  deepEqual(
    round([
      [x, y],
      [x + width, y + height],
    ]),
    [at(181, 3), at(184, 1)],
  );
  const path = noted();
  drawPath(
    path,
    view,
    {
      points: [
        [179, 1],
        [-179, 2],
      ],
      texts: ["1", "2"],
      colour: "#000000",
    },
    179,
  );
  const corners = [...named(path, "moveTo"), ...named(path, "lineTo")];
  deepEqual(round(corners).slice(0, 2), [at(179, 1), at(181, 2)]);
  const zones = noted();
  const ring = [
    [179, 1],
    [-179, 1],
    [-179, 3],
    [179, 1],
  ];
  const zone = { type: "Polygon", coordinates: [ring], label: "zone" };
  drawZones(zones, view, { zones: [zone], selected: 0 }, 179);
  const [[, x0, y0]] = named(zones, "fillText");
  deepEqual(round([[x0, y0 + 6]]), [[at(180, 1)[0], at(180, 3)[1]]], "a label amid the zone and above it");
  const drawn = round([...named(zones, "moveTo"), ...named(zones, "lineTo")]);
  for (const corner of [at(179, 1), at(181, 1), at(181, 3)]) ok(drawn.some((one) => `${one}` === `${corner}`));
});

test("an image without originals has the ground and the published layers, and the warning is of others alone", () => {
  const description = { published: ["release"] };
  const layers = ["base", "original", "release"].map((id) => ({ id }));
  const ids = (found) => found.map(({ id }) => id);
  deepEqual(ids(layers.filter(sheet.isPrivate(description))), ["original"]);
  deepEqual(ids(sheet.layersFor(layers, description, true)), ["base", "release"]);
  deepEqual(ids(sheet.layersFor(layers, description, false)), ["base", "original", "release"]);
  equal(sheet.hasOriginal(layers, description), true);
  equal(sheet.hasOriginal([layers[0], layers[2]], description), false);
});

test("names of cities overlap by their boxes with a gap; the box around places is theirs in degrees", async () => {
  const { overlaps } = await import("../../../static/js/map/cities.js");
  const { boxAround } = await import("../../../static/js/map/layer_stack.js");
  const name = { x: 100, y: 50, width: 40 };
  check(
    (x, y, width) => overlaps(name, x, y, width),
    [
      [[100, 50, 40], true],
      [[100, 63, 40], true],
      [[100, 37, 40], true],
      [[100, 64, 40], false],
      [[100, 36, 40], false],
      [[145, 50, 10], true],
      [[146, 50, 10], false],
      [[70, 50, 25], true],
      [[70, 50, 24], false],
    ],
  );
  equal(boxAround([], 0), null);
  const height = (lat) => heightE32(lat * 1e7);
  const boxes = [
    [-1, 48, 1, 50],
    [2, -10, 3, 20],
  ].map(([west, south, east, north]) => ({
    ...{ west: west * 1e7, south: height(south), east: east * 1e7, north: height(north) },
  }));
  deepEqual(
    boxAround(boxes, 179).map((one) => Number(one.toFixed(6))),
    [178, -10, 182, 50],
  );
});
