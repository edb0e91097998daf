import { deepEqual, equal, ok } from "node:assert/strict";
import { test } from "node:test";

import { drawErrors } from "../../../static/js/map/error_lines.js";
import { Raster } from "../../../static/js/map/line_raster.js";
import { frameOf, Positions } from "../../../static/js/map/positions.js";
import { chosenDrawing, drawingFor, DRAWINGS, trackStatistics } from "../../../static/js/map/track_drawing.js";
import { drawSteps, PathWriter, shape } from "../../../static/js/map/track_steps.js";
import { check, rows } from "../cases.mjs";
import { draws, setGlobals } from "../support.mjs";

const { classesOf, classText, Density, hexagonOf, RADIUS } = await import("../../../static/js/map/density.js");

setGlobals({
  document: { documentElement: { dataset: {} } },
  getComputedStyle: () => ({ getPropertyValue: () => "" }),
  ImageData: class {
    constructor(width, height) {
      Object.assign(this, { width, height, data: new Uint8ClampedArray(4 * width * height) });
    }
  },
});

/** A pixel to a degree, around 0, 0. */
const VIEW = { width: 200, height: 100, zoom: 0, scale: 360, left: 80, top: 130 };
const WORLD = { ...VIEW, width: 360, left: 0 };
/** Positions at degrees from the middle; heights in pixels. */
function positionsOf(text, ends = null) {
  const places = typeof text === "string" ? rows(text) : text;
  const lonE7 = Int32Array.from(places, ([lon]) => lon * 1e7);
  return new Positions({ lonE7, y: Int32Array.from(places, ([, y]) => (y / 360) * 2 ** 32), ends }, 0);
}
/** A context that notes what is called. */
function noted() {
  const [ctx, calls] = [{}, []];
  for (const name of ["beginPath", "moveTo", "lineTo", "closePath", "arc", "rect", "stroke", "fill"])
    ctx[name] = (...given) => void calls.push([name, ...given]);
  return { ctx, calls };
}

/** The lines of errors, from an event's place to the release's. */
function errorsOf(original, release, more = {}, view = VIEW) {
  const { ctx, calls } = noted();
  const lines = { colour: "#000000", events: null, first: 0, after: original.n, original, release, ...more };
  const every = drawErrors(ctx, view, lines);
  const moves = calls.filter(([name]) => name === "moveTo" || name === "lineTo");
  const ends = moves.map(([, x, y]) => [Math.round(x), Math.round(y)]);
  return { every, lines: ends.flatMap((end, i) => (i % 3 === 0 ? [[...end, ...ends[i + 1]]] : [])) };
}

test("an error line leads from each event to its position in the release, of fewer events from those alone", () => {
  const [original, release] = [positionsOf("0 0, 10 0, 20 0"), positionsOf("0 10, 10 10, 20 10")];
  deepEqual(errorsOf(original, release).lines, rows("100 50 100 60, 110 50 110 60, 120 50 120 60"));
  deepEqual(errorsOf(original, release, { first: 1, after: 2 }).lines, rows("110 50 110 60"));
  const events = Int32Array.of(1, 3);
  const found = errorsOf(positionsOf("0 0, 10 0, 20 0, 30 0"), positionsOf("10 10, 30 10"), { events });
  deepEqual(found.lines, rows("110 50 110 60, 130 50 130 60"));
  const two = positionsOf("0 10, 10 10");
  deepEqual(errorsOf(original, two).lines.length, 2, "events beyond a release have none");
  deepEqual(errorsOf(original, two, { events: [1, 2], first: 2, after: 3 }).lines.length, 1);
});

test("one end in view is enough, and the line goes the near way around the globe", () => {
  const found = errorsOf(positionsOf("0 0, -170 0"), positionsOf("170 0, 0 0"));
  deepEqual(found.lines, rows("100 50 270 50, -70 50 100 50"));
  deepEqual(errorsOf(positionsOf("175 0"), positionsOf("-175 0"), {}, WORLD).lines, rows("355 50 365 50"));
});

test("of many events every second, fourth or eighth has a line", () => {
  const draw = draws(74);
  const positions = positionsOf(draw.list(7000, () => [draw.real(-90, 90), draw.real(-40, 40)]));
  const { every, lines } = errorsOf(positions, positions);
  deepEqual([every, lines.length], [4, 1750]);
});

/** The lines that are drawn of all steps, rounded. */
function stepsOf(text, ends = null, view = VIEW) {
  const positions = positionsOf(text, ends);
  const lines = [];
  const writer = { line: (...ends) => lines.push(ends.map(Math.round)) };
  const level = { indices: null, from: [0, positions.n - 1] };
  drawSteps(writer, view, frameOf(view, positions.middle), 1, positions, level, 0);
  return lines;
}

test("a step that meets the view is drawn, and none that is wholly beyond one side of it", () => {
  const draw = draws(77);
  const [low, high] = [-108, 108]; // pixels from the middle of the view
  const twice = { ...VIEW, scale: 720, left: 260, top: 310 }; // two pixels to a degree
  for (let i = 0; i < 600; i += 1) {
    const [ax, ay, bx, by] = [170, 100, 170, 100].map((most) => Math.round(draw.real(-most, most)));
    const drawn = stepsOf(`${ax / 2} ${ay / 2}, ${bx / 2} ${by / 2}`, null, twice).length;
    const meets = Array.from({ length: 400 }, (_, k) => k / 399).some(
      (t) => Math.abs(ax + (bx - ax) * t) <= 100 && Math.abs(ay + (by - ay) * t) <= 50,
    );
    const beyond = [ax, bx].every((x) => x < low - 1) || [ax, bx].every((x) => x > high + 1);
    const above = [ay, by].every((y) => y < -59) || [ay, by].every((y) => y > 59);
    if (meets) equal(drawn, 1, `${[ax, ay, bx, by]}`);
    if (beyond || above) equal(drawn, 0, `${[ax, ay, bx, by]}`);
  }
});

test("steps lead from point to point, but not from one piece to the next", () => {
  const places = "-50 0, 0 10, 10 20, 20 0";
  deepEqual(stepsOf(places), rows("50 50 100 60, 100 60 110 70, 110 70 120 50"));
  deepEqual(stepsOf(places, [2, 4]), rows("50 50 100 60, 110 70 120 50"));
});

test("steps wholly beyond one side of the view are left out, those through it are not", () => {
  deepEqual(stepsOf("-170 0, -150 0, -140 30"), []);
  equal(stepsOf("-150 0, 150 0").length, 2, "the near way is over the edge");
  deepEqual(stepsOf("-120 0, 50 40"), rows("-20 50 150 90"));
  deepEqual(stepsOf("0 -100, 0 100"), rows("100 -50 100 150"));
});

test("a step over the edge of the world leaves over one side and comes in over the other", () => {
  deepEqual(stepsOf("170 0, -170 0", null, WORLD), rows("350 50 370 50, -10 50 10 50"));
  deepEqual(stepsOf("-170 0, 170 0", null, WORLD), rows("10 50 -10 50, 370 50 350 50"));
});

test("a path goes on where the last line ended, and is cut after two thousand corners", () => {
  const { ctx, calls } = noted();
  const names = () => calls.map(([name]) => name);
  const writer = new PathWriter(ctx);
  for (const line of rows("0 0 1 1, 1 1 2 0, 5 5 6 6")) writer.line(...line);
  equal(names().join(" "), "beginPath moveTo lineTo lineTo moveTo lineTo");
  for (let i = 0; i < 1997; i += 1) writer.line(6 + i, 6, 7 + i, 6);
  equal(names().slice(-3).join(" "), "stroke beginPath moveTo");
  writer.put(ctx);
  deepEqual([names().filter((name) => name === "stroke").length], [2]);
});

test("markers are centred on their place", () => {
  for (const marker of ["square", "diamond", "triangle-up", "x", "cross", "circle"]) {
    const { ctx, calls } = noted();
    shape(ctx, marker, 10, 20, 4);
    const xs = calls.flatMap(([name, x, , width]) =>
      name === "rect" ? [x, x + width] : name === "arc" ? [x - 4, x + 4] : (x ?? []),
    );
    ok(Math.abs((Math.min(...xs) + Math.max(...xs)) / 2 - 10) < 1e-9, marker);
    if (marker === "cross") deepEqual([calls.filter(([name]) => name !== "closePath").length], [12]);
  }
});

const draw = draws(1);
const noise = (px) => (draw.real(0, 1) + draw.real(0, 1) + draw.real(0, 1) - 1.5) * px;
/** A track of places in pixels where the world is 2^20 of them wide. */
function trackOf(n, place) {
  const [lonE7, y] = [new Int32Array(n), new Int32Array(n)];
  for (let i = 0; i < n; i += 1) {
    const [px, py] = place(i);
    [lonE7[i], y[i]] = [Math.round(px * (3.6e9 / 2 ** 20)), Math.round(py * 2 ** 12)];
  }
  return new Positions({ lonE7, y, ends: null }, 0);
}
const straight = trackOf(500, (i) => [i * 20, 0]);

test("the drawing follows step, persistence and crowding", () => {
  const noisy = trackOf(500, (i) => [i * 0.5 + noise(600), noise(600)]);
  const crowd = trackOf(40_000, () => [noise(300), noise(300)]);
  for (const [name, track, zoom, drawing] of [
    ["straight", straight, 0, "line"],
    ["straight, close", straight, 6, "line"],
    ["zigzag", trackOf(500, (i) => [i * 20, (i % 2) * 15]), 0, "line"],
    ["precise", trackOf(500, (i) => [i * 20 + noise(4), noise(4)]), 0, "line"],
    ["noisy", noisy, 0, "points"],
    ["noisy from far", noisy, -9, "line"],
    ["a crowd", crowd, 0, "density"],
    ["a crowd spread out", crowd, 5, "points"],
    ["repeated places", trackOf(500, (i) => [i - (i % 5), 0]), 0, "line"],
    ["nothing", trackOf(0, () => [0, 0]), 0, "line"],
    ["one", trackOf(1, () => [0, 0]), 0, "line"],
    ["short noisy steps", trackOf(500, (i) => [(i % 2) * 5, Math.floor(i / 2) * 5]), 0, "line"],
  ])
    equal(drawingFor(track, 2 ** (20 + zoom)), drawing, name);
});

test("steps and four steps ahead are in widths of the world, repeated places left out", () => {
  const repeated = trackOf(500, (i) => [20 * Math.floor(i / 5), 0]);
  for (const track of [straight, repeated]) {
    const { step, ahead, n } = trackStatistics(track);
    ok(Math.abs(step * 2 ** 20 - 20) < 1e-3 && Math.abs(ahead * 2 ** 20 - 80) < 1e-3, `${step} ${ahead}`);
    equal(n, track === straight ? 500 : 100);
  }
  const lonE7 = Int32Array.from([1_799_000_000, -1_799_000_000]);
  const { step } = trackStatistics(new Positions({ lonE7, y: new Int32Array(2), ends: null }, 0));
  ok(Math.abs(step - 2e6 / 3.6e9) < 1e-12, "over the antimeridian");
});

test("a drawing that is named is taken, a line where none is", () => {
  for (const [drawing] of DRAWINGS) equal(chosenDrawing({ drawing }, straight, 1), drawing);
  equal(chosenDrawing({}, straight, 1), "line");
  const crowd = trackOf(5000, () => [noise(100), noise(100)]);
  equal(chosenDrawing({ drawing: "auto" }, crowd, 2 ** 20), "density");
});

const [ACROSS, DOWN] = [RADIUS * Math.sqrt(3), RADIUS * 1.5];
const centre = (c, r) => [(c + (r & 1) / 2) * ACROSS, r * DOWN];

test("a place lies in the hexagon of the nearest centre, and every centre in its own", () => {
  const draw = draws(41);
  for (let k = 0; k < 2000; k += 1) {
    const [x, y] = [draw.real(-4000, 4000), draw.real(-4000, 4000)];
    const [c, r] = hexagonOf(x, y);
    const off = ([a, b]) => Math.hypot(x - a, y - b);
    const around = [-2, -1, 0, 1, 2].flatMap((i) => [-2, -1, 0, 1, 2].map((j) => off(centre(c + i, r + j))));
    ok(off(centre(c, r)) <= Math.min(...around) + 1e-9, `${x}, ${y} in ${c}, ${r}`);
    ok(off(centre(c, r)) <= RADIUS + 1e-9);
  }
  for (const r of [-3, -2, 0, 1, 7]) for (const c of [-2, 0, 5]) deepEqual(hexagonOf(...centre(c, r)), [c, r]);
});

test("classes begin at 1 and rise to the 95 % quantile of what is taken", () => {
  check(classesOf, [
    [[[0, 1, 1, 2, 9, 9]], [1, 2, 4, 9]],
    [[[0]], [1, 2, 3, 4]],
    [[[1000, 1000]], [1, 10, 100, 1000]],
    [[[...Array(99).fill(8), 1e6]], [1, 2, 4, 8]],
  ]);
  const draw = draws(42);
  for (let k = 0; k < 100; k += 1) {
    const classes = classesOf(draw.list(50, () => draw.int(0, 10 ** draw.int(0, 5))));
    classes.forEach((from, i) => ok(!i || from > classes[i - 1], String(classes)));
  }
  deepEqual(
    [classText([1, 2, 4, 9]), classText([1, 10, 100, 1000])],
    ["1 · 2–3 · 4–8 · 9+", "1–9 · 10–99 · 100–999 · 1000+"],
  );
});

test("every point in view is counted once, in slices where they are many", async () => {
  const draw = draws(43);
  const column = () => Int32Array.from({ length: 100_000 }, () => draw.real(-4e8, 4e8));
  const view = { width: 400, height: 400, zoom: 2, scale: 1024, left: 312, top: 312 };
  let calls = 0;
  const positions = new Positions({ lonE7: column(), y: column(), ends: null }, 0);
  const density = new Density(positions, () => (calls += 1));
  const alphas = [];
  const ctx = { fill: () => alphas.push(ctx.globalAlpha), globalAlpha: 1 };
  for (const name of ["beginPath", "moveTo", "lineTo", "closePath"]) ctx[name] = () => {};
  density.draw(ctx, view, "#000000");
  while (density.pending) await new Promise((resolve) => setTimeout(resolve, 5));
  density.draw(ctx, view, "#000000");
  ok(calls <= 1);
  const { counts } = density.cells;
  const counted = counts.reduce((sum, count) => sum + count, 0);
  equal(counted, 100_000, "all lie within half a view around it");
  deepEqual([density.classes, alphas], [classesOf(counts), [0.2, 0.38, 0.6, 0.85]]);
  const { cells } = density;
  density.draw(ctx, { ...view, left: view.left + 100 }, "#000000");
  equal(density.cells, cells, "a small move needs no new count");
  equal(density.pending, false);
});

const [WIDTH, HEIGHT] = [40, 30];

/** How much of each pixel lines cover, 0 to 255. */
function coverOf(lines, thick = 2) {
  const raster = new Raster(WIDTH, HEIGHT, thick);
  for (const [ax, ay, bx, by] of lines) raster.line(ax, ay, bx, by);
  const pixels = new Uint32Array(WIDTH * HEIGHT);
  raster.addTo(pixels, "#000000");
  return Array.from(pixels, (pixel) => pixel >>> 24);
}
const at = (cover, x, y) => cover[y * WIDTH + x];

test("a flat line fills the pixels it covers, its edges in part", () => {
  const tens = (y, thick) => {
    const cover = coverOf([[5, y, 20, y]], thick);
    deepEqual([at(cover, 2, 10), at(cover, 30, 10)], [0, 0]);
    return [8, 9, 10, 11, 12].map((y) => Math.round(at(cover, 12, y) / 10));
  };
  deepEqual([tens(10), tens(10.5), tens(10.5, 0.5)], rows("0 26 26 0 0, 0 13 26 13 0, 0 0 13 0 0"));
  equal(at(coverOf([[5, 10, 20, 10]]), 12, 10), 255);
});

test("a line is the same in either direction, and turned", () => {
  const draw = draws(71);
  for (let k = 0; k < 200; k += 1) {
    const [ax, ay, bx, by] = draw.list(4, () => draw.int(2, 28));
    const cover = coverOf([[ax, ay, bx, by]]);
    deepEqual(coverOf([[bx, by, ax, ay]]), cover, `${[ax, ay, bx, by]}`);
    if (Math.abs(ax - bx) === Math.abs(ay - by)) continue; // as steep as flat: either way
    const turned = coverOf([[ay, ax, by, bx]]);
    for (let x = 0; x < HEIGHT; x += 1)
      for (let y = 0; y < HEIGHT; y += 1) equal(at(turned, y, x), at(cover, x, y), `${[ax, ay, bx, by]} at ${x}, ${y}`);
  }
});

test("what a line covers is about its length times its width, near the line alone", () => {
  const draw = draws(72);
  for (let k = 0; k < 200; k += 1) {
    const [ax, ay, bx, by] = draw.list(4, () => draw.real(5, 25));
    const length = Math.hypot(bx - ax, by - ay);
    if (length < 5) continue;
    const cover = coverOf([[ax, ay, bx, by]]);
    const area = cover.reduce((sum, value) => sum + value / 255, 0);
    ok(area > 2 * (length - 1.5) && area < 2 * (length + 4), `${area} for ${length}`);
    cover.forEach((value, i) => {
      const [x, y] = [(i % WIDTH) + 0.5, Math.floor(i / WIDTH) + 0.5];
      const off = Math.abs((x - ax) * (by - ay) - (y - ay) * (bx - ax)) / length;
      ok(value < 3 || off < 1.8, `${off} px from ${[ax, ay, bx, by]}`);
    });
  }
});

test("lines beyond the view leave it empty, a long one through it fills its middle", () => {
  const beyond = rows("-500 -20 500 -20, -20 -500 -20 500, 60 0 900 700, -900 2000 900 60");
  deepEqual(coverOf(beyond), Array(WIDTH * HEIGHT).fill(0));
  const through = coverOf([[-1e6, -1e6 + 5, 1e6, 1e6 + 5]]);
  for (const x of [0, 10, 24]) equal(at(through, x, x + 5), 255, String(x));
});

test("where lines cross, the fuller pixel counts", () => {
  const lines = rows("5 5.3 30 22, 5 22 30 5.2");
  const [one, other] = lines.map((line) => coverOf([line]));
  const fuller = one.map((value, i) => Math.max(value, other[i]));
  deepEqual(coverOf(lines), fuller);
});

test("a raster begins empty, and a colour is put where it covers more than what is there", () => {
  coverOf([[0, 10, 40, 10]]);
  deepEqual(new Set(coverOf([])), new Set([0]));
  const raster = new Raster(WIDTH, HEIGHT, 2);
  raster.line(0, 10, 40, 10);
  const pixels = new Uint32Array(WIDTH * HEIGHT);
  pixels[10 * WIDTH] = 0xff00_0000;
  raster.addTo(pixels, "#123456");
  deepEqual([pixels[10 * WIDTH], pixels[10 * WIDTH + 5]], [0xff00_0000, 0xff56_3412]);
});

test("a raster is laid on the canvas from its origin", () => {
  const raster = new Raster(4, 3, 2);
  raster.line(0, 1, 4, 1);
  let put = [];
  const ctx = { getTransform: () => ({ e: 7, f: 9 }), putImageData: (...given) => (put = given) };
  raster.put(ctx, "#ff8000");
  const [{ width, height, data }, x, y] = put;
  deepEqual([width, height, x, y, ...data.slice(0, 4), data[4 * 8 + 3]], [4, 3, 7, 9, 255, 128, 0, 255, 0]);
});
