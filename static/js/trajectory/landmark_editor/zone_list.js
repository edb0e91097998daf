/* The zones in the rail: one row each; the chosen one opens to be labelled, measured and deleted. */

import { check, createNumber, valueOf, write } from "../../components/number_field.js";
import { el } from "../../core/dom.js";
import { errorPlace, selectOf, showText } from "../../core/elements.js";
import { count, metres, number } from "../../core/format.js";
import { zoneIcon } from "./toolbar.js";
import { areaM2, cornersOf, moved, nameOf, RADIUS_M, withoutCorner } from "./zone_geometry.js";

/** 12,300 m², 4.2 km² */
export const area = (m2) => (m2 < 1e5 ? `${number(m2)}\u202fm²` : `${number(m2 / 1e6)}\u202fkm²`);
const size = (zone) => (zone.type === "Circle" ? `radius ${metres(zone.radius_m)}` : area(areaM2(zone)));

/**
 * Rows in `host`. `on.choose(index)`, `on.corner(index of a corner)`, `on.change(index, zone, key)`,
 * `on.remove(index)`.
 * Returns {show({zones, selected, corner, counts}), fail(index, message)}.
 */
export function createZoneList(host, on) {
  /** @type {{shape: string, rows: any[]}} */
  let shown = { shape: "", rows: [] };

  function show({ zones, selected, corner, counts }) {
    const shape = JSON.stringify([
      selected,
      zones.map((zone) => [zone.type, zone.type === "Circle" ? 0 : cornersOf(zone).length]),
    ]);
    if (shape !== shown.shape) rebuild(zones, selected, shape);
    shown.rows.forEach((row, i) => row.update(zones[i], counts[i], corner));
  }

  function rebuild(zones, selected, shape) {
    const key = host.contains(document.activeElement) ? document.activeElement?.dataset.key : null;
    shown = { shape, rows: zones.map((zone, i) => (i === selected ? openRow(zone, i, on) : closedRow(zone, i, on))) };
    host.replaceChildren(...shown.rows.map(({ element }) => element));
    if (key) host.querySelector(`[data-key="${key}"]`)?.focus({ preventScroll: true });
    if (selected >= 0 && scrolls(host.closest(".rail")))
      shown.rows[selected].element.scrollIntoView({ block: "nearest" });
  }

  return { show, fail: (index, message) => shown.rows[index]?.fail(message) };
}

/** On a phone the rail lies below the map: what is chosen on the map must not scroll it away. */
const scrolls = (rail) => getComputedStyle(rail).overflowY !== "visible";

function closedRow(zone, index, on, /** @type {any} */ inside = null) {
  const name = el("span", { class: "zone__name clip" });
  const facts = el("span", { class: "muted" });
  const error = errorPlace();
  const head = el(
    "button",
    {
      type: "button",
      class: "bare zone__head",
      "aria-expanded": String(inside !== null),
      dataset: { key: `zone-${index}` },
      onclick: () => on.choose(inside ? -1 : index),
    },
    zoneIcon(zone),
    name,
    facts,
  );
  const fail = (message) => showText(error, message);
  return {
    element: el("li", { class: "zone" }, head, inside, error),
    fail,
    update(now, events) {
      name.textContent = nameOf(now, index);
      facts.textContent = `${size(now)} · ${count(events, "event")}`;
      fail("");
    },
  };
}

function openRow(zone, index, on) {
  let now = zone;
  let at = 0;
  const change = (next, what) => on.change(index, next, `${what}-${index}`);
  const label = textField("Label", "label", (value) => change({ ...now, label: value }, "label"));
  const place = () => (now.type === "Circle" ? now.center : cornersOf(now)[at]);
  const handle = () => (now.type === "Circle" ? "centre" : `corner-${at}`);
  const lon = numberField("Longitude, °", "lon", { minimum: -180, maximum: 180 }, (value) =>
    change(moved(now, handle(), value, place()[1]), "lon"),
  );
  const lat = numberField("Latitude, °", "lat", { minimum: -90, maximum: 90 }, (value) =>
    change(moved(now, handle(), place()[0], value), "lat"),
  );
  const more = zone.type === "Circle" ? radiusField(() => now, change) : cornerField(zone, on);
  const withoutOne =
    zone.type === "Circle"
      ? null
      : button("Remove corner", "drop-corner", () => change(withoutCorner(now, at), "corner"));
  if (withoutOne) withoutOne.disabled = cornersOf(zone).length <= 3;
  const inside = el(
    "div",
    { class: "zone__body stack" },
    el("div", { class: "zone__pair" }, label.element, more.element, lon.element, lat.element),
    el(
      "div",
      { class: "row row--apart" },
      withoutOne ?? el("span"),
      button("Delete zone", "delete", () => on.remove(index)),
    ),
  );
  const row = closedRow(zone, index, on, inside);
  return {
    ...row,
    update(next, events, corner) {
      now = next;
      at = zone.type === "Circle" ? 0 : Math.min(corner, cornersOf(next).length - 1);
      row.update(next, events);
      label.set(next.label);
      more.set(zone.type === "Circle" ? next.radius_m : at);
      lon.set(place()[0]);
      lat.set(place()[1]);
    },
  };
}

const radiusField = (now, change) =>
  numberField("Radius, m", "radius", RADIUS_M, (value) => change({ ...now(), radius_m: value }, "radius"));

function cornerField(zone, on) {
  const options = cornersOf(zone).map((_, i) => [i, `Corner ${i + 1} of ${cornersOf(zone).length}`]);
  const onchange = () => on.corner(Number(select.value));
  const select = selectOf({ id: "zone-corner", dataset: { key: "corner" }, onchange }, options);
  return {
    element: el("div", { class: "field" }, el("label", { for: "zone-corner", class: "small" }, "Corner"), select),
    set: (value) => (select.value = String(value)),
  };
}

const button = (text, key, onclick) =>
  el("button", { type: "button", class: "button button--small", dataset: { key }, onclick }, text);

/** An input with its label, and the place of its error. */
const field = (text, input, /** @type {any} */ error = null) => ({
  input,
  element: el("div", { class: "field" }, el("label", { class: "small", for: input.id }, text), input, error),
});

const isTypedIn = (input) => document.activeElement === input;

function textField(text, key, onChange) {
  const input = el("input", {
    class: "input",
    id: `zone-${key}`,
    maxlength: "200",
    placeholder: "none",
    dataset: { key },
  });
  input.addEventListener("input", () => onChange(input.value));
  return { ...field(text, input), set: (value) => isTypedIn(input) || (input.value = String(value)) };
}

/**
 * What is typed is stored. A number that is refused changes nothing and stays marked, so that nothing is saved with it.
 */
function numberField(text, key, rule, onChange) {
  const { input, error } = createNumber({ ...rule, required: true }, { dataset: { key } });
  /** @type {any} */
  let own = null;
  input.addEventListener("input", () => check(input) && onChange(valueOf(input)));
  input.addEventListener("blur", () => check(input) && write(input, own));
  return {
    ...field(text, input, error),
    set(value) {
      own = value;
      if (!isTypedIn(input) && !input.hasAttribute("aria-invalid")) write(input, value);
    },
  };
}
