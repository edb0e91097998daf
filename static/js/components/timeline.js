/* The time strip: events, landmarks as blocks, a playhead that plays, steps and is dragged; Shift marks a range. */

import { createPlayback } from "./timeline_playback.js";
import { el, moment, whole } from "../core/dom.js";
import { runsWithout } from "../core/event_runs.js";
import { onTheme, token } from "../core/series_style.js";
import { nearestIndex } from "../core/sorted_search.js";

const STEPS_S = [
  1, 5, 15, 60, 300, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400, 172800, 604800, 2592000, 31536000,
];

/**
 * A strip in `host`. `set({n, time, runs, dummies, other})`: `runs` are landmarks, hollow where `dummies` lie in them;
 * `other` are a second set's runs, hatched below the first, or null. `on.select(event)` hears every move of the playhead, `on.press(event)` a
 * click that was no drag, `on.range(start, end)` a stretch marked with Shift, `on.hover(event | null)` where the pointer
 * is, `on.paint()` that the scale has changed. `hover(event | null)` shows what is looked at elsewhere; `scale` is what a
 * brush needs (see timeline_brush.js).
 */
export function createTimeline(host, on) {
  let [n, time, runs, at] = [0, null, [], 0];
  let [dummies, other] = [[], null];
  const playback = createPlayback({ at: () => at, select: (event) => select(event) });
  const label = el("p", { class: "timeline__words" });
  const canvas = el("canvas", { class: "timeline__canvas" });
  const head = el("div", { class: "timeline__head" });
  const hoverLine = el("div", { class: "timeline__ghost", hidden: true });
  const range = el("div", { class: "timeline__range", hidden: true });
  const strip = el(
    "div",
    { class: "timeline__strip", role: "slider", tabindex: "0", "aria-label": "Event" },
    canvas,
    range,
    hoverLine,
    head,
  );
  const { play, speed, other: typed } = playback.elements;
  const row = el("div", { class: "timeline__row" }, play, label, speed, typed);
  host.replaceChildren(row, strip);

  let across = 0; // the strip's width, measured when it changes: asking a million times lays the page out as often
  const width = () => across;
  const place = (event) => {
    if (n < 2) return width() / 2;
    const share = time && time[n - 1] > time[0] ? (time[event] - time[0]) / (time[n - 1] - time[0]) : event / (n - 1);
    return 8 + share * (width() - 16);
  };
  const eventAt = (x) => {
    const share = Math.max(0, Math.min(1, (x - 8) / (width() - 16)));
    if (time && time[n - 1] > time[0]) return nearestIndex(time, time[0] + share * (time[n - 1] - time[0]));
    return Math.round(share * (n - 1));
  };
  /** The first event at `x` or farther right; n if there is none. */
  const firstFrom = (x) => {
    let [low, high] = [0, n];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (place(middle) < x) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const isLandmark = (event) => {
    let [low, high] = [0, runs.length]; // the first run that ends after the event
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (runs[middle][1] <= event) low = middle + 1;
      else high = middle;
    }
    return low < runs.length && runs[low][0] <= event;
  };

  function paint() {
    const ratio = window.devicePixelRatio || 1;
    across = strip.clientWidth;
    const [w, h] = [across, 52];
    if (!w) return;
    Object.assign(canvas, { width: w * ratio, height: h * ratio });
    Object.assign(canvas.style, { width: `${w}px`, height: `${h}px` });
    const ctx = canvas.getContext("2d");
    ctx.scale(ratio, ratio);
    ctx.fillStyle = token("--line");
    ctx.fillRect(8, 17, w - 16, 4);
    ctx.fillStyle = token("--line-strong");
    for (let i = 0; i < n; i = firstFrom(place(i) + 1)) ctx.fillRect(place(i) - 0.5, 17, 1, 4);
    ctx.fillStyle = token("--accent");
    ctx.globalAlpha = 0.82;
    const [top, height] = other ? [3, 13] : [9, 20];
    paintRuns(ctx, runsWithout(runs, dummies), top, height);
    paintRuns(ctx, dummies, top, 1.5);
    paintRuns(ctx, dummies, top + height - 1.5, 1.5);
    ctx.globalAlpha = 1;
    if (other) {
      ctx.fillStyle = hatch(ctx, token("--ink"));
      paintRuns(ctx, other, 19, 11);
    }
    paintTicks(ctx, w);
    move();
    on.paint?.();
  }

  function paintRuns(ctx, ranges, top, height) {
    let reached = -1;
    for (const [start, end] of ranges) {
      const left = Math.max(reached, place(start) - 1); // many runs share a pixel: each is painted once
      const right = Math.max(place(start) + 2, place(end - 1) + 1);
      if (right - reached < 0.5) continue;
      ctx.fillRect(left, top, right - left, height);
      reached = right;
    }
  }

  function paintTicks(ctx, w) {
    ctx.font = `11px ${token("--sans")}`;
    ctx.fillStyle = token("--muted");
    ctx.textAlign = "center";
    for (const [x, text] of ticks(w)) {
      ctx.fillRect(Math.round(x), 32, 1, 4);
      ctx.fillText(text, Math.max(26, Math.min(w - 26, x)), 48);
    }
  }

  function ticks(w) {
    const most = Math.max(2, Math.floor(w / 72));
    const found = [];
    if (time && time[n - 1] > time[0]) {
      const step = STEPS_S.find((s) => (time[n - 1] - time[0]) / s <= most) ?? (time[n - 1] - time[0]) / most;
      for (let t = Math.ceil(time[0] / step) * step; t <= time[n - 1]; t += step) {
        const [day, clock] = moment(t, { seconds: step < 60 }).split(", ");
        const text = step >= 86400 || (clock === "00:00" && step >= 1800) ? day.replace(/ \d{4}$/, "") : clock;
        found.push([8 + ((t - time[0]) / (time[n - 1] - time[0])) * (w - 16), text]);
      }
      return found;
    }
    const power = 10 ** Math.floor(Math.log10(Math.max(1, n / most)));
    const step = [1, 2, 5, 10].map((k) => k * power).find((s) => n / s <= most) ?? n;
    for (let i = 0; i < n; i += step) found.push([place(i), whole(i)]);
    return found;
  }

  const positionText = (event) =>
    `${time ? `${moment(time[event])} · ` : ""}event ${whole(event)} of 0–${whole(n - 1)}`;

  const textOf = (event) => `${positionText(event)}${isLandmark(event) ? " · landmark" : ""}`;

  function move() {
    head.style.transform = `translateX(${place(at)}px)`;
    label.textContent = n ? textOf(at) : "";
    strip.setAttribute("aria-valuemin", "0");
    strip.setAttribute("aria-valuemax", String(Math.max(0, n - 1)));
    strip.setAttribute("aria-valuenow", String(at));
    strip.setAttribute("aria-valuetext", label.textContent);
    hoverLine.hidden = true;
  }

  function select(event, { silent = false } = {}) {
    if (!n) return;
    at = Math.max(0, Math.min(n - 1, event));
    move();
    if (!silent) on.select?.(at);
  }

  /** The event looked at, here or elsewhere. */
  function hover(event) {
    hoverLine.hidden = event === null || !n;
    if (!hoverLine.hidden) hoverLine.style.transform = `translateX(${place(event)}px)`;
    label.textContent = n ? textOf(hoverLine.hidden ? at : event) : "";
  }

  drag();

  let hovered = null;
  function setHovered(event) {
    if (hovered === event) return;
    hovered = event;
    hover(event);
    on.hover?.(event);
  }

  function drag() {
    let [from, moved] = [null, false];
    const local = (event) => eventAt(event.clientX - strip.getBoundingClientRect().left);
    strip.addEventListener("pointerdown", (event) => {
      if (event.button || !n) return;
      playback.stop();
      setHovered(null);
      from = { event: local(event), x: event.clientX, shift: event.shiftKey && Boolean(on.range) };
      moved = false;
      strip.setPointerCapture(event.pointerId);
      select(from.event);
    });
    strip.addEventListener("pointerleave", () => setHovered(null));
    strip.addEventListener("pointermove", (event) => {
      if (!from) return setHovered(event.pointerType === "mouse" && n ? local(event) : null);
      moved ||= Math.abs(event.clientX - from.x) > 3;
      select(local(event));
      if (from.shift) markRange(from.event, at);
    });
    strip.addEventListener("pointerup", () => {
      if (from?.shift && moved) on.range(Math.min(from.event, at), Math.max(from.event, at) + 1);
      else if (from && !moved) on.press?.(at);
      range.hidden = true;
      from = null;
    });
    strip.addEventListener("pointercancel", () => {
      range.hidden = true;
      from = null;
    });
  }

  function markRange(one, other) {
    const [left, right] = [place(Math.min(one, other)), place(Math.max(one, other))];
    range.hidden = false;
    range.style.transform = `translateX(${left}px)`;
    range.style.width = `${Math.max(2, right - left)}px`;
  }

  strip.addEventListener("keydown", (event) => {
    const to = stepOf(event, at, n);
    const plays = event.key.toLowerCase() === "p" && !event.ctrlKey && !event.metaKey && !event.altKey;
    if (to === null && !plays) return;
    event.preventDefault();
    event.stopPropagation();
    if (plays) playback.toggle();
    else select(to);
  });
  onTheme(paint);
  new ResizeObserver(paint).observe(strip);

  return {
    set(what) {
      if ("n" in what) {
        [n, time] = [what.n, what.time ?? null];
        at = Math.min(at, Math.max(0, n - 1));
        playback.set({ n, time });
        hover(null);
      }
      runs = what.runs ?? runs;
      dummies = what.dummies ?? dummies;
      if ("other" in what) other = what.other;
      paint();
    },
    select,
    hover,
    stop: playback.stop,
    at: () => at,
    scale: { strip, row, place, eventAt, count: () => n, label: positionText, bound: playback.bound },
  };
}

/** Slanted lines, to tell a second set from the first without colour. */
function hatch(ctx, colour) {
  const tile = document.createElement("canvas");
  tile.width = tile.height = 6;
  const context = tile.getContext("2d");
  context.strokeStyle = colour;
  context.lineWidth = 1.5;
  context.beginPath();
  for (const x of [-6, 0, 6]) {
    context.moveTo(x, 6);
    context.lineTo(x + 6, 0);
  }
  context.stroke();
  return ctx.createPattern(tile, "repeat");
}

/** Where a key leads from event `at` of `n`: arrows one step, Page keys a twentieth, Home, End; null for other keys. */
export function stepOf({ key, ctrlKey, metaKey, altKey, shiftKey }, at, n) {
  if (ctrlKey || metaKey || altKey || shiftKey || !n) return null;
  const page = Math.max(1, Math.round(n / 20));
  const to = {
    ArrowRight: at + 1,
    ArrowUp: at + 1,
    ArrowLeft: at - 1,
    ArrowDown: at - 1,
    PageUp: at + page,
    PageDown: at - page,
    Home: 0,
    End: n - 1,
  }[key];
  return to === undefined ? null : Math.max(0, Math.min(n - 1, to));
}
