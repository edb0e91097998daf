/* The comparison: original and releases on one map beside their charts, all at one event. */

import { stir } from "../components/jobs.js";
import { createLegend } from "../components/legend.js";
import { seriesChoice } from "../components/series_select.js";
import { createTimeline } from "../components/timeline.js";
import { createBrush } from "../components/timeline_brush.js";
import { withQuery } from "../core/address.js";
import { get, poll, post } from "../core/api.js";
import { $, announce, data } from "../core/dom.js";
import { createAttacks } from "../trajectory/compare/attacks.js";
import { circlesAt, linksAt } from "../trajectory/compare/cursor.js";
import { showGuarantee } from "../trajectory/compare/guarantee.js";
import { watchKeys } from "../trajectory/compare/keyboard.js";
import { entriesOf } from "../trajectory/compare/legend_entries.js";
import { listedIds, markPictures, markSources, ORIGINAL, tracksOf } from "../trajectory/compare/map_layers.js";
import { createModes } from "../trajectory/compare/map_modes.js";
import { createSmoothing } from "../trajectory/compare/postprocess_dialog.js";
import { createCharted } from "../trajectory/compare/release_charts.js";
import { byRank, inksFor, Layer, linesOf, roomFor, titleOf } from "../trajectory/compare/release_layers.js";
import { showDownloads, showSummary } from "../trajectory/compare/summary_table.js";
import { giveInk, nameOf, readLook, writeLook } from "../trajectory/compare/view_state.js";
import { eventOf } from "../trajectory/track_parts.js";

const page = data("page-data");
const bench = $("[data-bench]");
const here = { series: 0, event: 0, looked: null, active: null }; // looked: the event the pointer is over, not chosen
const look = readLook();
let [dataset, titles, layers, inks, original, runs] = [null, new Map(), [], new Map(), null, []];
let [marked, zones, marks] = [null, null, []]; // landmarks as the API has them; what lies above the lines
let maps, timeline, brush, legend, charts, smoothing, attacks;

const mechanism = (layer) => titles.get(layer.release.mechanism.name);
const titled = (layer) => titleOf(layer, layers);
const pinned = () => ({ set: page.landmark_set, releases: layers.map(({ id }) => id) });

// Drawing ---------------------------------------------------------------------

function drawMaps() {
  if (!original) return;
  maps.show({
    tracks: tracksOf({ original, layers, look, inks, titleOf: titled, told: maps.told }),
    marks: markPictures(marks, look),
  });
}

function readMarks() {
  marks = [
    ...markSources({ original, runs, dummies: marked.dummies, zones, range: look.range }),
    ...attacks.marks(here.series, look.range),
  ];
}

/** What was attacked is another, or shown no more. */
function redrawMarks() {
  if (!original) return;
  readMarks();
  relook();
}

/** The event chosen, or the one looked at in a chart meanwhile. */
function drawSelection() {
  if (!original) return;
  const event = here.looked ?? here.event;
  const [lon, lat] = [original.lonAt(event), original.latAt(event)];
  const landmark = runs.some(([start, end]) => event >= start && event < end);
  maps.select((ids) => {
    const there = layers.filter(({ id }) => ids.includes(id));
    const noisy = there.includes(active()) || there.length > 1 ? active() : there[0];
    return { lon, lat, landmark, links: linksAt(event, there, inks), circles: circlesAt(here, event, noisy) };
  });
}

function drawEvent() {
  drawSelection();
  maps.reveal(original.lonAt(here.event), original.latAt(here.event));
  charts?.moveCursor(here.event);
  drawLegend();
}

const active = () => layers.find(({ id, drawn }) => id === here.active && drawn) ?? layers.find(({ drawn }) => drawn);

const drawLegend = () =>
  legend.update(entriesOf({ layers, marks, look, inks, here, original, active: active(), titled }));

function drawSummary(losses = new Map()) {
  const shown = layers.map((layer) => ({
    layer,
    ink: inks.get(layer.id),
    title: titled(layer),
    level: mechanism(layer)?.level ?? "",
    loss: losses.get(layer.id) ?? null,
  }));
  showSummary($("[data-summary]"), shown, {
    smooth: (layer) => attempt(() => smoothing.open(layer.release, titled(layer))),
    attack: (layer) => attempt(() => attacks.open(layer.release, titled(layer), here.series)),
  });
  showDownloads($("[data-downloads]"), shown, page.urls);
}

function drawGuarantee() {
  const layer = active();
  const host = $("[data-guarantee]");
  host.hidden = !layer;
  if (layer) showGuarantee(host, layer.release, titled(layer));
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
  writing = setTimeout(() => writeLook(look, pinned()), 150); // browsers refuse one a frame
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
  charts?.draw();
}

function moveLayer(id, by) {
  const ids = listedIds(layers, look);
  const at = ids.indexOf(id);
  ids.splice(at, 1);
  ids.splice(at + by, 0, id);
  look.order = ids.map(nameOf);
  relook();
  const title = id === ORIGINAL ? "Original" : titled(layers.find((one) => one.id === id));
  announce(`${title} is ${at + by + 1} of ${ids.length}, from the top.`);
}

/** Draw the events of `range` alone on maps and charts, at most once a frame; the address follows at rest. */
function setRange(range) {
  look.range = range;
  ranging ??= requestAnimationFrame(() => {
    ranging = null;
    readMarks();
    relook();
    charts?.setRange(look.range);
  });
}

let hovering = null;
/** What a pointer on a map is near to, at most once a frame. */
function hovered(map, at) {
  cancelAnimationFrame(hovering);
  hovering = requestAnimationFrame(() => original && lookAt(at && eventAt(map, at.point, 14), "map"));
}

let looking = null;
/** The event under the pointer, on every chart, map and strip; null, told by where it was last, for none. */
function lookAt(event, where) {
  if (here.looked === event || (event === null && where && where !== looking)) return;
  [here.looked, looking] = [event, where];
  charts?.hover(event);
  timeline.hover(event);
  drawSelection();
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
    announce(`${titled(layer)} is being cancelled.`);
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
  writeLook(look, { ...pinned(), pinned: true });
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

/** The event whose point a map shows there: the original's, where it is drawn; null for none. */
function eventAt(map, point, reach) {
  for (const { id, track } of [{ id: ORIGINAL, track: original }, ...layers]) {
    const i = track ? map.nearest(id, point, reach) : -1;
    if (i >= 0) return eventOf(track, look.range, i);
  }
  return null;
}

function clicked(map, point) {
  const event = eventAt(map, point, 24);
  if (event !== null) goTo(event);
}

// Loading -------------------------------------------------------------------------

function prepare() {
  const releases = layers.map(({ release }) => release);
  inks = inksFor(releases, page.palette, look.inks);
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
  await charts.draw();
}

let opening = null;
const known = () => ({ layers, inks, titled, here, look, original, runs, dummies: marked.dummies });
/** The charts, made when the first release is done: their library is large, and until then there is nothing to chart. */
function openCharts() {
  const told = {
    pick: goTo,
    hover: (event) => lookAt(event, "charts"),
    range: (first, after) => brush.mark(first, after),
    clear: () => brush.clear(),
    refused: tell,
    drawn: drawSummary,
  };
  return (opening ??= createCharted(bench, page, known, told, attempt).then((made) => (charts = made)));
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
      announce(`${titled(layer)}: ${layer.release.state}.`);
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
  timeline.set({ n: track.n, time: track.time, runs, dummies: marked.dummies ?? [] });
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
  zones = method.zones ?? null;
  maps = createModes($("[data-panes]"), $("[data-modes]"), {
    bounds: dataset.bounds,
    look,
    on: { look: relook, choose: (id) => toggle(id, true), click: clicked, hover: hovered },
  });
  legend = createLegend(
    $("[data-layers]"),
    { toggle, activate, cancel, retry, opacity: setOpacity, move: moveLayer, ink: setInk },
    linesOf(page.palette),
  );
  timeline = createTimeline($("[data-timeline]"), {
    select: (event) => {
      here.event = event;
      lookAt(null);
      drawEvent();
    },
    hover: (event) => lookAt(event, "strip"),
    range: (first, after) => brush.mark(first, after),
    paint: () => brush?.draw(),
  });
  brush = createBrush(timeline.scale, setRange);
  smoothing = createSmoothing($("#smooth-dialog"), {
    url: page.urls.postprocesses,
    made: (release) => attempt(() => join(release)),
  });
  attacks = createAttacks($("[data-attack]"), $("#attack-dialog"), {
    urls: page.urls,
    dataset,
    attempt,
    changed: redrawMarks,
    show: maps.fit,
  });
  watchKeys(() => ({ event: here.event, n: original?.n ?? 0, whole: brush.isWhole() }), {
    step: goTo,
    all: () => brush.clear(),
  });
  seriesChoice($("[data-series]"), dataset.series, (index) => attempt(() => changeSeries(index)));
  prepare();
  await readSeries();
  timeline.select(0);
  attacks.resume();
  const there = layers.filter(({ done }) => done);
  const joined = new Map(layers.map((layer) => [layer, watch(layer)]));
  if (look.mode === "grid") await Promise.all(there.map((layer) => joined.get(layer))); // as many maps as there will be
  bench.dataset.ready = "map";
  await Promise.all(joined.values());
  bench.dataset.ready = "all";
}

if (bench) attempt(start);
