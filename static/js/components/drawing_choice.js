/* How a layer is drawn on the map: the map's choice, or a line, points or a density surface. */

import { DRAWINGS } from "../map/track_drawing.js";
import { el } from "../core/dom.js";

const AUTOMATIC = "Automatic";

/** A labelled select for the layer `id`; `choose(id, drawing)`. `fill` takes {title, drawing: {chosen, drawing}}. */
export function drawingChoice(id, choose) {
  const automatic = el("option", { value: "auto" }, AUTOMATIC);
  const select = el(
    "select",
    { class: "input", onchange: () => choose(id, select.value) },
    automatic,
    DRAWINGS.map(([value, text]) => el("option", { value }, text)),
  );
  return {
    element: el("label", { class: "layer__drawing line muted" }, el("span", {}, "Draw as"), select),
    fill({ title, drawing }) {
      const text = DRAWINGS.find(([value]) => value === drawing?.drawing)?.[1].toLowerCase();
      automatic.textContent = text && drawing.chosen === "auto" ? `${AUTOMATIC}: ${text}` : AUTOMATIC;
      select.value = drawing?.chosen ?? "auto";
      select.setAttribute("aria-label", `Draw ${title} as`);
    },
  };
}
