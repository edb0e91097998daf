/* The user's base map: read from the page, remembered by the server, the same for all maps and tabs. */

import { patch } from "../core/api.js";
import { data } from "../core/dom.js";

const CHANGED = "cairn:base-map";

/**
 * @typedef {"none" | "built-in" | "file" | "server"} Choice
 * @typedef {{url: string, name: string, attribution: string, zooms: [number, number], bounds: Bounds}} Source
 * @typedef {{
 *   choice: Choice,
 *   fixed?: boolean,
 *   api: string,
 *   upload_mb: number,
 *   built_in: {world: string, detail: string, cities: string},
 *   file: (Source & {own: boolean, vector: boolean}) | null,
 *   server: (Source & {host: string, attribution_url: string, referrer: string}) | null,
 * }} Config
 */

/** @type {Record<Choice, string>} */
export const TITLES = { none: "None", "built-in": "Built in", file: "File", server: "Tile server" };

/** @type {Config | null | undefined} null on a page without a user */
let config;

/** What the user has and can choose; null on a page without a user. */
export function baseMap() {
  if (config === undefined) {
    config = /** @type {Config | null} */ (data("base-map"));
    // the policy of this page lets tiles through only if their server was agreed to before it was loaded
    permitted = config?.choice === "server";
  }
  return config;
}

let permitted = false;
/** Whether this page may show tiles of the server at once. */
export const isPermitted = () => permitted;

const channel = "BroadcastChannel" in window ? new BroadcastChannel(CHANGED) : null;
channel?.addEventListener("message", ({ data: sent }) => {
  // another tab: it may have taken an agreement back, and never gives one here
  if (config && (sent.choice !== "server" || permitted)) publish(sent, false);
});

/** @param {Config} to */
function publish(to, here = true) {
  config = to;
  document.dispatchEvent(new CustomEvent(CHANGED));
  if (here) channel?.postMessage(to);
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
