/* A map on which the box of a public grid is drawn, chosen from a list and dragged. It shows data on request only. */

import { get } from "../core/api.js";
import { $, announce, el } from "../core/dom.js";
import { boundsOf as boundsOfCells } from "../checkins/cell_places.js";
import { polygonOf } from "../checkins/cell_places.js";
import { createMap } from "../map/map.js";
import { draggedBox, handlesOf, isBox, roundedBox } from "./box_edit.js";

/** @typedef {import("./box_edit.js").Box} Box */

const MOST = 1000; // cells of the upload on the map

const NARROW_PX = 500; // the buttons on such a map are beside the box, not over its corner
const BUTTONS = 0.2; // of the width and of the height of the box

const boundsOf = (/** @type {Box} */ { west, south, east, north }) =>
  /** @type {Bounds} */ ([west, south, east, north]);

const keyOf = (/** @type {Box | null} */ box) => String(box && boundsOf(box));

/**
 * The map of templates/includes/box_map.html, or of releases/checkins/_grid.html, in `host`. `onChange(box)` after each
 * choice that is made on it. `show(box, columns, rows)` draws a box with its cells; what is no box is not drawn.
 * `fromData()` returns whether the box was chosen with knowledge of the upload: the checkbox states it, or the upload
 * was shown on the map.
 *
 * @param {HTMLElement} host
 * @param {{areas: ({name: string} & Box)[], onChange: (box: Box) => void}} options
 */
export function createBoxMap(host, { areas, onChange }) {
  const map = createMap($("[data-box]", host), { label: "Map of the box of the grid" });
  const select = $("[data-areas]", host);
  /** @type {HTMLInputElement | null} */
  const looked = $("[data-box-from-data]", host);
  /** @type {Box | null} */
  let box = null;
  let [columns, rows] = [1, 1];

  /** What shows a box with its corners. @param {Box} shown */
  const frameOf = (shown) => {
    const [west, south, east, north] = boundsOf(shown);
    const free = $("[data-box]", host).clientWidth < NARROW_PX ? BUTTONS : 0;
    return /** @type {Bounds} */ ([west, south - free * (north - south), east + free * (east - west), north]);
  };

  function draw() {
    map.handles(box ? handlesOf(box) : [], { move, drop });
    if (box) map.addGridLines({ id: "box", grid: { ...box, columns, rows } });
    else map.remove("box");
    map.setHome(box && frameOf(box));
    const same = areas.findIndex((area) => keyOf(area) === keyOf(box));
    select.value = same < 0 ? "" : String(same);
  }

  function choose(/** @type {Box} */ chosen) {
    box = chosen;
    draw();
    onChange(box);
  }

  function move(/** @type {string} */ id, /** @type {number} */ lon, /** @type {number} */ lat) {
    if (box) choose(draggedBox(box, id, lon, lat));
  }

  function drop(/** @type {string} */ id, /** @type {number} */ lon, /** @type {number} */ lat) {
    move(id, lon, lat);
    if (box) announce(`The box is from ${box.west}, ${box.south} to ${box.east}, ${box.north}.`);
  }

  function fit(/** @type {Box} */ chosen) {
    choose(chosen);
    map.fit(frameOf(chosen));
  }

  async function showUploaded(/** @type {Event} */ { currentTarget }) {
    const button = /** @type {HTMLButtonElement} */ (currentTarget);
    button.disabled = true;
    try {
      const { cells } = await get(`${button.dataset.showUploaded}?k=${MOST}`);
      map.addZones({ id: "uploaded", zones: cells.map(polygonOf) });
      map.fit(/** @type {Bounds} */ (boundsOfCells(cells)));
      $("[data-uploaded-note]", host).hidden = false;
      if (looked) [looked.checked, looked.disabled] = [true, true]; // what was seen stays seen
      looked?.dispatchEvent(new Event("change", { bubbles: true }));
    } catch (error) {
      button.disabled = false;
      button.after(el("span.field__error", { role: "alert" }, error.message));
    }
  }

  select.append(...areas.map(({ name }, i) => el("option", { value: String(i) }, name)));
  select.addEventListener("change", () => select.value && fit(areas[Number(select.value)]));
  $("[data-use-view]", host).addEventListener("click", () => choose(roundedBox(map.viewBox())));
  $("[data-show-uploaded]", host)?.addEventListener("click", showUploaded);

  return {
    fromData: () => looked !== null && (looked.checked || looked.disabled),
    /** @param {Record<string, unknown> | null} sides @param {number} across @param {number} up */
    show(sides, across = 1, up = across) {
      const [first, shown] = [box === null, isBox(sides) ? { ...sides } : null];
      if (keyOf(shown) === keyOf(box) && columns === across && rows === up) return;
      [columns, rows] = [across, up];
      box = shown;
      draw();
      if (box && (first || map.isFitted())) map.fit(frameOf(box));
    },
  };
}
