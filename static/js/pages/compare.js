/* The comparison: original and releases on one map beside their charts, all at one event. */

import { get, poll, post } from "../api.js";
import { createBrush } from "../brush.js";
import { createCharts } from "../compare/charts.js";
import { showGuarantee } from "../compare/guarantee.js";
import { giveInk, nameOf, pin, readLook, writeLook } from "../compare/look.js";
import { Layer, byRank, factsOf, inksFor, linesOf, roomFor, withQuery } from "../compare/model.js";
import { createModes } from "../compare/modes.js";
import { ORIGINAL, listedIds, markPictures, markSources, tracksOf } from "../compare/pictures.js";
import { eventOf } from "../compare/places.js";
import { seriesChoice } from "../compare/series.js";
import { createSmoothing } from "../compare/smooth.js";
import { showDownloads, showSummary } from "../compare/summary.js";
import { $, announce, data, duration, metres, number } from "../dom.js";
import { stir } from "../jobs.js";
import { distanceM } from "../layers/globe.js";
import { createLegend } from "../legend.js";
import { createTimeline, stepOf } from "../timeline.js";

const QUANTILES = [[0.5, 1.6783469900166605, "solid", "50 %"], [0.95, 4.743864518390577, "dash", "95 %"]];

const page = data("page-data");
const bench = $("[data-bench]");
const here = { series: 0, event: 0, active: null };
const look = readLook();
let [dataset, titles, layers, inks, original, runs] = [null, new Map(), [], new Map(), null, []];
let [marked, zones, marks] = [null, null, []]; // landmarks as the API has them; what lies above the lines
let maps, timeline, brush, legend, charts, smoothing;

const mechanism = (layer) => titles.get(layer.release.mechanism.name);

function titleOf(layer) {
  const { title } = layer.release;
  const same = layers.filter(({ release }) => release.title === title);
  return same.length > 1 ? `${title} ${same.length - same.indexOf(layer)}` : title;
}

// Drawing ---------------------------------------------------------------------

function drawMaps() {
  if (!original) return;
  maps.show({ tracks: tracksOf({ original, layers, look, inks, titleOf, told: maps.told }), marks: markPictures(marks, look) });
}

function readMarks() {
  marks = markSources({ original, runs, dummies: marked.dummies, zones, range: look.range });
}

function drawSelection() {
  if (!original) return;
  const { event } = here;
  const [lon, lat] = [original.lonAt(event), original.latAt(event)];
  const landmark = runs.some(([start, end]) => event >= start && event < end);
  maps.select((ids) => {
    const there = layers.filter(({ id }) => ids.includes(id));
    const links = there.flatMap((layer) => {
      const i = layer.indexOf(event);
      return i < 0 ? [] : [{ lon: layer.track.lonAt(i), lat: layer.track.latAt(i), colour: inks.get(layer.id).colour }];
    });
    return { lon, lat, landmark, links, circles: circlesAt(event, there.includes(active()) || there.length > 1 ? active() : there[0]) };
  });
}

function drawEvent() {
  drawSelection();
  maps.reveal(original.lonAt(here.event), original.latAt(here.event));
  charts?.moveCursor(here.event);
  drawLegend();
}

/** Circles that hold half and 95 % of what a release's noise could have made of this event; none once smoothed. */
function circlesAt(event, layer) {
  const budget = layer?.visible && !layer.release.postprocess.length ? layer.budgetAt(here.series, event) : null;
  if (!budget) return [];
  const perMetre = budget / layer.release.mechanism.radius_m;
  return QUANTILES.map(([, quantile, dash, label]) => ({ radius_m: quantile / perMetre, dash, label, colour: "--ink" }));
}

const active = () => layers.find(({ id, drawn }) => id === here.active && drawn) ?? layers.find(({ drawn }) => drawn);

function hereText(layer) {
  if (!layer.drawn || !original) return "";
  const i = layer.indexOf(here.event);
  if (i < 0) return "here: left out";
  const error = distanceM(original.lonAt(here.event), original.latAt(here.event), layer.track.lonAt(i), layer.track.latAt(i));
  const budget = layer.budgetAt(here.series, here.event);
  return `here ${metres(error)} · ${budget === 0 ? `${layer.release.postprocess.length ? "not drawn" : "a repeat"}, ε = 0` : budget === null ? "" : `ε = ${number(budget)}`}`;
}

function drawLegend() {
  const first = { id: ORIGINAL, title: "Original", facts: "yours alone", ink: null, owner: true, visible: !look.hidden.has(ORIGINAL), private: true };
  const rest = layers.map((layer) => {
    const { release } = layer;
    return {
      id: layer.id, title: titleOf(layer), facts: factsOf(release), ink: inks.get(layer.id), visible: layer.visible,
      error_m: release.owner_view?.mae_m, state: release.state === "done" && !layer.track && !layer.resting ? "reading" : release.state,
      stage: release.stage, progress: release.progress,
      eta: release.eta_s ? duration(Math.ceil(release.eta_s)) : "", reason: release.error ? `${release.error.message} ${release.error.action}` : "",
      private: release.seed === null, here: hereText(layer), active: active() === layer,
    };
  });
  const above = marks.map(({ id, title, count }) => ({ id, title, count, mark: id, facts: "yours alone", owner: true, visible: !look.hidden.has(id), private: true }));
  const ids = listedIds(layers, look);
  const all = new Map([first, ...rest].map((entry) => [entry.id, entry]));
  const lines = ids.map((id, i) => ({ ...all.get(id), place: { first: i === 0, last: i === ids.length - 1 } }));
  legend.update([...lines, ...above].map((entry) => ({ ...entry, opacity: look.opacity.get(nameOf(entry.id)) ?? 1 })));
}

async function drawCharts() {
  if (!charts) return;
  const query = charts.query();
  const done = layers.filter(({ charted }) => charted);
  const shown = await Promise.all(
    done.map(async (layer) => ({ layer, ink: inks.get(layer.id), title: titleOf(layer), curve: await layer.curve(here.series, query) })),
  );
  if (String(new URLSearchParams(query)) !== String(new URLSearchParams(charts.query()))) return; // another was chosen meanwhile
  await charts.draw(shown, { runs, n: original.n, series: here.series });
  charts.moveCursor(here.event);
  const highest = ({ loss }) => loss.total?.reduce((a, b) => Math.max(a, b), 0) ?? null;
  drawSummary(new Map(shown.map(({ layer, curve }) => [layer.id, highest(curve)])));
  bench.dataset.charts = String(shown.length);
}

/** After a choice. An address may ask for what the server refuses: then the usual correlation, and why. */
async function redrawCharts() {
  try {
    await drawCharts();
  } catch (error) {
    if (error.status !== 400) throw error;
    charts.reset();
    await drawCharts();
    tell(error.message);
  }
}

const checkQuery = (query) => {
  const layer = layers.find(({ charted }) => charted);
  return layer && get(withQuery(layer.release.urls.series, { ...query, series: here.series, points: 10 }));
};

const simulate = (mechanisms) => post(page.urls.curve, { landmark_set: page.landmark_set, series: here.series, mechanisms });

function drawSummary(losses = new Map()) {
  const shown = layers.map((layer) => ({
    layer, ink: inks.get(layer.id), title: titleOf(layer), level: mechanism(layer)?.level ?? "", loss: losses.get(layer.id) ?? null,
  }));
  showSummary($("[data-summary]"), shown, { smooth: (layer) => attempt(() => smoothing.open(layer.release, titleOf(layer))) });
  showDownloads($("[data-downloads]"), shown, page.urls);
}

function drawGuarantee() {
  const layer = active();
  const host = $("[data-guarantee]");
  host.hidden = !layer;
  if (layer) showGuarantee(host, layer.release, titleOf(layer));
}

// What the reader does ----------------------------------------------------------

function toggle(id, on) {
  if (on) look.hidden.delete(nameOf(id));
  else look.hidden.add(nameOf(id));
  const layer = layers.find((one) => one.id === id);
  if (layer) {
    layer.visible = on;
    charts?.setVisible(id, on);
    if (!on) layer.rest();
    else if (layer.resting) attempt(() => show(layer));
  }
  relook();
}

let [writing, ranging] = [null, null];
/** After another look was chosen: all of it is drawn, if it is not yet, and the address says it. */
function relook({ drawn = false } = {}) {
  clearTimeout(writing);
  writing = setTimeout(() => writeLook(look, { set: page.landmark_set, releases: layers.map(({ id }) => id) }), 150); // browsers refuse one a frame
  if (drawn) return;
  drawMaps();
  drawSelection();
  drawLegend();
}

function setOpacity(id, share) {
  look.opacity.set(nameOf(id), share);
  relook();
}

/** Give a release another line of the palette, on map and charts; who had it gets the next that is free. */
function setInk(id, index) {
  giveInk(look, id, index);
  prepare();
  relook();
  attempt(redrawCharts);
}

function moveLayer(id, by) {
  const ids = listedIds(layers, look);
  const at = ids.indexOf(id);
  ids.splice(at, 1);
  ids.splice(at + by, 0, id);
  look.order = ids.map(nameOf);
  relook();
  announce(`${id === ORIGINAL ? "Original" : titleOf(layers.find((one) => one.id === id))} is ${at + by + 1} of ${ids.length}, from the top.`);
}

/** Draw the events of `range` alone, at most once a frame; the address follows at rest. */
function setRange(range) {
  look.range = range;
  ranging ??= requestAnimationFrame(() => {
    ranging = null;
    readMarks();
    relook();
  });
}

function activate(id) {
  here.active = id;
  drawEvent();
  drawGuarantee();
}

async function cancel(id) {
  const layer = layers.find((one) => one.id === id);
  await attempt(async () => {
    layer.release = await post(`${layer.release.urls.self}cancel/`);
    prepare();
    announce(`${titleOf(layer)} is being cancelled.`);
  });
}

async function retry(id) {
  const layer = layers.find((one) => one.id === id);
  await attempt(async () => {
    layer.release = await post(`${layer.release.urls.self}retry/`);
    prepare();
    watch(layer);
    stir();
  });
}

/** A new release joins those shown, ahead of others of its title, and stays when the page is read again. */
async function join(release) {
  const layer = new Layer(release);
  const at = layers.findIndex((one) => one.release.title === release.title);
  layers.splice(at < 0 ? layers.length : at, 0, layer);
  layers.sort(byRank(page.palette));
  const url = new URL(location.href);
  pin(url, page.landmark_set, layers.map(({ id }) => id));
  history.replaceState(null, "", url);
  prepare();
  stir();
  await watch(layer);
}

function tell(problem) {
  const box = $("[data-problem]");
  box.hidden = !problem;
  box.textContent = problem;
  if (problem) announce(problem);
}

async function attempt(what) {
  try {
    tell("");
    await what();
  } catch (error) {
    if (error.name !== "AbortError") tell(error.message);
  }
}

const goTo = (event) => timeline.select(event);

/** The event whose point a map shows there: the original's, where it is drawn. */
function clicked(map, point) {
  for (const { id, track } of [{ id: ORIGINAL, track: original }, ...layers]) {
    const i = map.nearest(id, point, 24);
    if (i >= 0) return goTo(eventOf(track, look.range, i));
  }
}

function onKey(event) {
  const target = event.target;
  if (event.key === "Escape" && !event.defaultPrevented && !target.closest("dialog, details[open]") && !brush.isWhole()) brush.clear();
  if (target.closest("input:not([type=checkbox]), select, textarea, dialog, [role=slider]") || event.defaultPrevented) return;
  if (target.closest("main, .map") === null && target !== document.body) return;
  if (["PageUp", "PageDown", "Home", "End", "ArrowUp", "ArrowDown"].includes(event.key) && !target.closest(".map")) return;
  const to = stepOf(event, here.event, original.n);
  if (to === null) return;
  event.preventDefault();
  goTo(to);
}

// Loading -------------------------------------------------------------------------

function prepare() {
  inks = inksFor(layers.map(({ release }) => release), page.palette, look.inks);
  drawLegend();
  drawSummary();
}

async function show(layer) {
  const { series } = here;
  const curve = layer.curve(series);
  curve.catch(() => {}); // it is waited for below; until then the track may fail first
  if (layer.resting || roomFor(layers, original.n)) await layer.load(series, original.n);
  else look.hidden.add(nameOf(layer.leave())); // until the reader ticks it
  if (series !== here.series) return;
  if (!layer.visible) layer.rest();
  drawMaps();
  await Promise.all([curve, openCharts()]); // the map does not wait for the charts
  if (series !== here.series) return;
  drawEvent();
  drawGuarantee();
  await redrawCharts();
}

let opening = null;
const redraw = () => attempt(redrawCharts);
/** The charts, made when the first release is done: their library is large, and until then there is nothing to chart. */
const openCharts = () => (opening ??= createCharts(bench, page.note, { pick: goTo, change: redraw, look: redraw, check: checkQuery, simulate }).then((made) => (charts = made)));

function watch(layer) {
  const following = layer.release.id;
  return attempt(async () => {
    if (layer.open) {
      const until = ({ state }) => state !== "queued" && state !== "running";
      const onUpdate = (release) => {
        if (layer.release.id !== following) return;
        layer.release = release;
        drawLegend();
        drawSummary();
      };
      await poll(layer.release.urls.self, { until, every: 700, onUpdate });
      announce(`${titleOf(layer)}: ${layer.release.state}.`);
    }
    if (layer.done) await show(layer);
    await stir();
  });
}

async function readSeries() {
  const index = here.series;
  const [track, events] = await Promise.all([
    maps.fetchOriginal(withQuery(dataset.urls.track, { series: index }), dataset.series[index].points),
    get(withQuery(page.urls.events, { series: index })),
  ]);
  [original, marked, runs] = [track, events, events.runs];
  timeline.set({ n: track.n, time: track.time, runs });
  look.range = brush.set(look.range);
  readMarks();
  drawMaps();
}

async function changeSeries(index) {
  here.series = index;
  look.range = null;
  timeline.stop();
  layers.forEach((layer) => layer.forget());
  await readSeries();
  timeline.select(0);
  await Promise.all(layers.filter(({ done }) => done).map(show));
}

async function start() {
  const [found, mechanisms, method, releases] = await Promise.all([
    get(page.urls.dataset),
    get(page.urls.mechanisms),
    get(page.urls.marked).then((one) => one.method),
    Promise.all(page.releases.map((id) => get(`${page.urls.releases}${id}/`))),
  ]);
  dataset = found;
  titles = new Map(mechanisms.results.map((one) => [one.name, one]));
  layers = releases.map((release) => new Layer(release)).sort(byRank(page.palette));
  layers.forEach((layer) => (layer.visible = !look.hidden.has(nameOf(layer.id))));
  zones = method.name === "zones" ? method.zones : null;
  maps = createModes($("[data-panes]"), $("[data-modes]"), { bounds: dataset.bounds, look, on: { look: relook, choose: (id) => toggle(id, true), click: clicked } });
  legend = createLegend($("[data-layers]"), { toggle, activate, cancel, retry, opacity: setOpacity, move: moveLayer, ink: setInk }, linesOf(page.palette));
  timeline = createTimeline($("[data-timeline]"), {
    select: (event) => {
      here.event = event;
      drawEvent();
    },
    range: (first, after) => brush.mark(first, after),
    paint: () => brush?.draw(),
  });
  brush = createBrush(timeline.scale, setRange);
  smoothing = createSmoothing($("#smooth-dialog"), { url: page.urls.postprocesses, made: (release) => attempt(() => join(release)) });
  document.addEventListener("keydown", onKey);
  seriesChoice($("[data-series]"), dataset.series, (index) => attempt(() => changeSeries(index)));
  prepare();
  await readSeries();
  timeline.select(0);
  bench.dataset.ready = "map";
  await Promise.all(layers.map(watch));
  bench.dataset.ready = "all";
}

if (bench) attempt(start);
