import { deepEqual, equal, match, ok } from "node:assert/strict";
import { test } from "node:test";

import { Raster } from "../../../static/js/map/line_raster.js";
import { SvgContext, tag, xml } from "../../../static/js/map/image/svg_context.js";
import { webm } from "../../../static/js/map/image/webm.js";
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

const [EBML, SEGMENT, INFO, TRACK] = [0x1a45dfa3, 0x18538067, 0x1549a966, 0x1654ae6b];
const [CUES, CLUSTER] = [0x1c53bb6b, 0x1f43b675];
/** Elements that have elements, by their numbers in RFC 9559. */
const MASTERS = new Set([EBML, SEGMENT, INFO, TRACK, 0xae, 0xe0, CUES, 0xbb, 0xb7, CLUSTER]);

/** The elements of a file or element, by RFC 8794. */
function elementsOf(bytes, from = 0) {
  const found = [];
  const sumOf = (some, first = 0) => some.reduce((sum, byte) => sum * 256 + byte, first);
  for (let at = 0; at < bytes.length;) {
    const began = at;
    const width = (first) => Math.clz32(first) - 23;
    const idBytes = width(bytes[at]);
    const id = sumOf(bytes.slice(at, at + idBytes));
    at += idBytes;
    const sizeBytes = width(bytes[at]);
    const [first, ...rest] = bytes.slice(at, at + sizeBytes);
    const size = sumOf(rest, first - 2 ** (8 - sizeBytes));
    at += sizeBytes;
    const data = bytes.slice(at, at + size);
    equal(data.length, size, "an element ends within the one around it");
    found.push({ id, at: from + began, data, inside: MASTERS.has(id) ? elementsOf(data, from + at) : [] });
    at += size;
  }
  return found;
}
const step = (found, id) => found.flatMap(({ inside }) => inside).filter((one) => one.id === id);
const all = (elements, ...path) => path.reduce(step, [{ inside: elements }]);
const numberIn = ({ data }) => data.reduce((sum, byte) => sum * 256 + byte, 0);
const textIn = ({ data }) => new TextDecoder().decode(data);
const viewOf = ({ data }) => new DataView(data.buffer, data.byteOffset);

const FRAMES = [0, 40, 1000, 40_000, 40_300].map((time_ms, i) => ({
  ...{ time_ms, isKey: i === 0 || i === 3 },
  data: Uint8Array.from({ length: 10 + i }, (_, k) => k + i),
}));
const VIDEO = { codec: "V_VP9", width: 1280, height: 300, duration_ms: 40_340, title: "Größe" };
const bytesOf = (frames = FRAMES) => Uint8Array.from(webm(frames, VIDEO).flatMap((part) => [...part]));
const FILE = elementsOf(bytesOf());

test("a file has a head, a segment and nothing else", () => {
  deepEqual([FILE.length, FILE[0].id, FILE[1].id], [2, EBML, SEGMENT]);
  equal(textIn(all(FILE, EBML, 0x4282)[0]), "webm");
  const head = [0x4286, 0x42f7, 0x42f2, 0x42f3].map((id) => numberIn(all(FILE, EBML, id)[0]));
  deepEqual(head, [1, 1, 4, 8]);
});

test("the track has the codec and the size, the file its length and title", () => {
  const video = [SEGMENT, TRACK, 0xae];
  equal(textIn(all(FILE, ...video, 0x86)[0]), "V_VP9");
  const numbers = [0xd7, 0x73c5, 0x83, 0x9c].map((id) => numberIn(all(FILE, ...video, id)[0]));
  deepEqual(numbers, [1, 1, 1, 0], "number and UID of the track, a video, without lacing");
  const size = [0xb0, 0xba].map((id) => numberIn(all(FILE, ...video, 0xe0, id)[0]));
  deepEqual(size, [1280, 300]);
  equal(viewOf(all(FILE, SEGMENT, INFO, 0x4489)[0]).getFloat64(0), 40_340);
  equal(numberIn(all(FILE, SEGMENT, INFO, 0x2ad7b1)[0]), 1e6, "times are in milliseconds");
  equal(textIn(all(FILE, SEGMENT, INFO, 0x7ba9)[0]), "Größe");
});

test("frames come back with their times, marks and bytes, a cluster for each key frame", () => {
  const clusters = all(FILE, SEGMENT, CLUSTER);
  equal(clusters.length, 2);
  const frames = clusters.flatMap(({ inside }) => {
    const began = numberIn(inside[0]);
    const blocks = inside.filter(({ id }) => id === 0xa3);
    return blocks.map(({ data }) => {
      equal(data[0], 0x81, "track 1");
      return {
        time_ms: began + viewOf({ data }).getInt16(1),
        isKey: { 0: false, 128: true }[data[3]],
        data: data.slice(4),
      };
    });
  });
  deepEqual(frames, FRAMES);
});

test("cues lead to the clusters, so that a reader can seek", () => {
  const [, segment] = FILE;
  const from = bytesOf().length - segment.data.length;
  const cues = all(FILE, SEGMENT, CUES, 0xbb).flatMap(({ inside }) => [inside[0], inside[1].inside[1]].map(numberIn));
  const [first, second] = all(FILE, SEGMENT, CLUSTER).map(({ at }) => at - from);
  deepEqual(cues, [0, first, 40_000, second]);
});

test("a lone frame of 255 bytes and a long file; the same frames give the same file", () => {
  const of = (n, bytes) =>
    Array.from({ length: n }, (_, i) => ({ time_ms: 1000 * i, isKey: i % 30 === 0, data: new Uint8Array(bytes) }));
  const blocks = (frames) => all(elementsOf(bytesOf(frames)), SEGMENT, CLUSTER, 0xa3);
  deepEqual([blocks(of(1, 255))[0].data.length, blocks(of(300, 300)).length], [259, 300]);
  deepEqual(bytesOf(), bytesOf());
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
