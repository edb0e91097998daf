/* The view of the comparison, stored in the page's address: a link shows the same view.
 *
 *   mode overlay, swipe or grid      left, right, split: the layers of a swipe and where it parts, in % of the width
 *   maps, faint: the layers side by side; whether the original lies below them
 *   order, opacity, hide: layers from the top, in %, those not drawn      range: events [first, last + 1) that are
 *   show: best or all of the releases, where it does not name them
 *   draw: line, points or density, where the reader chose how a release is drawn
 *   series: its index, or all      colour: release, where those of all series are not coloured by person
 *   inks: the palette's line of a layer, where it was chosen      lines: 1 for the error lines of all events
 * A layer is named by the end of its id, of which the beginning may be a time.
 */

import { rangeOf, readdress } from "../../core/address.js";
import { DRAWINGS } from "../../map/track_drawing.js";

export const MODES = [
  ["overlay", "Overlay"],
  ["swipe", "Swipe"],
  ["grid", "Side by side"],
];

const KEYS = [
  "mode",
  "left",
  "right",
  "split",
  "maps",
  "faint",
  "order",
  "opacity",
  "hide",
  "range",
  "inks",
  "lines",
  "draw",
  "series",
  "colour",
];

/** A layer's name in the address. */
export const nameOf = (id) => (id.length === 36 ? id.slice(-8) : id);

/** Give a layer another line of the palette; another layer that was given it loses it. */
export function setLineStyle(view, id, index) {
  for (const [name, line] of view.lineStyles) if (line === index) view.lineStyles.delete(name);
  view.lineStyles.set(nameOf(id), index);
}

const listed = (text) => (text ? text.split(",") : []);
const indexOf = (text) => (/^\d+$/.test(text ?? "") ? Number(text) : 0);
const between = (text, low, high, usual) =>
  text !== null && text !== "" && Number(text) >= low && Number(text) <= high ? Number(text) : usual;

/** The view the address names; `opacity` a Map of shares, `hidden` a Set, by name; null where the page decides. */
export function readViewState() {
  const parameters = new URLSearchParams(location.search);
  const mode = parameters.get("mode");
  const opacity = listed(parameters.get("opacity")).map((one) => one.split(":"));
  return {
    mode: MODES.some(([value]) => value === mode) ? mode : "overlay",
    left: parameters.get("left"),
    right: parameters.get("right"),
    split: between(parameters.get("split"), 0, 100, 50),
    maps: parameters.has("maps") ? listed(parameters.get("maps")).slice(0, 4) : null,
    faint: parameters.get("faint") !== "0",
    order: parameters.has("order") ? listed(parameters.get("order")) : null,
    opacity: new Map(opacity.map(([name, share]) => [name, between(share ?? null, 0, 100, 100) / 100])),
    hidden: new Set(listed(parameters.get("hide"))),
    isHidden: parameters.has("hide"),
    opening: new Set(), // what is hidden at first
    show: parameters.get("show"),
    range: rangeOf(parameters.get("range")),
    lineStyles: new Map(
      listed(parameters.get("inks"))
        .map((one) => one.split(":"))
        .map(([name, line]) => [name, Number(line)]),
    ),
    lines: parameters.get("lines") === "1",
    drawings: new Map(
      listed(parameters.get("draw"))
        .map((one) => /** @type {[string, string]} */ (one.split(":")))
        .filter(([, drawing]) => DRAWINGS.some(([value]) => value === drawing)),
    ),
    series: parameters.get("series") === "all" ? null : indexOf(parameters.get("series")),
    byPerson: parameters.get("colour") !== "release",
  };
}

function asText(view) {
  const swipe = view.mode === "swipe";
  const grid = view.mode === "grid";
  const paler = [...view.opacity]
    .filter(([, share]) => share < 1)
    .map(([name, share]) => `${name}:${Math.round(share * 100)}`);
  return {
    mode: view.mode === "overlay" ? "" : view.mode,
    left: swipe ? view.left : "",
    right: swipe ? view.right : "",
    split: swipe && view.split !== 50 ? String(view.split) : "",
    maps: grid ? (view.maps ?? []).join() : "",
    faint: grid && !view.faint ? "0" : "",
    order: (view.order ?? []).join(),
    opacity: paler.join(),
    hide: [...view.hidden].join(),
    range: view.range ? view.range.join("-") : "",
    inks: [...view.lineStyles].map(([name, line]) => `${name}:${line}`).join(),
    lines: view.lines ? "1" : "",
    draw: [...view.drawings].map(([name, drawing]) => `${name}:${drawing}`).join(),
    series: view.series === null ? "all" : view.series ? String(view.series) : "",
    colour: view.byPerson ? "" : "release",
  };
}

/** Write it there; with the releases it is about where they are to stay. What is as usual is left out. */
export function writeViewState(view, { set, releases, pinned = false }) {
  const text = asText(view);
  const same = view.hidden.size === view.opening.size && [...view.hidden].every((name) => view.opening.has(name));
  const isUsual = !pinned && same && KEYS.every((key) => key === "hide" || !text[key]);
  readdress((url) => {
    for (const key of KEYS) {
      if (text[key] && !isUsual) url.searchParams.set(key, text[key]);
      else url.searchParams.delete(key);
    }
    if (!isUsual) pin(url, set, releases);
  });
}

/**
 * Let the address name the landmark set and the releases themselves: later ones do not join an image that was linked.
 */
function pin(url, set, releases) {
  if (set) url.searchParams.set("landmark_set", set);
  url.searchParams.delete("show");
  url.searchParams.delete("release");
  releases.forEach((id) => url.searchParams.append("release", id));
}
