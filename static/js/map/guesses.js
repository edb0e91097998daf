/* Places that an adversary was after: where they are, where a release puts them, a link between the two. */

import { cssColour, token } from "../core/series_style.js";
import { near, unitX, unitY } from "./projection.js";
import { labelFont } from "./graticule.js";

const HALF = 7.5; // px: of the square that is the truth, wide enough for the cross of a good guess
const ARM = 4.5; // px: of the cross that is the guess
const EDGE = 6;

/**
 * Paint `places`: [{title, lon, lat, found_lon, found_lat}], null where there is none. The truth is a square in the
 * text colour, the guess a cross in the adversary's colour.
 */
export function drawGuesses(ctx, view, places, middle) {
  const at = (lon, lat) =>
    lon === null || lat === null
      ? null
      : [unitX(near(lon, middle)) * view.scale - view.left, unitY(lat) * view.scale - view.top];
  const shown = places.map(({ title, lon, lat, found_lon, found_lat }) => ({
    title,
    truth: at(lon, lat),
    guess: at(found_lon, found_lat),
  }));
  for (const { truth, guess } of shown) if (truth && guess) drawLink(ctx, truth, guess);
  for (const { truth } of shown) if (truth) drawTruth(ctx, truth);
  for (const { guess } of shown) if (guess) drawGuess(ctx, guess);
  for (const { title, truth, guess } of shown) {
    const below = truth && guess ? guess[1] >= truth[1] : false; // text apart where the two are near each other
    if (truth) drawText(ctx, view, title, truth, guess !== null && !below, token("--foreground"));
    if (guess) drawText(ctx, view, `${title}, guessed`, guess, below, cssColour("--guess"));
  }
}

export function drawLink(ctx, truth, guess) {
  ctx.beginPath();
  ctx.moveTo(...truth);
  ctx.lineTo(...guess);
  for (const [colour, width, dash] of [
    [token("--map"), 5, []],
    [cssColour("--guess"), 2, [6, 4]],
  ]) {
    ctx.strokeStyle = colour;
    ctx.lineWidth = width;
    ctx.setLineDash(dash);
    ctx.stroke();
  }
  ctx.setLineDash([]);
}

function drawTruth(ctx, [x, y]) {
  for (const [colour, width] of [
    [token("--map"), 6.5],
    [cssColour("--foreground"), 2.5],
  ]) {
    ctx.strokeStyle = colour;
    ctx.lineWidth = width;
    ctx.strokeRect(x - HALF, y - HALF, 2 * HALF, 2 * HALF);
  }
}

export function drawGuess(ctx, [x, y]) {
  ctx.beginPath();
  ctx.moveTo(x - ARM, y - ARM);
  ctx.lineTo(x + ARM, y + ARM);
  ctx.moveTo(x + ARM, y - ARM);
  ctx.lineTo(x - ARM, y + ARM);
  for (const [colour, width] of [
    [token("--map"), 6.5],
    [cssColour("--guess"), 3],
  ]) {
    ctx.strokeStyle = colour;
    ctx.lineWidth = width;
    ctx.stroke();
  }
}

/** Text below or above a place, right of it, or left where they would leave the view. */
export function drawText(ctx, { width }, text, [x, at], below, colour) {
  const y = below ? at + HALF + 9 : at - HALF;
  ctx.font = labelFont();
  const right = x + HALF + EDGE;
  const from =
    right + ctx.measureText(text).width > width - EDGE ? x - HALF - EDGE - ctx.measureText(text).width : right;
  ctx.strokeStyle = token("--map");
  ctx.lineWidth = 3.5;
  ctx.lineJoin = "round";
  ctx.strokeText(text, from, y);
  ctx.fillStyle = colour;
  ctx.fillText(text, from, y);
}
