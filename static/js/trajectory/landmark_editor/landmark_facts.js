/* What is marked, in numbers, and the list of places: runs of landmarks at the same place, grouped, so that home is
 * one place however often the person is there; how many events two sets share.
 */

import { term } from "../../components/glossary.js";
import { get } from "../../core/api.js";
import { $, announce, el } from "../../core/dom.js";
import { selectOf } from "../../core/elements.js";
import { count, duration, eventNumber, moment, number, percent, whole } from "../../core/format.js";
import { degreesText } from "../../map/graticule.js";
import { EARTH_RADIUS_M, near } from "../../map/projection.js";
import { nameOf, zoneAt } from "./zone_geometry.js";

const SAMPLES = 64; // events that the middle of a range is taken from
const M_PER_DEG = (EARTH_RADIUS_M * Math.PI) / 180;

/** The mean position [lon, lat] of the events [start, end). */
function middleOf(track, [start, end]) {
  const stride = Math.max(1, Math.floor((end - start) / SAMPLES));
  const first = track.lonAt(start);
  let [lon, lat, n] = [0, 0, 0];
  for (let i = start; i < end; i += stride) {
    lon += near(track.lonAt(i), first);
    lat += track.latAt(i);
    n += 1;
  }
  return [near(lon / n, 0), lat / n];
}

/**
 * Places [{name, lon, lat, stays: runs, events, seconds}] of `runs`, the one with most events first; `seconds` null
 * without times. Runs in one zone are at one place, which has its name; others if their middles lie within
 * `reach_m`.
 */
export function placesOf(runs, track, { zones, reach_m }) {
  const found = new Map(); // key -> place; a cell is as wide as places reach, so near ones are in the cells around
  for (const run of runs) {
    const [lon, lat] = middleOf(track, run);
    const zone = zoneAt(zones, lon, lat);
    const place = zone >= 0 ? zoned(found, zones, zone, lon, lat) : nearby(found, lon, lat, reach_m);
    place.stays.push(run);
    place.events += run[1] - run[0];
    if (track.time) place.seconds += track.time[run[1] - 1] - track.time[run[0]];
  }
  return [...found.values()]
    .map((one) => ({ ...one, seconds: track.time ? one.seconds : null }))
    .sort((a, b) => b.events - a.events);
}

const start = (name, lon, lat) => ({ name, lon, lat, stays: [], events: 0, seconds: 0 });

function zoned(found, zones, index, lon, lat) {
  const key = `zone ${index}`;
  if (!found.has(key)) found.set(key, start(nameOf(zones[index], index), lon, lat));
  return found.get(key);
}

function nearby(found, lon, lat, reach_m) {
  const down = Math.floor((lat * M_PER_DEG) / reach_m);
  const across = (row) =>
    // degrees a cell
    reach_m / M_PER_DEG / Math.max(1e-6, Math.cos((((row + 0.5) * reach_m) / M_PER_DEG) * (Math.PI / 180)));
  for (let row = down - 1; row <= down + 1; row++) {
    const column = Math.floor(lon / across(row));
    for (let k = column - 1; k <= column + 1; k++) {
      const place = found.get(`${row} ${k}`);
      if (place && apart_m(place, lon, lat) <= reach_m) return place;
    }
  }
  const key = `${down} ${Math.floor(lon / across(down))}`;
  if (found.has(key)) return found.get(key); // a corner farther than that: cells are small, it is the same place
  const made = start(null, lon, lat);
  found.set(key, made);
  return made;
}

const apart_m = (place, lon, lat) =>
  Math.hypot((lat - place.lat) * M_PER_DEG, near(lon - place.lon, 0) * M_PER_DEG * Math.cos((lat * Math.PI) / 180));

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
 * The places of one series with the ranges at each: how long, how many events, when; a press leads there. `zones`
 * and `reach_m` as {@link placesOf} has them.
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
  const title = el("strong", {}, name ?? where);
  const head = el("p", { class: "row apart small" }, title, el("span", { class: "muted" }, facts));
  const rows = stays.slice(0, most).map((stay) => stayRow(stay, track, goTo));
  return el("li", { class: "place" }, head, el("ol", {}, rows));
}

function stayRow([start, end], track, goTo) {
  const when = track.time ? moment(track.time[start], { seconds: false }) : `Event ${eventNumber(start)}`;
  const long = track.time ? `${duration(track.time[end - 1] - track.time[start])} · ` : "";
  const facts = el("span", { class: "muted" }, `${long}${count(end - start, "event")}`);
  const press = { type: "button", class: "bare stay apart small", onclick: () => goTo(start) };
  return el("li", {}, el("button", press, el("span", {}, when), facts));
}

const row = (term, value, /** @type {any} */ more = "") => [el("dt", {}, term), el("dd", {}, value, more)];

/**
 * A choice of `sets` in `host`; `on.change(runs | null)` receives the runs of the one chosen, over the whole dataset.
 * Returns {show(marks): what the chosen one shares with them, choose(id)}.
 */
export function createAgainst(host, sets, on) {
  host.hidden = !sets.length;
  if (!sets.length) return { show() {}, choose() {} };
  /** @type {any} */
  let runs = null;
  /** @type {any} */
  let chosen = null;
  const options = sets.map(({ id, name, count: n }) => [id, `${name} (${whole(n)})`]);
  const select = selectOf({ id: "against", onchange: change }, [["", "no other set"], ...options]);
  const facts = el("dl", { class: "facts small", hidden: true, dataset: { overlap: "" } });
  host.replaceChildren(el("label", { for: "against" }, "Compare with"), select, facts);

  async function change() {
    chosen = sets.find(({ id }) => id === select.value) ?? null;
    const mine = chosen;
    const found = chosen ? (await get(chosen.urls.events)).runs : null;
    if (mine !== chosen) return;
    runs = found;
    on.change(runs);
    if (chosen) announce($("[data-overlap]", host).textContent);
  }

  function show(marks) {
    facts.hidden = !runs;
    if (!runs) return;
    const { both, onlyFirst, onlySecond, jaccard } = marks.overlap(runs);
    facts.replaceChildren(
      ...row("In both", count(both, "event")),
      ...row("Only here", count(onlyFirst, "event")),
      ...row(`Only in ${chosen.name}`, count(onlySecond, "event")),
      ...row("Jaccard index", number(jaccard), el("span", { class: "muted" }, " of 1")),
    );
  }

  return {
    show,
    choose(id) {
      if (!sets.some((set) => set.id === id)) return null;
      select.value = id;
      return change();
    },
  };
}
