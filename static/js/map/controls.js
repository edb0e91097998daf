/* The scale bar and buttons in the corners; how many points lie outside of the view. */

import { el } from "../core/dom.js";
import { icon } from "../core/elements.js";
import { whole } from "../core/format.js";

const REST_MS = 100; // counting in every frame of a move would cost 5 ms of 10^6 points

/** 2 km, 500 m, 5 cm. */
export function lengthText(metres) {
  if (metres >= 1000) return `${(metres / 1000).toLocaleString("en")} km`;
  return metres >= 1 ? `${metres} m` : `${Math.round(metres * 100)} cm`;
}

/** The largest 1, 2 or 5 times a power of ten that is at most `metres`. */
export function roundLength(metres) {
  const power = 10 ** Math.floor(Math.log10(metres));
  return power * ([5, 2].find((step) => step * power <= metres) ?? 1);
}

/** Put a scale bar into the lower right corner of a Leaflet map. */
export function addScale(map) {
  const [text, bar] = [el("div"), el("div", { class: "map-scale__bar" })];
  const update = () => {
    const size = map.getSize();
    const [y, x] = [size.y / 2, Math.max(0, size.x / 2 - 60)];
    const metres = map.distance(map.containerPointToLatLng([x, y]), map.containerPointToLatLng([x + 120, y]));
    if (!(metres > 0)) return;
    const length = roundLength(metres);
    text.textContent = lengthText(length);
    bar.style.width = `${(120 * length) / metres}px`;
  };
  map.on("move zoomend resize", update);
  map.whenReady(update);
  corner(map, el("div", { class: "map-scale" }, text, bar), "bottomright");
}

/** Put a button under the zoom's; `path` is what its icon draws in 16 by 16. */
export function addButton(map, { label, path, onClick }) {
  const named = { class: "map-button", type: "button", title: label, "aria-label": label };
  const button = el("button", { ...named, onclick: onClick }, icon(path));
  L.DomEvent.disableClickPropagation(button);
  corner(map, button, "topright");
  return button;
}

/** Put an element into a corner of a Leaflet map. */
export function corner(map, box, position) {
  const control = new L.Control({ position });
  control.onAdd = () => box;
  control.addTo(map);
}

/** "467 of 605 points outside this view". @param {{n: number, within: number}} counts */
export const outsideText = ({ n, within }) => `${whole(n - within)} of ${whole(n)} points outside this view`;

/**
 * Watch the view of a Leaflet map in `element`, and show over it how many points of the tracks lie outside. `count()` =
 * {n, within} of the points shown, `showAll()` brings all into sight. Returns update(), to be called when other points
 * are shown; it counts when the view rests.
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
