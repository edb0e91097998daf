/* Zones on the map and in the rail: chosen, moved, renamed, deleted, typed, imported and downloaded. */

import { createNumber, refuseInvalid, valueOf } from "../../components/number_field.js";
import { announce, el, save } from "../../core/dom.js";
import { messageOf } from "../../core/field_errors.js";
import { count, eventNumber, metres } from "../../core/format.js";
import {
  cornersOf,
  eventsIn,
  fromGeoJSON,
  handlesOf,
  moved,
  nameOf,
  RADIUS_M,
  toGeoJSON,
  typedCircle,
  withoutCorner,
  zoneAt,
} from "./zone_geometry.js";
import { createZoneList } from "./zone_list.js";

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
    this.choose(zoneAt(this.#state.zones, lon, lat));
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
    map.handles(selected >= 0 ? handlesOf(zones[selected], nameOf(zones[selected], selected)) : [], this.handling);
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
    const others = zones.filter((_, i) => i !== index);
    this.on.put(others, null);
    announce(`${nameOf(zones[index], index)} is deleted.`);
    (this.parts.rows.querySelector("button") ?? this.parts.around).focus({ preventScroll: true });
  }

  #addAround(event) {
    event.preventDefault();
    const { lon, lat } = this.on.currentEvent();
    if (!refuseInvalid(event.target)) this.add(typedCircle(lon, lat, valueOf(this.parts.around)));
  }

  #save() {
    const text = JSON.stringify(toGeoJSON(this.#state.zones), null, 1);
    save(new Blob([text], { type: "application/geo+json" }), `${this.name}.geojson`);
  }

  async #load() {
    const { file } = this.parts;
    const chosen = file.files?.[0];
    file.value = "";
    if (!chosen) return;
    try {
      const found = fromGeoJSON(await chosen.text());
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
  const submit = el("button", { class: "button" }, "Add circle");
  const form = { class: "zones__around", novalidate: true, onsubmit: addAround };
  const hint = "Draw a polygon or a circle on the map. Every event inside a zone is a landmark.";
  const empty = el("p", { class: "small muted" }, hint);
  const rows = el("ol", { class: "zones unless-empty", "aria-label": "Zones" });
  const accept = ".geojson,.json,application/geo+json";
  const file = el("input", { type: "file", class: "visually-hidden", id: "zones-file", accept });
  const load = el("label", { for: "zones-file", class: "button button--small" }, "Import GeoJSON");
  const attributes = { type: "button", class: "button button--small", onclick: saveZones };
  const download = el("button", attributes, "Download zones");
  const element = el(
    "div",
    { class: "stack", dataset: { zones: "" } },
    el("form", form, aroundLabel, around, submit, error),
    empty,
    rows,
    el("div", { class: "row" }, file, load, download),
  );
  return { element, around, aroundLabel, rows, empty, file, download };
}
