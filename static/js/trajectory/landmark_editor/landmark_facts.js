/* What is marked, in numbers, and the list of places. */

import { term } from "../../components/glossary.js";
import { $, el } from "../../core/dom.js";
import { count, duration, eventNumber, moment, number, percent, whole } from "../../core/format.js";
import { degreesText } from "../../map/degrees.js";
import { placesOf } from "./landmark_places.js";

const LISTED = 200;
const SAME_PLACE_M = 200; // where a way has no distance of its own

/** How much is marked: `marked` of `points` events in `runs` ranges; `distance` is null where it is not known. */
export function showFacts({ marked, points, runs, distance }) {
  $("[data-count]").textContent = whole(marked);
  $("[data-share]").textContent = `of ${count(points, "event")} · ${percent(points ? marked / points : 0)}`;
  const place = $("[data-more-facts]");
  /** @type {any[]} */
  const facts = marked ? [count(runs, "segment"), ...(distance === null ? [] : toNearest(distance))] : [];
  const text = facts.map((part) => part.textContent ?? part).join("");
  // an explained term keeps focus while nothing changes
  if (place.textContent !== text) place.replaceChildren(...facts);
}

const toNearest = (distance) => [
  ` · on average ${number(distance)} ${distance === 1 ? "event" : "events"} from a `,
  term("regular-event", "regular event"),
  " to the nearest landmark",
];

/**
 * The places of one series with the ranges at each: how long, how many events, when; a press leads there. `how` as
 * in landmark_places.js.
 */
export function showPlaces(runs, track, { zones, reach_m = SAME_PLACE_M }, goTo) {
  const places = placesOf(runs, track, { zones, reach_m });
  const items = [];
  let left = LISTED;
  for (const place of places) {
    if (left <= 0) break;
    items.push(placeRow(place, track, left, goTo));
    left -= place.stays.length;
  }
  $("[data-stays-title]").textContent = runs.length
    ? `${count(places.length, "place")}, ${count(runs.length, "segment")}`
    : "No landmarks here";
  $("[data-stays]").replaceChildren(...items);
  const more = $("[data-more-stays]");
  more.hidden = runs.length <= LISTED;
  more.textContent = `and ${count(runs.length - LISTED, "more segment")}`;
}

function placeRow({ name, lon, lat, stays, events, seconds }, track, most, goTo) {
  const where = `${degreesText(lat, 1e-4, ["N", "S"])}, ${degreesText(lon, 1e-4, ["E", "W"])}`;
  const facts = [count(events, "event"), ...(seconds === null ? [] : [duration(seconds)])].join(" · ");
  const head = el(
    "p",
    { class: "place__head" },
    el("strong", {}, name ?? where),
    el("span", { class: "muted" }, facts),
  );
  return el(
    "li",
    { class: "place" },
    head,
    el(
      "ol",
      {},
      stays.slice(0, most).map((stay) => stayRow(stay, track, goTo)),
    ),
  );
}

function stayRow([start, end], track, goTo) {
  const when = track.time ? moment(track.time[start], { seconds: false }) : `Event ${eventNumber(start)}`;
  const long = track.time ? `${duration(track.time[end - 1] - track.time[start])} · ` : "";
  const facts = el("span", { class: "muted" }, `${long}${count(end - start, "event")}`);
  return el(
    "li",
    {},
    el("button", { type: "button", class: "bare stay", onclick: () => goTo(start) }, el("span", {}, when), facts),
  );
}
