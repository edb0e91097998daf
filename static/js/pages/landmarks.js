/* The landmark editor: stay points with live count, or events picked on the map and the strip. */

import { get, post } from "../api.js";
import { withQuery } from "../compare/model.js";
import { seriesChoice } from "../compare/series.js";
import { $, announce, count, data, duration, moment, percent, whole } from "../dom.js";
import { Marks } from "../editor/marks.js";
import { createMethods, showStays } from "../editor/method.js";
import { createMap } from "../map.js";
import { createTimeline, stepOf } from "../timeline.js";
import { fetchTrack } from "../track.js";

const WAIT_MS = 220;
const page = data("page-data");
const here = { series: 0, first: 0, event: 0, waiting: null, asked: 0, edited: false };
let dataset, track, marks, methods, map, timeline;

// Showing ---------------------------------------------------------------------------

function show() {
  const runs = marks.runs(here.first, here.first + track.n);
  map.addLandmarks({ lon: track.lon, lat: track.lat, runs });
  timeline.set({ runs });
  showEvent();
  const marked = marks.count;
  $("[data-count]").textContent = whole(marked);
  $("[data-share]").textContent = `of ${count(dataset.points, "event")} · ${percent(dataset.points ? marked / dataset.points : 0)}`;
  $("[data-stays-title]").textContent = runs.length ? count(runs.length, methods.isManual() ? "stretch" : "stay", methods.isManual() ? "stretches" : "stays") : "No landmarks here";
  showStays($("[data-stays]"), runs, track, (event) => timeline.select(event), { moment, duration, count });
  $("[data-undo]").disabled = !marks.past.length;
  $("[data-redo]").disabled = !marks.future.length;
}

function showEvent() {
  const { event } = here;
  map.select({ lon: track.lon[event], lat: track.lat[event], landmark: marks.has(here.first + event) });
}

function complain(message) {
  const box = $("[data-problem]");
  box.hidden = !message;
  box.textContent = message;
  if (message) announce(message);
}

// Stay points -------------------------------------------------------------------------

function ask() {
  clearTimeout(here.waiting);
  here.waiting = setTimeout(preview, WAIT_MS);
}

async function preview() {
  if (methods.isManual()) return;
  const asked = (here.asked += 1);
  const busy = $("[data-busy]");
  busy.hidden = false;
  try {
    const found = await post(page.urls.preview, { dataset: dataset.id, method: methods.describe() });
    if (asked !== here.asked || methods.isManual()) return;
    complain("");
    methods.clear();
    marks.replace(found.runs);
    show();
    announce(`${count(found.count, "landmark")}, ${percent(found.share)}`);
  } catch (error) {
    if (asked === here.asked) complain(methods.fail(error.errors ?? [error]).map(({ message }) => message).join(" "));
  } finally {
    if (asked === here.asked) busy.hidden = true;
  }
}

// By hand -------------------------------------------------------------------------------

/** From here on the marks are the reader's own; they begin with what was found. */
function byHand() {
  if (methods.isManual()) return;
  clearTimeout(here.waiting);
  here.asked += 1;
  $("[data-busy]").hidden = true;
  methods.toManual();
  announce("By hand: what was found is marked, and is now yours to change.");
}

function change(edit) {
  byHand();
  edit();
  here.edited = true;
  show();
}

const toggle = (event) => change(() => marks.toggle(here.first + event));
const toggleRange = (start, end) => change(() => marks.toggleRange(here.first + start, here.first + end));

function step(way) {
  if (marks[way]()) show();
}

function onKey(event) {
  const target = event.target;
  if (target.closest("input, select, textarea, dialog") || event.defaultPrevented) return;
  const key = event.key.toLowerCase();
  if ((event.ctrlKey || event.metaKey) && key === "z") step(event.shiftKey ? "redo" : "undo");
  else if ((event.ctrlKey || event.metaKey) && key === "y") step("redo");
  else if (key === "l" && !event.ctrlKey && !event.metaKey) toggle(here.event);
  else if (key === " " && (target.closest("[role=slider], .map") || target === document.body)) toggle(here.event);
  else {
    const arrows = key === "arrowleft" || key === "arrowright";
    const to = target.closest("[role=slider]") || !arrows ? null : stepOf(event, here.event, track.n);
    if (to === null) return;
    timeline.select(to);
  }
  event.preventDefault();
}

// Saving ----------------------------------------------------------------------------------

async function save(then) {
  const buttons = [$("[data-save]"), $("[data-save-release]")];
  buttons.forEach((button) => (button.disabled = true));
  try {
    const body = { dataset: dataset.id, method: methods.describe(methods.isManual() ? marks.events() : []), name: $("#set-name").value };
    const made = await post(page.urls.save, body);
    here.edited = false;
    location.assign(then === "release" ? withQuery(page.urls.release, { landmark_set: made.id }) : `${page.urls.page}#landmark-sets`);
  } catch (error) {
    complain(methods.fail(error.errors ?? [error]).map(({ message }) => message).join(" "));
    buttons.forEach((button) => (button.disabled = false));
  }
}

// Loading -----------------------------------------------------------------------------------

async function readSeries(index) {
  track = await fetchTrack(withQuery(dataset.urls.track, { series: index }));
  Object.assign(here, { series: index, first: dataset.series[index].first_event, event: 0 });
  map.addTrack({ id: "original", lon: track.lon, lat: track.lat, colour: "--ink", width: 1.4, opacity: 0.75, dots: false });
  map.addMarkers({ id: "events", lon: track.lon, lat: track.lat, colour: "--ink", radius: 2.5, hollow: true, order: -200 });
  timeline.set({ n: track.n, time: track.time, runs: [] });
  timeline.select(0);
  show();
}

async function start() {
  const [found, ways] = await Promise.all([get(page.urls.dataset), get(page.urls.methods)]);
  dataset = found;
  marks = new Marks(dataset.points);
  methods = createMethods($("[data-methods]"), ways.results, {
    hasTime: dataset.has_time,
    on: { change: ask, choose: () => (methods.isManual() ? byHandChosen() : ask()) },
  });
  map = createMap($("[data-map]"), { bounds: dataset.bounds, label: "Map of the events", keyboard: false });
  timeline = createTimeline($("[data-timeline]"), {
    select(event) {
      here.event = event;
      showEvent();
      map.reveal(track.lon[event], track.lat[event]);
    },
    press: (event) => methods.isManual() && toggle(event),
    range: toggleRange,
  });
  map.onClick(({ point }) => {
    const event = map.nearest("original", point, 16);
    if (event < 0) return;
    timeline.select(event);
    toggle(event);
  });
  seriesChoice($("[data-series]"), dataset.series, readSeries);
  await readSeries(0);
  if (page.urls.events) {
    methods.toManual();
    marks.replace((await get(page.urls.events)).runs);
    show();
  } else if (!methods.isManual()) {
    await preview();
  }
  document.addEventListener("keydown", onKey);
  $("[data-undo]").addEventListener("click", () => step("undo"));
  $("[data-redo]").addEventListener("click", () => step("redo"));
  $("[data-save]").addEventListener("click", () => save("page"));
  $("[data-save-release]").addEventListener("click", () => save("release"));
  addEventListener("beforeunload", (event) => here.edited && event.preventDefault());
  $("[data-editor]").dataset.ready = "all";
}

function byHandChosen() {
  clearTimeout(here.waiting);
  here.asked += 1;
  show();
}

start().catch((error) => complain(error.message));
