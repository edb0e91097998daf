/* The comparison: original and releases on one map beside their charts, all at one event. */

import { watchDialogs } from "../components/dialogs.js";
import { refreshJobs } from "../components/jobs.js";
import { createLegend } from "../components/legend.js";
import { createProblemBox } from "../components/problem_box.js";
import { createTimeline } from "../components/timeline.js";
import { createBrush } from "../components/timeline_brush.js";
import { withQuery } from "../core/address.js";
import { get, poll } from "../core/api.js";
import { $, announce, data } from "../core/dom.js";
import { Attacks } from "../trajectory/compare/attacks.js";
import { eventNear, selectionOf, watchKeys } from "../trajectory/compare/cursor.js";
import { CLOUD, DragPanel } from "../trajectory/compare/drag_panel.js";
import { createDrawings, createLegendActions, entriesOf } from "../trajectory/compare/legend.js";
import { assignLineStyles, byRank, fitsInMemory, Layer, linesOf, titleOf } from "../trajectory/compare/releases.js";
import { markLayers, markSources, tracksOf } from "../trajectory/compare/map_layers.js";
import { createModes } from "../trajectory/compare/map_modes.js";
import { createPicker, createReleasesView } from "../trajectory/compare/releases_view.js";
import { createVisibility } from "../trajectory/compare/visibility.js";
import { nameOf, readViewState, writeViewState } from "../trajectory/compare/view_state.js";
import { seriesOf } from "../trajectory/people.js";
import { peopleViewFor, seriesChoice } from "../trajectory/series_choice.js";
import { fetchTrack } from "../trajectory/track.js";

const page = data("page-data");
const bench = $("[data-bench]");
const { show: showProblem, attempt } = createProblemBox($("[data-problem]"));
const view = readViewState();
/** @type {any} */
const cursor = { series: view.series, event: 0, hoveredEvent: null, active: null };
/** @type {any[]} */
let [dataset, titles, layers, lineStyles, original, runs] = [null, new Map(), [], new Map(), null, []];
/** @type {any[]} landmarks as the API has them, what lies above the lines, the events at home as the API has them */
let [marked, zones, marks, home] = [null, null, [], null];
let readingHome = Promise.resolve();
let maps, drag, about, timeline, brush, legend, charts, attacks, people, choice;

const titled = (layer) => titleOf(layer, layers);
const pinned = () => ({ set: page.landmark_set, releases: layers.map(({ id }) => id) });

// Drawing ---------------------------------------------------------------------

function drawMaps() {
  if (!original) return;
  maps.show({
    tracks: people.coloured(
      tracksOf({ original, layers, view, lineStyles, titleOf: titled, onStride: maps.showStride, drawings, drag }),
    ),
    marks: markLayers(marks, view),
  });
}

function readMarks() {
  const source = { original, runs, dummies: marked.dummies, zones, range: view.range };
  marks = [
    ...(page.landmark_set ? markSources({ ...source, place: people.place(original) }) : []),
    ...attacks.marks(cursor.series, view.range),
    ...(people.isOn() ? [] : drag.marks()),
  ];
}

/** What was attacked is another, or shown no more. */
function redrawMarks() {
  if (!original) return;
  readMarks();
  applyView();
}

/** The event chosen, or the one looked at in a chart meanwhile. */
function drawSelection() {
  if (!original) return;
  if (people.isOn()) return maps.select(() => null);
  const event = cursor.hoveredEvent ?? cursor.event;
  const shown = { original, layers, runs, cursor, lineStyles, active: active() };
  return maps.select((ids) => selectionOf(event, ids, shown));
}

function drawEvent() {
  drawSelection();
  maps.reveal(original.lonAt(cursor.event), original.latAt(cursor.event));
  charts?.moveCursor(cursor.event, active()?.id);
  drawLegend();
}

/** The release whose noise and guarantee are shown. */
function active() {
  const drawn = layers.filter((layer) => layer.drawn);
  return drawn.find(({ id }) => id === cursor.active) ?? drawn.find(({ visible }) => visible) ?? drawn[0];
}

const drawLegend = () =>
  legend.update(
    entriesOf({
      ...{ layers, marks, view, lineStyles, cursor, titled, drawings, original: people.isOn() ? null : original },
      ...{ active: active(), alone: visibility.alone() },
    }),
  );

/** The answer and the guarantee, and what the slider of levels is about: whenever what they are made of has come. */
function drawAnswer() {
  about.answer();
  drag.fill();
}

// What the reader does ----------------------------------------------------------

const visibility = createVisibility(view, () => layers, {
  shown(layer, on) {
    charts?.setVisible(layer.id, on);
    if (!on) layer.rest();
    else if (layer.unloaded) attempt(() => show(layer));
  },
  changed() {
    applyView();
    drawAnswer();
  },
  titled,
});
const { toggle, solo } = visibility;
const drawings = createDrawings(view, { view: () => applyView(), drawn: () => drawLegend() });
const legendActions = createLegendActions(() => ({ layers, view, titled }), {
  view: applyView,
  styled() {
    prepare();
    applyView();
    charts?.draw();
  },
  job: prepare,
  watch,
  attempt,
});

let writing, ranging;
/** After a change of the view: draw it, if it is not drawn yet, and write it to the address. */
function applyView({ drawn = false } = {}) {
  clearTimeout(writing);
  writing = setTimeout(() => writeViewState(view, pinned()), 150); // browsers refuse one a frame
  if (drawn) return;
  drawMaps();
  drawSelection();
  drawLegend();
}

/** Draw the events of `range` alone on maps and charts, at most once a frame; the address follows at rest. */
function setRange(range) {
  view.range = range;
  ranging ??= requestAnimationFrame(() => {
    ranging = null;
    readMarks();
    applyView();
    charts?.setRange(view.range);
  });
}

let hovering, hoverSource;
/** What a pointer on a map is near to, at most once a frame. */
function hoverMap(map, at) {
  cancelAnimationFrame(hovering);
  if (people.isOn()) return (hovering = requestAnimationFrame(() => people.hover(map, at)));
  hovering = requestAnimationFrame(() => original && hoverEvent(at && eventAt(map, at.point, 14), "map"));
}

/** The event under the pointer, on every chart, map and strip; null for none, from where it was last. */
function hoverEvent(event, where) {
  if (cursor.hoveredEvent === event || (event === null && where && where !== hoverSource)) return;
  [cursor.hoveredEvent, hoverSource] = [event, where];
  charts?.hover(event);
  timeline.hover(event);
  drawSelection();
}

function activate(id) {
  cursor.active = id;
  drawEvent();
  drawAnswer();
}

/** A new release joins those shown, ahead of others of its title, and stays when the page is read again. */
async function join(release) {
  const layer = new Layer(release, page.landmark_set);
  const at = layers.findIndex((one) => one.release.title === release.title);
  layers.splice(at < 0 ? layers.length : at, 0, layer);
  layers.sort(byRank(page.palette));
  visibility.keep();
  writeViewState(view, { ...pinned(), pinned: true });
  prepare();
  refreshJobs();
  await watch(layer);
}

const goTo = (event) => timeline.select(event);

const eventAt = (map, point, reach) => eventNear(map, point, reach, { original, layers, view });

function clicked(map, point) {
  if (people.isOn()) return people.click(map, point);
  const event = eventAt(map, point, 24);
  if (event !== null) goTo(event);
}

// Loading -------------------------------------------------------------------------

function prepare() {
  const releases = layers.map(({ release }) => release);
  lineStyles = assignLineStyles(releases, page.palette, view.lineStyles);
  drawLegend();
  about.summary();
  drawAnswer();
}

async function show(layer) {
  const { series } = cursor;
  if (!layer.visible) {
    layer.leave(); // fetched once the reader ticks it
    drawLegend();
    return;
  }
  if (people.isOn()) {
    await layer.load(null, original.n);
    if (series === cursor.series) applyView();
    return;
  }
  const curve = layer.curve(series);
  curve.catch(() => {}); // it is waited for below; until then the track may fail first
  if (layer.unloaded || fitsInMemory(layers, original.n)) await layer.load(series, original.n);
  else view.hidden.add(nameOf(layer.leave())); // until the reader ticks it
  if (series !== cursor.series) return;
  if (!layer.visible) layer.rest();
  drawMaps();
  await Promise.all([curve, openCharts(), readingHome]); // the map does not wait for them
  if (series !== cursor.series) return;
  drawEvent();
  drawAnswer();
  await charts.draw();
}

let opening;
const known = () => ({
  ...{ layers, lineStyles, titles, titled, cursor, view, original, runs, home },
  ...{ dummies: marked?.dummies, active: active() },
});
/** The charts, made when the first release is done: their library is large, and until then there are none. */
function openCharts() {
  const listeners = {
    pick: goTo,
    hover: (event) => hoverEvent(event, "charts"),
    range: (first, after) => brush.mark(first, after),
    clear: () => brush.clear(),
    refused: showProblem,
    drawn: about.summary,
  };
  return (opening ??= import("../trajectory/compare/release_charts.js")
    .then(({ createReleaseCharts }) => createReleaseCharts(bench, page, known, listeners, attempt))
    .then((made) => (charts = made)));
}

function watch(layer) {
  const following = layer.release.id;
  return attempt(async () => {
    if (layer.open) {
      const onUpdate = (release) => {
        if (layer.release.id !== following) return;
        layer.release = release;
        drawLegend();
        about.summary();
      };
      await poll(layer.release.urls.self, { every: 700, onUpdate });
      announce(`${titled(layer)}: ${layer.release.state}.`);
    }
    if (layer.done) {
      visibility.follow();
      await show(layer);
    }
    await refreshJobs();
  });
}

/** The landmarks of the set that is compared on; none without one. */
const readEvents = (query) => (page.landmark_set ? get(withQuery(page.urls.events, query)) : { runs: [] });

async function readSeries() {
  const { series } = cursor;
  readingHome = readHome(series);
  const [track, events] = await Promise.all([
    people.isOn()
      ? fetchTrack(dataset.urls.tracks)
      : maps.fetchOriginal(withQuery(dataset.urls.track, { series }), dataset.series[series].points),
    readEvents(people.isOn() ? {} : { series }),
  ]);
  [original, marked, runs] = [track, events, events.runs];
  timeline.set({ n: track.n, time: track.time, runs, dummies: marked.dummies ?? [] });
  view.range = brush.set(view.range);
  readMarks();
  drawMaps();
}

/** The events at home of a series; none where there are no times, or too many stays. */
async function readHome(series) {
  home = null;
  if (series === null || !dataset.has_time) return;
  const found = await get(withQuery(page.urls.home, { series })).catch(() => null);
  if (series === cursor.series) home = found;
}

const changeSeries = (index) =>
  attempt(async () => {
    Object.assign(view, { series: index, range: null });
    [cursor.series, original] = [index, null];
    choice.set(index);
    people.show();
    timeline.stop();
    drag.stop();
    layers.forEach((layer) => layer.forget());
    await readSeries();
    timeline.select(0);
    applyView();
    await Promise.all(layers.filter(({ done }) => done).map(show));
  });

async function start() {
  const [found, mechanisms, method, releases] = await Promise.all([
    get(page.urls.dataset),
    get(page.urls.mechanisms),
    page.landmark_set ? get(page.urls.marked).then((one) => one.method) : { zones: null },
    Promise.all(page.releases.map((id) => get(`${page.urls.releases}${id}/`))),
  ]);
  dataset = { ...found, series: await seriesOf(found) };
  titles = new Map(mechanisms.results.map((one) => [one.name, one]));
  layers = releases.map((release) => new Layer(release, page.landmark_set)).sort(byRank(page.palette));
  visibility.open(page.requested);
  zones = method.zones ?? null;
  if ((view.series ?? 0) >= dataset.series.length) cursor.series = view.series = 0;
  const createPeopleView = await peopleViewFor(dataset.series, view);
  maps = createModes($("[data-panes]"), $("[data-modes]"), {
    ...{ bounds: dataset.bounds, view },
    known: () => ({ ...known(), dataset, marks, people, drawings }),
    on: { view: applyView, choose: (id) => toggle(id, true), click: clicked, hover: hoverMap },
  });
  about = createReleasesView(bench, page, known, {
    ...{ attempt, join },
    attack: (layer) => attacks.open(layer.release, titled(layer), cursor.series),
  });
  const actions = { toggle, solo, activate, menu: about.menu, drawing: drawings.choose, ...legendActions };
  drag = new DragPanel($("[data-drag]"), {
    ...{ bounds: dataset.bounds, page, known },
    on: { changed: redrawMarks, frame: () => maps.drawNow(CLOUD), attempt, join },
  });
  watchDialogs(() => location.reload());
  people = createPeopleView(bench, {
    ...{ series: dataset.series, view },
    known: () => ({ original, layers, map: maps.map }),
    on: { choose: changeSeries, view: applyView },
  });
  legend = createLegend($("[data-layers]"), actions, linesOf(page.palette));
  $("[data-show-all]").addEventListener("click", visibility.showAll);
  createPicker($("#picker"), $("[data-pick]"), () => layers.filter(({ visible }) => visible).map(({ id }) => id));
  timeline = createTimeline($("[data-timeline]"), {
    select: (event) => {
      cursor.event = event;
      hoverEvent(null);
      drawEvent();
    },
    hover: (event) => hoverEvent(event, "strip"),
    range: (first, after) => brush.mark(first, after),
    paint: () => brush?.draw(),
  });
  brush = createBrush(timeline.scale, setRange);
  attacks = new Attacks($("[data-attack]"), $("#attack-dialog"), {
    ...{ urls: page.urls, dataset, attempt },
    ...{ changed: redrawMarks, show: maps.fit },
  });
  watchKeys(() => ({ event: cursor.event, n: people.isOn() ? 1 : (original?.n ?? 0), whole: brush.isWhole() }), {
    step: goTo,
    all: () => brush.clear(),
  });
  choice = seriesChoice($("[data-series]"), dataset.series, changeSeries, { all: true, chosen: view.series });
  people.show();
  prepare();
  await readSeries();
  timeline.select(0);
  attacks.resume();
  const there = layers.filter(({ done }) => done);
  const joined = new Map(layers.map((layer) => [layer, watch(layer)]));
  if (view.mode === "grid") await Promise.all(there.map((layer) => joined.get(layer))); // as many maps as there will be
  bench.dataset.ready = "map";
  await Promise.all(joined.values());
  bench.dataset.ready = "all";
}

if (bench) attempt(start);
