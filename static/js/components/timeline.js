/* The time strip: events, landmarks as blocks, a playhead that plays, steps and is dragged; Shift marks a range. */

import { createPlayback } from "./timeline_playback.js";
import { timelineScale } from "./timeline_scale.js";
import { el } from "../core/dom.js";
import { isInRuns, runsWithout } from "../core/event_runs.js";
import { eventNumber, moment, whole } from "../core/format.js";
import { onTheme, token } from "../core/series_style.js";

const MOVED_PX = 3; // a press that moves no further is a click

/**
 * @typedef {{
 *   select?: (event: number) => void,
 *   press?: (event: number) => void,
 *   range?: (start: number, end: number) => void,
 *   hover?: (event: number | null) => void,
 *   paint?: () => void,
 * }} TimelineListeners
 */

/**
 * A strip in `host`. `set({n, time, runs, dummies, other})`: `runs` are landmarks, hollow where `dummies` lie in them;
 * `other` are a second set's runs, hatched below the first, or null. `on.select(event)` receives every move of the
 * playhead, `on.press(event)` a click that was no drag, `on.range(start, end)` a range marked with Shift,
 * `on.hover(event | null)` the event under the pointer, `on.paint()` is called when the scale has changed.
 * `hover(event | null)` shows the event hovered elsewhere; `scale` is what a brush needs (see timeline_brush.js).
 *
 * @param {HTMLElement} host
 * @param {TimelineListeners} on
 */
export function createTimeline(host, on) {
  /** @type {{n: number, time: ArrayLike<number> | null, runs: Run[], dummies: Run[], other: Run[] | null}} */
  const shown = { n: 0, time: null, runs: [], dummies: [], other: null };
  let at = 0;
  let scale = timelineScale(shown, 0);
  const parts = createParts(host, { at: () => at, select: (/** @type {number} */ event) => select(event) });
  const { strip, label, head, hoverLine, playback } = parts;

  const positionText = (/** @type {number} */ event) =>
    `${shown.time ? `${moment(shown.time[event])} · ` : ""}event ${eventNumber(event)} of ${whole(shown.n)}`;
  const textOf = (/** @type {number} */ event) =>
    `${positionText(event)}${isInRuns(shown.runs, event) ? " · landmark" : ""}`;

  function paint() {
    const width = strip.clientWidth; // measured here alone: a million reads would lay the page out as often
    scale = timelineScale(shown, width);
    if (!width) return;
    paintTimeline(parts.canvas, scale, width, shown);
    move();
    on.paint?.();
  }

  function move() {
    head.style.transform = `translateX(${scale.place(at)}px)`;
    label.textContent = shown.n ? textOf(at) : "";
    strip.setAttribute("aria-valuemin", "0");
    strip.setAttribute("aria-valuemax", String(Math.max(0, shown.n - 1)));
    strip.setAttribute("aria-valuenow", String(at));
    strip.setAttribute("aria-valuetext", label.textContent);
    hoverLine.hidden = true;
  }

  /** @param {number} event */
  function select(event, { silent = false } = {}) {
    if (!shown.n) return;
    at = Math.max(0, Math.min(shown.n - 1, event));
    move();
    if (!silent) on.select?.(at);
  }

  /** Show the hovered event. @param {number | null} event */
  function hover(event) {
    hoverLine.hidden = event === null || !shown.n;
    if (event !== null && shown.n) hoverLine.style.transform = `translateX(${scale.place(event)}px)`;
    label.textContent = shown.n ? textOf(event ?? at) : "";
  }

  watchStrip(parts, { on, select, hover, now: () => ({ at, n: shown.n, scale }) });
  onTheme(paint);
  new ResizeObserver(paint).observe(strip);

  return {
    /** @param {Partial<typeof shown>} changes */
    set(changes) {
      const { n, time = null, runs, dummies, other } = changes;
      Object.assign(shown, { runs: runs ?? shown.runs, dummies: dummies ?? shown.dummies });
      if (other !== undefined) shown.other = other;
      if (n !== undefined) {
        Object.assign(shown, { n, time });
        at = Math.min(at, Math.max(0, n - 1));
        playback.set(shown);
        scale = timelineScale(shown, strip.clientWidth);
        hover(null);
      }
      paint();
    },
    select,
    hover,
    stop: playback.stop,
    at: () => at,
    scale: {
      strip,
      row: parts.row,
      place: (/** @type {number} */ event) => scale.place(event),
      eventAt: (/** @type {number} */ x) => scale.eventAt(x),
      count: () => shown.n,
      label: positionText,
      bound: playback.bound,
    },
  };
}

/** @param {HTMLElement} host @param {{at: () => number, select: (event: number) => void}} player */
function createParts(host, player) {
  const playback = createPlayback(player);
  const label = el("p.timeline__text.grow.muted.clip");
  const canvas = el("canvas.timeline__canvas");
  const head = el("div.timeline__head");
  const hoverLine = el("div.timeline__ghost", { hidden: true });
  const range = el("div.timeline__range", { hidden: true });
  const attributes = { class: "timeline__strip", role: "slider", tabindex: "0", "aria-label": "Event" };
  const strip = el("div", attributes, canvas, range, hoverLine, head);
  const { play, speed, other } = playback.elements;
  const row = el("div.timeline__row.line.gap-3", play, label, speed, other);
  host.replaceChildren(row, strip);
  return { playback, label, canvas, head, hoverLine, range, strip, row };
}

/**
 * Pointer and keys on the strip; `now()` = {at, n, scale}.
 *
 * @param {ReturnType<typeof createParts>} parts
 * @param {{
 *   on: TimelineListeners,
 *   select: (event: number) => void,
 *   hover: (event: number | null) => void,
 *   now: () => {at: number, n: number, scale: ReturnType<typeof timelineScale>},
 * }} timeline
 */
function watchStrip({ strip, range, playback }, { on, select, hover, now }) {
  /** @type {{event: number, x: number, shift: boolean} | null} */
  let from = null;
  let moved = false;
  /** @type {number | null} */
  let hovered = null;
  const eventUnder = (/** @type {PointerEvent} */ event) =>
    now().scale.eventAt(event.clientX - strip.getBoundingClientRect().left);

  /** @param {number | null} event */
  function setHovered(event) {
    if (hovered === event) return;
    hovered = event;
    hover(event);
    on.hover?.(event);
  }

  /** @param {number} one @param {number} other */
  function markRange(one, other) {
    const [left, right] = [Math.min(one, other), Math.max(one, other)].map(now().scale.place);
    range.hidden = false;
    range.style.transform = `translateX(${left}px)`;
    range.style.width = `${Math.max(2, right - left)}px`;
  }

  function release() {
    range.hidden = true;
    from = null;
  }

  strip.addEventListener("pointerdown", (event) => {
    if (event.button || !now().n) return;
    playback.stop();
    setHovered(null);
    from = { event: eventUnder(event), x: event.clientX, shift: event.shiftKey && Boolean(on.range) };
    moved = false;
    strip.setPointerCapture(event.pointerId);
    select(from.event);
  });
  strip.addEventListener("pointerleave", () => setHovered(null));
  strip.addEventListener("pointermove", (event) => {
    if (!from) return setHovered(event.pointerType === "mouse" && now().n ? eventUnder(event) : null);
    moved ||= Math.abs(event.clientX - from.x) > MOVED_PX;
    select(eventUnder(event));
    if (from.shift) markRange(from.event, now().at);
  });
  strip.addEventListener("pointerup", () => {
    const { at } = now();
    if (from?.shift && moved) on.range?.(Math.min(from.event, at), Math.max(from.event, at) + 1);
    else if (from && !moved) on.press?.(at);
    release();
  });
  strip.addEventListener("pointercancel", release);
  strip.addEventListener("keydown", (event) => {
    const to = stepOf(event, now().at, now().n);
    const plays = event.key.toLowerCase() === "p" && !event.ctrlKey && !event.metaKey && !event.altKey;
    if (to === null && !plays) return;
    event.preventDefault();
    event.stopPropagation();
    if (to === null) playback.toggle();
    else select(to);
  });
}

/**
 * Where a key leads from event `at` of `n`: arrows one step, Page keys a twentieth, Home, End; null for other keys.
 *
 * @param {{key: string, ctrlKey: boolean, metaKey: boolean, altKey: boolean, shiftKey?: boolean}} keys
 * @param {number} at
 * @param {number} n
 */
export function stepOf({ key, ctrlKey, metaKey, altKey, shiftKey }, at, n) {
  if (ctrlKey || metaKey || altKey || shiftKey || !n) return null;
  const page = Math.max(1, Math.round(n / 20));
  /** @type {Record<string, number>} */
  const steps = {
    ArrowRight: at + 1,
    ArrowUp: at + 1,
    ArrowLeft: at - 1,
    ArrowDown: at - 1,
    PageUp: at + page,
    PageDown: at - page,
    Home: 0,
    End: n - 1,
  };
  return key in steps ? Math.max(0, Math.min(n - 1, steps[key])) : null;
}

const HEIGHT_PX = 52;
const LANDMARK_OPACITY = 0.82;

/** @typedef {ReturnType<typeof import("./timeline_scale.js").timelineScale>} Scale */

/**
 * Paint a strip of `width` pixels; `runs` are landmarks, hollow where `dummies` lie in them, `other` a second set or
 * null.
 *
 * @param {HTMLCanvasElement} canvas
 * @param {Scale} scale
 * @param {number} width
 * @param {{n: number, runs: Run[], dummies: Run[], other: Run[] | null}} shown
 */
function paintTimeline(canvas, scale, width, { n, runs, dummies, other }) {
  const ratio = window.devicePixelRatio || 1;
  Object.assign(canvas, { width: width * ratio, height: HEIGHT_PX * ratio });
  Object.assign(canvas.style, { width: `${width}px`, height: `${HEIGHT_PX}px` });
  const ctx = canvas.getContext("2d");
  if (!ctx) return;
  ctx.scale(ratio, ratio);
  ctx.fillStyle = token("--line");
  ctx.fillRect(8, 17, width - 16, 4);
  ctx.fillStyle = token("--line-strong");
  for (let i = 0; i < n; i = scale.firstFrom(scale.place(i) + 1)) ctx.fillRect(scale.place(i) - 0.5, 17, 1, 4);
  ctx.fillStyle = token("--accent");
  ctx.globalAlpha = LANDMARK_OPACITY;
  const [top, height] = other ? [3, 13] : [9, 20];
  paintRuns(ctx, scale, runsWithout(runs, dummies), top, height);
  paintRuns(ctx, scale, dummies, top, 1.5);
  paintRuns(ctx, scale, dummies, top + height - 1.5, 1.5);
  ctx.globalAlpha = 1;
  if (other) {
    ctx.fillStyle = hatch(ctx, token("--foreground"));
    paintRuns(ctx, scale, other, 19, 11);
  }
  paintTicks(ctx, scale, width);
}

/**
 * @param {CanvasRenderingContext2D} ctx
 * @param {Scale} scale
 * @param {Run[]} runs
 * @param {number} top
 * @param {number} height
 */
function paintRuns(ctx, { place }, runs, top, height) {
  let reached = -1;
  for (const [start, end] of runs) {
    const left = Math.max(reached, place(start) - 1); // many runs share a pixel: each is painted once
    const right = Math.max(place(start) + 2, place(end - 1) + 1);
    if (right - reached < 0.5) continue;
    ctx.fillRect(left, top, right - left, height);
    reached = right;
  }
}

/** @param {CanvasRenderingContext2D} ctx @param {Scale} scale @param {number} width */
function paintTicks(ctx, { ticks }, width) {
  ctx.font = `11px ${token("--sans")}`;
  ctx.fillStyle = token("--muted");
  ctx.textAlign = "center";
  for (const [x, text] of ticks()) {
    ctx.fillRect(Math.round(x), 32, 1, 4);
    const half = Math.max(26, ctx.measureText(text).width / 2);
    ctx.fillText(text, Math.max(half, Math.min(width - half, x)), 48);
  }
}

/**
 * Slanted lines, which distinguish a second set from the first without colour.
 *
 * @param {CanvasRenderingContext2D} ctx
 * @param {string} colour
 */
function hatch(ctx, colour) {
  const tile = document.createElement("canvas");
  tile.width = tile.height = 6;
  const lines = /** @type {CanvasRenderingContext2D} */ (tile.getContext("2d"));
  lines.strokeStyle = colour;
  lines.lineWidth = 1.5;
  lines.beginPath();
  for (const x of [-6, 0, 6]) {
    lines.moveTo(x, 6);
    lines.lineTo(x + 6, 0);
  }
  lines.stroke();
  return /** @type {CanvasPattern} */ (ctx.createPattern(tile, "repeat"));
}
