/* What a pointer does on a chart over events: a press and a drag choose an event, with Shift a stretch; hovering looks. */

import { el } from "../core/dom.js";

const MOVED_PX = 3;

/**
 * Watch `element`. `where` = {event(clientX) -> event or null, x(event) -> px, box() -> {top, height}}; `on()` gives what
 * listens now: {pick(event), range(first, after), clear(), hover(event or null), label}, each or none of them.
 */
export function watchPointer(element, where, on) {
  const mark = el("div", { class: "chart__range", hidden: true });
  let [held, frame, at] = [null, null, null]; // {event, x, shift}; the frame that tells of a hover; where the pointer is
  let over = false;

  function stretch(to) {
    const [left, right] = [where.x(Math.min(held.event, to)), where.x(Math.max(held.event, to))];
    const { top, height } = where.box();
    mark.hidden = false;
    Object.assign(mark.style, {
      transform: `translateX(${left}px)`,
      width: `${Math.max(2, right - left)}px`,
      top: `${top}px`,
      height: `${height}px`,
    });
  }

  function look(clientX) {
    at = clientX;
    frame ??= requestAnimationFrame(() => {
      frame = null;
      if (over) on().hover?.(where.event(at));
    });
  }

  function leave() {
    over = false;
    on().hover?.(null);
  }

  element.addEventListener("pointerdown", (event) => {
    const found = where.event(event.clientX);
    if (event.button || found === null) return;
    held = { event: found, x: event.clientX, shift: event.shiftKey && Boolean(on().range), moved: false };
    element.setPointerCapture(event.pointerId);
    if (event.shiftKey) event.preventDefault(); // no text is selected
    if (!held.shift) on().pick?.(found);
  });
  element.addEventListener("pointermove", (event) => {
    over = event.pointerType !== "touch";
    if (over) look(event.clientX);
    if (!held) return;
    held.moved ||= Math.abs(event.clientX - held.x) > MOVED_PX;
    const found = where.event(event.clientX);
    if (held.shift && held.moved) stretch(found);
    else if (!held.shift) on().pick?.(found);
  });
  element.addEventListener("pointerup", (event) => {
    const done = held;
    end();
    if (!done?.shift || !done.moved) return;
    const found = where.event(event.clientX);
    on().range(Math.min(done.event, found), Math.max(done.event, found) + 1);
  });
  element.addEventListener("pointercancel", end);
  element.addEventListener("pointerleave", leave);
  element.addEventListener("dblclick", () => on().clear?.());

  function end() {
    held = null;
    mark.hidden = true;
  }

  return mark;
}
