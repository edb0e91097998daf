/* The tools on the map: pick, select in a rectangle, draw a polygon or a circle; what each does with presses, clicks
 * and keys. A tool is made again each time it is chosen.
 */

import { check, createNumber, valueOf } from "../../components/number_field.js";
import { announce, el } from "../../core/dom.js";
import { icon, smallButton } from "../../core/elements.js";
import { metres } from "../../core/format.js";
import { distanceM } from "../../map/projection.js";
import { circleZone, polygonZone, RADIUS_M, typedCircle } from "./zone_geometry.js";

const CLOSE_PX = 12;
const TOUCH_CLOSE_PX = 22;
const SAME_PX = 3;

const isCoarse = () => matchMedia("(pointer: coarse)").matches;
const apart = (a, b) => Math.hypot(a.x - b.x, a.y - b.y);
/** A button, with its key where there is a keyboard. */
const small = (text, key, onclick) =>
  smallButton([text, key && !isCoarse() ? el("kbd", { class: "muted" }, key) : null], null, onclick);
const cancel = (stop) => small("Cancel", "Esc", stop);
/** Do what one of `keys` does, if it was pressed; whether it was. */
function pressed(keys, { key }) {
  keys[key]?.();
  return key in keys;
}

/** Clicks pick; a drag with Shift selects in a rectangle. */
function pickTool({ map, on }) {
  return { press: (at) => (at.shift ? band(at, map, on) : null), click: on.pick };
}

/** Every drag selects in a rectangle: for fingers. */
function selectTool({ map, on, stop }) {
  return {
    cursor: "cross",
    instructions: "Drag a rectangle over events to add them, or to remove them if all are landmarks.",
    controls: [small("Done", "Esc", stop)],
    press: (at) => band(at, map, on),
    click: on.pick,
    key: (event) => pressed({ Escape: stop }, event),
  };
}

function band(start, map, on) {
  const { x: left, y: top } = start.point;
  const boxTo = ({ point: { x, y } }) => ({
    ...{ x: Math.min(left, x), y: Math.min(top, y), width: Math.abs(left - x), height: Math.abs(top - y) },
  });
  return {
    move: (at) => map.sketch({ box: boxTo(at) }),
    end(at, moved) {
      map.sketch(null);
      if (moved) on.select(boxTo(at));
    },
    cancel: () => map.sketch(null),
  };
}

/** Corner by corner; closed by the first corner, a double click or Enter. */
function polygonTool({ map, on, done, stop }) {
  let corners = [];
  /** @type {any} */
  let to = null;
  const instructions = isCoarse()
    ? "Tap corner by corner; the first one again closes."
    : "Click corner by corner; the first one again, or a double click, closes.";
  const close = small("Finish", "Enter", finish);
  const back = small(isCoarse() ? "Back" : "Take back", "⌫", takeBack);
  const atEvent = () => put(on.currentEvent());
  const here = small(isCoarse() ? "At the event" : "Corner at the event", "Space", atEvent);
  const keys = { Enter: finish, Escape: stop, Backspace: takeBack, " ": atEvent };

  function show() {
    close.disabled = corners.length < 3;
    back.disabled = corners.length === 0;
    map.sketch({ corners, to });
  }

  function put(corner) {
    corners = [...corners, corner];
    to = null;
    show();
    announce(`Corner ${corners.length}.`);
  }

  function takeBack() {
    corners = corners.slice(0, -1);
    show();
    announce(`${corners.length} corners left.`);
  }

  function finish() {
    if (corners.length >= 3) done(polygonZone(corners));
    else announce("A polygon has at least three corners.");
  }

  show();
  return {
    cursor: "cross",
    instructions,
    controls: [close, back, here, cancel(stop)],
    click({ lon, lat, point }) {
      const distance = (corner) => apart(map.point(...corner), point);
      if (corners.length >= 3 && distance(corners[0]) <= (isCoarse() ? TOUCH_CLOSE_PX : CLOSE_PX)) finish();
      else if (!corners.length || distance(corners.at(-1)) > SAME_PX) put([lon, lat]);
    },
    hover({ lon, lat }) {
      to = [lon, lat];
      if (corners.length) show();
    },
    double: finish,
    key: (event) => pressed(keys, event),
  };
}

/** Pressed at the centre and dragged; or the centre clicked, then the radius clicked or typed. */
function circleTool({ map, on, prompt, done, stop }) {
  /** @type {any} */
  let centre = null;
  const atEvent = () => fix(...on.currentEvent());
  const named = { class: "input tools__radius compact grow", "aria-label": "Radius, m", placeholder: "Radius, m" };
  const { input: radius, error } = createNumber({ ...RADIUS_M, required: true }, named);
  const typed = () => check(radius) && done(typedCircle(...centre, valueOf(radius)));
  radius.addEventListener("input", () => draw(valueOf(radius) || 0));
  radius.addEventListener("keydown", (event) => {
    if (!pressed({ Enter: typed, Escape: stop }, event)) return;
    event.preventDefault();
    event.stopPropagation();
  });

  function draw(radius_m) {
    const [lon, lat] = centre;
    map.sketch({ round: { lon, lat, radius_m, text: radius_m > 0 ? metres(radius_m) : "" } });
  }

  function fix(lon, lat) {
    centre = [lon, lat];
    draw(0);
    const add = small("Add circle", "Enter", typed);
    const instructions = `${isCoarse() ? "Tap" : "Click"} where the circle should reach, or type its radius.`;
    prompt(instructions, [radius, add, cancel(stop), error]);
    if (!isCoarse()) radius.focus();
  }

  const reach = ({ lon, lat }) => distanceM(lon, lat, ...centre);
  return {
    cursor: "cross",
    instructions: `Press on the centre and drag, or ${isCoarse() ? "tap" : "click"} it and give the radius.`,
    controls: [small("Centre at the event", "Space", atEvent), cancel(stop)],
    double: () => {},
    press(start) {
      if (centre) return null;
      return {
        move(at) {
          centre = [start.lon, start.lat];
          draw(reach(at));
        },
        end(at, moved) {
          if (moved) done(circleZone(start.lon, start.lat, reach(at)));
        },
        cancel: stop,
      };
    },
    click(at) {
      if (!centre) fix(at.lon, at.lat);
      else if (reach(at) > 0) done(circleZone(...centre, reach(at)));
    },
    hover: (at) => centre && draw(reach(at)),
    key: (event) => pressed({ Escape: stop, ...(!centre && { " ": atEvent }) }, event),
  };
}

const ICONS = {
  pick: "M3.5 2.5l9 4.2-3.8 1.5-1.6 3.9z",
  select: "M2.5 5V2.5H5M7 2.5h2M11 2.5h2.5V5M13.5 7v2M13.5 11v2.5H11M9 13.5H7M5 13.5H2.5V11M2.5 9V7",
  polygon: "M8 2l5.5 4.2-2 7.3h-7l-2-7.3z",
  circle: "M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11",
};
const TOOLS = { pick: pickTool, select: selectTool, polygon: polygonTool, circle: circleTool };
const TITLES = { pick: "Pick", select: "Select", polygon: "Polygon", circle: "Circle" };

/** What a zone looks like in the list. */
export const zoneIcon = ({ type }) => icon(ICONS[type === "Circle" ? "circle" : "polygon"]);

/**
 * Buttons in `host`, instructions for the tool in use in `hint`. `on.pick(at)` receives clicks that draw nothing,
 * `on.select(box)` a rectangle in pixels, `on.zone(zone)` one that was drawn; `on.cursor()` gives the selected event's
 * place. Returns {choose(name), key(event)}: key is true if the tool took the key.
 */
export function createTools({ host, hint, map, on }) {
  /** @type {any} */
  let tool = null;
  const buttons = new Map(Object.entries(TITLES).map(([name, title]) => [name, button(name, title)]));
  host.replaceChildren(...buttons.values());

  function button(name, title) {
    const named = { type: "button", class: "tool", title, "aria-label": title, "aria-pressed": "false" };
    const press = { dataset: { tool: name }, onclick: () => choose(name, true) };
    return el("button", { ...named, ...press }, icon(ICONS[name]), el("span", {}, title));
  }

  function choose(name, byReader = false) {
    map.sketch(null);
    const stop = () => choose("pick");
    const done = (zone) => {
      stop();
      on.zone(zone);
    };
    tool = TOOLS[name]({ map, on, prompt, done, stop });
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
