/* A dataset's points on its page: the map, the choice of series, and the facts that need every step. */

import { get } from "./api.js";
import { $, $$, duration, metres, percent, whole } from "./dom.js";
import { createMap } from "./map.js";
import { fetchTrack, joinTracks } from "./track.js";

const AT_ONCE = 24; // series drawn without being asked for
const AT_A_TIME = 4; // tracks fetched at the same time
const RADIUS_M = 6_371_000;
const GAP = 10; // a silence is a step longer than this many median steps

/** The shares of a circle between neighbours, in metres. */
export function steps({ lonE7, latE7, time, n }) {
  const far = new Float64Array(Math.max(n - 1, 0));
  const long = time ? new Float64Array(Math.max(n - 1, 0)) : null;
  const rad = Math.PI / 180 / 1e7;
  for (let i = 0; i + 1 < n; i++) {
    const x = Math.sin(((latE7[i + 1] - latE7[i]) * rad) / 2);
    const y = Math.sin(((lonE7[i + 1] - lonE7[i]) * rad) / 2);
    const h = x * x + Math.cos(latE7[i] * rad) * Math.cos(latE7[i + 1] * rad) * y * y;
    far[i] = 2 * RADIUS_M * Math.asin(Math.min(1, Math.sqrt(h)));
    if (long) long[i] = time[i + 1] - time[i];
  }
  return { far, long };
}

function joined(parts) {
  const all = new Float64Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

function median(values) {
  if (!values.length) return null;
  const sorted = values.slice().sort();
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function silence(long) {
  const limit = GAP * median(long);
  let silent = 0;
  let total = 0;
  for (const seconds of long) {
    total += seconds;
    if (seconds > limit) silent += seconds;
  }
  return { limit, share: total ? silent / total : 0 };
}

function tellFacts(tracks) {
  const found = tracks.map(steps);
  const far = median(joined(found.map((one) => one.far)));
  const step = $('[data-fact="step"]');
  const quiet = $('[data-fact="silence"]');
  if (far === null) {
    step.textContent = "one event, no step";
    if (quiet) quiet.textContent = "–";
    return;
  }
  if (!quiet) {
    step.textContent = metres(far);
    return;
  }
  const long = joined(found.map((one) => one.long));
  step.textContent = `${duration(median(long))}, ${metres(far)}`;
  const { limit, share } = silence(long);
  quiet.textContent = share ? `${percent(share)} of the time, in steps over ${duration(limit)}` : "none";
}

/** Draw the dataset described by `page` (see _for_script in datasets/pages.py) into [data-map]. */
export async function showPoints(page) {
  const place = $("[data-map]");
  const map = createMap(place, { bounds: page.bounds, label: `Map of ${page.name}` });
  const select = $("[data-series]");
  const note = $("[data-series-note]");
  const drawn = new Map(); // series -> its track

  async function draw(index) {
    if (drawn.has(index)) return;
    const track = await fetchTrack(`${page.urls.track}?series=${index}`);
    drawn.set(index, track);
    map.addTrack({ id: `series-${index}`, track, colour: "--ink", width: 1.6, label: page.name, dots: track.n < 200 });
  }

  async function choose(chosen) {
    const all = page.series.map((_, index) => index).sort((a, b) => page.series[b] - page.series[a]);
    const wanted = chosen === "" ? all.slice(0, AT_ONCE) : [Number(chosen)];
    const queue = [...wanted];
    await Promise.all(Array.from({ length: AT_A_TIME }, async () => {
      while (queue.length) await draw(queue.shift());
    }));
    for (const index of drawn.keys()) map.setVisible(`series-${index}`, wanted.includes(index));
    map.fit(chosen === "" ? page.bounds : drawn.get(wanted[0]).bounds());
    tellFacts(wanted.map((index) => drawn.get(index)));
    if (note && chosen === "") {
      note.textContent = all.length > AT_ONCE ? `The ${AT_ONCE} longest of ${whole(all.length)} are drawn.` : "";
    } else if (note) note.textContent = "";
    await mark();
  }

  /** The landmarks of the set whose toggle is pressed; only where the whole dataset is drawn. */
  async function mark() {
    const pressed = $('[data-show][aria-pressed="true"]');
    map.remove("landmarks");
    if (!pressed || drawn.size < page.series.length || select?.value) return;
    const { runs } = await get(pressed.dataset.show);
    map.addLandmarks({ track: joinTracks(page.series.map((_, index) => drawn.get(index))), runs });
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-show]");
    if (!button) return;
    const on = button.getAttribute("aria-pressed") === "true";
    for (const other of $$("[data-show]")) other.setAttribute("aria-pressed", String(other === button && !on));
    mark();
  });

  select?.addEventListener("change", () => choose(select.value));
  await choose("");
}
