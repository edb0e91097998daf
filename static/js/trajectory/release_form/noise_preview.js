/* Errors at the dataset's scale: circles that hold 50 and 95 % of a release's errors, around one of its events, over
 * the original's tracks and landmarks for its owner's eyes.
 */

import { createFollowed } from "../../components/release_form/followed.js";
import { get } from "../../core/api.js";
import { eventNumber, metres, number, whole } from "../../core/format.js";
import { cssColour, dashLengths, onTheme, token } from "../../core/series_style.js";
import { uniforms } from "../../core/uniforms.js";
import { lengthText, roundLength } from "../../map/controls.js";
import { circlePath, labelFont, setText, write } from "../../map/drawing.js";
import { positionsOf } from "../../map/positions.js";
import { metresAt, unitX, unitY, unrolled } from "../../map/projection.js";
import { drawTrack } from "../../map/track_layer.js";
import { seriesOf } from "../people.js";
import { fetchTrack } from "../track.js";
import { errorOf } from "./answer.js";

const MOST_EVENTS = 200_000; // a faint line shows the size of the dataset; more points add nothing
const MOST_SERIES = 12;

/** The longest series that are not too much to draw together. */
export function drawable(series) {
  const found = [];
  let events = 0;
  for (const one of [...series].sort((a, b) => b.points - a.points)) {
    if (found.length === MOST_SERIES) break;
    if (events + one.points > MOST_EVENTS) continue;
    events += one.points;
    found.push(one);
  }
  return found;
}

/** {tracks: [{first, n, positions, time}], box, middle} of a dataset of the API; the box in the unit square. */
export async function loadMapData(dataset, url) {
  const { west, south, east, north, middle } = unrolled(dataset.bounds);
  const series = drawable(await seriesOf(dataset));
  const found = await Promise.all(series.map(({ index }) => fetchTrack(`${url}?series=${index}`)));
  const tracks = found.map((track, i) => {
    const { n, time } = track;
    return { first: series[i].first_event, n, time, positions: positionsOf(track, middle) };
  });
  return { tracks, middle, box: { left: unitX(west), right: unitX(east), top: unitY(north), bottom: unitY(south) } };
}

/** Runs [start, end) of landmarks over the whole dataset. */
export const loadRuns = async (url) => (await get(url)).runs;

/** The runs that lie in one track, its events counted from 0. */
export function runsIn({ first, n }, runs) {
  return runs
    .filter(([start, end]) => start < first + n && end > first)
    .map(([start, end]) => [Math.max(start - first, 0), Math.min(end - first, n)]);
}

/** The event shown first, counted over all tracks: amid the longest run of landmarks, else amid the first track. */
export function firstEvent(tracks, runs) {
  let [best, longest, before] = [Math.floor((tracks[0]?.n ?? 0) / 2), 0, 0];
  for (const track of tracks) {
    for (const [start, end] of runsIn(track, runs)) {
      if (end - start <= longest) continue;
      longest = end - start;
      best = before + Math.floor((start + end) / 2);
    }
    before += track.n;
  }
  return best;
}

/**
 * Event `i` over all tracks: its place, its number in the dataset, its time or null, whether it is a landmark; without
 * any event the middle of the box.
 */
export function eventAt({ tracks, box }, runs, i) {
  let at = i;
  for (const { first, n, positions, time } of tracks) {
    if (at < n) {
      const event = first + at;
      const landmark = runs.some(([start, end]) => event >= start && event < end);
      return { ...positions.place(at), event, time: time ? time[at] : null, landmark };
    }
    at -= n;
  }
  return { x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2, event: null, time: null, landmark: false };
}

/**
 * The view {width, height, scale, left, top} that shows the box and a circle of `reach` (unit lengths) around `anchor`,
 * and how many times further away it is than one of the box alone: {view, times}.
 */
export function fit({ box }, anchor, reach, { width, height }) {
  const margin = 18;
  const scaleOf = ({ left, right, top, bottom }) =>
    Math.min((width - 2 * margin) / (right - left), (height - 2 * margin) / (bottom - top));
  const [left, right] = [Math.min(box.left, anchor.x - reach), Math.max(box.right, anchor.x + reach)];
  const [top, bottom] = [Math.min(box.top, anchor.y - reach), Math.max(box.bottom, anchor.y + reach)];
  const [alone, together] = [box, { left, right, top, bottom }].map((sides) => Math.min(scaleOf(sides), 1e12));
  return { view: viewAt((left + right) / 2, (top + bottom) / 2, together, { width, height }), times: alone / together };
}

/** The view of `scale` pixels for a length of 1, its middle at (x, y). */
const viewAt = (x, y, scale, { width, height }) => ({
  ...{ width, height, scale, left: x * scale - width / 2, top: y * scale - height / 2 },
});

// Errors -----------------------------------------------------------------------------------

const [DOTS, SEED] = [200, 1];
const [HALF, MOST] = [1.67834699, 4.74386452]; // quantiles of planar Laplace noise of rate 1

/** How far noise of rate 1 moves a share `u` of positions at most: the root of 1 - (1 + r) exp(-r) = u. */
function quantile(u) {
  let r = 1;
  for (let i = 0; i < 40; i += 1) r = Math.max(r - (1 - (1 + r) * Math.exp(-r) - u) / (r * Math.exp(-r)), 1e-9);
  return r;
}

/** @type {number[] | null} */
let known = null;
/** Those of all dots, which are the same whatever the errors. */
const quantiles = () => (known ??= Array.from({ length: DOTS }, (_, i) => quantile((i + 0.5) / DOTS)));

/** Places around an event, in metres east and north, whose distances have the given quantiles; the same each time. */
export function errorsLike(half, most) {
  const random = uniforms(SEED);
  return quantiles().map((noise) => {
    const share = Math.min(Math.max(Math.log(noise / HALF) / Math.log(MOST / HALF), 0), 1);
    const far = noise * (half / HALF) ** (1 - share) * (most / MOST) ** share;
    const turn = 2 * Math.PI * random();
    return { x: far * Math.cos(turn), y: far * Math.sin(turn) };
  });
}

const SMALL_PX = 9; // circles smaller than this are looked at through a lens
const LENS_PX = 52;
const WIDEST_PX = 110; // of the scale bar
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
    const row = rows.find(({ key }) => key === choice.value);
    const group = groupOf(row, anchor);
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

function eventText({ event, time, landmark }, points) {
  if (event === null) return "The original is too long to be shown.";
  const when = time === null ? "" : `, ${TIME.format(time * 1000).replace(",", "")}`;
  return `${landmark ? "Landmark, event" : "Event"} ${eventNumber(event)} of ${whole(points)}${when}`;
}

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
  circlePath(ctx, x * scale - left, y * scale - top, radius);
  ctx.fill();
}

/** 50 % as a wash with a thin edge, 95 % as a line with the mechanism's dash and its label, errors as dots. */
function drawGroup(ctx, view, anchor, perUnit, { half, most, colour, dash, dots }) {
  const [cx, cy] = [anchor.x * view.scale - view.left, anchor.y * view.scale - view.top];
  const px = (length) => (Math.min(length, FARTHEST_M) / perUnit) * view.scale;
  ctx.strokeStyle = ctx.fillStyle = cssColour(colour);
  circlePath(ctx, cx, cy, px(half));
  ctx.globalAlpha = 0.16;
  ctx.fill();
  ctx.globalAlpha = 0.6;
  for (const { x, y } of dots) ctx.fillRect(cx + px(1) * x - 1, cy - px(1) * y - 1, 2, 2);
  ctx.globalAlpha = 1;
  ctx.lineWidth = 1;
  ctx.stroke();
  circlePath(ctx, cx, cy, px(most));
  ctx.lineWidth = 2;
  ctx.setLineDash(dashLengths(dash));
  ctx.stroke();
  ctx.setLineDash([]);
  if (px(most) < SMALL_PX || view.width < 3 * LENS_PX) return;
  const text = `95\u202f% within ${metres(most)}`;
  setText(ctx, { ...TEXT(), textAlign: "center" });
  const wide = ctx.measureText(text).width / 2 + 6;
  const below = cy - px(most) < 16;
  const y = Math.min(below ? cy + px(most) + 16 : cy - px(most) - 8, view.height - 8);
  write(ctx, text, Math.min(Math.max(cx, wide), view.width - wide), y);
}

const TEXT = () => ({ width: 4, font: labelFont(12) });

function drawScale(ctx, { scale }, perUnit, { x, y }) {
  const length = roundLength((WIDEST_PX / scale) * perUnit);
  const width = (length / perUnit) * scale;
  ctx.fillStyle = token("--foreground");
  ctx.fillRect(x - width, y - 2, width, 3);
  setText(ctx, { ...TEXT(), textAlign: "left" });
  write(ctx, lengthText(length), x - width, y - 8);
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
  circlePath(ctx, middle.x, middle.y, LENS_PX);
  ctx.fillStyle = token("--panel");
  ctx.fill();
  ctx.stroke();
  ctx.clip();
  ctx.translate(middle.x - LENS_PX, middle.y - LENS_PX);
  paint(ctx, near, over, anchor, perUnit, group, 0.2);
  ctx.restore();
}
