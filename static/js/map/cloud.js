/* Simulated positions as dots, with the true home, the guess that they give and the circle that holds half of them. */

import { cssColour, token } from "../core/series_style.js";
import { TURN } from "./positions.js";
import { drawGuess, drawLink, drawText } from "./guesses.js";

const DOT_PX = 2.5;
const RING_PX = 7;

/**
 * Places in the unit square of the world: `x`, `y` of the dots, `truth` and `guess` or null, `reach` of the circle;
 * `texts` are what the home, the guess and the circle are called.
 *
 * @typedef {{x: Float64Array, y: Float64Array, reach: number, truth: Point | null, guess: Point | null,
 *   colour: Colour, texts: {truth: string, guess: string, reach: string}}} Cloud
 */

/** How many dots of a {@link Cloud} are in view. @param {Pick<Cloud, "x" | "y">} cloud @param {View} view */
export function countIn({ x, y }, { scale, left, top, width, height }) {
  let found = 0;
  for (let i = 0; i < x.length; i++) {
    const [px, py] = [x[i] * scale - left, y[i] * scale - top];
    if (px >= 0 && py >= 0 && px <= width && py <= height) found += 1;
  }
  return found;
}

/** The box around a {@link Cloud}, as those of positions.js are. @param {Cloud} cloud @param {number} middle degrees */
export function boxOf({ x, y }, middle) {
  const [d, height] = [
    (/** @type {number} */ at) => (at - 0.5) * TURN - middle * 1e7,
    (/** @type {number} */ at) => (at - 0.5) * 2 ** 32,
  ];
  const least = (/** @type {Float64Array} */ all) => all.reduce((a, b) => Math.min(a, b), Infinity);
  const most = (/** @type {Float64Array} */ all) => all.reduce((a, b) => Math.max(a, b), -Infinity);
  return { west: d(least(x)), east: d(most(x)), north: height(least(y)), south: height(most(y)) };
}

/** Paint a {@link Cloud}. */
export function drawCloud(ctx, view, /** @type {Cloud} */ { x, y, reach, truth, guess, colour, texts }) {
  const { scale, left, top, width, height } = view;
  const at = (/** @type {Point} */ place) =>
    /** @type {[number, number]} */ ([place.x * scale - left, place.y * scale - top]);
  ctx.beginPath();
  for (let i = 0; i < x.length; i++) {
    const [px, py] = [x[i] * scale - left, y[i] * scale - top];
    if (px < 0 || py < 0 || px > width || py > height) continue;
    ctx.moveTo(px + DOT_PX, py);
    ctx.arc(px, py, DOT_PX, 0, 2 * Math.PI);
  }
  ctx.fillStyle = cssColour(colour);
  ctx.globalAlpha = 0.8;
  ctx.fill();
  ctx.globalAlpha = 1;
  if (!truth) return;
  drawCircle(ctx, at(truth), reach * scale, cssColour(colour));
  if (guess) drawLink(ctx, at(truth), at(guess));
  drawRing(ctx, at(truth));
  if (guess) drawGuess(ctx, at(guess));
  const below = guess !== null && guess.y >= truth.y; // texts apart where the two are near each other
  drawText(ctx, view, texts.truth, at(truth), !below, token("--foreground"));
  if (guess) drawText(ctx, view, texts.guess, at(guess), below, cssColour("--guess"));
  const edge = truth.y * scale - top + reach * scale;
  if (edge < height - 20) drawText(ctx, view, texts.reach, [truth.x * scale - left, edge], true, cssColour(colour));
}

function drawCircle(ctx, [x, y], radius, colour) {
  ctx.beginPath();
  ctx.arc(x, y, radius, 0, 2 * Math.PI);
  ctx.strokeStyle = colour;
  ctx.lineWidth = 1.5;
  ctx.setLineDash([9, 4, 2, 4]);
  ctx.stroke();
  ctx.setLineDash([]);
}

function drawRing(ctx, [x, y]) {
  for (const [colour, width] of [
    [token("--map"), 6.5],
    [token("--foreground"), 3],
  ]) {
    ctx.beginPath();
    ctx.arc(x, y, RING_PX, 0, 2 * Math.PI);
    ctx.strokeStyle = colour;
    ctx.lineWidth = width;
    ctx.stroke();
  }
}
