/* Places that an adversary was after: where they are, where a release puts them, a link between the two. */

import { inkOf, token } from "../ink.js";
import { near, unitX, unitY } from "./globe.js";
import { labelFont } from "./graticule.js";

const HALF = 5.5; // px: of the square that is the truth
const ARM = 6; // px: of the cross that is the guess

/**
 * Paint `places`: [{title, lon, lat, found_lon, found_lat}], null where there is none. The truth is a square in ink, the
 * guess a cross in the adversary's colour.
 */
export function drawGuesses(ctx, view, places, middle) {
  const at = (lon, lat) => (lon === null || lat === null ? null : [unitX(near(lon, middle)) * view.scale - view.left, unitY(lat) * view.scale - view.top]);
  const shown = places.map(({ title, lon, lat, found_lon, found_lat }) => ({ title, truth: at(lon, lat), guess: at(found_lon, found_lat) }));
  for (const { truth, guess } of shown) if (truth && guess) drawLink(ctx, truth, guess);
  for (const { title, truth } of shown) if (truth) drawTruth(ctx, truth, title);
  for (const { title, guess } of shown) if (guess) drawGuess(ctx, guess, `${title}, guessed`);
}

function drawLink(ctx, truth, guess) {
  ctx.beginPath();
  ctx.moveTo(...truth);
  ctx.lineTo(...guess);
  for (const [colour, width, dash] of [[token("--map"), 5, []], [inkOf("--guess"), 2, [6, 4]]]) {
    ctx.strokeStyle = colour;
    ctx.lineWidth = width;
    ctx.setLineDash(dash);
    ctx.stroke();
  }
  ctx.setLineDash([]);
}

function drawTruth(ctx, [x, y], text) {
  ctx.fillStyle = inkOf("--ink");
  ctx.strokeStyle = token("--map");
  ctx.lineWidth = 2;
  ctx.fillRect(x - HALF, y - HALF, 2 * HALF, 2 * HALF);
  ctx.strokeRect(x - HALF, y - HALF, 2 * HALF, 2 * HALF);
  drawText(ctx, text, x + HALF + 5, y - HALF, token("--ink"));
}

function drawGuess(ctx, [x, y], text) {
  ctx.beginPath();
  ctx.moveTo(x - ARM, y - ARM);
  ctx.lineTo(x + ARM, y + ARM);
  ctx.moveTo(x + ARM, y - ARM);
  ctx.lineTo(x - ARM, y + ARM);
  for (const [colour, width] of [[token("--map"), 6.5], [inkOf("--guess"), 3]]) {
    ctx.strokeStyle = colour;
    ctx.lineWidth = width;
    ctx.stroke();
  }
  drawText(ctx, text, x + ARM + 4, y + ARM + 9, inkOf("--guess"));
}

function drawText(ctx, text, x, y, colour) {
  ctx.font = labelFont();
  ctx.strokeStyle = token("--map");
  ctx.lineWidth = 3.5;
  ctx.lineJoin = "round";
  ctx.strokeText(text, x, y);
  ctx.fillStyle = colour;
  ctx.fillText(text, x, y);
}
