/* What the legend of an image has before each name: the layer in small, as the map draws it. */

import { cssColour, dashLengths, token } from "../../core/series_style.js";

export const SAMPLE = { width: 28, height: 12 };
const MIDDLE = SAMPLE.height / 2;

/** @typedef {CanvasRenderingContext2D} Context */

const disc = (/** @type {Context} */ ctx, /** @type {number} */ x, /** @type {number} */ r) => {
  ctx.beginPath();
  ctx.moveTo(x + r, MIDDLE);
  ctx.arc(x, MIDDLE, r, 0, 2 * Math.PI);
};

/** @param {Context} ctx @param {[number, number][]} points */
function line(ctx, points) {
  ctx.beginPath();
  points.forEach(([x, y], i) => (i ? ctx.lineTo(x, y) : ctx.moveTo(x, y)));
  ctx.stroke();
}

/** @type {Record<string, (ctx: Context, style: {colour?: any, dash?: string, colours?: any[]}) => void>} */
const DRAW = {
  line(ctx, { colour, dash }) {
    ctx.strokeStyle = cssColour(colour);
    ctx.lineWidth = 2;
    ctx.setLineDash(dashLengths(dash));
    line(ctx, [
      [1, MIDDLE],
      [SAMPLE.width - 1, MIDDLE],
    ]);
    ctx.setLineDash([]);
  },
  points(ctx, { colour }) {
    ctx.fillStyle = cssColour(colour);
    for (const x of [5, 14, 23]) {
      disc(ctx, x, 2);
      ctx.fill();
    }
  },
  cloud: (ctx, style) => DRAW.points(ctx, style),
  density(ctx, { colour }) {
    ctx.fillStyle = cssColour(colour);
    [0.25, 0.5, 0.85].forEach((alpha, i) => {
      ctx.globalAlpha = alpha;
      ctx.fillRect(1 + 9 * i, 1.5, 8, 9);
    });
    ctx.globalAlpha = 1;
  },
  people(ctx, { colours = [] }) {
    ctx.lineWidth = 2;
    const shown = colours.slice(0, 3);
    shown.forEach((colour, i) => {
      ctx.strokeStyle = cssColour(colour);
      line(ctx, [
        [1, 2 + 4 * i],
        [SAMPLE.width - 1, 2 + 4 * i],
      ]);
    });
  },
  landmarks(ctx) {
    ctx.fillStyle = cssColour("--accent");
    ctx.globalAlpha = 0.18;
    disc(ctx, 14, 6);
    ctx.fill();
    ctx.globalAlpha = 1;
    disc(ctx, 14, 3.5);
    ctx.fill();
  },
  dummies(ctx) {
    ctx.strokeStyle = cssColour("--accent");
    ctx.fillStyle = token("--map");
    ctx.lineWidth = 1.25;
    disc(ctx, 14, 4);
    ctx.fill();
    ctx.stroke();
  },
  zones(ctx) {
    ctx.strokeStyle = ctx.fillStyle = cssColour("--accent");
    ctx.lineWidth = 1.25;
    ctx.globalAlpha = 0.1;
    ctx.fillRect(5, 1.5, 18, 9);
    ctx.globalAlpha = 1;
    ctx.strokeRect(5, 1.5, 18, 9);
  },
  guesses(ctx) {
    ctx.strokeStyle = cssColour("--foreground");
    ctx.lineWidth = 1.75;
    ctx.strokeRect(3, 2, 8, 8);
    ctx.strokeStyle = cssColour("--guess");
    line(ctx, [
      [17, 2],
      [25, 10],
    ]);
    line(ctx, [
      [25, 2],
      [17, 10],
    ]);
  },
  guessed: (ctx) => DRAW.line(ctx, { colour: "--guess", dash: "2 3" }),
  selection(ctx) {
    ctx.strokeStyle = token("--foreground");
    ctx.fillStyle = token("--map");
    ctx.lineWidth = 2;
    disc(ctx, 14, 4.5);
    ctx.fill();
    ctx.stroke();
  },
};

/**
 * Draw what stands for a layer of `kind` at the context's origin, {@link SAMPLE} large.
 *
 * @param {Context} ctx
 * @param {string} kind
 * @param {{colour?: any, dash?: string, colours?: any[]}} style
 */
export const drawSample = (ctx, kind, style) => (DRAW[kind] ?? DRAW.line)(ctx, style);
