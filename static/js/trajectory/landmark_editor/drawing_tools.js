/* What each tool does with presses, clicks and keys. A tool is made again each time it is chosen. */

import { check, createNumber, valueOf } from "../../components/number_field.js";
import { announce, el } from "../../core/dom.js";
import { metres } from "../../core/format.js";
import { distanceM } from "../../map/projection.js";
import { circleZone, polygonZone, RADIUS_M, typedCircle } from "./zone_geometry.js";

const CLOSE_PX = 12;
const TOUCH_CLOSE_PX = 22;
const SAME_PX = 3;

const isCoarse = () => matchMedia("(pointer: coarse)").matches;
const apart = (a, b) => Math.hypot(a.x - b.x, a.y - b.y);
/** A button, with its key where there is a keyboard. */
const small = (instructions, key, onclick) =>
  el(
    "button",
    { type: "button", class: "button button--small", onclick },
    instructions,
    key && !isCoarse() ? el("kbd", { class: "muted" }, key) : null,
  );
const cancel = (stop) => small("Cancel", "Esc", stop);

/** Clicks pick; a drag with Shift selects in a rectangle. */
export function pickTool({ map, on }) {
  return { press: (at) => (at.shift ? band(at, map, on) : null), click: on.pick };
}

/** Every drag selects in a rectangle: for fingers. */
export function selectTool({ map, on, stop }) {
  return {
    cursor: "cross",
    instructions: "Drag a rectangle over events to add them, or to remove them if all are landmarks.",
    controls: [small("Done", "Esc", stop)],
    press: (at) => band(at, map, on),
    click: on.pick,
    key: (event) => event.key === "Escape" && (stop(), true),
  };
}

function band(start, map, on) {
  const boxTo = ({ point }) => ({
    x: Math.min(start.point.x, point.x),
    y: Math.min(start.point.y, point.y),
    width: Math.abs(start.point.x - point.x),
    height: Math.abs(start.point.y - point.y),
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
export function polygonTool({ map, on, done, stop }) {
  let corners = [];
  /** @type {any} */
  let to = null;
  const instructions = isCoarse()
    ? "Tap corner by corner; the first one again closes."
    : "Click corner by corner; the first one again, or a double click, closes.";
  const close = small("Finish", "Enter", finish);
  const back = small(isCoarse() ? "Back" : "Take back", "⌫", takeBack);
  const atEvent = () => put(on.currentEvent());
  const controls = [
    close,
    back,
    small(isCoarse() ? "At the event" : "Corner at the event", "Space", atEvent),
    cancel(stop),
  ];

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
    controls,
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
    key(event) {
      if (event.key === "Enter") finish();
      else if (event.key === "Escape") stop();
      else if (event.key === "Backspace") takeBack();
      else if (event.key === " ") atEvent();
      else return false;
      return true;
    },
  };
}

/** Pressed at the centre and dragged; or the centre clicked, then the radius clicked or typed. */
export function circleTool({ map, on, prompt, done, stop }) {
  /** @type {any} */
  let centre = null;
  const atEvent = () => fix(...on.currentEvent());
  const { input: radius, error } = createNumber(
    { ...RADIUS_M, required: true },
    { class: "input tools__radius", "aria-label": "Radius, m", placeholder: "Radius, m" },
  );
  const typed = () => {
    if (check(radius)) done(typedCircle(...centre, valueOf(radius)));
  };
  radius.addEventListener("input", () => draw(valueOf(radius) || 0));
  radius.addEventListener("keydown", (event) => {
    if (event.key === "Enter") typed();
    else if (event.key === "Escape") stop();
    else return;
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
    prompt(`${isCoarse() ? "Tap" : "Click"} where the circle should reach, or type its radius.`, [
      radius,
      small("Add circle", "Enter", typed),
      cancel(stop),
      error,
    ]);
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
    key(event) {
      if (event.key === "Escape") stop();
      else if (event.key === " " && !centre) atEvent();
      else return false;
      return true;
    },
  };
}
