/* What an image is drawn on: a canvas, or SVG. Both have `ctx` for the whole and `layer` for a part of it. */

import { SvgContext, tag, xml } from "./svg_context.js";

/** @typedef {{x: number, y: number, width: number, height: number}} Box */
/** @typedef {{opacity?: string, cut?: [number, number], pixels?: boolean}} LayerOptions */
/**
 * `at(draw, x, y)` draws with the origin there; `layer(box, paint, options)` lays what `paint(ctx)` draws into a box:
 * with an opacity, between two shares of its width, or as an image where it `pixels`.
 *
 * @typedef {{
 *   ctx: CanvasRenderingContext2D,
 *   at: (draw: () => void, x: number, y: number) => void,
 *   layer: (box: Box, paint: (ctx: any) => any, options?: LayerOptions) => Promise<void>,
 * }} Surface
 */

export function canvasOf(width, height, ratio) {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
  const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  ctx.scale(ratio, ratio);
  return { canvas, ctx };
}

/**
 * A surface of pixels, `ratio` of them to one of the page.
 *
 * @param {{width: number, height: number}} size
 * @param {number} ratio
 */
export function canvasSurface({ width, height }, ratio) {
  const { canvas, ctx } = canvasOf(width, height, ratio);
  return {
    canvas,
    ctx,
    /** @type {Surface["at"]} */
    at(draw, x, y) {
      ctx.save();
      ctx.translate(x, y);
      draw();
      ctx.restore();
    },
    /** @type {Surface["layer"]} */
    async layer(box, paint, { opacity = "", cut = [0, 1] } = {}) {
      const own = canvasOf(box.width, box.height, ratio);
      await paint(own.ctx);
      ctx.save();
      ctx.beginPath();
      ctx.rect(box.x + cut[0] * box.width, box.y, (cut[1] - cut[0]) * box.width, box.height);
      ctx.clip();
      ctx.globalAlpha = Number(own.canvas.style.opacity || opacity || 1);
      ctx.setTransform(1, 0, 0, 1, 0, 0); // whole pixels stay sharp
      ctx.drawImage(own.canvas, Math.round(box.x * ratio), Math.round(box.y * ratio));
      ctx.restore();
    },
  };
}

/**
 * A surface of vectors; what are pixels in it has `ratio` of them to one of the page. `text(title, about)` is the file.
 *
 * @param {{width: number, height: number}} size
 * @param {number} ratio
 */
export function svgSurface({ width, height }, ratio) {
  const whole = new SvgContext(width, height, ratio);
  let parts = 0;

  /** @type {Surface["layer"]} */
  async function layer(box, paint, { opacity = "", cut = [0, 1], pixels = false } = {}) {
    const own = new SvgContext(box.width, box.height, ratio);
    if (pixels) {
      const image = canvasOf(box.width, box.height, ratio);
      await paint(image.ctx);
      own.drawImage(image.canvas, 0, 0, box.width, box.height);
    } else await paint(own);
    const id = `part-${(parts += 1)}`;
    const shape = { x: cut[0] * box.width, y: 0, width: (cut[1] - cut[0]) * box.width, height: box.height };
    const share = own.canvas.style.opacity || opacity;
    whole.group(
      {
        transform: `translate(${box.x} ${box.y})`,
        "clip-path": `url(#${id})`,
        opacity: share && Number(share) < 1 ? share : null,
      },
      tag("clipPath", { id }, tag("rect", shape)) + own.content(),
    );
  }

  return {
    ctx: /** @type {any} */ (whole),
    layer,
    /** @type {Surface["at"]} */
    at: (draw, x, y) => whole.within({ transform: `translate(${x} ${y})` }, draw),
    text(title, about) {
      const names = tag("title", {}, xml(title)) + tag("desc", {}, xml(about));
      const size = { width, height, viewBox: `0 0 ${width} ${height}`, role: "img" };
      return `${tag("svg", { xmlns: "http://www.w3.org/2000/svg", ...size }, names + whole.content())}\n`;
    },
  };
}
