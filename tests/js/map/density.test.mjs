import assert from "node:assert/strict";
import { test } from "node:test";

import { Positions } from "../../../static/js/map/positions.js";
import { draws } from "../support.mjs";

const { classesOf, classText, Density, hexagonOf, RADIUS } = await import("../../../static/js/map/density.js");

const [ACROSS, DOWN] = [RADIUS * Math.sqrt(3), RADIUS * 1.5];
const centre = (c, r) => [(c + (r & 1) / 2) * ACROSS, r * DOWN];

test("a place lies in the hexagon of the nearest centre", () => {
  const draw = draws(41);
  for (let k = 0; k < 2000; k += 1) {
    const [x, y] = [draw.real(-4000, 4000), draw.real(-4000, 4000)];
    const [c, r] = hexagonOf(x, y);
    const off = ([a, b]) => Math.hypot(x - a, y - b);
    const around = [-2, -1, 0, 1, 2].flatMap((i) => [-2, -1, 0, 1, 2].map((j) => off(centre(c + i, r + j))));
    assert.ok(off(centre(c, r)) <= Math.min(...around) + 1e-9, `${x}, ${y} in ${c}, ${r}`);
    assert.ok(off(centre(c, r)) <= RADIUS + 1e-9);
  }
});

test("the centre of every hexagon lies in it", () => {
  for (const r of [-3, -2, 0, 1, 7])
    for (const c of [-2, 0, 5]) assert.deepEqual(hexagonOf(centre(c, r)[0], centre(c, r)[1]), [c, r]);
});

test("classes begin at 1 and rise to the 95 % quantile of what is taken", () => {
  assert.deepEqual(classesOf([0, 1, 1, 2, 9, 9]), [1, 2, 4, 9]);
  assert.deepEqual(classesOf([0]), [1, 2, 3, 4]);
  assert.deepEqual(classesOf([1000, 1000]), [1, 10, 100, 1000]);
  assert.deepEqual(classesOf([...Array(99).fill(8), 1e6]), [1, 2, 4, 8]);
  const draw = draws(42);
  for (let k = 0; k < 100; k += 1) {
    const classes = classesOf(draw.list(50, () => draw.int(0, 10 ** draw.int(0, 5))));
    classes.forEach((from, i) => assert.ok(!i || from > classes[i - 1], String(classes)));
  }
});

test("classes as text", () => {
  assert.equal(classText([1, 2, 4, 9]), "1 · 2–3 · 4–8 · 9+");
  assert.equal(classText([1, 10, 100, 1000]), "1–9 · 10–99 · 100–999 · 1000+");
});

test("every point in view is counted once, in slices where they are many", async () => {
  const draw = draws(43);
  const n = 100_000;
  const track = {
    lonE7: Int32Array.from({ length: n }, () => draw.real(-4e8, 4e8)),
    y: Int32Array.from({ length: n }, () => draw.real(-4e8, 4e8)),
    ends: null,
  };
  const view = { width: 400, height: 400, zoom: 2, scale: 1024, left: 312, top: 312 };
  const positions = new Positions(track, 0);
  let calls = 0;
  const density = new Density(positions, () => (calls += 1));
  const alphas = [];
  const ctx = { fill: () => alphas.push(ctx.globalAlpha), globalAlpha: 1 };
  for (const name of ["beginPath", "moveTo", "lineTo", "closePath"]) ctx[name] = () => {};
  density.draw(ctx, view, "#000000");
  while (density.pending) await new Promise((resolve) => setTimeout(resolve, 5));
  density.draw(ctx, view, "#000000");
  assert.ok(calls <= 1);
  const { counts } = density.cells;
  const counted = counts.reduce((sum, count) => sum + count, 0);
  assert.equal(counted, n, "all lie within half a view around it");
  assert.deepEqual(density.classes, classesOf(counts));
  assert.deepEqual(alphas, [0.2, 0.38, 0.6, 0.85]);
  const { cells } = density;
  density.draw(ctx, { ...view, left: view.left + 100 }, "#000000");
  assert.equal(density.cells, cells, "a small move needs no new count");
  assert.equal(density.pending, false);
});
