import { deepEqual, equal, ok } from "node:assert/strict";
import { test } from "node:test";

import { drawErrors } from "../../../static/js/map/error_lines.js";
import { frameOf, Positions } from "../../../static/js/map/positions.js";
import { chosenDrawing, drawingFor, DRAWINGS, trackStatistics } from "../../../static/js/map/track_drawing.js";
import { drawSteps, PathWriter, shape } from "../../../static/js/map/track_steps.js";
import { check, columns, rows } from "../cases.mjs";
import { draws, setGlobals } from "../support.mjs";

const { classesOf, classText, Density, hexagonOf, RADIUS } = await import("../../../static/js/map/density.js");

setGlobals({
  document: { documentElement: { dataset: {} } },
  getComputedStyle: () => ({ getPropertyValue: () => "" }),
});

/** A pixel to a degree, around 0, 0. */
const VIEW = { width: 200, height: 100, zoom: 0, scale: 360, left: 80, top: 130 };
const WORLD = { ...VIEW, width: 360, left: 0 };
/** Positions at degrees from the middle; heights in pixels. */
function positionsOf(text, ends = null) {
  const places = typeof text === "string" ? rows(text) : text;
  return new Positions(
    columns(
      places.map(([lon, y]) => [lon * 1e7, (y / 360) * 2 ** 32]),
      ends,
    ),
    0,
  );
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

test("of a chunk each step is drawn unless both ends are beyond one side, at the ratio of the screen", () => {
  const frame = { across: 1, down: 1, left: 0, top: 0 };
  const ends = [-9, -8, 0, 28, 29].flatMap((x) => [-9, -8, 0, 18, 19].map((y) => [x, y]));
  const stepsAt = (some, level, c, turned = frame) => {
    const found = [];
    drawSteps(
      { line: (...at) => found.push(at) },
      { width: 20, height: 10 },
      turned,
      2,
      new Positions(columns(some), 0),
      level,
      c,
    );
    return found;
  };
  const outside = (least, most, ...at) => Math.max(...at) < least || Math.min(...at) > most;
  const beyond = ([ax, ay], [bx, by]) => outside(-8, 28, ax, bx) || outside(-8, 18, ay, by);
  for (const a of ends)
    for (const b of ends)
      deepEqual(
        stepsAt([a, b], { indices: null, from: [0, 1] }, 0),
        beyond(a, b) ? [] : [[...a, ...b].map((at) => 2 * at)],
        `${a} to ${b}`,
      );
  const level = { indices: Int32Array.of(0, 1, 3, 4), from: [0, 1, 3] };
  deepEqual(stepsAt(rows("0 0, 1 1, 2 2, 3 3, 4 4"), level, 1), rows("2 2 6 6, 6 6 8 8"));
  const over = stepsAt(rows("1700000000 3, -1700000000 4"), { indices: null, from: [0, 1] }, 0, {
    ...frame,
    across: 1e-7,
  });
  deepEqual(over.map((line) => line.map(Math.round)), rows("340 6 380 8, -380 6 -340 8")); // prettier-ignore
});

test("steps lead from point to point, but not from one piece to the next", () => {
  const places = "-50 0, 0 10, 10 20, 20 0";
  deepEqual(stepsOf(places), rows("50 50 100 60, 100 60 110 70, 110 70 120 50"));
  deepEqual(stepsOf(places, [2, 4]), rows("50 50 100 60, 110 70 120 50"));
});

test("a step over the edge of the world leaves over one side and comes in over the other", () => {
  deepEqual(stepsOf("170 0, -170 0", null, WORLD), rows("350 50 370 50, -10 50 10 50"));
  deepEqual(stepsOf("-85 0, 85 0", null, WORLD), rows("95 50 265 50"));
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
  const whole = (at, k) => Math.round(at * [3.6e9 / 2 ** 20, 2 ** 12][k]);
  return new Positions(columns(Array.from({ length: n }, (_, i) => place(i).map(whole))), 0);
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

test("a crowd is where half of the positions share their few pixels with two others", () => {
  for (const [each, drawing] of [
    [2, "points"],
    [3, "density"],
  ]) {
    // prettier-ignore
    const draw = draws(8);
    const cells = draw.list(200 * each, (k) => [draw.real(0, 1), k]).sort(([a], [b]) => a - b);
    const track = trackOf(200 * each, (i) => {
      const [cell, k] = [cells[i][1] % 200, Math.floor(cells[i][1] / 200)];
      return [6 * (10 + (cell % 20)) + 1 + 1.5 * k, 6 * (10 + 2 * Math.floor(cell / 20)) + 1 + 1.5 * k];
    });
    equal(drawingFor(track, 2 ** 20), drawing);
  }
});

test("steps and four steps ahead are in widths of the world, repeated places left out", () => {
  const repeated = trackOf(500, (i) => [20 * Math.floor(i / 5), 0]);
  for (const track of [straight, repeated]) {
    const { step, ahead, n } = trackStatistics(track);
    ok(Math.abs(step * 2 ** 20 - 20) < 1e-3 && Math.abs(ahead * 2 ** 20 - 80) < 1e-3, `${step} ${ahead}`);
    equal(n, track === straight ? 500 : 100);
  }
  const draw = draws(3);
  for (const [n, stride, ...ends] of rows("40 1, 700 1 300 700, 9001 2, 9 1 3 6 9, 5 1 2 5")) {
    const places = draw.list(n, () => [draw.int(-9, 9), draw.int(0, 1)]);
    const apart = (i, j) => {
      const [across, down] = [0, 1].map((k) => Math.abs(places[i][k] - places[j][k]));
      return Math.hypot(Math.min(across, 36 - across) / 36, (down * 1e9) / 2 ** 32);
    };
    const [steps, aheads, kept] = [[], [], []];
    for (let i = 0; i < n; i += stride) {
      if (i && apart(i - 1, i) === 0) continue;
      kept.push(places[i][0] / 36, (places[i][1] * 1e9) / 2 ** 32);
      if (!i || ends.includes(i)) continue;
      steps.push(apart(i - 1, i));
      const moves = places.map((_, j) => j).slice(i, i + 199).filter((j) => apart(j - 1, j) > 0); // prettier-ignore
      if (moves.length > 3) aheads.push(apart(i - 1, moves[3]));
    }
    const [step, ahead] = [steps, aheads].map((values) => values.sort((a, b) => a - b)[values.length >> 1]);
    const track = columns(places.map(([x, y]) => [x * 1e8, y * 1e9]), ends.length ? ends : null); // prettier-ignore
    const positions = new Positions(track, 0);
    const found = trackStatistics(positions);
    const round = (values) => Array.from(values, (value) => value.toFixed(9));
    deepEqual(
      round([found.step, found.ahead, found.n, ...found.places]),
      round([step, ahead, (kept.length / 2) * stride, ...kept]),
    );
    equal(trackStatistics(positions), found, "worked out once");
  }
  const lonE7 = Int32Array.from([1_799_000_000, -1_799_000_000]);
  const { step } = trackStatistics(new Positions({ lonE7, y: new Int32Array(2), ends: null }, 0));
  ok(Math.abs(step - 2e6 / 3.6e9) < 1e-12, "over the antimeridian");
});

const PHONE = { scale: 2 ** 20, width: 390 };

test("what a phone draws of a place, a wider screen draws of it too", () => {
  const found = new Set();
  for (const spread of [20, 60, 150, 400, 1000]) {
    const some = trackOf(3000, () => [noise(spread), noise(spread)]);
    const onPhone = chosenDrawing({ drawing: "auto" }, some, PHONE);
    for (const times of [2, 2.8, 5])
      equal(chosenDrawing({ drawing: "auto" }, some, { scale: times * PHONE.scale, width: times * 390 }), onPhone);
    equal(chosenDrawing({ drawing: "auto" }, some, { ...PHONE, width: 200 }), onPhone, "narrower ones as they are");
    found.add(onPhone);
  }
  ok(found.size > 1, [...found].join());
});

test("a drawing that is named is taken, a line where none is", () => {
  for (const [drawing] of DRAWINGS) equal(chosenDrawing({ drawing }, straight, PHONE), drawing);
  equal(chosenDrawing({}, straight, PHONE), "line");
  const crowd = trackOf(5000, () => [noise(100), noise(100)]);
  equal(chosenDrawing({ drawing: "auto" }, crowd, PHONE), "density");
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
    [[[9, 1, 0, 1, 9, 2]], [1, 2, 4, 9]],
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
});

test("cells reach half a view around it, have what lies there, and are counted again beyond", async () => {
  const draw = draws(44);
  const positions = positionsOf(draw.list(900, () => [draw.real(-170, 170), draw.real(-90, 90)]));
  for (const [left, top, zoom = 0] of rows(
    "80 130, -20 130, 180 80, 180 180, -21 130, 181 130, 80 79, 80 181, 80 130 1",
  )) {
    const density = new Density(positions, () => {});
    density.draw(noted().ctx, VIEW, "#000000");
    while (density.pending) await new Promise((resolve) => setTimeout(resolve, 1)); // a busy machine counts in slices
    const { cells } = density;
    density.draw(noted().ctx, { ...VIEW, left, top, zoom }, "#000000");
    const isWithin = left >= -20 && left <= 180 && top >= 80 && top <= 180 && !zoom;
    equal(density.cells === cells && !density.pending, isWithin, `${left} ${top} ${zoom}`);
    if (!isWithin) continue;
    const { counts, ...box } = cells;
    const own = { left: -20, top: 80, right: 380, bottom: 280, column: -3, row: 4, columns: 30, rows: 19 };
    deepEqual(box, { zoom: 0, ...own });
    const expected = new Uint32Array(own.columns * own.rows);
    for (let i = 0; i < positions.n; i += 1) {
      const [x, y] = [positions.d(i) / 1e7 + 180, (positions.y[i] / 2 ** 32) * 360 + 180];
      const [c, r] = hexagonOf(x, y);
      if (x >= -20 && x <= 380 && y >= 80 && y <= 280) expected[(r - own.row) * own.columns + c - own.column] += 1;
    }
    deepEqual(counts, expected);
  }
});
