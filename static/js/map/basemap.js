/* The base map below everything, if the operator named one, and the note that states who learns what.
 *
 * Tiles of this server are shown at once. Those of another host come after consent, which this browser keeps
 * for that host and which turning them off takes back: there is no request before it and none after.
 */

import { el } from "../core/dom.js";
import { corner } from "./controls.js";

const KEY = "base-map"; // of localStorage: the host that was consented to, or "off" for tiles of this server
const NONE = "No base map: no tile server sees which area you view.";
const CHANGED = "cairn:base-map";
let consents = 0;
let remembered = null; // where storage is forbidden

function choice() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return remembered;
  }
}

function choose(value) {
  remembered = value;
  try {
    if (value === null) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, value);
  } catch {
    // it holds for this page then
  }
  document.dispatchEvent(new CustomEvent(CHANGED)); // other maps of the page
}

const isOn = ({ host }) => (host ? choice() === host : choice() !== "off");

/**
 * The note in the lower left corner of a Leaflet map, and the tiles; `near(lon)` is a longitude as the map counts it.
 */
export function addBaseMap(map, near) {
  const holder = document.getElementById("base-map");
  const box = el("div", { class: "map-note" });
  corner(map, box, "bottomleft");
  if (holder) offer(map, box, JSON.parse(holder.textContent), near);
  else box.textContent = NONE;
}

function offer(map, box, base, near) {
  const layer = tileLayer(base, near);
  const input = el("input", {
    type: "checkbox",
    onchange: () => (input.checked ? openConsent() : choose(base.host ? null : "off")),
  });
  const text = el("span", { class: "map-note__whose" });
  const question = consent(base.host, (given) => {
    if (given) choose(base.host);
    else show();
    input.focus();
  });
  L.DomEvent.disableClickPropagation(box);
  box.append(el("label", { class: "map-note__choice" }, input, "Base map"), text, question.element);

  function openConsent() {
    if (!base.host) {
      choose(null);
      return;
    }
    input.checked = false; // until it is
    text.textContent = "";
    question.open();
  }
  function show() {
    const on = isOn(base);
    question.close();
    input.checked = on;
    text.textContent = on ? base.attribution : base.host ? "Off: no tile server sees which area you view." : "";
    if (on) layer.addTo(map);
    else layer.remove();
  }
  show();
  document.addEventListener(CHANGED, show);
  addEventListener("storage", ({ key }) => (key === KEY || key === null) && show());
}

function consent(host, decide) {
  const sentence = el(
    "p",
    { id: `base-map-consent-${(consents += 1)}` },
    `The tile server ${host} sees which area you view.`,
  );
  const yes = el(
    "button",
    { class: "button button--small", type: "button", "aria-describedby": sentence.id, onclick: () => decide(true) },
    "Show base map",
  );
  const no = el(
    "button",
    { class: "button button--small button--quiet", type: "button", onclick: () => decide(false) },
    "Leave off",
  );
  const element = el(
    "div",
    { class: "map-note__consent", hidden: true },
    sentence,
    el("div", { class: "row" }, yes, no),
  );
  return {
    element,
    open() {
      element.hidden = false;
      yes.focus();
    },
    close: () => (element.hidden = true),
  };
}

function tileLayer({ url, zooms: [from, to], bounds: [west, south, east, north] }, near) {
  const shift = near((west + east) / 2) - (west + east) / 2;
  return L.tileLayer(url, {
    className: "base-tiles",
    maxZoom: 22,
    minNativeZoom: from,
    maxNativeZoom: to,
    bounds:
      east - west < 359
        ? [
            [south, west + shift],
            [north, east + shift],
          ]
        : undefined,
    referrerPolicy: "no-referrer",
    updateWhenZooming: false,
  });
}
