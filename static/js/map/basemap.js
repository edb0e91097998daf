/* The base map below all layers, its control in the lower left corner, and the search for a city. */

import { el } from "../core/dom.js";
import { onTheme } from "../core/series_style.js";
import { baseMap, isPermitted, onBaseMap, TITLES } from "./basemap_choice.js";
import { addButton, corner } from "./controls.js";
import { ORDER } from "./layer_stack.js";
import { BUILT_IN_ZOOM } from "./projection.js";

const GLASS = "M11.5 6.75a4.75 4.75 0 1 1-9.5 0 4.75 4.75 0 0 1 9.5 0ZM10.2 10.2 14 14";

/**
 * What a map needs only later is loaded when it does: the panel, the search, the built-in map, vector tiles.
 *
 * @param {import("leaflet").Map} map
 * @param {Pick<ReturnType<typeof import("./layer_stack.js").createLayerStack>, "put" | "remove" | "redraw">} stack
 * @param {number} middle longitude of the map
 * @param {(lon: number) => number} near a longitude as the map counts it
 */
export function addBaseMap(map, stack, middle, near) {
  if (!baseMap()) return;
  const { button, text, updatePanel } = addNote(map);
  button.hidden = baseMap()?.fixed === true;
  addSearch(map, near);
  /** @type {any} */
  let tiles = null;
  let shown = "";
  let showSource = () => {};

  function show() {
    const config = /** @type {import("./basemap_choice.js").Config} */ (baseMap());
    const source = sourceOf(config);
    const key = JSON.stringify([config.choice, source?.url]);
    updatePanel();
    button.textContent = `Base map: ${TITLES[config.choice].toLowerCase()}`;
    if (key === shown) return;
    shown = key;
    showSource = () => text.replaceChildren(...attribution(config, source, map.getZoom()));
    showSource();
    tiles?.remove();
    tiles = null;
    ["base", "names"].forEach(stack.remove);
    const isCurrent = () => key === shown;
    if (source) {
      const missing = () => {
        shown = ""; // choosing it again tries again
        text.replaceChildren("The map could not be loaded. Choose it again.");
      };
      tileLayer(source, near).then((layer) => isCurrent() && (tiles = layer.addTo(map)), missing);
    }
    const failed = () => text.replaceChildren(UNREACHED);
    if (config.choice === "built-in") addBuiltIn(config.built_in, isCurrent, failed).catch(failed);
  }

  async function addBuiltIn(urls, isCurrent, failed) {
    const [{ builtInLayer }, { cityLayer }] = await Promise.all([import("./natural_earth.js"), import("./cities.js")]);
    if (!isCurrent()) return;
    const changed = () => {
      if (!isCurrent()) return;
      showSource();
      stack.redraw("base");
    };
    stack.put("base", ORDER.base, builtInLayer(urls, { changed, failed }), { keeps: () => true });
    const names = cityLayer(urls.cities, middle, () => stack.redraw("names"));
    stack.put("names", ORDER.names, names);
  }

  show();
  onBaseMap(show);
  map.on("zoomend", () => {
    if (baseMap()?.choice === "built-in") showSource();
    tiles?.rescale?.();
  });
  onTheme(() => tiles?.restyle?.());
}

/** The control in the lower left corner. @param {import("leaflet").Map} map */
function addNote(map) {
  const popup = { "aria-haspopup": "dialog", "aria-expanded": "false" };
  const button = el("button", { class: "bare map-note__button", type: "button", ...popup });
  const text = el("span", { class: "map-note__whose" });
  const box = el("div", { class: "map-note" }, button, text);
  L.DomEvent.disableClickPropagation(box);
  L.DomEvent.disableScrollPropagation(box);
  corner(map, box, "bottomleft");
  /** @type {{element: HTMLElement, update: () => void} | null} */
  let panel = null;
  async function open() {
    const { createPanel } = await import("./basemap_panel.js");
    panel = createPanel(button);
    box.append(panel.element);
    panel.update();
    panel.element.showPopover();
  }
  button.addEventListener("click", open, { once: true });
  return { button, text, updatePanel: () => panel?.update() };
}

function addSearch(map, near) {
  const button = addButton(map, { label: "Find a place", path: GLASS, onClick: () => {} });
  const open = async () => (await import("./place_search.js")).openPlaceSearch(button, map, near);
  button.addEventListener("click", open, { once: true });
}

const TOO_CLOSE = "Natural Earth: too coarse to be drawn this close";
const UNREACHED = "The built-in map could not be loaded. Move the map to try again.";

/** What the tiles shown come from. @param {import("./basemap_choice.js").Config} config */
function sourceOf(config) {
  if (config.choice === "file") return config.file;
  const row = config.choice === "area" ? config.area?.row : null;
  if (row?.tiles) return { ...row, url: row.tiles };
  return config.choice === "server" && isPermitted() ? config.server : null;
}

function attribution({ choice }, source, zoom) {
  if (choice === "built-in") return [zoom > BUILT_IN_ZOOM ? TOO_CLOSE : "Natural Earth"];
  if (!source?.attribution) return [];
  const { attribution: text, attribution_url: href } = source;
  return [href ? el("a", { href, target: "_blank", rel: "noopener noreferrer" }, text) : text];
}

/** @param {any} source @param {(lon: number) => number} near @returns {Promise<any>} */
async function tileLayer({ url, vector, referrer, zooms, bounds: [west, south, east, north] }, near) {
  const shift = near((west + east) / 2) - (west + east) / 2;
  const options = {
    className: "base-tiles",
    maxZoom: 22,
    // a little less, so that no tile is requested of which the file would have the edge alone
    bounds: east - west < 359 ? L.latLngBounds([south, west + shift], [north, east + shift]).pad(-1e-6) : undefined,
    updateWhenZooming: false,
  };
  const className = "base-tiles base-tiles--vector";
  if (vector) return (await import("./vector_tiles.js")).vectorLayer(url, zooms, { ...options, className });
  const native = { minNativeZoom: zooms[0], maxNativeZoom: zooms[1] };
  return L.tileLayer(url, { ...options, ...native, referrerPolicy: referrer ?? "no-referrer" });
}
