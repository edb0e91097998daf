/* The part of the panel of base maps that is about the map of the area: the consent, the fetch, what there is. */

import { announce, el } from "../core/dom.js";
import { smallButton } from "../core/elements.js";
import { bytes, count, day, done } from "../core/format.js";
import { cancelArea, fetchArea, isFetching, mapOfArea, removeArea } from "./basemap_choice.js";
import { degreesText } from "./degrees.js";

/** 48.800° N to 48.950° N, 2.200° E to 2.500° E. @param {Bounds} box */
export function boxText([west, south, east, north]) {
  const side = (/** @type {number} */ value, /** @type {[string, string]} */ letters) =>
    degreesText(value, 0.001, letters);
  const between = (/** @type {number} */ one, /** @type {number} */ other, /** @type {[string, string]} */ letters) =>
    `${side(one, letters)} to ${side(other, letters)}`;
  return `${between(south, north, ["N", "S"])}, ${between(west, east, ["E", "W"])}`;
}

/** What the choice is, in one sentence; what it needs of others stands in the part below. */
export function areaText() {
  const { row, offer } = mapOfArea();
  if (row?.tiles)
    return (
      `Streets and places, ${bytes(row.size)} to zoom ${row.zooms[1]}, from ${row.host}, here since ` +
      `${day(row.finished_at ?? "")}. From this server: no other one learns what you view.`
    );
  return offer?.refused || "Streets and places around your data, fetched once, then from this server alone.";
}

/** What the user agrees to. @param {import("./basemap_choice.js").Offer} offer */
export function consentText({ host, encrypted, box, region, tiles, most_mb: most, kept }) {
  if (kept) return "The map of another dataset holds this area: it is copied, and nothing is requested.";
  return (
    `From ${host}, at most ${most} MB: the region ${boxText(region)} (${count(tiles, "tile")} of zoom 8). It learns ` +
    `that region and the address of this server, not the box of your data in it (${boxText(box)}).` +
    (encrypted ? "" : " Without encryption: others on the way learn the same.")
  );
}

/** @param {(change: () => Promise<void>) => Promise<void>} attempt */
export function areaPart(attempt) {
  const text = el("p", { class: "base-panel__state" });
  const progress = el("progress", { max: 1, "aria-label": "Fetched" });
  const button = (/** @type {string} */ label, /** @type {() => Promise<void>} */ onClick, style = "") =>
    smallButton(label, label, () => attempt(onClick), { style });
  const agree = button("Allow and fetch", async () => {
    const { offer } = mapOfArea();
    await fetchArea(offer && !offer.kept ? offer.host : "");
    const { row } = mapOfArea();
    announce(row?.tiles ? "Base map: map of the area" : (row?.error?.message ?? "The map was not fetched."));
  });
  const cancel = button("Cancel", cancelArea, "button--quiet");
  const remove = button("Remove it", removeArea, "button--quiet");
  const element = el(
    "div",
    { class: "base-panel__part" },
    text,
    progress,
    el("div", { class: "row" }, agree, cancel, remove),
  );

  function show() {
    const { row, offer } = mapOfArea();
    const fetching = isFetching(row);
    const there = Boolean(row?.tiles);
    const needsConsent = !there && !fetching && offer !== null && !offer.refused;
    progress.hidden = cancel.hidden = !fetching;
    agree.hidden = !needsConsent;
    agree.textContent = offer?.kept ? "Use it" : "Allow and fetch";
    agree.setAttribute("aria-label", agree.textContent);
    remove.hidden = !there || offer === null;
    progress.value = row?.progress ?? 0;
    text.textContent = "";
    if (fetching) text.textContent = `${row?.stage || "Waiting"} · ${done(row?.progress ?? 0)}`;
    else if (needsConsent && offer) {
      if (row?.error) text.append(el("strong", {}, `${row.error.message} `));
      text.append(consentText(offer));
    }
    text.hidden = !text.textContent;
    element.hidden = !(fetching || needsConsent || !remove.hidden);
  }
  return { element, show };
}
