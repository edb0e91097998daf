/* The noise at the dataset's scale: circles that hold 50 and 95 % of a draw's positions, over the faint original. */

import { el } from "../../core/dom.js";
import { metres, number } from "../../core/format.js";
import { cssColour, dashLengths, onTheme, token } from "../../core/series_style.js";
import { lengthText, roundLength } from "../../map/controls.js";
import { drawTrack } from "../../map/track_layer.js";
import { anchorOf, fit, metresAt, runsIn, viewAt } from "./noise_preview_data.js";

const SMALL_PX = 9; // circles smaller than this are looked at through a lens
const LENS_PX = 52;
const LABELLED_PX = 22;
const ALIKE = 1e-6;
const FARTHEST_M = 8e6; // beyond, a circle is no longer one on the map

/**
 * The view in `host`. `lineStyles` maps a mechanism's name to its colour and dash. Returns {data({mapData, runs}),
 * answer(level, forecasts), level(level)}: between two answers noise is taken to grow with r / ε.
 */
export function createNoisePreview(host, lineStyles) {
  const [canvas, choice, caption] = ["canvas", "choice", "text"].map((part) =>
    host.querySelector(`[data-noise-preview-${part}]`),
  );
  /** @type {any[]} */
  let [over, forecasts, answeredLevel, level] = [null, [], null, null];

  function groups() {
    const one = forecasts.find(({ name }) => name === choice.value);
    if (!one?.expected || !level) return { one, found: [] };
    const grown = (level.radius_m / level.epsilon) * (answeredLevel.epsilon / answeredLevel.radius_m);
    return {
      one,
      found: groupsOf(one, lineStyles.get(one.name)).map((group) => ({
        ...group,
        half: group.half * grown,
        most: group.most * grown,
      })),
    };
  }

  function draw() {
    if (!over) return;
    const { one, found } = groups();
    const size = { width: canvas.clientWidth, height: canvas.clientHeight };
    if (!size.width) return;
    const ratio = devicePixelRatio || 1;
    [canvas.width, canvas.height] = [Math.round(size.width * ratio), Math.round(size.height * ratio)];
    const ctx = canvas.getContext("2d");
    ctx.scale(ratio, ratio);
    const anchor = anchorOf(over.mapData, over.runs);
    const perUnit = metresAt(anchor.y);
    const largest = Math.min(Math.max(0, ...found.map(({ most }) => most)), FARTHEST_M);
    const { view, times } = fit(over.mapData, anchor, largest / perUnit, size);
    paint(ctx, view, over, anchor, perUnit, found);
    drawScale(ctx, view, perUnit, { x: size.width - 12, y: size.height - 12 });
    const small = found.length > 0 && (largest / perUnit) * view.scale < SMALL_PX;
    if (small) drawLens(ctx, size, view, over, anchor, perUnit, found, largest);
    caption.replaceChildren(
      ...captions(one, found, {
        anchor,
        times,
        small,
        largest,
        extent: over.extent_m,
        drawn: over.mapData.tracks.length > 0,
      }),
    );
    host.dataset.zoom = number(times);
    host.dataset.ready = String(found.length);
  }

  function offer() {
    const before = choice.value;
    choice.replaceChildren(...forecasts.map(({ name, title }) => el("option", { value: name }, title)));
    const usual = forecasts.find(({ expected }) => expected?.landmark.drawn) ?? forecasts[0];
    choice.value = forecasts.some(({ name }) => name === before) ? before : usual?.name;
    choice.disabled = !forecasts.length;
  }

  choice.addEventListener("change", draw);
  new ResizeObserver(draw).observe(canvas);
  onTheme(draw);
  return {
    /** What it is drawn over: {mapData, runs, extent_m}. */
    data(found) {
      over = found;
      draw();
    },
    answer(given, found) {
      [answeredLevel, level, forecasts] = [given, given, found];
      offer();
      draw();
    },
    level(given) {
      level = given;
      draw();
    },
  };
}

/** Circles of one mechanism: of landmarks and of other events, or of all where they are alike; radii in metres. */
export function groupsOf({ expected: { landmark, regular, overall } }, lineStyle) {
  const own = { colour: lineStyle.colour, dash: lineStyle.dash };
  const one = (title, { median_m, p95_m }, style) => ({ title, half: median_m, most: p95_m, ...style });
  const same = (a, b) => a === b || Math.abs(a - b) <= ALIKE * Math.abs(b);
  const alike =
    !landmark.events ||
    !regular.events ||
    (same(landmark.median_m, regular.median_m) && same(landmark.p95_m, regular.p95_m));
  const found = alike
    ? [one("Any event", overall, own)]
    : [one("A landmark", landmark, { colour: "--accent", dash: "" }), one("Another event", regular, own)];
  return found.filter(({ most }) => most !== null);
}

function paint(ctx, view, { mapData, runs }, anchor, perUnit, groups, faint = 0.5) {
  ctx.globalAlpha = faint;
  for (const { positions } of mapData.tracks) drawTrack(ctx, view, positions, { colour: "--foreground", width: 1 });
  ctx.globalAlpha = 0.8;
  ctx.fillStyle = token("--accent");
  for (const track of mapData.tracks)
    for (const [start, end] of runsIn(track, runs))
      dot(ctx, view, track.positions.place(Math.floor((start + end) / 2)), 1.5);
  ctx.globalAlpha = 1;
  for (const group of [...groups].sort((a, b) => b.most - a.most)) drawGroup(ctx, view, anchor, perUnit, group);
  groups.forEach((group, i) => drawLabels(ctx, view, anchor, perUnit, group, i));
  dot(ctx, view, anchor, 3);
}

function dot(ctx, { scale, left, top }, { x, y }, radius) {
  ctx.beginPath();
  ctx.arc(x * scale - left, y * scale - top, radius, 0, 2 * Math.PI);
  ctx.fill();
}

/** 50 % as a wash with a thin edge, 95 % as a line with the mechanism's dash. */
function drawGroup(ctx, { scale, left, top }, { x, y }, perUnit, { half, most, colour, dash }) {
  const circle = (radius) => {
    ctx.beginPath();
    ctx.arc(x * scale - left, y * scale - top, (Math.min(radius, FARTHEST_M) / perUnit) * scale, 0, 2 * Math.PI);
  };
  ctx.strokeStyle = ctx.fillStyle = cssColour(colour);
  circle(half);
  ctx.globalAlpha = 0.16;
  ctx.fill();
  ctx.globalAlpha = 1;
  ctx.lineWidth = 1;
  ctx.stroke();
  circle(most);
  ctx.lineWidth = 2;
  ctx.setLineDash(dashLengths(dash));
  ctx.stroke();
  ctx.setLineDash([]);
  ctx.fillStyle = token("--accent");
}

/** "95 %" and "50 %" on the circles that are large enough: above, and of a second group below. */
function drawLabels(ctx, { scale, left, top, width, height }, { x, y }, perUnit, { half, most, colour }, below) {
  ctx.font = `600 11px ${token("--sans")}`;
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  ctx.lineWidth = 4;
  ctx.strokeStyle = token("--map");
  ctx.fillStyle = cssColour(colour);
  for (const [text, radius] of [
    ["95\u202f%", most],
    ["50\u202f%", half],
  ]) {
    const px = (Math.min(radius, FARTHEST_M) / perUnit) * scale;
    const [cx, cy] = [x * scale - left, y * scale - top + (below ? px : -px)];
    if (px < LABELLED_PX || cx < 20 || cx > width - 20 || cy < 8 || cy > height - 8) continue;
    ctx.strokeText(text, cx, cy);
    ctx.fillText(text, cx, cy);
  }
  ctx.textBaseline = "alphabetic";
  ctx.fillStyle = token("--accent");
}

function drawScale(ctx, { scale }, perUnit, { x, y }, { widest = 110, ground = token("--map") } = {}) {
  const length = roundLength((widest / scale) * perUnit);
  const width = (length / perUnit) * scale;
  ctx.strokeStyle = ctx.fillStyle = token("--foreground");
  ctx.lineWidth = 1.5;
  ctx.beginPath();
  ctx.moveTo(x - width, y - 5);
  ctx.lineTo(x - width, y);
  ctx.lineTo(x, y);
  ctx.lineTo(x, y - 5);
  ctx.stroke();
  ctx.font = `12px ${token("--sans")}`;
  ctx.textAlign = "center";
  ctx.lineWidth = 4;
  ctx.strokeStyle = ground;
  ctx.strokeText(lengthText(length), x - width / 2, y - 7);
  ctx.fillText(lengthText(length), x - width / 2, y - 7);
}

/** The surroundings of the anchor, large enough for the circles to be seen, in a corner away from it. */
function drawLens(ctx, size, view, over, anchor, perUnit, groups, largest) {
  const px = anchor.x * view.scale - view.left;
  const middle = { x: px > size.width / 2 ? LENS_PX + 12 : size.width - LENS_PX - 12, y: LENS_PX + 12 };
  const scale = (0.55 * LENS_PX * perUnit) / largest;
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
  paint(ctx, near, over, anchor, perUnit, groups, 0.2);
  drawScale(ctx, near, perUnit, { x: LENS_PX + 18, y: 2 * LENS_PX - 12 }, { widest: 40, ground: token("--panel") });
  ctx.restore();
}

// Text -------------------------------------------------------------------------------------

function captions(one, found, { anchor, times, small, largest, extent, drawn }) {
  if (!one) return [el("p", {}, "Choose a mechanism and a level to see its noise.")];
  if (!found.length)
    return [
      el(
        "p",
        {},
        `How much noise ${one.title} adds depends on the run, and the dataset is too long to simulate it here.`,
      ),
    ];
  const where = anchor.landmark ? "around the longest stay at a landmark" : "around the middle of the dataset";
  const lines = found.map(({ title, half, most, colour, dash }) =>
    el(
      "li",
      {},
      key(colour, dash),
      el("span", {}, `${title}: 50\u202f% within ${metres(half)}, 95\u202f% within ${metres(most)}.`),
    ),
  );
  const over = drawn ? ", over the original, visible to you only" : "; the original is too long to be shown";
  const text = `Shown ${where}${over}. ${sizeText({ times, small, largest, extent })}`;
  return [el("ul", { class: "noise-preview__key" }, lines), el("p", { class: "muted" }, text)];
}

export function sizeText({ times, small, largest, extent }) {
  const across = `The dataset is ${metres(extent)} across`;
  if (largest >= FARTHEST_M) return `${across}: the noise reaches around the world.`;
  if (largest > extent) return `${across}: the noise is larger, so the view is zoomed out ${number(times, 2)}×.`;
  if (small) return `${across}: the noise is too small at this scale, so an inset enlarges it.`;
  return `${across}.`;
}

function key(colour, dash) {
  const line = el("i", { class: "noise-preview__line", "aria-hidden": "true", dataset: { dash } });
  line.style.setProperty("--own", `var(${colour})`);
  return line;
}
