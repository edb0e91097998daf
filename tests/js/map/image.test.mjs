import { deepEqual, equal, match, ok } from "node:assert/strict";
import { test } from "node:test";

import { Raster } from "../../../static/js/map/track_steps.js";
import { SvgContext, tag, xml } from "../../../static/js/map/image/svg_context.js";
import { rows } from "../cases.mjs";
import { draws, setGlobals } from "../support.mjs";

const context = {
  ...{ font: "10px sans-serif", fillStyle: "#000000", drawImage: () => {}, putImageData: () => {} },
  measureText: (text) => ({ width: text.length }),
};
function createElement() {
  const canvas = { width: 0, height: 0, getContext: () => ({ ...context }) };
  return Object.assign(canvas, { toDataURL: () => `data:${canvas.width}x${canvas.height}` });
}
setGlobals({
  document: { createElement },
  getComputedStyle: () => ({ getPropertyValue: () => "" }),
  ImageData: class {
    constructor(width, height) {
      Object.assign(this, { width, height, data: new Uint8ClampedArray(4 * width * height) });
    }
  },
});
const drawn = (draw, ratio = 1) => {
  const ctx = new SvgContext(100, 50, ratio);
  draw(ctx);
  return ctx.content();
};

test("text is never markup", () => {
  equal(xml('<a href="x">&amp;'), "&lt;a href=&quot;x&quot;&gt;&amp;amp;");
  equal(tag("a", { b: '"', c: null, d: undefined, e: 0 }), '<a b="&quot;" e="0"/>');
  equal(tag("a", {}, "<b/>"), "<a><b/></a>");
  const found = drawn((ctx) => ctx.fillText("<script>", 1, 2));
  match(found, />&lt;script&gt;<\/text>$/);
});

test("a path is drawn once, its filling and its line as one element", () => {
  const path = (ctx) => {
    ctx.beginPath();
    ctx.moveTo(1, 2);
    ctx.lineTo(3.456, 4);
    ctx.closePath();
    [ctx.fillStyle, ctx.strokeStyle, ctx.lineWidth] = ["#ff0000", "#0000ff", 2];
    ctx.fill("evenodd");
    ctx.stroke();
  };
  const both = 'fill="#ff0000" fill-rule="evenodd" stroke="#0000ff" stroke-width="2"';
  equal(drawn(path), `<path d="M1 2L3.46 4Z" ${both}/>`);
  const twice = drawn((ctx) => (path(ctx), ctx.stroke()));
  equal(twice.split("\n").length, 2, "a second line is one of its own");
  const longer = drawn((ctx) => {
    ctx.stroke(); // of nothing
    ctx.beginPath();
    ctx.lineTo(0, 0);
    ctx.fill();
    ctx.lineTo(5, 5);
    ctx.stroke();
  });
  const [filled, stroked] = longer.split("\n");
  equal(filled, '<path d="M0 0" fill="#000000"/>');
  equal(stroked, '<path d="M0 0L5 5" fill="none" stroke="#000000" stroke-width="1"/>');
});

test("arcs: a whole circle in two, others with the large way marked", () => {
  const d = (to) => drawn((ctx) => (ctx.arc(10, 10, 5, 0, to), ctx.fill())).match(/d="([^"]*)"/)?.[1];
  equal(d(2 * Math.PI), "M15 10A5 5 0 1 1 5 10A5 5 0 1 1 15 10");
  equal(d(Math.PI / 2), "M15 10A5 5 0 0 1 10 15");
  equal(d(1.5 * Math.PI), "M15 10A5 5 0 1 1 10 5");
});

test("a text and its halo are one element, other texts are not", () => {
  const text = (ctx) => {
    [ctx.font, ctx.textAlign] = ['600 11px "Noto Sans", serif', "center"];
    [ctx.strokeStyle, ctx.fillStyle] = ["#ffffff", "#222222"];
    ctx.strokeText("Paris", 1, 2);
    ctx.fillText("Paris", 1, 2);
  };
  const found = drawn(text);
  equal(found.split("\n").length, 1);
  for (const part of [
    ...['fill="#222222"', 'stroke="#ffffff"', 'font-weight="600"', 'font-size="11"'],
    ...["font-family=\"'Noto Sans', serif\"", 'text-anchor="middle"', 'paint-order="stroke"'],
  ])
    ok(found.includes(part), part);
  equal(drawn((ctx) => (text(ctx), ctx.fillText("Paris", 1, 3))).split("\n").length, 2);
});

test("a saved state comes back", () => {
  const ctx = new SvgContext(10, 10, 2);
  Object.assign(ctx, { lineWidth: 3, globalAlpha: 0.5, fillStyle: "#111111" });
  ctx.setLineDash([4, 2]);
  ctx.save();
  Object.assign(ctx, { lineWidth: 9, globalAlpha: 1, fillStyle: "#222222", scale: 7 });
  ctx.setLineDash([]);
  ctx.restore();
  deepEqual([ctx.lineWidth, ctx.globalAlpha, ctx.fillStyle, ctx.getTransform().a], [3, 0.5, "#111111", 2]);
  ctx.strokeRect(0, 0, 1, 1);
  match(ctx.content(), /stroke-opacity="0.5" stroke-dasharray="4 2"/);
  ctx.restore(); // nothing is saved any more
});

test("groups hold what is drawn within, in order", () => {
  const found = drawn((ctx) => {
    ctx.fillRect(0, 0, 1, 1);
    ctx.within({ opacity: 0.5 }, () => ctx.fillRect(1, 1, 1, 1));
    ctx.fillRect(2, 2, 1, 1);
  });
  deepEqual(found.match(/<g|<rect x="\d"/g), ['<rect x="0"', "<g", '<rect x="1"', '<rect x="2"']);
});

test("pixels are embedded where they are, in pixels of the page", () => {
  const whole = drawn((ctx) => ctx.putImageData({ width: 40, height: 20 }), 2);
  equal(whole, '<image x="0" y="0" width="20" height="10" preserveAspectRatio="none" href="data:40x20"/>');
  const part = drawn((ctx) => {
    ctx.imageSmoothingEnabled = false;
    ctx.drawImage({ width: 9, height: 9 }, 0, 3, 9, 1, 5, 6, 90, 10);
  }, 2);
  const style = 'style="image-rendering:pixelated" href="data:9x1"';
  equal(part, `<image x="5" y="6" width="90" height="10" preserveAspectRatio="none" ${style}/>`);
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
  raster.addTo(pixels, "#123457");
  deepEqual([pixels[10 * WIDTH], pixels[10 * WIDTH + 5]], [0xff00_0000, 0xff57_3412]);
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
