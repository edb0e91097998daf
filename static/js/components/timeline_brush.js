/* The stretch of time that is drawn and played: two grips above the strip and a bar between them, or Shift and a drag along it. */

import { el } from "../core/dom.js";
import { stepOf } from "./timeline.js";

/**
 * Grips over a time strip (createTimeline's `scale`); with Shift their keys move both. `onChange(range)` hears [first, last + 1) while it changes, null for
 * all events. `set(range)` changes it without telling, `mark(first, after)` and `clear()` tell.
 */
export function createBrush({ strip, row, place, eventAt, count, label, bound }, onChange) {
  let [first, last] = [0, 0];
  const bar = el("span", { class: "brush__bar" });
  const [start, end] = [grip("First event drawn", "start"), grip("Last event drawn", "end")];
  const lane = el("div", { class: "brush" }, bar, start, end);
  const shades = [0, 1].map(() => el("span", { class: "brush__shade", hidden: true }));
  const all = el(
    "button",
    { class: "button button--small brush__all", type: "button", hidden: true, onclick: () => clear({ focus: true }) },
    "Draw all",
  );
  strip.before(lane);
  strip.firstElementChild.after(...shades); // above what the strip paints, below its playhead
  row.append(all);

  const whole = () => first === 0 && last === count() - 1;

  function grip(label, side) {
    const element = el("button", {
      class: `brush__grip brush__grip--${side}`,
      type: "button",
      role: "slider",
      "aria-label": label,
    });
    const at = () => (side === "start" ? first : last);
    const move = (event) =>
      side === "start" ? change(Math.min(event, last), last) : change(first, Math.max(event, first));
    let held = false;
    element.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      held = true;
      element.setPointerCapture(event.pointerId);
    });
    element.addEventListener(
      "pointermove",
      (event) => held && move(eventAt(event.clientX - strip.getBoundingClientRect().left)),
    );
    for (const over of ["pointerup", "pointercancel"]) element.addEventListener(over, () => (held = false));
    element.addEventListener("keydown", (event) => {
      const { key, ctrlKey, metaKey, altKey } = event;
      const to = stepOf({ key, ctrlKey, metaKey, altKey }, at(), count());
      if (to === null) return;
      event.preventDefault();
      event.stopPropagation();
      if (event.shiftKey) shift(first, last, to - at());
      else move(to);
    });
    return element;
  }

  /** The stretch [from, to] moved by some events, as far as there are events. */
  function shift(from, to, by) {
    const step = Math.max(-from, Math.min(count() - 1 - to, by));
    change(from + step, to + step);
  }

  let held = null; // what the bar was taken hold of with: {event, first, last}
  const under = (event) => eventAt(event.clientX - strip.getBoundingClientRect().left);
  bar.addEventListener("pointerdown", (event) => {
    if (event.button || whole()) return;
    held = { event: under(event), first, last };
    bar.setPointerCapture(event.pointerId);
  });
  bar.addEventListener("pointermove", (event) => held && shift(held.first, held.last, under(event) - held.event));
  for (const over of ["pointerup", "pointercancel"]) bar.addEventListener(over, () => (held = null));

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
    const [a, b] = [place(first), place(last)];
    for (const [element, x, event] of [
      [start, a, first],
      [end, b, last],
    ]) {
      element.style.setProperty("transform", `translateX(${x}px)`);
      element.setAttribute("aria-valuemin", "0");
      element.setAttribute("aria-valuemax", String(n - 1));
      element.setAttribute("aria-valuenow", String(event));
      element.setAttribute("aria-valuetext", label(event));
    }
    bar.style.setProperty("transform", `translateX(${a}px)`);
    bar.style.setProperty("width", `${b - a}px`);
    shades[0].style.setProperty("width", `${Math.max(0, a - 1)}px`);
    shades[1].style.setProperty("left", `${b + 1}px`);
    lane.classList.toggle("brush--on", !whole());
    for (const element of [...shades, all]) element.hidden = whole();
  }

  return {
    draw,
    clear,
    isWhole: whole,
    mark: (from, after) => change(from, after - 1),
    /** [first, last + 1), as much of it as there is; null for all. */
    set(range) {
      const most = Math.max(0, count() - 1);
      [first, last] = range && range[0] <= most ? [range[0], Math.min(range[1] - 1, most)] : [0, most];
      draw();
      return whole() ? null : [first, last + 1];
    },
  };
}
