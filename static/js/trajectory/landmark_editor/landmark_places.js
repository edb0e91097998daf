/* Runs of landmarks at the same place, grouped: home is one place however often the person is there. */

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
