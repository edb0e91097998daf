/* A dataset's points on its page: the map, the choice of series, the landmarks of a set over them. */

import { get } from "../core/api.js";
import { $, $$ } from "../core/dom.js";
import { whole } from "../core/format.js";
import { createMap } from "../map/map.js";
import { showStepFacts } from "./step_statistics.js";
import { joinTracks } from "./track.js";
import { fetchWithPreview } from "./track_preview.js";

const AT_ONCE = 24; // series drawn without being requested
const AT_A_TIME = 4; // tracks fetched at the same time

/** Draw the dataset described by `page` (see _for_script in datasets/pages.py) into [data-map]. */
export async function showPoints(page) {
  const map = createMap($("[data-map]"), { bounds: page.bounds, label: `Map of ${page.name}` });
  const select = $("[data-series]");
  const note = $("[data-series-note]");
  const drawn = new Map(); // series -> its track
  let wanted = []; // series shown, in their order
  let pressed = $('[data-show][aria-pressed="true"]')?.dataset.show; // the set whose landmarks are shown
  let turn = 0; // of marks: the last one requested counts

  async function draw(index) {
    if (drawn.has(index)) return;
    const style = { id: `series-${index}`, colour: "--foreground", width: 1.6, dots: page.series[index] < 200 };
    const track = await fetchWithPreview(map, `${page.urls.track}?series=${index}`, page.series[index], style);
    drawn.set(index, track);
    map.addTrack({ ...style, track });
  }

  async function choose(chosen) {
    const all = page.series.map((_, index) => index).sort((a, b) => page.series[b] - page.series[a]);
    const mine = chosen === "" ? all.slice(0, AT_ONCE).sort((a, b) => a - b) : [Number(chosen)];
    wanted = mine;
    const queue = [...mine];
    await Promise.all(
      Array.from({ length: AT_A_TIME }, async () => {
        while (queue.length) await draw(queue.shift());
      }),
    );
    if (wanted !== mine) return;
    for (const index of drawn.keys()) map.setVisible(`series-${index}`, mine.includes(index));
    if (select || map.isFitted()) map.fit(chosen === "" ? page.bounds : drawn.get(mine[0]).bounds());
    if (note)
      note.textContent =
        chosen === "" && all.length > AT_ONCE ? `The ${AT_ONCE} longest of ${whole(all.length)} are shown.` : "";
    await mark();
    await showStepFacts(
      mine.map((index) => drawn.get(index)),
      () => wanted !== mine,
    );
  }

  /** The landmarks of the set whose toggle is pressed, among the series shown; and the zones they lie in. */
  async function mark() {
    const mine = (turn += 1);
    const button = $$("[data-show]").find(({ dataset }) => dataset.show === pressed);
    const zoned = button?.dataset.zones;
    const [found, set] = await Promise.all([button && get(pressed), zoned && get(zoned)]);
    if (mine !== turn || !wanted.every((index) => drawn.has(index))) return;
    for (const id of ["landmarks", "zones"]) map.remove(id);
    if (set) map.addZones({ zones: set.method.zones });
    if (found)
      map.addLandmarks({
        track: joinTracks(wanted.map((index) => drawn.get(index))),
        runs: runsAmong(found.runs, page.series, wanted),
      });
  }

  const press = () =>
    $$("[data-show]").forEach((one) => one.setAttribute("aria-pressed", String(one.dataset.show === pressed)));
  document.addEventListener("click", (/** @type {any} */ { target }) => {
    const button = target.closest("[data-show]");
    if (!button) return;
    pressed = button.dataset.show === pressed ? null : button.dataset.show;
    press();
    mark();
  });
  new MutationObserver(press).observe($("#landmark-sets"), { childList: true }); // the list was drawn again

  select?.addEventListener("change", () => choose(select.value));
  await choose("");
}

/**
 * Runs over the whole dataset, whose series have `counts` events, as they lie in the series `shown` one after the
 * other.
 */
export function runsAmong(runs, counts, shown) {
  let [before, sum] = [0, 0];
  const firsts = [0, ...counts.map((n) => (sum += n))];
  return shown.flatMap((index) => {
    const [from, to] = [firsts[index], firsts[index + 1]];
    const shift = before - from;
    before += to - from;
    return runs
      .filter(([start, end]) => start < to && end > from)
      .map(([start, end]) => [Math.max(start, from) + shift, Math.min(end, to) + shift]);
  });
}
