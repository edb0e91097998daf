/* The comparison: original and releases on one map beside their charts, all at one event. */

import { get, poll, post } from "../api.js";
import { createCharts } from "../compare/charts.js";
import { showGuarantee } from "../compare/guarantee.js";
import { Layer, factsOf, inksFor, roomFor, withQuery } from "../compare/model.js";
import { seriesChoice } from "../compare/series.js";
import { createSmoothing } from "../compare/smooth.js";
import { showDownloads, showSummary } from "../compare/summary.js";
import { $, announce, data, duration, metres, number } from "../dom.js";
import { stir } from "../jobs.js";
import { distanceM } from "../layers/globe.js";
import { createLegend } from "../legend.js";
import { createMap } from "../map.js";
import { createTimeline, stepOf } from "../timeline.js";
import { fetchTrack } from "../track.js";

const QUANTILES = [[0.5, 1.6783469900166605, "solid", "50 %"], [0.95, 4.743864518390577, "dash", "95 %"]];
const ORIGINAL = "original";

const page = data("page-data");
const bench = $("[data-bench]");
const here = { series: 0, event: 0, active: null, showOriginal: true, stays: false };
let [dataset, titles, layers, inks, original, runs] = [null, new Map(), [], new Map(), null, []];
let map, timeline, legend, charts, smoothing;

const mechanism = (layer) => titles.get(layer.release.mechanism.name);
const visible = () => layers.filter((layer) => layer.drawn && layer.visible);

function titleOf(layer) {
  const { title } = layer.release;
  const same = layers.filter(({ release }) => release.title === title);
  return same.length > 1 ? `${title} ${same.length - same.indexOf(layer)}` : title;
}

// Drawing ---------------------------------------------------------------------

function drawLayer(layer) {
  const ink = inks.get(layer.id);
  const ranks = layers.filter(({ drawn }) => drawn).sort((a, b) => errorOf(b) - errorOf(a)); // the noisiest lies lowest
  map.addTrack({
    id: layer.id, track: layer.track, colour: ink.colour, dash: ink.dash, marker: ink.marker, width: 1.5, opacity: 0.85, fade: true,
    order: ranks.indexOf(layer),
  });
  map.setVisible(layer.id, layer.visible);
}

const errorOf = ({ release }) => release.owner_view?.mae_m ?? 0;

function drawOriginal() {
  map.addTrack({ id: ORIGINAL, track: original, colour: "--ink", width: 1.8, order: 90 });
  map.addLandmarks({ track: original, runs });
  map.setVisible(ORIGINAL, here.showOriginal);
  map.setVisible("landmarks", here.showOriginal);
}

function drawEvent() {
  const { event } = here;
  const [lon, lat] = [original.lonAt(event), original.latAt(event)];
  const links = visible().flatMap((layer) => {
    const i = layer.indexOf(event);
    return i < 0 ? [] : [{ lon: layer.track.lonAt(i), lat: layer.track.latAt(i), colour: inks.get(layer.id).colour }];
  });
  const landmark = runs.some(([start, end]) => event >= start && event < end);
  map.select({ lon, lat, landmark, links, circles: circlesAt(event) });
  map.reveal(lon, lat);
  charts?.moveCursor(event);
  drawLegend();
}

/** Circles that hold half and 95 % of what the active release's noise could have made of this event; none once smoothed. */
function circlesAt(event) {
  const layer = active();
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
  const first = { id: ORIGINAL, title: "Original", facts: "yours alone", ink: null, owner: true, visible: here.showOriginal, private: true };
  const rest = layers.map((layer) => {
    const { release } = layer;
    return {
      id: layer.id, title: titleOf(layer), facts: factsOf(release), ink: inks.get(layer.id), visible: layer.visible,
      error_m: release.owner_view?.mae_m, state: release.state === "done" && !layer.track && !layer.resting ? "reading" : release.state,
      stage: release.stage, progress: release.progress,
      eta: release.eta_s ? duration(Math.ceil(release.eta_s)) : "", reason: release.error?.message ?? "",
      private: release.seed === null, here: hereText(layer), active: active() === layer,
    };
  });
  legend.update([first, ...rest]);
}

async function drawCharts() {
  if (!charts) return;
  const query = charts.query();
  const done = layers.filter(({ charted }) => charted);
  const shown = await Promise.all(
    done.map(async (layer) => ({ layer, ink: inks.get(layer.id), title: titleOf(layer), curve: await layer.curve(here.series, query) })),
  );
  if (String(new URLSearchParams(query)) !== String(new URLSearchParams(charts.query()))) return; // another was chosen meanwhile
  await charts.draw(shown, { runs, n: original.n });
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
  const layer = layers.find(({ drawn }) => drawn);
  return layer && get(withQuery(layer.release.urls.series, { ...query, series: here.series, points: 10 }));
};

function drawSummary(losses = new Map()) {
  const shown = layers.map((layer) => ({
    layer, ink: inks.get(layer.id), title: titleOf(layer), level: mechanism(layer)?.level ?? "", loss: losses.get(layer.id) ?? null,
  }));
  showSummary($("[data-summary]"), shown, { smooth: (layer) => attempt(() => smoothing.open(layer.release, titleOf(layer))) });
  showDownloads($("[data-downloads]"), shown);
}

function drawGuarantee() {
  const layer = active();
  const host = $("[data-guarantee]");
  host.hidden = !layer;
  if (layer) showGuarantee(host, layer.release, titleOf(layer));
}

// What the reader does ----------------------------------------------------------

function toggle(id, on) {
  if (id === ORIGINAL) {
    here.showOriginal = on;
    map.setVisible(ORIGINAL, on);
    map.setVisible("landmarks", on);
  } else {
    const layer = layers.find((one) => one.id === id);
    layer.visible = on;
    map.setVisible(id, on);
    charts?.setVisible(id, on);
    if (!on && layer.rest()) map.remove(id);
    else if (on && layer.resting) attempt(() => show(layer));
  }
  drawEvent();
}

function activate(id) {
  here.active = id;
  drawEvent();
  drawGuarantee();
}

async function cancel(id) {
  const layer = layers.find((one) => one.id === id);
  await attempt(async () => {
    await post(`${layer.release.urls.self}cancel/`);
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
  layers.sort(byRank);
  const query = new URLSearchParams([["landmark_set", page.landmark_set], ...layers.map(({ id }) => ["release", id])]);
  history.replaceState(null, "", `?${query}`);
  prepare();
  stir();
  await watch(layer);
}

/** In the palette's order; a mechanism's own release before those with steps. */
function byRank({ release: a }, { release: b }) {
  const rank = ({ mechanism: { name } }) => Object.keys(page.palette).indexOf(name);
  return rank(a) - rank(b) || a.postprocess.length - b.postprocess.length;
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

function onKey(event) {
  const target = event.target;
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
  inks = inksFor(layers.map(({ release }) => release), page.palette);
  drawLegend();
  drawSummary();
}

async function show(layer) {
  const { series } = here;
  const curve = layer.curve(series);
  curve.catch(() => {}); // it is waited for below; until then the track may fail first
  if (layer.resting || roomFor(layers, original.n)) await layer.load(series, original.n);
  else [layer.visible, layer.resting] = [false, true]; // until the reader ticks it
  if (series !== here.series) return;
  if (!layer.visible) layer.rest();
  layers.filter(({ drawn }) => drawn).forEach(drawLayer);
  await curve; // the map does not wait for the charts
  if (series !== here.series) return;
  drawEvent();
  drawGuarantee();
  await redrawCharts();
}

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
  const [track, marked] = await Promise.all([
    fetchTrack(withQuery(dataset.urls.track, { series: index })),
    get(withQuery(page.urls.events, { series: index })),
  ]);
  [original, runs] = [track, marked.runs];
  timeline.set({ n: track.n, time: track.time, runs });
  drawOriginal();
}

async function changeSeries(index) {
  here.series = index;
  timeline.stop();
  layers.forEach((layer) => {
    map.remove(layer.id);
    layer.forget();
  });
  await readSeries();
  timeline.select(0);
  await Promise.all(layers.filter(({ done }) => done).map(show));
}

async function start() {
  const [found, mechanisms, releases] = await Promise.all([
    get(page.urls.dataset),
    get(page.urls.mechanisms),
    Promise.all(page.releases.map((id) => get(`${page.urls.releases}${id}/`))),
  ]);
  dataset = found;
  titles = new Map(mechanisms.results.map((one) => [one.name, one]));
  layers = releases.map((release) => new Layer(release)).sort(byRank);
  map = createMap($("[data-map]"), { bounds: dataset.bounds, label: "Map of the original and its releases", keyboard: false });
  legend = createLegend($("[data-layers]"), { toggle, activate, cancel, retry });
  timeline = createTimeline($("[data-timeline]"), {
    select: (event) => {
      here.event = event;
      drawEvent();
    },
  });
  smoothing = createSmoothing($("#smooth-dialog"), { url: page.urls.postprocesses, made: (release) => attempt(() => join(release)) });
  map.onClick(({ point }) => {
    const event = map.nearest(ORIGINAL, point, 24);
    if (event >= 0) goTo(event);
  });
  document.addEventListener("keydown", onKey);
  seriesChoice($("[data-series]"), dataset.series, (index) => attempt(() => changeSeries(index)));
  prepare();
  await readSeries();
  timeline.select(0);
  bench.dataset.ready = "map";
  const drawing = createCharts(bench, page.note, { pick: goTo, change: () => attempt(redrawCharts), look: () => attempt(redrawCharts), check: checkQuery }).then((made) => {
    charts = made;
    return redrawCharts();
  });
  await Promise.all([drawing, ...layers.map(watch)]);
  bench.dataset.ready = "all";
}

if (bench) attempt(start);
