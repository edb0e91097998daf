/* What several layers draw alike: text with a halo, circles, lines on a wider one in the map's colour. */

import { cssColour, token } from "../core/series_style.js";

/** The font of text on the map. */
export const labelFont = (px = 11) => `${px}px ${token("--sans") || "system-ui, sans-serif"}`;

/**
 * Let {@link write} write in `colour` with a halo `width` pixels wide; `more` are further properties of the context.
 *
 * @param {CanvasRenderingContext2D} ctx
 * @param {{colour?: any, width?: number} & Partial<CanvasRenderingContext2D>} style
 */
export const setText = (ctx, { colour = "--foreground", width = 3, ...more } = {}) =>
  Object.assign(ctx, {
    ...{ font: labelFont(), fillStyle: cssColour(colour), strokeStyle: token("--map") },
    ...{ lineWidth: width, lineJoin: "round" },
    ...more,
  });

export function write(ctx, text, x, y) {
  ctx.strokeText(text, x, y);
  ctx.fillText(text, x, y);
}

/** Begin a path with a circle. */
export function circlePath(ctx, x, y, r) {
  ctx.beginPath();
  ctx.arc(x, y, r, 0, 2 * Math.PI);
}

/** Stroke the path in `colour` on a line `ground` pixels wide in the map's colour. */
export function strokeOnGround(ctx, { colour, width, ground = 6.5, dash = /** @type {number[]} */ ([]) }) {
  for (const [strokeStyle, lineWidth, lengths] of [
    [token("--map"), ground, []],
    [cssColour(colour), width, dash],
  ]) {
    Object.assign(ctx, { strokeStyle, lineWidth });
    ctx.setLineDash(lengths);
    ctx.stroke();
  }
  ctx.setLineDash([]);
}
