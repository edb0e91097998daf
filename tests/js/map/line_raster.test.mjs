import assert from "node:assert/strict";
import { test } from "node:test";

import { Raster } from "../../../static/js/map/line_raster.js";
import { draws, setGlobals } from "../support.mjs";

setGlobals({
  ImageData: class {
    constructor(width, height) {
      Object.assign(this, { width, height, data: new Uint8ClampedArray(4 * width * height) });
    }
  },
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
  const whole = coverOf([[5, 10, 20, 10]]);
  assert.deepEqual(
    [8, 9, 10, 11].map((y) => at(whole, 12, y)),
    [0, 255, 255, 0],
  );
  const half = coverOf([[5, 10.5, 20, 10.5]]);
  assert.deepEqual(
    [8, 9, 10, 11, 12].map((y) => Math.round(at(half, 12, y) / 10)),
    [0, 13, 26, 13, 0],
  );
  assert.deepEqual(
    [2, 30].map((x) => at(whole, x, 10)),
    [0, 0],
  );
  const thin = coverOf([[5, 10.5, 20, 10.5]], 0.5);
  assert.deepEqual(
    [9, 10, 11].map((y) => Math.round(at(thin, 12, y) / 10)),
    [0, 13, 0],
  );
});

test("a line is the same in either direction, and turned", () => {
  const draw = draws(71);
  for (let k = 0; k < 200; k += 1) {
    const [ax, ay, bx, by] = draw.list(4, () => draw.int(2, 28));
    const cover = coverOf([[ax, ay, bx, by]]);
    assert.deepEqual(coverOf([[bx, by, ax, ay]]), cover, `${[ax, ay, bx, by]}`);
    if (Math.abs(ax - bx) === Math.abs(ay - by)) continue; // as steep as flat: either way
    const turned = coverOf([[ay, ax, by, bx]]);
    for (let x = 0; x < HEIGHT; x += 1)
      for (let y = 0; y < HEIGHT; y += 1)
        assert.equal(at(turned, y, x), at(cover, x, y), `${[ax, ay, bx, by]} at ${x}, ${y}`);
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
    assert.ok(area > 2 * (length - 1.5) && area < 2 * (length + 4), `${area} for ${length}`);
    cover.forEach((value, i) => {
      if (value < 3) return;
      const [x, y] = [(i % WIDTH) + 0.5, Math.floor(i / WIDTH) + 0.5];
      const off = Math.abs((x - ax) * (by - ay) - (y - ay) * (bx - ax)) / length;
      assert.ok(off < 1.8, `${off} px from ${[ax, ay, bx, by]}`);
    });
  }
});

test("lines beyond the view leave it empty, a long one through it fills its middle", () => {
  const beyond = [
    [-500, -20, 500, -20],
    [-20, -500, -20, 500],
    [60, 0, 900, 700],
    [-900, 2000, 900, 60],
  ];
  assert.deepEqual(coverOf(beyond), Array(WIDTH * HEIGHT).fill(0));
  const through = coverOf([[-1e6, -1e6 + 5, 1e6, 1e6 + 5]]);
  for (const x of [0, 10, 24]) assert.equal(at(through, x, x + 5), 255, String(x));
});

test("where lines cross, the fuller pixel counts", () => {
  const [one, other] = [coverOf([[5, 5.3, 30, 22]]), coverOf([[5, 22, 30, 5.2]])];
  assert.deepEqual(
    coverOf([
      [5, 5.3, 30, 22],
      [5, 22, 30, 5.2],
    ]),
    one.map((value, i) => Math.max(value, other[i])),
  );
});

test("a raster begins empty, and a colour is put where it covers more than what is there", () => {
  coverOf([[0, 10, 40, 10]]);
  assert.deepEqual(new Set(coverOf([])), new Set([0]));
  const raster = new Raster(WIDTH, HEIGHT, 2);
  raster.line(0, 10, 40, 10);
  const pixels = new Uint32Array(WIDTH * HEIGHT);
  pixels[10 * WIDTH] = 0xff00_0000;
  raster.addTo(pixels, "#123456");
  assert.deepEqual(
    [pixels[10 * WIDTH], pixels[10 * WIDTH + 5]].map((one) => one.toString(16)),
    ["ff000000", "ff563412"],
  );
});

test("a raster is laid on the canvas from its origin", () => {
  const raster = new Raster(4, 3, 2);
  raster.line(0, 1, 4, 1);
  let put = [];
  const ctx = { getTransform: () => ({ e: 7, f: 9 }), putImageData: (...given) => (put = given) };
  raster.put(ctx, "#ff8000");
  const [{ width, height, data }, x, y] = put;
  assert.deepEqual([width, height, x, y], [4, 3, 7, 9]);
  assert.deepEqual([...data.slice(0, 4)], [255, 128, 0, 255]);
  assert.equal(data[4 * 8 + 3], 0);
});
