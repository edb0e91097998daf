import assert from "node:assert/strict";
import { test } from "node:test";

import { SvgContext, tag, xml } from "../../../../static/js/map/image/svg_context.js";
import { setGlobals } from "../../support.mjs";

const measure = () => ({
  font: "10px sans-serif",
  fillStyle: "#000000",
  measureText: (text) => ({ width: text.length }),
});
setGlobals({
  document: {
    createElement: () => {
      const canvas = {
        width: 0,
        height: 0,
        getContext: () => ({ ...measure(), drawImage: () => {}, putImageData: () => {} }),
        toDataURL: () => `data:${canvas.width}x${canvas.height}`,
      };
      return canvas;
    },
  },
});
const drawn = (draw, ratio = 1) => {
  const ctx = new SvgContext(100, 50, ratio);
  draw(ctx);
  return ctx.content();
};

test("text is never markup", () => {
  assert.equal(xml('<a href="x">&amp;'), "&lt;a href=&quot;x&quot;&gt;&amp;amp;");
  assert.equal(tag("a", { b: '"', c: null, d: undefined, e: 0 }), '<a b="&quot;" e="0"/>');
  assert.equal(tag("a", {}, "<b/>"), "<a><b/></a>");
  assert.match(
    drawn((ctx) => ctx.fillText("<script>", 1, 2)),
    />&lt;script&gt;<\/text>$/,
  );
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
  assert.equal(
    drawn(path),
    '<path d="M1 2L3.46 4Z" fill="#ff0000" fill-rule="evenodd" stroke="#0000ff" stroke-width="2"/>',
  );
  const twice = drawn((ctx) => (path(ctx), ctx.stroke()));
  assert.equal(twice.split("\n").length, 2, "a second line is one of its own");
  const longer = drawn((ctx) => {
    ctx.beginPath();
    ctx.lineTo(0, 0);
    ctx.fill();
    ctx.lineTo(5, 5);
    ctx.stroke();
  });
  assert.equal(
    longer,
    '<path d="M0 0" fill="#000000"/>\n<path d="M0 0L5 5" fill="none" stroke="#000000" stroke-width="1"/>',
  );
  assert.equal(
    drawn((ctx) => ctx.stroke()),
    "",
  );
});

test("arcs: a whole circle in two, others with the large way marked", () => {
  const d = (to) => drawn((ctx) => (ctx.arc(10, 10, 5, 0, to), ctx.fill())).match(/d="([^"]*)"/)?.[1];
  assert.equal(d(2 * Math.PI), "M15 10A5 5 0 1 1 5 10A5 5 0 1 1 15 10");
  assert.equal(d(Math.PI / 2), "M15 10A5 5 0 0 1 10 15");
  assert.equal(d(1.5 * Math.PI), "M15 10A5 5 0 1 1 10 5");
});

test("a text and its halo are one element, other texts are not", () => {
  const text = (ctx) => {
    [ctx.font, ctx.textAlign, ctx.strokeStyle, ctx.fillStyle] = [
      '600 11px "Noto Sans", serif',
      "center",
      "#ffffff",
      "#222222",
    ];
    ctx.strokeText("Paris", 1, 2);
    ctx.fillText("Paris", 1, 2);
  };
  const found = drawn(text);
  assert.equal(found.split("\n").length, 1);
  for (const part of [
    'fill="#222222"',
    'stroke="#ffffff"',
    'font-weight="600"',
    'font-size="11"',
    "font-family=\"'Noto Sans', serif\"",
    'text-anchor="middle"',
    'paint-order="stroke"',
  ])
    assert.ok(found.includes(part), part);
  assert.equal(drawn((ctx) => (text(ctx), ctx.fillText("Paris", 1, 3))).split("\n").length, 2);
});

test("a saved state comes back", () => {
  const ctx = new SvgContext(10, 10, 2);
  Object.assign(ctx, { lineWidth: 3, globalAlpha: 0.5, fillStyle: "#111111" });
  ctx.setLineDash([4, 2]);
  ctx.save();
  Object.assign(ctx, { lineWidth: 9, globalAlpha: 1, fillStyle: "#222222", scale: 7 });
  ctx.setLineDash([]);
  ctx.restore();
  assert.deepEqual([ctx.lineWidth, ctx.globalAlpha, ctx.fillStyle, ctx.getTransform().a], [3, 0.5, "#111111", 2]);
  ctx.strokeRect(0, 0, 1, 1);
  assert.match(ctx.content(), /stroke-opacity="0.5" stroke-dasharray="4 2"/);
  ctx.restore(); // nothing is saved any more
});

test("groups hold what is drawn within, in order", () => {
  const found = drawn((ctx) => {
    ctx.fillRect(0, 0, 1, 1);
    ctx.within({ opacity: 0.5 }, () => ctx.fillRect(1, 1, 1, 1));
    ctx.fillRect(2, 2, 1, 1);
  });
  assert.deepEqual(found.match(/<g|<rect x="\d"/g), ['<rect x="0"', "<g", '<rect x="1"', '<rect x="2"']);
});

test("pixels are embedded where they are, in pixels of the page", () => {
  assert.equal(
    drawn((ctx) => ctx.putImageData({ width: 40, height: 20 }), 2),
    '<image x="0" y="0" width="20" height="10" preserveAspectRatio="none" href="data:40x20"/>',
  );
  const part = drawn((ctx) => {
    ctx.imageSmoothingEnabled = false;
    ctx.drawImage({ width: 9, height: 9 }, 0, 3, 9, 1, 5, 6, 90, 10);
  }, 2);
  assert.equal(
    part,
    '<image x="5" y="6" width="90" height="10" preserveAspectRatio="none" ' +
      'style="image-rendering:pixelated" href="data:9x1"/>',
  );
});
