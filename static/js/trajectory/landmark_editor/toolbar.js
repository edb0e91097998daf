/* The tools on the map: pick, select in a rectangle, draw a polygon or a circle. */

import { announce, el } from "../../core/dom.js";
import { icon } from "../../core/elements.js";
import { circleTool, pickTool, polygonTool, selectTool } from "./drawing_tools.js";

const ICONS = {
  pick: "M3.5 2.5l9 4.2-3.8 1.5-1.6 3.9z",
  select: "M2.5 5V2.5H5M7 2.5h2M11 2.5h2.5V5M13.5 7v2M13.5 11v2.5H11M9 13.5H7M5 13.5H2.5V11M2.5 9V7",
  polygon: "M8 2l5.5 4.2-2 7.3h-7l-2-7.3z",
  circle: "M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11",
};
const TITLES = { pick: "Pick", select: "Select", polygon: "Polygon", circle: "Circle" };

/** What a zone looks like in the list. */
export const zoneIcon = ({ type }) => icon(ICONS[type === "Circle" ? "circle" : "polygon"]);

/**
 * Buttons in `host`, instructions for the tool in use in `hint`. `on.pick(at)` receives clicks that draw nothing,
 * `on.select(box)` a rectangle in pixels, `on.zone(zone)` one that was drawn; `on.cursor()` gives the selected event's
 * place. Returns {choose(name), key(event)}: key is true if the tool took the key.
 */
export function createTools({ host, hint, map, on }) {
  const make = { pick: pickTool, select: selectTool, polygon: polygonTool, circle: circleTool };
  /** @type {any} */
  let tool = null;
  const buttons = new Map(Object.entries(TITLES).map(([name, title]) => [name, button(name, title)]));
  host.replaceChildren(...buttons.values());

  function button(name, title) {
    return el(
      "button",
      {
        type: "button",
        class: "tool",
        title,
        "aria-label": title,
        "aria-pressed": "false",
        dataset: { tool: name },
        onclick: () => choose(name, true),
      },
      icon(ICONS[name]),
      el("span", {}, title),
    );
  }

  function choose(name, byReader = false) {
    map.sketch(null);
    tool = make[name]({
      map,
      on,
      prompt,
      done: (zone) => {
        choose("pick");
        on.zone(zone);
      },
      stop: () => choose("pick"),
    });
    for (const [key, one] of buttons) one.setAttribute("aria-pressed", String(key === name));
    map.use(tool);
    prompt(tool.instructions, tool.controls ?? []);
    if (byReader && tool.instructions) map.focus(); // keys belong to the drawing now
  }

  /** Show what to do next, with controls for those who have no keyboard; nothing without text. */
  function prompt(instructions, controls) {
    hint.hidden = !instructions;
    hint.replaceChildren(
      el("p", { class: "small" }, instructions ?? ""),
      ...(controls.length ? [el("div", { class: "row" }, controls)] : []),
    );
    if (instructions) announce(instructions);
  }

  choose("pick");
  return { choose, key: (event) => tool.key?.(event) ?? false };
}
