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

/** A layer's name in the address. */
export const nameOf = (id) => (id.length === 36 ? id.slice(-8) : id);

/** Give a layer another line of the palette; another layer that was given it loses it. */
export function setLineStyle(view, id, index) {
  for (const [name, line] of view.lineStyles) if (line === index) view.lineStyles.delete(name);
  view.lineStyles.set(nameOf(id), index);
}

const listed = (text) => (text ? text.split(",") : []);
const mapOf = (text, read) =>
  new Map(
    listed(text)
      .map((one) => one.split(":"))
      .map(([name, to]) => [name, read(to)]),
  );
const pairs = (map, write = (to) => to) => [...map].map(([name, to]) => `${name}:${write(to)}`).join();
const between = (text, low, high, usual) =>
  text && Number(text) >= low && Number(text) <= high ? Number(text) : usual;
const known = (options, text, usual) => options.find(([value]) => value === text)?.[0] ?? usual;
const share = (text) => between(text, 0, 100, 100) / 100;
const paler = (map) => [...map].filter(([, to]) => to < 1);

// How parts of the view are read from a text, null where it is left out, and written, "" where they are as usual.
const TEXT = [(text) => text, (to) => to];
const LIST = [(text) => (text === null ? null : listed(text)), (to) => (to ?? []).join()];
const on = (text) => [(read) => read === text, (to) => (to ? text : "")];
const off = (text) => [(read) => read !== text, (to) => (to ? "" : text)];
const unless = (usual) => (to) => (to === usual ? "" : String(to));

/** [parameter, part of the view, read, write, the mode it is left out of others than] @type {any[][]} */
const PARAMETERS = [
  ["mode", "mode", (text) => known(MODES, text, "overlay"), unless("overlay")],
  ["left", "left", ...TEXT, "swipe"],
  ["right", "right", ...TEXT, "swipe"],
  ["split", "split", (text) => between(text, 0, 100, 50), unless(50), "swipe"],
  ["maps", "maps", (text) => LIST[0](text)?.slice(0, 4) ?? null, LIST[1], "grid"],
  ["faint", "faint", ...off("0"), "grid"],
  ["order", "order", ...LIST],
  ["opacity", "opacity", (text) => mapOf(text, share), (to) => pairs(paler(to), (one) => Math.round(one * 100))],
  ["hide", "hidden", (text) => new Set(listed(text)), (to) => [...to].join()],
  ["range", "range", rangeOf, (to) => (to ? to.join("-") : "")],
  ["inks", "lineStyles", (text) => mapOf(text, Number), pairs],
  ["lines", "lines", ...on("1")],
  ["draw", "drawings", readDrawings, pairs],
  ["series", "series", (text) => (text === "all" ? null : indexOf(text)), (to) => (to === null ? "all" : to || "")],
  ["colour", "byPerson", ...off("release")],
];

function readDrawings(text) {
  const drawings = [...mapOf(text, (drawing) => known(DRAWINGS, drawing, null))];
  return new Map(drawings.filter(([, drawing]) => drawing));
}

function indexOf(text) {
  return /^\d+$/.test(text ?? "") ? Number(text) : 0;
}

/** The view the address names; `opacity` a Map of shares, `hidden` a Set, by name; null where the page decides. */
export function readViewState() {
  const parameters = new URLSearchParams(location.search);
  return {
    ...Object.fromEntries(PARAMETERS.map(([key, name, read]) => [name, read(parameters.get(key))])),
    isHidden: parameters.has("hide"),
    opening: new Set(), // what is hidden at first
    show: parameters.get("show"),
  };
}

/** Write it there; with the releases it is about where they are to stay. What is as usual is left out. */
export function writeViewState(view, { set, releases, pinned = false }) {
  const texts = PARAMETERS.map(([key, name, , write, mode = view.mode]) => [
    key,
    mode === view.mode ? write(view[name]) : "",
  ]);
  const same = view.hidden.size === view.opening.size && [...view.hidden].every((name) => view.opening.has(name));
  const isUsual = !pinned && same && texts.every(([key, text]) => key === "hide" || !text);
  readdress((url) => {
    for (const [key, text] of texts) {
      if (text && !isUsual) url.searchParams.set(key, text);
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
