/* Zones on the map and in the rail: chosen, moved, renamed, deleted, typed, imported and downloaded. */

import { announce, count, el, metres, save } from "../../core/dom.js";
import { messageOf } from "../../core/field_errors.js";
import { createNumber, refuseInvalid, valueOf } from "../../components/number_field.js";
import { createZoneList } from "./zone_list.js";
import {
  RADIUS_M,
  cornersOf,
  eventsIn,
  fromGeoJSON,
  handlesOf,
  moved,
  nameOf,
  toGeoJSON,
  typedCircle,
  withoutCorner,
  zoneAt,
} from "./zone_geometry.js";

const COUNTED_LIVE = 200_000;

/**
 * The panel is `element`, made once. `on.put(zones, key)` hears every change, `on.draft(zones)` zones while a handle is
 * dragged, `on.currentEvent()` gives the selected event {event, lon, lat}, `on.check(zones)` promises or throws what the engine
 * says, `on.problem(text)`. Returns
 * {element, show({zones, track, visible}), choose(index), chooseAt(lon, lat), add(zone), playhead(), fail(errors)}.
 */
export function createZoning({ map, radius, name, on }) {
  let [zones, track] = [[], null];
  let selected = -1;
  let corner = 0;
  let visible = false;

  const { input: around, error: aroundError } = createNumber(
    { ...RADIUS_M, required: true },
    { id: "around-radius", value: radius },
  );
  const aroundLabel = el("label", { for: "around-radius", class: "small" });
  const rows = el("ol", { class: "zones", "aria-label": "Zones" });
  const empty = el(
    "p",
    { class: "small muted" },
    "Draw a polygon or a circle on the map. Every event inside a zone is a landmark.",
  );
  const file = el("input", {
    type: "file",
    class: "visually-hidden",
    id: "zones-file",
    accept: ".geojson,.json,application/geo+json",
  });
  const download = el(
    "button",
    {
      type: "button",
      class: "button button--small",
      onclick: () =>
        save(
          new Blob([JSON.stringify(toGeoJSON(zones), null, 1)], { type: "application/geo+json" }),
          `${name}.geojson`,
        ),
    },
    "Download zones",
  );
  const element = el(
    "div",
    { class: "stack", dataset: { zones: "" } },
    el(
      "form",
      { class: "zones__around", novalidate: true, onsubmit: addAround },
      aroundLabel,
      around,
      el("button", { class: "button" }, "Add circle"),
      aroundError,
    ),
    empty,
    rows,
    el(
      "div",
      { class: "row" },
      file,
      el("label", { for: "zones-file", class: "button button--small" }, "Import GeoJSON"),
      download,
    ),
  );
  const list = createZoneList(rows, {
    choose,
    corner: (index) => {
      corner = index;
      show({ zones, track, visible });
      map.focusHandle(`corner-${corner}`);
    },
    change: (index, zone, key) => put(index, zone, key),
    remove,
  });
  file.addEventListener("change", readFile);

  function show(state) {
    ({ zones, track, visible } = state);
    if (selected >= zones.length) selected = -1;
    paint(zones);
    empty.hidden = zones.length > 0;
    download.disabled = zones.length === 0;
  }

  /** Show `these`; while one is dragged over a long track the counts wait until it is dropped. */
  function paint(these) {
    if (!visible) {
      map.remove("zones");
      map.handles([], {});
      return;
    }
    map.addZones({ zones: these, selected });
    list.show({
      zones: these,
      selected,
      corner,
      counts: (track.n > COUNTED_LIVE ? zones : these).map((zone) => eventsIn(zone, track)),
    });
    map.handles(selected >= 0 ? handlesOf(these[selected], nameOf(these[selected], selected)) : [], handling);
    playhead();
  }

  function playhead() {
    aroundLabel.textContent = `Circle around event ${on.currentEvent().event}, radius in m`;
  }

  const handling = {
    move(id, lon, lat) {
      const draft = zones.with(selected, moved(zones[selected], id, lon, lat));
      paint(draft);
      on.draft(draft);
    },
    drop(id, lon, lat) {
      put(selected, moved(zones[selected], id, lon, lat), `${id}-${selected}`);
      if (id.startsWith("between")) {
        corner = Number(id.split("-")[1]) + 1;
        map.focusHandle(`corner-${corner}`);
      }
    },
    remove(id) {
      if (id === "centre") remove(selected);
      else if (id.startsWith("corner")) put(selected, withoutCorner(zones[selected], Number(id.split("-")[1])), null);
    },
    focus(id) {
      if (!id.startsWith("corner")) return;
      corner = Number(id.split("-")[1]);
      list.show({ zones, selected, corner, counts: zones.map((zone) => eventsIn(zone, track)) });
    },
  };

  const put = (index, zone, key) => on.put(zones.with(index, zone), key);

  function choose(index) {
    selected = index;
    corner = 0;
    show({ zones, track, visible });
    if (index >= 0)
      announce(`${nameOf(zones[index], index)}, ${count(eventsIn(zones[index], track), "event")} inside.`);
  }

  function add(zone) {
    selected = zones.length;
    corner = 0;
    on.put([...zones, zone], null);
    const what =
      zone.type === "Circle"
        ? `Circle with radius ${metres(zone.radius_m)}`
        : `Polygon with ${cornersOf(zone).length} corners`;
    announce(`${what} added, ${count(eventsIn(zone, track), "event")} inside.`);
  }

  function remove(index) {
    const gone = nameOf(zones[index], index);
    selected = -1;
    on.put(
      zones.filter((_, i) => i !== index),
      null,
    );
    announce(`${gone} is deleted.`);
    (rows.querySelector("button") ?? around).focus({ preventScroll: true });
  }

  function addAround(event) {
    event.preventDefault();
    const { lon, lat } = on.currentEvent();
    if (!refuseInvalid(event.target)) add(typedCircle(lon, lat, valueOf(around)));
  }

  async function readFile() {
    const [chosen] = file.files;
    file.value = "";
    if (!chosen) return;
    try {
      const found = fromGeoJSON(await chosen.text());
      await on.check(found);
      selected = -1;
      on.problem("");
      on.put([...zones, ...found], null);
      announce(`${count(found.length, "zone")} imported from ${chosen.name}.`);
    } catch (error) {
      on.problem(`${chosen.name} was not imported. ${error.message}`);
    }
  }

  return {
    element,
    show,
    choose,
    add,
    playhead,
    chooseAt: (lon, lat) => choose(zoneAt(zones, lon, lat)),
    /** Show the errors that name a zone; returns the others. */
    fail: (errors) =>
      errors.filter((error) => {
        const index = Number(/zones\.(\d+)/.exec(error.field ?? "")?.[1] ?? -1);
        if (index < 0 || index >= zones.length) return true;
        list.fail(index, messageOf(error));
        return false;
      }),
  };
}
