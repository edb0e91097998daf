/* Two sides of one map, parted by a line that is dragged or moved with the keys. */

import { el } from "../../core/dom.js";
import { layerSelect } from "./layer_select.js";

const STEPS = {
  ArrowLeft: -2,
  ArrowDown: -2,
  ArrowRight: 2,
  ArrowUp: 2,
  PageDown: -10,
  PageUp: 10,
  Home: -100,
  End: 100,
};

/** Divider and selects in `host`, over the map. `on.move(percent)`, `on.choose("left" | "right", id)`. */
export function createSwipe(host, on) {
  const line = el(
    "div",
    {
      class: "swipe__line",
      role: "separator",
      tabindex: "0",
      "aria-orientation": "vertical",
      "aria-label": "Divider",
      "aria-valuemin": "0",
      "aria-valuemax": "100",
    },
    el("span", { class: "swipe__knob" }),
  );
  const left = layerSelect("Left of the divider", (id) => on.choose("left", id));
  const right = layerSelect("Right of the divider", (id) => on.choose("right", id));
  const element = el(
    "div",
    { class: "swipe", hidden: true },
    el("div", { class: "swipe__side" }, left.element),
    el("div", { class: "swipe__side swipe__side--right" }, right.element),
    line,
  );
  host.append(element);
  let at = 50;

  function place(percent) {
    at = Math.max(0, Math.min(100, percent));
    line.style.setProperty("left", `${at}%`);
    line.setAttribute("aria-valuenow", String(Math.round(at)));
    line.setAttribute("aria-valuetext", `${Math.round(at)} % ${left.title()}, then ${right.title()}`);
  }

  function move(percent) {
    place(Math.round(percent * 10) / 10);
    on.move(at);
  }

  /** @type {any} */
  let grip = null; // where the line was taken hold of, beside its middle
  const share = (x) => {
    const box = element.getBoundingClientRect();
    return ((x - box.left) / box.width) * 100;
  };
  line.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    grip = share(event.clientX) - at;
    line.setPointerCapture(event.pointerId);
  });
  line.addEventListener("pointermove", (event) => grip !== null && move(share(event.clientX) - grip));
  for (const end of ["pointerup", "pointercancel"]) line.addEventListener(end, () => (grip = null));
  line.addEventListener("dblclick", () => move(50));
  line.addEventListener("keydown", (event) => {
    const step = STEPS[event.key];
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    event.preventDefault();
    event.stopPropagation();
    move(at + step);
  });

  return {
    /** Show it with `choices` [{id, title, ready}]; the sides are ids. */
    show({ choices, sides, split }) {
      left.set(choices, sides[0]);
      right.set(choices, sides[1]);
      place(split);
      element.hidden = false;
    },
    hide() {
      element.hidden = true;
    },
  };
}
