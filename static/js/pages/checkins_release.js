/* The release form of check-ins: the public grid is chosen on a map. */

import { createBoxMap } from "../components/box_map.js";
import { schedule, showForm, take } from "../components/quoted_release.js";
import { $, data } from "../core/dom.js";

const SIDES = ["west", "south", "east", "north"];
const { areas } = data("page-data");
const boxMap = createBoxMap($("[data-box-map]"), { areas, onChange: take });

/** Without the help of the sides: that is above the map. */
const shortened = (/** @type {any} */ field) => (SIDES.includes(field.name) ? { ...field, help: "" } : field);

$("[data-box-from-data]")?.addEventListener("change", schedule);
showForm({
  apart: {
    names: [...SIDES, "side"],
    host: $("[data-grid-fields]"),
    field: shortened,
    changed: ({ side, ...sides }) => boxMap.show(sides, Number.isInteger(side) && side > 0 ? side : 1),
  },
  beside: () => (boxMap.fromData() ? { box_from_data: true } : {}),
});
