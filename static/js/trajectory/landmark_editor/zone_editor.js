/* Zones on the map and in the rail, one row each: chosen, moved, labelled, measured, deleted, typed, imported and
 * downloaded.
 */

import { check, createNumber, refuseInvalid, valueOf, write } from "../../components/number_field.js";
import { announce, el, save } from "../../core/dom.js";
import { errorPlace, selectOf, showText, smallButton } from "../../core/elements.js";
import { messageOf } from "../../core/field_errors.js";
import { count, eventNumber, metres, number } from "../../core/format.js";
import { zoneIcon } from "./toolbar.js";
import * as geometry from "./zone_geometry.js";

const { areaM2, cornersOf, eventsIn, moved, nameOf, RADIUS_M, typedCircle, withoutCorner } = geometry;

/** 12,300 m², 4.2 km² */
export const area = (m2) => (m2 < 1e5 ? `${number(m2)}\u202fm²` : `${number(m2 / 1e6)}\u202fkm²`);
const size = (zone) => (zone.type === "Circle" ? `radius ${metres(zone.radius_m)}` : area(areaM2(zone)));

/**
 * Rows in `host`. `on.choose(index)`, `on.corner(index of a corner)`, `on.change(index, zone, key)`,
 * `on.remove(index)`.
 * Returns {show({zones, selected, corner, counts}), fail(index, message)}.
 */
function createZoneList(host, on) {
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
  const name = el("span", { class: "zone__name strong clip" });
  const facts = el("span", { class: "muted" });
  const error = errorPlace();
  const expanded = { class: "bare zone__head stack gap-2 small", "aria-expanded": String(inside !== null) };
  const press = { type: "button", dataset: { key: `zone-${index}` }, onclick: () => on.choose(inside ? -1 : index) };
  const head = el("button", { ...expanded, ...press }, zoneIcon(zone), name, facts);
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
  const button = (text, key, onclick, disabled = false) =>
    smallButton(text, null, onclick, { dataset: { key }, disabled });
  const drop = () => change(withoutCorner(now, at), "corner");
  const withoutOne =
    zone.type === "Circle" ? el("span") : button("Remove corner", "drop-corner", drop, cornersOf(zone).length <= 3);
  const remove = button("Delete zone", "delete", () => on.remove(index));
  const inside = el(
    "div",
    { class: "zone__body stack" },
    el("div", { class: "zone__pair pair gap-2" }, label.element, more.element, lon.element, lat.element),
    el("div", { class: "row apart" }, withoutOne, remove),
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
  return { ...field("Corner", select), set: (value) => (select.value = String(value)) };
}

/** An input with its label, and the place of its error. */
const field = (text, input, /** @type {any} */ error = null) => ({
  input,
  element: el("div", { class: "field" }, el("label", { class: "small", for: input.id }, text), input, error),
});

const isTypedIn = (input) => document.activeElement === input;

function textField(text, key, onChange) {
  const typed = { class: "input", id: `zone-${key}`, maxlength: "200", placeholder: "none" };
  const input = el("input", { ...typed, dataset: { key } });
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

const COUNTED_LIVE = 200_000;

/**
 * The panel is `element`, made once. `on.put(zones, key)` receives every change, `on.draft(zones)` the zones while a
 * handle is dragged, `on.currentEvent()` gives the selected event {event, lon, lat}, `on.check(zones)` resolves, or
 * rejects with the engine's error, `on.problem(text)`.
 */
export class ZoneEditor {
  /** @type {{zones: any[], track: any, visible: boolean}} */
  #state = { zones: [], track: null, visible: false };
  #selected = -1;
  #corner = 0;

  constructor({ map, radius, name, on }) {
    this.map = map;
    this.name = name;
    this.on = on;
    this.parts = createParts(radius, { addAround: (event) => this.#addAround(event), saveZones: () => this.#save() });
    this.element = this.parts.element;
    this.list = createZoneList(this.parts.rows, {
      choose: (index) => this.choose(index),
      corner: (index) => this.#chooseCorner(index),
      change: (index, zone, key) => this.#put(index, zone, key),
      remove: (index) => this.#remove(index),
    });
    this.handling = this.#handling();
    this.parts.file.addEventListener("change", () => this.#load());
  }

  /** Show {zones, track, visible}. */
  show(state) {
    this.#state = state;
    const { zones } = state;
    if (this.#selected >= zones.length) this.#selected = -1;
    this.#paint(zones);
    this.parts.empty.hidden = zones.length > 0;
    this.parts.download.disabled = zones.length === 0;
  }

  /** Name the selected event beside the form for a circle. */
  playhead() {
    const { event } = this.on.currentEvent();
    this.parts.aroundLabel.textContent = `Circle around event ${eventNumber(event)}, radius in m`;
  }

  choose(index) {
    this.#selected = index;
    this.#corner = 0;
    this.show(this.#state);
    const { zones, track } = this.#state;
    if (index < 0) return;
    announce(`${nameOf(zones[index], index)}, ${count(eventsIn(zones[index], track), "event")} inside.`);
  }

  chooseAt(lon, lat) {
    this.choose(geometry.zoneAt(this.#state.zones, lon, lat));
  }

  add(zone) {
    const { zones, track } = this.#state;
    this.#selected = zones.length;
    this.#corner = 0;
    this.on.put([...zones, zone], null);
    announce(`${describe(zone)} added, ${count(eventsIn(zone, track), "event")} inside.`);
  }

  /** Show the errors that name a zone; returns the others. */
  fail(errors) {
    return errors.filter((error) => !failZone(this.list, this.#state.zones.length, error));
  }

  /** Show `zones`; while one is dragged over a long track the counts wait until it is dropped. */
  #paint(zones) {
    const { map } = this;
    const { track, visible } = this.#state;
    const selected = this.#selected;
    if (!visible) {
      map.remove("zones");
      map.handles([], {});
      return;
    }
    map.addZones({ zones, selected });
    this.#listZones(zones, track.n > COUNTED_LIVE ? this.#state.zones : zones);
    map.handles(
      selected >= 0 ? geometry.handlesOf(zones[selected], nameOf(zones[selected], selected)) : [],
      this.handling,
    );
    this.playhead();
  }

  #listZones(zones, counted = zones) {
    const counts = counted.map((zone) => eventsIn(zone, this.#state.track));
    this.list.show({ zones, selected: this.#selected, corner: this.#corner, counts });
  }

  #chooseCorner(index) {
    this.#corner = index;
    this.show(this.#state);
    this.map.focusHandle(`corner-${index}`);
  }

  /** What the handles of the chosen zone do. */
  #handling() {
    const zone = () => this.#state.zones[this.#selected];
    const cornerOf = (id) => Number(id.split("-")[1]);
    return {
      move: (id, lon, lat) => {
        const draft = this.#state.zones.with(this.#selected, moved(zone(), id, lon, lat));
        this.#paint(draft);
        this.on.draft(draft);
      },
      drop: (id, lon, lat) => {
        this.#put(this.#selected, moved(zone(), id, lon, lat), `${id}-${this.#selected}`);
        if (!id.startsWith("between")) return;
        this.#corner = cornerOf(id) + 1;
        this.map.focusHandle(`corner-${this.#corner}`);
      },
      remove: (id) => {
        if (id === "centre") this.#remove(this.#selected);
        else if (id.startsWith("corner")) this.#put(this.#selected, withoutCorner(zone(), cornerOf(id)), null);
      },
      focus: (id) => {
        if (!id.startsWith("corner")) return;
        this.#corner = cornerOf(id);
        this.#listZones(this.#state.zones);
      },
    };
  }

  #put(index, zone, key) {
    this.on.put(this.#state.zones.with(index, zone), key);
  }

  #remove(index) {
    const { zones } = this.#state;
    this.#selected = -1;
    this.on.put(zones.toSpliced(index, 1), null);
    announce(`${nameOf(zones[index], index)} is deleted.`);
    (this.parts.rows.querySelector("button") ?? this.parts.around).focus({ preventScroll: true });
  }

  #addAround(event) {
    event.preventDefault();
    const { lon, lat } = this.on.currentEvent();
    if (!refuseInvalid(event.target)) this.add(typedCircle(lon, lat, valueOf(this.parts.around)));
  }

  #save() {
    const text = JSON.stringify(geometry.toGeoJSON(this.#state.zones), null, 1);
    save(new Blob([text], { type: "application/geo+json" }), `${this.name}.geojson`);
  }

  async #load() {
    const { file } = this.parts;
    const chosen = file.files?.[0];
    file.value = "";
    if (!chosen) return;
    try {
      const found = geometry.fromGeoJSON(await chosen.text());
      await this.on.check(found);
      this.#selected = -1;
      this.on.problem("");
      this.on.put([...this.#state.zones, ...found], null);
      announce(`${count(found.length, "zone")} imported from ${chosen.name}.`);
    } catch (error) {
      this.on.problem(`${chosen.name} was not imported. ${error.message}`);
    }
  }
}

const describe = (zone) =>
  zone.type === "Circle"
    ? `Circle with radius ${metres(zone.radius_m)}`
    : `Polygon with ${cornersOf(zone).length} corners`;

/** Show an error at the zone it names; whether it names one. */
export function failZone(list, count, error) {
  const index = Number(/zones\.(\d+)/.exec(error.field ?? "")?.[1] ?? -1);
  if (index < 0 || index >= count) return false;
  list.fail(index, messageOf(error));
  return true;
}

/** The elements of the panel. */
function createParts(radius, { addAround, saveZones }) {
  const rule = { ...RADIUS_M, required: true };
  const { input: around, error } = createNumber(rule, { id: "around-radius", value: radius });
  const aroundLabel = el("label", { for: "around-radius", class: "small" });
  const submit = el("button", { class: "button", type: "submit" }, "Add circle");
  const form = { class: "zones__around", novalidate: true, onsubmit: addAround };
  const hint = "Draw a polygon or a circle on the map. Every event inside a zone is a landmark.";
  const empty = el("p", { class: "small muted" }, hint);
  const rows = el("ol", { class: "zones unless-empty", "aria-label": "Zones" });
  const accept = ".geojson,.json,application/geo+json";
  const file = el("input", { type: "file", class: "visually-hidden", id: "zones-file", accept });
  const load = el("label", { for: "zones-file", class: "button button--small" }, "Import GeoJSON");
  const download = smallButton("Download zones", null, saveZones);
  const parts = [el("form", form, aroundLabel, around, submit, error), empty, rows];
  const files = el("div", { class: "row" }, file, load, download);
  const element = el("div", { class: "stack", dataset: { zones: "" } }, parts, files);
  return { element, around, aroundLabel, rows, empty, file, download };
}
