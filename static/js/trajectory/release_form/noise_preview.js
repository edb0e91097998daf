/* Errors at the dataset's scale: circles that hold 50 and 95 % of a release's errors, around one of its events. */

import { createFollowed } from "../../components/release_form/followed.js";
import { eventNumber, metres, number, whole } from "../../core/format.js";
import { cssColour, dashLengths, onTheme, token } from "../../core/series_style.js";
import { lengthText, roundLength } from "../../map/controls.js";
import { metresAt } from "../../map/projection.js";
import { drawTrack } from "../../map/track_layer.js";
import { errorOf } from "./answer.js";
import { errorsLike, eventAt, firstEvent, fit, runsIn, viewAt } from "./noise_preview_data.js";

const SMALL_PX = 9; // circles smaller than this are looked at through a lens
const LENS_PX = 52;
const FARTHEST_M = 8e6; // beyond, a circle is no longer one on the map
const TIME = new Intl.DateTimeFormat("en-GB", {
  ...{ timeZone: "UTC", weekday: "short", day: "numeric", month: "short" },
  ...{ hour: "2-digit", minute: "2-digit" },
});

/**
 * The view in `host` over a dataset of `points` events. Returns {data({mapData, runs}), rows(rows, ticked, extent_m),
 * follow(ticked)}: what it is drawn over, the releases with errors, and which are ticked, as followed.js has it.
 */
export function createNoisePreview(host, points) {
  const part = (name) => host.querySelector(`[data-noise-preview-${name}]`);
  const [canvas, choice, caption, event] = ["canvas", "choice", "text", "event"].map(part);
  /** @type {any[]} */
  let [over, rows, at, extent] = [null, [], 0, 0];
  const followed = createFollowed(choice, draw);

  const total = () => over.mapData.tracks.reduce((sum, { n }) => sum + n, 0);

  function draw() {
    const size = { width: canvas.clientWidth, height: canvas.clientHeight };
    if (!over || !size.width || !size.height) return;
    const anchor = eventAt(over.mapData, over.runs, at);
    const group = groupOf(
      rows.find(({ key }) => key === choice.value),
      anchor,
    );
    const ratio = devicePixelRatio || 1;
    [canvas.width, canvas.height] = [Math.round(size.width * ratio), Math.round(size.height * ratio)];
    const ctx = canvas.getContext("2d");
    ctx.scale(ratio, ratio);
    const perUnit = metresAt(anchor.y);
    const largest = Math.min(group?.most ?? 0, FARTHEST_M);
    const { view, times } = fit(over.mapData, anchor, largest / perUnit, size);
    paint(ctx, view, over, anchor, perUnit, group);
    drawScale(ctx, view, perUnit, { x: size.width - 12, y: size.height - 12 });
    const small = group !== null && (largest / perUnit) * view.scale < SMALL_PX;
    if (small) drawLens(ctx, size, view, over, anchor, perUnit, group);
    event.textContent = eventText(anchor, points);
    caption.replaceChildren(...captionOf(group, { times, small, largest, extent }));
    for (const by of [-1, 1]) part(`step="${by}"`).disabled = at + by < 0 || at + by >= total();
    host.dataset.zoom = number(times);
    host.dataset.ready = String(group ? 1 : 0);
  }

  for (const by of [-1, 1])
    part(`step="${by}"`).addEventListener("click", () => {
      at += by;
      draw();
    });
  new ResizeObserver(draw).observe(canvas);
  onTheme(draw);
  return {
    data(found) {
      over = found;
      at = firstEvent(over.mapData.tracks, over.runs);
      draw();
    },
    rows(given, ticked, extent_m) {
      extent = extent_m;
      rows = given.filter(({ errors }) => errors.overall.p95_m !== null);
      followed.offer(rows, ticked);
      draw();
    },
    follow: followed.follow,
  };
}

/** The errors of an event of a release, as circles: those of landmarks or of others where the two are apart. */
export function groupOf(row, { landmark }) {
  if (!row) return null;
  const isApart = ["landmarks", "others"].every((name) => row.errors[name].p95_m !== null);
  const name = isApart ? (landmark ? "landmarks" : "others") : "overall";
  const { typical_m: half, p95_m: most } = row.errors[name];
  return { row, name, half, most, dots: errorsLike(half, most), ...row.lineStyle };
}

const eventText = ({ event, time, landmark }, points) =>
  event === null
    ? "The original is too long to be shown."
    : `${landmark ? "Landmark, event" : "Event"} ${eventNumber(event)} of ${whole(points)}` +
      (time === null ? "" : `, ${TIME.format(time * 1000).replace(",", "")}`);

const OF_GROUP = { landmarks: " of landmarks", others: " of other events", overall: "" };

function captionOf(group, sizes) {
  if (!group) return ["Choose a release and a level to see its errors."];
  const { row, name } = group;
  return [
    `Circles: 50 and 95\u202f% of the errors${OF_GROUP[name]}, `,
    errorOf(row, "typical_m", name),
    " and ",
    errorOf(row, "p95_m", name),
    `. ${sizeText(sizes)}Dots: 200 samples from a preview seed; no budget is used.`,
  ];
}

export function sizeText({ times, small, largest, extent }) {
  if (largest >= FARTHEST_M) return "They reach around the world. ";
  if (largest > extent) return `They are larger than your data: the view is zoomed out ${number(times, 2)}×. `;
  return small ? "They are too small at this scale: an inset enlarges them. " : "";
}

function paint(ctx, view, { mapData, runs }, anchor, perUnit, group, faint = 0.75) {
  ctx.globalAlpha = faint;
  for (const { positions } of mapData.tracks) drawTrack(ctx, view, positions, { colour: "--foreground", width: 1 });
  ctx.globalAlpha = 1;
  ctx.fillStyle = token("--accent");
  for (const track of mapData.tracks)
    for (const [start, end] of runsIn(track, runs))
      dot(ctx, view, track.positions.place(Math.floor((start + end) / 2)), 2);
  if (group) drawGroup(ctx, view, anchor, perUnit, group);
  ctx.fillStyle = token("--panel");
  ctx.strokeStyle = token("--foreground");
  ctx.lineWidth = 2;
  dot(ctx, view, anchor, 4);
  ctx.stroke();
}

function dot(ctx, { scale, left, top }, { x, y }, radius) {
  ctx.beginPath();
  ctx.arc(x * scale - left, y * scale - top, radius, 0, 2 * Math.PI);
  ctx.fill();
}

/** 50 % as a wash with a thin edge, 95 % as a line with the mechanism's dash and its label, errors as dots. */
function drawGroup(ctx, view, anchor, perUnit, { half, most, colour, dash, dots }) {
  const [cx, cy] = [anchor.x * view.scale - view.left, anchor.y * view.scale - view.top];
  const px = (length) => (Math.min(length, FARTHEST_M) / perUnit) * view.scale;
  const circle = (radius) => {
    ctx.beginPath();
    ctx.arc(cx, cy, px(radius), 0, 2 * Math.PI);
  };
  ctx.strokeStyle = ctx.fillStyle = cssColour(colour);
  circle(half);
  ctx.globalAlpha = 0.16;
  ctx.fill();
  ctx.globalAlpha = 0.6;
  for (const { x, y } of dots) ctx.fillRect(cx + px(1) * x - 1, cy - px(1) * y - 1, 2, 2);
  ctx.globalAlpha = 1;
  ctx.lineWidth = 1;
  ctx.stroke();
  circle(most);
  ctx.lineWidth = 2;
  ctx.setLineDash(dashLengths(dash));
  ctx.stroke();
  ctx.setLineDash([]);
  if (px(most) < SMALL_PX || view.width < 3 * LENS_PX) return;
  const text = `95\u202f% within ${metres(most)}`;
  ctx.font = `12px ${token("--sans")}`;
  ctx.textAlign = "center";
  const wide = ctx.measureText(text).width / 2 + 6;
  const below = cy - px(most) < 16;
  const y = Math.min(below ? cy + px(most) + 16 : cy - px(most) - 8, view.height - 8);
  written(ctx, text, Math.min(Math.max(cx, wide), view.width - wide), y, token("--map"));
}

function written(ctx, text, x, y, ground) {
  ctx.lineWidth = 4;
  ctx.strokeStyle = ground;
  ctx.fillStyle = token("--foreground");
  ctx.strokeText(text, x, y);
  ctx.fillText(text, x, y);
}

function drawScale(ctx, { scale }, perUnit, { x, y }, { widest = 110, ground = token("--map") } = {}) {
  const length = roundLength((widest / scale) * perUnit);
  const width = (length / perUnit) * scale;
  ctx.fillStyle = token("--foreground");
  ctx.fillRect(x - width, y - 2, width, 3);
  ctx.font = `12px ${token("--sans")}`;
  ctx.textAlign = "left";
  written(ctx, lengthText(length), x - width, y - 8, ground);
}

/** The surroundings of the anchor, large enough for the circles to be seen, in a corner away from it. */
function drawLens(ctx, size, view, over, anchor, perUnit, group) {
  const px = anchor.x * view.scale - view.left;
  const middle = { x: px > size.width / 2 ? LENS_PX + 12 : size.width - LENS_PX - 12, y: LENS_PX + 12 };
  const scale = (0.55 * LENS_PX * perUnit) / group.most;
  const near = viewAt(anchor.x, anchor.y, scale, { width: 2 * LENS_PX, height: 2 * LENS_PX });
  ctx.strokeStyle = token("--line-strong");
  ctx.lineWidth = 1;
  ctx.beginPath();
  ctx.moveTo(px, anchor.y * view.scale - view.top);
  ctx.lineTo(middle.x, middle.y);
  ctx.stroke();
  ctx.save();
  ctx.beginPath();
  ctx.arc(middle.x, middle.y, LENS_PX, 0, 2 * Math.PI);
  ctx.fillStyle = token("--panel");
  ctx.fill();
  ctx.stroke();
  ctx.clip();
  ctx.translate(middle.x - LENS_PX, middle.y - LENS_PX);
  paint(ctx, near, over, anchor, perUnit, group, 0.2);
  ctx.restore();
}
