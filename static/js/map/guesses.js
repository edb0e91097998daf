/* What an adversary guesses: places that it was after with where a release puts them, and simulated positions as dots
 * with the true home, the guess that they give and the circle that holds half of them.
 */

import { cssColour } from "../core/series_style.js";
import { circlePath, setText, strokeOnGround, write } from "./drawing.js";
import { TURN } from "./positions.js";
import { placer } from "./projection.js";

const HALF = 7.5; // px: of the square that is the truth, wide enough for the cross of a good guess
const ARM = 4.5; // px: of the cross that is the guess
const EDGE = 6;
const LINE = 14; // px from one text to the next one below it
const DOT_PX = 2.5;
const RING_PX = 7;
const TRUTH = { colour: "--foreground", width: 2.5 };

/**
 * Paint `places`, whose coordinates are null where there is none. The truth is a square in the text colour, the guess a
 * cross in the adversary's colour.
 *
 * @type {DrawOn<Guess[]>}
 */
export function drawGuesses(ctx, view, places, middle) {
  const place = placer(view, middle);
  const at = (/** @type {any} */ lon, /** @type {any} */ lat) =>
    lon === null || lat === null ? null : place(lon, lat);
  const shown = places.map(({ title, lon, lat, found_lon, found_lat }) => ({
    ...{ title, truth: at(lon, lat), guess: at(found_lon, found_lat) },
  }));
  for (const { truth, guess } of shown) if (truth && guess) drawLink(ctx, truth, guess);
  for (const { truth } of shown) if (truth) drawTruth(ctx, truth);
  for (const { guess } of shown) if (guess) drawGuess(ctx, guess);
  /** @type {Box[]} */
  const taken = [];
  for (const { title, truth, guess } of shown) {
    const below = truth && guess ? guess[1] >= truth[1] : false; // text apart where the two are near each other
    if (truth) drawText(ctx, view, title, truth, guess !== null && !below, "--foreground", taken);
    if (guess) drawText(ctx, view, `${title}, guessed`, guess, below, "--guess", taken);
  }
}

function drawLink(ctx, /** @type {any} */ truth, /** @type {any} */ guess) {
  ctx.beginPath();
  ctx.moveTo(...truth);
  ctx.lineTo(...guess);
  strokeOnGround(ctx, { colour: "--guess", width: 2, ground: 5, dash: [6, 4] });
}

function drawTruth(ctx, [x, y]) {
  ctx.beginPath();
  ctx.rect(x - HALF, y - HALF, 2 * HALF, 2 * HALF);
  strokeOnGround(ctx, TRUTH);
}

function drawGuess(ctx, [x, y]) {
  ctx.beginPath();
  for (const way of [1, -1]) {
    ctx.moveTo(x - ARM, y - ARM * way);
    ctx.lineTo(x + ARM, y + ARM * way);
  }
  strokeOnGround(ctx, { colour: "--guess", width: 3 });
}

/**
 * Text below or above a place, right of it or left: the first of these that is in the view and on no text before, if
 * there is any. @typedef {{x: number, y: number, long: number}} Box
 */
function drawText(ctx, { width }, text, [x, at], below, colour, taken = /** @type {Box[]} */ ([])) {
  setText(ctx, { colour, width: 3.5 });
  const long = ctx.measureText(text).width;
  const heights = [at - HALF, at + HALF + 9];
  const places = (below ? heights.reverse() : heights).flatMap((y) => [
    { x: x + HALF + EDGE, y, long },
    { x: x - HALF - EDGE - long, y, long },
  ]);
  const isFree = (/** @type {Box} */ one) =>
    taken.every((box) => one.x > box.x + box.long || box.x > one.x + long || Math.abs(one.y - box.y) > LINE);
  const inView = places.filter((one) => one.x >= EDGE && one.x + long <= width - EDGE);
  const chosen = inView.find(isFree) ?? inView[0] ?? places[0];
  taken.push(chosen);
  write(ctx, text, chosen.x, chosen.y);
}

/**
 * Places in the unit square of the world: `x`, `y` of the dots, `truth` and `guess` or null, `reach` of the circle;
 * `texts` are what the home, the guess and the circle are called.
 *
 * @typedef {{x: Float64Array, y: Float64Array, reach: number, truth: Point | null, guess: Point | null,
 *   colour: Colour, texts: {truth: string, guess: string, reach: string}}} Cloud
 */

/** Call `visit(x, y)` with the pixels of each dot in view. */
function eachDot({ x, y }, { scale, left, top, width, height }, visit) {
  for (let i = 0; i < x.length; i++) {
    const [px, py] = [x[i] * scale - left, y[i] * scale - top];
    if (px >= 0 && py >= 0 && px <= width && py <= height) visit(px, py);
  }
}

/** How many dots of a {@link Cloud} are in view. @param {Pick<Cloud, "x" | "y">} cloud */
export function countIn(cloud, view) {
  let count = 0;
  eachDot(cloud, view, () => (count += 1));
  return count;
}

/** The box around a {@link Cloud}, as those of positions.js are; `middle` in degrees. */
export function boxOf({ x, y }, middle) {
  const edge = (/** @type {any} */ all, pick) => all.reduce((a, b) => pick(a, b), pick()) - 0.5;
  const [d, height] = [(share) => share * TURN - middle * 1e7, (share) => share * 2 ** 32];
  return {
    ...{ west: d(edge(x, Math.min)), east: d(edge(x, Math.max)) },
    ...{ north: height(edge(y, Math.min)), south: height(edge(y, Math.max)) },
  };
}

/** Paint a {@link Cloud}. */
export function drawCloud(ctx, view, /** @type {Cloud} */ cloud) {
  const { reach, truth, guess, colour, texts } = cloud;
  const { scale, left, top, height } = view;
  /** @returns {[number, number]} */
  const at = (/** @type {Point} */ { x, y }) => [x * scale - left, y * scale - top];
  ctx.beginPath();
  eachDot(cloud, view, (x, y) => {
    ctx.moveTo(x + DOT_PX, y);
    ctx.arc(x, y, DOT_PX, 0, 2 * Math.PI);
  });
  ctx.fillStyle = ctx.strokeStyle = cssColour(colour);
  ctx.globalAlpha = 0.8;
  ctx.fill();
  ctx.globalAlpha = 1;
  if (!truth) return;
  const [home, guessed] = [at(truth), guess && at(guess)];
  circlePath(ctx, ...home, reach * scale);
  ctx.lineWidth = 1.5;
  ctx.setLineDash([9, 4, 2, 4]);
  ctx.stroke();
  ctx.setLineDash([]);
  if (guessed) drawLink(ctx, home, guessed);
  circlePath(ctx, ...home, RING_PX);
  strokeOnGround(ctx, { ...TRUTH, width: 3 });
  if (guessed) drawGuess(ctx, guessed);
  const below = guess !== null && guess.y >= truth.y; // texts apart where the two are near each other
  drawText(ctx, view, texts.truth, home, !below, "--foreground");
  if (guessed) drawText(ctx, view, texts.guess, guessed, below, "--guess");
  const edge = home[1] + reach * scale;
  if (edge < height - 20) drawText(ctx, view, texts.reach, [home[0], edge], true, colour);
}
