/* The user's base map: read from the page, remembered by the server, the same for all maps and tabs. */

import { del, isOver, patch, poll, post } from "../core/api.js";
import { data } from "../core/dom.js";

const CHANGED = "cairn:base-map";

/**
 * @typedef {"none" | "area" | "built-in" | "file" | "server"} Choice
 * @typedef {{url: string, name: string, attribution: string, zooms: [number, number], bounds: Bounds}} Source
 * @typedef {{
 *   state: string, stage: string, progress: number, error: any, urls: {self: string}, host: string,
 *   tiles: string | null, zooms: [number, number], bounds: Bounds, requested_bounds: Bounds, vector: boolean,
 *   size: number, attribution: string, finished_at: string | null,
 * }} AreaRow
 * @typedef {{
 *   host: string, encrypted: boolean, box: Bounds, region: Bounds, tiles: number, most_mb: number, refused: string,
 *   kept: boolean,
 * }} Offer
 * @typedef {{api: string, dataset: string, shown: boolean, row: AreaRow | null, offer: Offer | null}} Area
 * @typedef {{
 *   choice: Choice,
 *   fixed?: boolean,
 *   api: string,
 *   upload_mb: number,
 *   built_in: {world: string, detail: string, cities: string},
 *   area: Area | null,
 *   file: (Source & {own: boolean, vector: boolean}) | null,
 *   server: (Source & {host: string, attribution_url: string, referrer: string}) | null,
 * }} Config
 */

/** @type {Record<Choice, string>} */
export const TITLES = {
  none: "None",
  area: "Map of the area",
  "built-in": "Built in",
  file: "File",
  server: "Tile server",
};

/** @type {Config | null | undefined} null on a page without a user */
let config;

/** What the user has and can choose; null on a page without a user. */
export function baseMap() {
  if (config === undefined) {
    const found = /** @type {Config | null} */ (data("base-map"));
    // the policy of this page lets tiles through only if their server was agreed to before it was loaded
    permitted = found?.choice === "server";
    const area = /** @type {Area | null} */ (data("area-map") ?? null);
    config = found && here({ ...found, area, choice: area?.shown && area.row?.tiles ? "area" : found.choice });
    if (area?.shown && isFetching(area.row)) follow().catch(() => setArea(null)); // it was removed elsewhere
  }
  return config;
}

let permitted = false;
/** Whether this page may show tiles of the server at once. */
export const isPermitted = () => permitted;

/** What this page can show: a map of an area is of one dataset, and elsewhere there is none. */
const here = (/** @type {Config} */ to) =>
  /** @type {Config} */ (to.choice === "area" && !to.area?.row?.tiles ? { ...to, choice: "none" } : to);

const channel = "BroadcastChannel" in window ? new BroadcastChannel(CHANGED) : null;
channel?.addEventListener("message", ({ data: sent }) => {
  // another tab: it may have taken an agreement back, and never gives one here
  if (config && (sent.choice !== "server" || permitted)) publish(sent, false);
});

/** @param {Config} to what a map of the area there is stays this page's */
function publish(to, here_too = true) {
  config = here({ ...to, area: config?.area ?? null });
  document.dispatchEvent(new CustomEvent(CHANGED));
  if (here_too) channel?.postMessage(to);
}

/** Call `listener` whenever the base map is another one. @param {() => void} listener */
export const onBaseMap = (listener) => document.addEventListener(CHANGED, listener);

/**
 * Show another base map and remember it; if the server refuses, the one before is shown again and the error thrown.
 * That of a tile server needs `host`, to which the user has agreed, and a page that was loaded after that.
 *
 * @param {Choice} choice
 * @param {string} host
 */
export async function chooseBaseMap(choice, host = "") {
  const before = /** @type {Config} */ (baseMap());
  if (choice !== "server") publish({ ...before, choice });
  try {
    const answer = await patch(before.api, { choice, host });
    if (choice === "server" && !permitted) location.reload();
    else publish(answer);
  } catch (error) {
    publish(before);
    throw error;
  }
}

/** The answer to an upload or a removal. @param {Config} answer */
export const setBaseMap = (answer) => publish(answer);

/** What there is of a map of the area; of a page that has the choice. */
export const mapOfArea = () => /** @type {Area} */ (/** @type {Config} */ (baseMap()).area);

/** Whether it is on its way. @param {AreaRow | null | undefined} row */
export const isFetching = (row) => Boolean(row && !isOver(row));

/**
 * Let the server fetch the map of the area from `host`, to which the user agreed; "" for a map that it has.
 *
 * @param {string} host
 */
export async function fetchArea(host) {
  const area = mapOfArea();
  following.abort(); // of one that was cancelled: it is gone with this
  setArea(await post(area.api, { dataset: area.dataset, host }));
  await follow();
}

let following = new AbortController();

/** Follow the fetch to its end; then the map is shown, unless another one was chosen meanwhile. */
async function follow() {
  const { signal } = (following = new AbortController());
  const url = baseMap()?.area?.row?.urls.self ?? "";
  const before = config?.choice;
  const onUpdate = (/** @type {AreaRow} */ row) => setArea(row, isOver(row) && config?.choice === before);
  try {
    await poll(url, { onUpdate, every: 500, signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** @param {AreaRow | null} row @param {boolean} show */
function setArea(row, show = false) {
  if (!config?.area) return;
  config = { ...config, area: { ...config.area, row } };
  publish(show && row?.tiles ? { ...config, choice: "area" } : config, false);
}

export const cancelArea = async () => setArea(await post(`${baseMap()?.area?.row?.urls.self}cancel/`));

/** Remove the map of the area from the server. */
export async function removeArea() {
  await del(mapOfArea().row?.urls.self ?? "");
  setArea(null);
}
