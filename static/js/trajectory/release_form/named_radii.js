/* Radii with names, as buttons below the field of the radius. */

import { $, el } from "../../core/dom.js";
import { metres } from "../../core/format.js";

/** Offer `radii` = [{title, radius_m}] in the fields `host`; `choose(radius_m)` sets one. */
export function offerRadii(host, radii, choose) {
  const buttons = radii.map(({ title, radius_m }) =>
    el(
      "button",
      { class: "button button--small", type: "button", onclick: () => choose(radius_m) },
      `${title} ${metres(radius_m)}`,
    ),
  );
  $("[data-field=radius_m]", host).append(
    el("div", { class: "row", role: "group", "aria-label": "Named radii" }, buttons),
  );
}
