/* A dataset's points on its page: the map, the list of people or series, the landmarks of a set over them. */

import { withQuery } from "../core/address.js";
import { get } from "../core/api.js";
import { $, $$, announce } from "../core/dom.js";
import { count, whole } from "../core/format.js";
import { createMap } from "../map/map.js";
import { allText, coloursText, lineWidth, nounOf, peopleOf, runsOfPoints, runsOfSeries, seriesOf } from "./people.js";
import { createPeopleHover, createPeopleList } from "./people_list.js";
import { showStepFacts } from "./step_statistics.js";
import { fetchTrack, fetchWithPreview } from "./track.js";

const ALL = "original"; // the layer of all series
const ONE = "series"; // and of the one that is shown alone
const DOTTED = 200; // events; of fewer each has a dot

/** Draw the dataset described by `page` (see _for_script in datasets/views.py) into [data-map]. */
export async function showPoints(page) {
  const { urls } = page;
  const series = await seriesOf(page);
  const counts = series.map(({ points }) => points);
  const people = peopleOf(series);
  const colours = people.map(({ colour }) => colour);
  const isOne = series.length === 1;
  const map = createMap($("[data-map]"), { bounds: page.bounds, label: `Map of ${page.name}`, describe });
  const marks = createMarks(map);
  let shown = 0; // of choices: the last one counts
  let chosen = isOne ? 0 : null; // the series shown alone
  /** @type {any} */
  let all = null; // the track of all of them
  const known = () => ({ original: chosen === null ? all : null, layers: [] });
  const panel = isOne ? null : createPanel(series, { map, people, known, choose });

  /** What an image of the map states: nothing of it is published. */
  function describe() {
    const one = chosen === null ? null : people[chosen];
    const alone = { ids: [ALL, ONE], kind: "line", style: { colour: isOne ? "--foreground" : one?.colour } };
    const each = { ids: [ALL], kind: "people", name: `${allText(series)}: ${coloursText(series)}`, style: { colours } };
    return {
      title: page.name,
      entries: [
        one ? { ...alone, name: isOne ? "Original" : `Original, ${one.name}` } : each,
        { ids: ["landmarks"], kind: "landmarks", name: "Landmarks" },
        { ids: ["zones"], kind: "zones", name: "Zones" },
      ],
      published: [],
      file: one && !isOne ? [one.name] : [],
    };
  }

  async function showAll(isStale) {
    if (!all) {
      const track = await fetchTrack(urls.tracks);
      map.addPeople({ id: ALL, track, colours, colour: "--foreground", width: lineWidth(people.length) });
      all = track;
      panel?.drawn(track.n, counts);
    }
    if (isStale()) return;
    map.remove(ONE);
    map.setVisible(ALL, true);
    map.fit(page.bounds);
    marks.over(all, (runs) => runsOfPoints(all, runs));
  }

  async function showOne(index, isStale) {
    const colour = isOne ? "--foreground" : people[index].colour;
    const style = { id: isOne ? ALL : ONE, colour, width: isOne ? 1.6 : 2, dots: counts[index] < DOTTED };
    const url = withQuery(urls.track, { series: index });
    const track = await fetchWithPreview(map, url, counts[index], style, { time: false });
    if (isStale()) return;
    map.addTrack({ ...style, track });
    if (!isOne) map.setVisible(ALL, false);
    if (!isOne || map.isFitted()) map.fit(track.bounds() ?? page.bounds);
    marks.over(track, (runs) => runsOfSeries(runs, counts, index));
  }

  /** Show one series alone, or all; the one that is shown alone again: all. */
  async function choose(index) {
    const mine = (shown += 1);
    const isStale = () => mine !== shown;
    chosen = index === chosen && !isOne ? null : index;
    const steps = chosen === null ? urls.steps : withQuery(urls.steps, { series: chosen });
    panel?.mark(chosen);
    await (chosen === null ? showAll(isStale) : showOne(chosen, isStale));
    if (!isStale()) await showStepFacts(steps, isStale);
  }

  await choose(chosen);
}

/** The list of people beside the map; `known()` and `choose(index or null)` as above. */
function createPanel(series, { map, people, known, choose }) {
  const everyone = $("[data-people-all]");
  const hint = $("[data-people-hint]");
  const hover = createPeopleHover($("[data-map]"), people, ALL, known);
  const attempt = (index) => choose(index).catch((/** @type {Error} */ { message }) => (hint.textContent = message));
  const look = (index) => known().original && hover.mark(map, index);
  const list = createPeopleList($("[data-people-list]"), people, { noun: nounOf(series), choose: attempt, look });
  let hovering = 0;
  map.onHover((at) => {
    cancelAnimationFrame(hovering);
    hovering = requestAnimationFrame(() => hover.hover(map, at));
  });
  map.onClick(({ point }) => {
    const index = hover.personAt(map, point);
    if (index !== null) attempt(index);
  });
  everyone.addEventListener("click", () => attempt(null));
  const title = $("[data-people-title]");
  hint.textContent = coloursText(series);
  list.set(true);

  return {
    mark(index) {
      hover.hover(map, null);
      hover.mark(map, null);
      list.mark(index);
      everyone.hidden = index === null;
      title.textContent = index === null ? allText(series) : `1 of ${count(series.length, nounOf(series))}`;
      if (index !== null) announce(`${people[index].name} alone.`);
    },
    /** `n` points of all are drawn. */
    drawn(n, counts) {
      const total = counts.reduce((sum, points) => sum + points, 0);
      const less = `${whole(n)} of ${whole(total)} events are drawn: those the lines need most.`;
      hint.textContent = n < total ? `${coloursText(series)} ${less}` : coloursText(series);
    },
  };
}

/** The landmarks of the set whose toggle [data-show] is pressed, and the zones they lie in. */
function createMarks(map) {
  let pressed = $('[data-show][aria-pressed="true"]')?.dataset.show;
  let turn = 0; // the last request counts
  /** @type {any[]} */
  let [track, place] = [null, null];

  async function draw() {
    const mine = (turn += 1);
    const button = $$("[data-show]").find(({ dataset }) => dataset.show === pressed);
    const zoned = button?.dataset.zones;
    const [found, set] = await Promise.all([button && get(pressed), zoned && get(zoned)]);
    if (mine !== turn || !track) return;
    for (const id of ["landmarks", "zones"]) map.remove(id);
    if (set) map.addZones({ zones: set.method.zones });
    if (found) map.addLandmarks({ track, runs: place(found.runs) });
  }

  const press = () =>
    $$("[data-show]").forEach((one) => one.setAttribute("aria-pressed", String(one.dataset.show === pressed)));
  document.addEventListener("click", (/** @type {any} */ { target }) => {
    const button = target.closest("[data-show]");
    if (!button) return;
    pressed = button.dataset.show === pressed ? null : button.dataset.show;
    press();
    draw();
  });
  new MutationObserver(press).observe($("#landmark-sets"), { childList: true }); // the list was drawn again

  return {
    /** From now on over `over`; `of(runs)` are the runs of its points for runs over the whole dataset. */
    over(over, of) {
      [track, place] = [over, of];
      return draw();
    },
  };
}
