/* What a pointer does on a chart over events: a press and a drag choose an event, with Shift a range; hovering
 * shows values.
 */

import { el } from "../core/dom.js";

const MOVED_PX = 3;

/**
 * Watch `element`. `where` = {event(clientX) -> event or null, value(clientX) -> value or null, x(event) -> px,
 * box() -> {top, height}}; `on()` gives what listens now: {pick(event), range(first, after), clear(), hover(event or
 * null), hoverValue(value or null)}, each or none of them.
 */
export function watchPointer(element, where, on) {
  const mark = el("div", { class: "chart__range", hidden: true });
  // {event, x, shift}; the frame that describes a hover; where the pointer is
  /** @type {any[]} */
  let [pressed, frame, at] = [null, null, null];
  let over = false;

  function markRange(to) {
    const [left, right] = [where.x(Math.min(pressed.event, to)), where.x(Math.max(pressed.event, to))];
    const { top, height } = where.box();
    mark.hidden = false;
    Object.assign(mark.style, {
      transform: `translateX(${left}px)`,
      width: `${Math.max(2, right - left)}px`,
      top: `${top}px`,
      height: `${height}px`,
    });
  }

  function hoverAt(clientX) {
    at = clientX;
    frame ??= requestAnimationFrame(() => {
      frame = null;
      if (over) hover(where.event(at), where.value(at));
    });
  }

  function hover(event, value) {
    on().hover?.(event);
    if (event === null) on().hoverValue(value);
  }

  function leave() {
    over = false;
    hover(null, null);
  }

  element.addEventListener("pointerdown", (event) => {
    const found = where.event(event.clientX);
    if (event.button || found === null) return;
    pressed = { event: found, x: event.clientX, shift: event.shiftKey && Boolean(on().range), moved: false };
    element.setPointerCapture(event.pointerId);
    if (event.shiftKey) event.preventDefault(); // no text is selected
    if (!pressed.shift) on().pick?.(found);
  });
  element.addEventListener("pointermove", (event) => {
    over = event.pointerType !== "touch";
    if (over) hoverAt(event.clientX);
    if (!pressed) return;
    pressed.moved ||= Math.abs(event.clientX - pressed.x) > MOVED_PX;
    const found = where.event(event.clientX);
    if (pressed.shift && pressed.moved) markRange(found);
    else if (!pressed.shift) on().pick?.(found);
  });
  element.addEventListener("pointerup", (event) => {
    const done = pressed;
    end();
    if (!done?.shift || !done.moved) return;
    const found = where.event(event.clientX);
    on().range(Math.min(done.event, found), Math.max(done.event, found) + 1);
  });
  element.addEventListener("pointercancel", end);
  element.addEventListener("pointerleave", leave);
  element.addEventListener("dblclick", () => on().clear?.());

  function end() {
    pressed = null;
    mark.hidden = true;
  }

  return mark;
}
