/* The range of events drawn and played: two grips above the strip and a bar between them, or Shift and a drag along it.
 */

import { el } from "../core/dom.js";
import { stepOf } from "./timeline.js";

/** @typedef {ReturnType<typeof import("./timeline.js").createTimeline>["scale"]} Scale */

/**
 * Grips over a time strip (createTimeline's `scale`); with Shift their keys move both. `onChange(range)` receives
 * [first, last + 1) while it changes, null for all events. `set(range)` changes it without a call of `onChange`,
 * `mark(first, after)` and `clear()` with one.
 *
 * @param {Scale & {item?: string}} scale `item` is what lies on it
 * @param {(range: Run | null) => void} onChange
 */
export function createBrush({ strip, row, place, eventAt, count, label, bound, item = "event" }, onChange) {
  let [first, last] = [0, 0];
  const eventUnder = (/** @type {PointerEvent} */ event) => eventAt(event.clientX - strip.getBoundingClientRect().left);
  const bar = el("span.brush__bar");
  const grip = (/** @type {GripOptions} */ options) =>
    createGrip({ ...options, eventUnder, count, shift: (by) => shift(first, last, by) });
  const start = grip({
    name: `First ${item} shown`,
    side: "start",
    at: () => first,
    move: (event) => change(Math.min(event, last), last),
  });
  const end = grip({
    name: `Last ${item} shown`,
    side: "end",
    at: () => last,
    move: (event) => change(first, Math.max(event, first)),
  });
  const lane = el("div.brush", bar, start, end);
  const shades = [0, 1].map(() => el("span.brush__shade", { hidden: true }));
  const whole = () => first === 0 && last === count() - 1;
  const showAll = () => clear({ focus: true });
  const attributes = { class: "button button--small brush__all", hidden: true, onclick: showAll };
  const all = el("button", attributes, "Show all");
  strip.before(lane);
  strip.firstElementChild?.after(...shades); // above what the strip paints, below its playhead
  row.append(all);

  /** Move the range [from, to] by some events, as far as there are events.
   * @param {number} from
   * @param {number} to
   * @param {number} by */
  function shift(from, to, by) {
    const step = Math.max(-from, Math.min(count() - 1 - to, by));
    change(from + step, to + step);
  }

  onDrag(
    bar,
    (event) => !whole() && { event: eventUnder(event), first, last },
    (event, from) => shift(from.first, from.last, eventUnder(event) - from.event),
  );

  /** @param {number} from @param {number} to */
  function change(from, to) {
    if (from === first && to === last) return;
    [first, last] = [from, to];
    draw();
    onChange(whole() ? null : [first, last + 1]);
  }

  function clear({ focus = false } = {}) {
    if (focus) start.focus();
    change(0, count() - 1);
  }

  function draw() {
    const n = count();
    lane.hidden = n < 2;
    if (n < 2) return;
    [first, last] = [Math.min(first, n - 1), Math.min(last, n - 1)]; // another series, before its range is set
    bound(first, last);
    const [left, right] = [place(first), place(last)];
    placeGrip(start, left, first, n - 1, label(first));
    placeGrip(end, right, last, n - 1, label(last));
    placeBar(bar, shades, left, right);
    lane.classList.toggle("brush--on", !whole());
    for (const element of [...shades, all]) element.hidden = whole();
  }

  return { draw, clear, isWhole: whole, set, mark: (/** @type {Run} */ ...[from, after]) => change(from, after - 1) };

  /** [first, last + 1), as much of it as there is; null for all. @param {Run | null} range @returns {Run | null} */
  function set(range) {
    const most = Math.max(0, count() - 1);
    [first, last] = range && range[0] <= most ? [range[0], Math.min(range[1] - 1, most)] : [0, most];
    draw();
    return whole() ? null : [first, last + 1];
  }
}

/**
 * @typedef {{name: string, side: "start" | "end", at: () => number, move: (event: number) => void}} GripOptions
 */

/**
 * A grip at one end of the range; with Shift its keys call `shift(by)`.
 *
 * @param {GripOptions & {
 *   eventUnder: (event: PointerEvent) => number, count: () => number, shift: (by: number) => void,
 * }} options
 */
function createGrip({ name, side, at, move, eventUnder, count, shift }) {
  const attributes = { class: `brush__grip brush__grip--${side}`, role: "slider", "aria-label": name };
  const element = el("button", attributes);
  onDrag(
    element,
    () => true,
    (event) => move(eventUnder(event)),
  );
  element.addEventListener("keydown", (event) => {
    const { key, ctrlKey, metaKey, altKey } = event;
    const to = stepOf({ key, ctrlKey, metaKey, altKey }, at(), count());
    if (to === null) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.shiftKey) shift(to - at());
    else move(to);
  });
  return element;
}

/**
 * @param {HTMLElement} bar
 * @param {HTMLElement[]} shades
 * @param {number} left
 * @param {number} right
 */
function placeBar(bar, shades, left, right) {
  bar.style.setProperty("transform", `translateX(${left}px)`);
  bar.style.setProperty("width", `${right - left}px`);
  shades[0].style.setProperty("width", `${Math.max(0, left - 1)}px`);
  shades[1].style.setProperty("left", `${right + 1}px`);
}

/**
 * @param {HTMLElement} element
 * @param {number} x
 * @param {number} event
 * @param {number} most
 * @param {string} text
 */
function placeGrip(element, x, event, most, text) {
  element.style.setProperty("transform", `translateX(${x}px)`);
  element.setAttribute("aria-valuemin", "0");
  element.setAttribute("aria-valuemax", String(most));
  element.setAttribute("aria-valuenow", String(event));
  element.setAttribute("aria-valuetext", text);
}

/**
 * Call `move(event, start)` while `element` is dragged; `begin(event)` gives what the drag starts from, or false for
 * none.
 *
 * @template T
 * @param {HTMLElement} element
 * @param {(event: PointerEvent) => T | false} begin
 * @param {(event: PointerEvent, start: T) => void} move
 */
function onDrag(element, begin, move) {
  /** @type {T | false} */
  let start = false;
  element.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    start = begin(event);
    if (start) element.setPointerCapture(event.pointerId);
  });
  element.addEventListener("pointermove", (event) => start && move(event, start));
  for (const over of ["pointerup", "pointercancel"]) element.addEventListener(over, () => (start = false));
}
