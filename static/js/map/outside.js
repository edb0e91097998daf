/* How many points of the tracks shown lie outside of the view, over the map, and the way to all of them. */

import { el } from "../core/dom.js";
import { whole } from "../core/format.js";

const REST_MS = 100; // counting in every frame of a move would cost 5 ms of 10^6 points

/** "467 of 605 points outside this view". @param {{n: number, within: number}} counts */
export const outsideText = ({ n, within }) => `${whole(n - within)} of ${whole(n)} points outside this view`;

/**
 * Watch the view of a Leaflet map in `element`. `count()` = {n, within} of the points shown, `showAll()` brings all
 * into sight. Returns update(), to be called when other points are shown; it counts when the view rests.
 *
 * @param {HTMLElement} element
 * @param {import("leaflet").Map} leaflet
 * @param {{count: () => {n: number, within: number}, showAll: () => void}} on
 */
export function watchOutside(element, leaflet, { count, showAll }) {
  const text = el("span");
  const button = el("button", { class: "bare", type: "button", onclick: showAll }, "Zoom to all");
  const box = el("p", { class: "map-outside", hidden: true }, text, " ", button);
  L.DomEvent.disableClickPropagation(box);
  element.append(box);
  let due = 0;
  function show() {
    const counts = count();
    box.hidden = counts.within >= counts.n;
    const now = outsideText(counts);
    if (text.textContent !== now) text.textContent = now;
  }
  const update = () => {
    clearTimeout(due);
    due = setTimeout(show, REST_MS);
  };
  leaflet.on("move zoomend resize", update);
  return update;
}
