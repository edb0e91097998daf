/* Playing through the events: a button and a choice of speeds, of which one can be typed. */

import { createNumber, valueOf, write } from "./number_field.js";
import { el } from "../core/dom.js";
import { count, whole } from "../core/format.js";
import { mayMove } from "../core/series_style.js";
import { lastAtMost, usualStep } from "../core/sorted_search.js";

const SPEEDS = [1, 10, 60, 600, 3600, 21600, 86400]; // seconds of the data in one of the reader's
const EVENT_SPEEDS = [1, 5, 20, 100, 1000]; // events in a second, where there are no times
const OTHER = "other";
const PLAY_S = 40; // about how long a whole series plays by default

/**
 * `at()` is the event shown, `select(event)` shows another one. Returns {elements, set({n, time}), bound(first, last)
 * to the events played, toggle(), stop()}.
 */
export function createPlayback({ at, select }) {
  /** @type {any[]} */
  let [n, time, first, last, usual] = [0, null, 0, 0, 0];
  let timer;
  const play = el("button.button.button--square.timeline__play", {
    "aria-label": "Play",
    "aria-keyshortcuts": "P",
    onclick: toggle,
  });
  const speed = el("select.input.compact", { "aria-label": "Speed", hidden: true, onchange: choose });
  const { input: typed, error } = createNumber({ minimum: 0.001, required: true }, { value: 1, oninput: again });
  const unit = el("span.small.muted");
  const other = el("label.timeline__other.compact.line.gap-1.nowrap", { hidden: true }, typed, unit, error);

  const rate = () => (speed.value === OTHER ? (valueOf(typed) ?? NaN) : Number(speed.value));

  function choose() {
    if (speed.value !== OTHER) write(typed, Number(speed.value)); // what another speed begins with
    other.hidden = speed.value !== OTHER;
    if (!other.hidden) typed.focus();
    again();
  }

  function again() {
    if (!timer) return;
    stop();
    if (rate() > 0) start();
  }

  function stop() {
    cancelAnimationFrame(timer);
    timer = null;
    play.setAttribute("aria-label", "Play");
    play.classList.remove("timeline__play--on");
  }

  function start() {
    const speedNow = rate();
    if (!(speedNow > 0)) return;
    if (at() >= last || at() < first) select(first);
    play.setAttribute("aria-label", "Pause");
    play.classList.add("timeline__play--on");
    const next = playSchedule({ time, last, usual }, speedNow, at(), performance.now());
    const tick = (/** @type {number} */ now) => {
      const event = next(at(), now);
      if (event !== at()) select(event);
      if (at() >= last) stop();
      else timer = requestAnimationFrame(tick);
    };
    timer = requestAnimationFrame(tick);
  }

  function toggle() {
    if (!timer) start();
    else stop();
  }

  return {
    elements: { play, speed, other },
    toggle: () => play.disabled || toggle(),
    stop,
    bound(from, to) {
      [first, last] = [from, to];
    },
    set(series) {
      stop();
      ({ n, time } = series);
      [first, last, usual] = [0, Math.max(0, n - 1), time ? usualStep(time, n) : 0];
      fillSpeeds(speed, time, n);
      speed.hidden = n < 2;
      other.hidden = true;
      write(typed, Number(speed.value));
      typed.setAttribute("aria-label", time ? "Speed, times real time" : "Events per second");
      unit.textContent = time ? "×" : "per second";
      play.disabled = n < 2 || !mayMove();
      play.title = mayMove() ? "" : "Animation is disabled by your system: step with the arrow keys.";
    },
  };
}

/** Fill the choice of speeds for a series and choose the usual one. */
function fillSpeeds(speed, time, n) {
  const rates = time ? SPEEDS : EVENT_SPEEDS;
  const wanted = (time ? time[n - 1] - time[0] : n) / PLAY_S;
  const text = (one) => (time ? `${whole(one)}×` : `${count(one, "event")} per second`);
  speed.replaceChildren(
    ...rates.map((one) => el("option", { value: String(one) }, text(one))),
    el("option", { value: OTHER }, "other speed"),
  );
  speed.value = String(rates.find((one) => one >= wanted) ?? rates.at(-1));
}

const LONG = 10; // a gap is a step longer than this many usual ones
const GAP_S = 1.5; // no gap is played for longer

/**
 * A function (event shown, now in ms) -> event to show, for a series that plays from `at` and `began` (ms) on to
 * `last`; `speed` in seconds of the data (events where `time` is null) in a second, `usual` the usual step. Long gaps
 * are cut short.
 *
 * @param {{time: ArrayLike<number> | null, last: number, usual: number}} series
 * @param {number} speed
 * @param {number} at
 * @param {number} began
 * @returns {(at: number, now: number) => number}
 */
export function playSchedule({ time, last, usual }, speed, at, began) {
  const clock = (/** @type {number} */ event) => (time ? time[event] : event);
  let from = clock(at);

  const isLongGap = (/** @type {number} */ event) => {
    const gap = time && event < last ? time[event + 1] - time[event] : 0;
    return gap > LONG * usual && gap > GAP_S * speed;
  };

  return (shown, now) => {
    const due = from + ((now - began) / 1000) * speed;
    let next = Math.min(last, Math.max(shown, time ? lastAtMost(time, due) : Math.floor(due)));
    if (time && next === shown && next < last && isLongGap(next) && now - began > GAP_S * 1000) {
      next += 1;
      [began, from] = [now, clock(next)];
    }
    if (next !== shown && isLongGap(next)) [began, from] = [now, clock(next)];
    return next;
  };
}
