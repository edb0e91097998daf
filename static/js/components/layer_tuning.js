/* The opacity, the place and the line of a layer of the legend, behind a button. */

import { drawingChoice } from "./drawing_choice.js";
import { el } from "../core/dom.js";
import { icon } from "../core/elements.js";
import { swatch } from "./swatch.js";

const CIRCLES = "M11 3a2 2 0 1 0 0 4a2 2 0 1 0 0-4M5 9a2 2 0 1 0 0 4a2 2 0 1 0 0-4";
const TUNE = `M2 5h7M13 5h1M2 11h1M7 11h7${CIRCLES}`;
const UP = "M8 13V3.5M4 7.5l4-4 4 4";
const DOWN = "M8 3v9.5M4 8.5l4 4 4-4";

/** A button with the icon of that path. */
export const iconButton = (path, attributes) =>
  el("button", { class: "layer__aim", type: "button", ...attributes }, icon(path));

/** The palette's lines to choose from: as many radio inputs that look like what they give. */
function lineChoice(id, lineStyles, choose) {
  const inputs = lineStyles.map((lineStyle, index) =>
    el("input", {
      type: "radio",
      name: `line-${id}`,
      "aria-label": `${lineStyle.colour.name}, ${lineStyle.pattern}`,
      onchange: () => choose(id, index),
    }),
  );
  const legend = el("legend", { class: "visually-hidden" });
  const element = el(
    "fieldset",
    { class: "layer__lines" },
    legend,
    inputs.map((input, i) => el("label", { title: input.ariaLabel }, input, swatch(lineStyles[i]))),
  );
  return {
    element,
    fill({ title, lineStyle }) {
      legend.textContent = `Line of ${title}`;
      inputs.forEach((input, i) => (input.checked = lineStyles[i] === lineStyle));
    },
  };
}

/** The opacity, the place and the line of a layer, behind a button. */
export function layerTuning(id, kind, on, lineStyles) {
  const slider = el("input", {
    type: "range",
    class: "layer__opacity",
    min: "5",
    max: "100",
    step: "5",
    oninput: () => on.opacity(id, Number(slider.value) / 100),
  });
  const go = (by) => (event) => event.currentTarget.ariaDisabled !== "true" && on.move(id, by);
  const orderButtons = kind
    ? []
    : [
        [UP, -1, "Raise"],
        [DOWN, 1, "Lower"],
      ].map(([d, by, action]) => ({ action, button: iconButton(d, { onclick: go(by) }) }));
  const lines = lineStyles && lineChoice(id, lineStyles, on.lineStyle);
  const drawing = lineStyles && drawingChoice(id, on.drawing);
  const panel = el(
    "div",
    { class: "layer__tuning line small", hidden: true },
    slider,
    orderButtons.map(({ button }) => button),
    lines?.element,
    drawing?.element,
  );
  const open = iconButton(TUNE, {
    "aria-expanded": "false",
    onclick() {
      panel.hidden = !panel.hidden;
      open.setAttribute("aria-expanded", String(!panel.hidden));
    },
  });
  return {
    open,
    panel,
    fill(entry) {
      const { title, opacity = 1, place, lineStyle } = entry;
      if (lineStyle) lines?.fill({ title, lineStyle });
      drawing?.fill(entry);
      slider.value = String(Math.round(opacity * 100));
      slider.setAttribute("aria-label", `Opacity of ${title}`);
      slider.setAttribute("aria-valuetext", `${Math.round(opacity * 100)} %`);
      open.setAttribute(
        "aria-label",
        `${kind ? "Opacity" : lineStyles ? "Line, opacity and order" : "Opacity and order"} of ${title}`,
      );
      for (const [i, { action, button }] of orderButtons.entries()) {
        button.setAttribute("aria-label", `${action} ${title}`);
        button.ariaDisabled = String(i ? place?.last : place?.first);
      }
    },
  };
}
