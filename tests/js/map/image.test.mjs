import { deepEqual, equal, match, ok } from "node:assert/strict";
import { test } from "node:test";

import { SvgContext, tag, xml } from "../../../static/js/map/image/svg_context.js";
import { webm } from "../../../static/js/map/image/webm.js";
import { setGlobals } from "../support.mjs";

const context = {
  ...{ font: "10px sans-serif", fillStyle: "#000000", drawImage: () => {}, putImageData: () => {} },
  measureText: (text) => ({ width: text.length }),
};
function createElement() {
  const canvas = { width: 0, height: 0, getContext: () => ({ ...context }) };
  return Object.assign(canvas, { toDataURL: () => `data:${canvas.width}x${canvas.height}` });
}
setGlobals({ document: { createElement } });
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
      return { time_ms: began + viewOf({ data }).getInt16(1), isKey: data[3] === 0x80, data: data.slice(4) };
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
