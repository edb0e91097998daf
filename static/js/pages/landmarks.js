/* The landmark editor: a way to mark with live preview; zones drawn on the map; events picked on map and strip. */

import { keepForm } from "../components/kept_form.js";
import { isGiven, refuseInvalid } from "../components/number_field.js";
import { seriesOf } from "../trajectory/people.js";
import { seriesChoice } from "../trajectory/series_choice.js";
import { createProblemBox } from "../components/problem_box.js";
import { createTimeline, stepOf } from "../components/timeline.js";
import { withQuery } from "../core/address.js";
import { get, post } from "../core/api.js";
import { $, announce, data, el } from "../core/dom.js";
import { runsWithin } from "../core/event_runs.js";
import { sentenceOf } from "../core/field_errors.js";
import { count, percent } from "../core/format.js";
import { roundLength } from "../map/controls.js";
import { createMap } from "../map/map.js";
import { distanceM } from "../map/projection.js";
import { History, Marks } from "../trajectory/landmark_editor/editor_state.js";
import { createAgainst, showFacts, showPlaces } from "../trajectory/landmark_editor/landmark_facts.js";
import { createJudged, createMethods, createPreview } from "../trajectory/landmark_editor/methods.js";
import { createProposal } from "../trajectory/landmark_editor/stay_proposal.js";
import { createTools } from "../trajectory/landmark_editor/toolbar.js";
import { ZoneEditor } from "../trajectory/landmark_editor/zone_editor.js";
import { asDrawn } from "../trajectory/landmark_editor/zone_geometry.js";
import { fetchWithPreview, pickedFrom } from "../trajectory/track.js";

const SENT_AT_MOST = 20_000; // events selected manually that are sent to be measured
const DOTS = { colour: "--foreground", radius: 2.5, hollow: true, order: -200, most: 4000 }; // more hide the line
const NEAR_PX = 16;
const RINGS = { colour: "--foreground", radius: 6.5, hollow: true, order: -150 }; // of a second set
const page = data("page-data");
/** @type {Record<string, any>} */
const state = { series: 0, first: 0, event: 0, hoveredEvent: null, where: null, draft: null };
Object.assign(state, { distance: null, other: null, isCounted: false });
let dataset, track, marks, methods, judged, map, timeline, tools, zoneEditor, preview, against, history, kept, proposal;

const isManual = () => history.now.way === methods.manual;
const isZones = () => history.now.way === methods.zones;

// Showing ---------------------------------------------------------------------------

function show() {
  const runs = marks.runs(state.first, state.first + track.n);
  map.addLandmarks({ track, runs });
  timeline.set({ runs });
  showEvent();
  showFacts({ marked: marks.count, points: dataset.points, runs: marks.runs().length, distance: state.distance });
  showPlaces(
    runs,
    track,
    {
      zones: isZones() ? (state.draft ?? history.now.zones) : [],
      reach_m: Number.isFinite(history.now.values.distance_m) ? history.now.values.distance_m : undefined,
    },
    (event) => timeline.select(event),
  );
  against.show(marks);
  showSteps();
  return state.isCounted && proposal(marks.count, dataset.points);
}

function showSteps() {
  $("[data-undo]").disabled = !history.past.length;
  $("[data-redo]").disabled = !history.future.length;
}

/** The event chosen, or the one looked at meanwhile. */
function showEvent() {
  const event = state.hoveredEvent ?? state.event;
  map.select({ lon: track.lonAt(event), lat: track.latAt(event), landmark: marks.has(state.first + event) });
  if (isZones()) zoneEditor.playhead();
}

/** The event under the pointer on one of "map" and "strip" is seen on both; null ends that, if it began there. */
function hoverEvent(event, where) {
  if (state.hoveredEvent === event || !track || (event === null && state.where !== where)) return;
  Object.assign(state, { hoveredEvent: event, where });
  timeline.hover(event);
  showEvent();
}

let hovering;
function hoverMap(at) {
  cancelAnimationFrame(hovering);
  hovering = requestAnimationFrame(() => hoverEvent(at && nearEvent(at.point), "map"));
}

function nearEvent(point) {
  const event = map.nearest("original", point, NEAR_PX);
  return event < 0 ? null : event;
}

const { show: showErrors } = createProblemBox($("[data-problem]"));
const failed = (errors) => showErrors(zoneEditor.fail(methods.fail(errors)).map(sentenceOf).join(" "));

// Steps -----------------------------------------------------------------------------

/** Show the state the history is at. */
function settle() {
  const { way, zones, runs, values } = history.now;
  state.draft = null;
  methods.choose(way);
  methods.set(values);
  judged.set(history.now.release ?? null);
  if (isZones()) methods.cover(history.now.release);
  zoneEditor.show({ zones, track, visible: isZones() });
  const known = isZones() && !zones.length ? [] : runs;
  state.isCounted = Boolean(known);
  if (known) {
    marks.replace(known);
    state.distance = null;
    showErrors("");
  }
  show();
  preview.request();
}

function put(change, key = null) {
  const next = { ...history.now, runs: null, ...change };
  methods.choose(next.way);
  if (change.values) methods.set(change.values);
  history.put({ ...next, values: methods.values() }, key);
  settle();
}

/** Whether a number of the chosen way is missing or refused. */
const hasRefused = () => !Object.values(methods.describe()).every(isGiven);

/** A field was changed: a step of its own, or one with its last changes. */
function adjust(field) {
  if (hasRefused()) {
    preview.stop();
    return;
  }
  history.put({ ...history.now, runs: null, values: methods.values() }, field);
  showSteps();
  preview.request();
}

function putZones(zones, key) {
  put({ way: methods.zones, zones }, key);
}

/** Go on with what was kept; undone, it is as the editor began. */
function restore(kept) {
  history.put(kept);
  settle();
}

function step(way) {
  if (!history[way]()) return;
  settle();
  announce(way === "undo" ? "Undone." : "Redone.");
}

/** Zones as the way to mark that they are: on positions of the upload or of a release. */
const zonesAs = (zones) =>
  history.now.release ? { name: methods.released, release: history.now.release, zones } : methods.describe({ zones });

/** The method sent to the server: the zones while they are drawn, a manual selection only while it is small. */
function described() {
  const { way, zones } = history.now;
  if (hasRefused()) return null;
  if (way === methods.zones) return (state.draft ?? zones).length ? zonesAs(state.draft ?? zones) : null;
  if (way === methods.manual) return marks.count <= SENT_AT_MOST ? methods.describe({ events: marks.events() }) : null;
  return methods.describe();
}

function found(answer) {
  showErrors("");
  methods.clear();
  state.distance = answer.average_temporal_distance ?? null;
  state.isCounted = true;
  if (!isManual()) marks.replace(answer.runs);
  show();
  announce(`${count(answer.count, "landmark")}, ${percent(answer.share)}`);
}

// Manually -----------------------------------------------------------------------------

/** From here on the marks are the reader's own; they begin with what was found. */
function mark(events) {
  const first = !isManual();
  const on = marks.toggle(events.map((event) => state.first + event));
  put({ way: methods.manual, runs: marks.runs() });
  const manual = first ? " The method is now Manual: the detected landmarks are a starting point." : "";
  announce(`${count(events.length, "event")} ${on ? "added" : "removed"}.${manual}`);
}

const toggle = (event) => mark([event]);
const toggleRange = (start, end) => mark(Array.from({ length: end - start }, (_, i) => start + i));

function selectIn(box) {
  const events = map.within("original", box);
  if (events.length) mark(events);
  else announce("No event lies in the rectangle.");
}

function pick({ point, lon, lat }) {
  const event = nearEvent(point);
  if (event !== null) timeline.select(event);
  if (isZones()) zoneEditor.chooseAt(lon, lat);
  else if (event !== null) toggle(event);
}

/** Keys belong to the drawing unless a button or a field has them. */
const isGround = (target) =>
  target === document.body ||
  (target.closest(".map, [role=slider], [data-tools]") && !target.closest(".leaflet-control"));

function onKey(event) {
  const target = event.target;
  if (target.closest("input, select, textarea, dialog") || event.defaultPrevented) return;
  const key = event.key.toLowerCase();
  const isOnStage = target === document.body || target.closest("[role=slider], .map");
  if ((event.ctrlKey || event.metaKey) && key === "z") step(event.shiftKey ? "redo" : "undo");
  else if ((event.ctrlKey || event.metaKey) && key === "y") step("redo");
  else if (event.ctrlKey || event.metaKey || event.altKey) return;
  else if ((isGround(target) || key === "escape") && tools.key(event)) {
    // the tool took it
  } else if (key === "escape" && isZones()) zoneEditor.choose(-1);
  else if (key === "l" || (key === " " && isOnStage)) toggle(state.event);
  else {
    const arrows = key === "arrowleft" || key === "arrowright";
    const to = target.closest("[role=slider]") || !arrows ? null : stepOf(event, state.event, track.n);
    if (to === null) return;
    timeline.select(to);
  }
  event.preventDefault();
}

// Saving ------------------------------------------------------------------------------

async function keep(then) {
  if (refuseInvalid($("[data-methods]"))) return;
  const buttons = [$("[data-save]"), $("[data-save-release]")];
  buttons.forEach((button) => (button.disabled = true));
  try {
    const method = isZones()
      ? zonesAs(history.now.zones)
      : methods.describe(isManual() ? { events: marks.events() } : {});
    const made = await post(page.urls.save, { dataset: dataset.id, method, name: $("#set-name").value });
    kept.forget();
    location.assign(
      then === "release" ? withQuery(page.urls.release, { landmark_set: made.id }) : `${page.urls.page}#landmark-sets`,
    );
  } catch (error) {
    failed(error.errors ?? [error]);
    buttons.forEach((button) => (button.disabled = false));
  }
}

// Loading -------------------------------------------------------------------------------

async function readSeries(index) {
  const style = { id: "original", colour: "--foreground", width: 1.4, opacity: 0.75, dots: false };
  track = await fetchWithPreview(
    map,
    withQuery(dataset.urls.track, { series: index }),
    dataset.series[index].points,
    style,
  );
  Object.assign(state, { series: index, first: dataset.series[index].first_event, event: 0, hoveredEvent: null });
  map.addTrack({ ...style, track });
  map.addMarkers({ ...DOTS, id: "events", track });
  timeline.set({ n: track.n, time: track.time, runs: [] });
  timeline.select(0);
  zoneEditor.show({ zones: history.now.zones, track, visible: isZones() });
  show();
  showOther(state.other);
}

/**
 * What the editor begins with: the first way, or the set it is a copy of, by hand where its way is not to be had here.
 */
async function begin(source) {
  if (!source) return { way: methods.first, zones: [], runs: null };
  const { name, zones = [], release = null, ...values } = source.method;
  if (release) return { way: methods.zones, zones: asDrawn(zones), release, runs: null };
  if (name === methods.manual || !methods.isPossible(name))
    return { way: methods.manual, zones: [], runs: (await get(source.urls.events)).runs };
  methods.choose(name);
  methods.set(values);
  return { way: name, zones: asDrawn(zones), runs: null };
}

function createParts(ways, sets, releases) {
  marks = new Marks(dataset.points);
  const offered = new Set([dataset.has_time && "time", dataset.has_landmark_column && "landmark column"]);
  methods = createMethods($("[data-methods]"), ways, { offered, on: { change: adjust, choose: chooseWay } });
  map = createMap($("[data-map]"), { bounds: dataset.bounds, label: "Map of the events", top: 48, keyboard: false });
  map.onHover(hoverMap);
  timeline = createTimeline($("[data-timeline]"), {
    select: goTo,
    press: (event) => isManual() && toggle(event),
    range: toggleRange,
    hover: (event) => hoverEvent(event, "strip"),
  });
  const busy = (on) => ($("[data-busy]").hidden = !on);
  preview = createPreview({
    url: page.urls.preview,
    dataset: dataset.id,
    describe: described,
    on: { busy, found, failed },
  });
  tools = createTools({
    host: $("[data-tools]"),
    hint: $("[data-hint]"),
    map,
    on: {
      pick,
      select: selectIn,
      zone: (zone) => zoneEditor.add(zone),
      currentEvent: () => [track.lonAt(state.event), track.latAt(state.event)],
    },
  });
  const draft = (zones) => {
    state.draft = zones;
    preview.request();
  };
  const check = (zones) => post(page.urls.preview, { dataset: dataset.id, method: { name: methods.zones, zones } });
  zoneEditor = new ZoneEditor({
    map,
    name: "zones",
    radius: roundLength(Math.max(1, distanceM(...dataset.bounds) / 20)),
    on: {
      put: putZones,
      draft,
      check,
      problem: showErrors,
      currentEvent: () => ({ event: state.event, lon: track.lonAt(state.event), lat: track.latAt(state.event) }),
    },
  });
  judged = createJudged(
    releases.filter(({ state, seed }) => state === "done" && seed === null),
    { onChange: (release) => put({ release }) },
  );
  methods.panel(methods.zones, el("div.stack", { dataset: { unkept: "" } }, zoneEditor.element, judged.element));
  proposal = createProposal($("[data-proposal]"), page, methods, put);
  against = createAgainst($("[data-against]"), sets, { change: showOther });
}

function goTo(event) {
  state.event = event;
  showEvent();
  map.reveal(track.lonAt(event), track.latAt(event));
}

function chooseWay(way) {
  if (way === history.now.way) return;
  put({ way, runs: way === methods.manual ? marks.runs() : null });
}

/** The second set on strip and map, as rings below the landmarks: its runs within the series shown. */
function showOther(runs) {
  state.other = runs;
  const [from, to] = [state.first, state.first + track.n];
  const within = runs && runsWithin(runs, [from, to]).map(([start, end]) => [start - from, end - from]);
  timeline.set({ other: within ?? null });
  if (within) map.addMarkers({ id: "other", track: pickedFrom(track, within), ...RINGS });
  else map.remove("other");
  against.show(marks);
}

async function start() {
  const [found, ways, sets, releases, source] = await Promise.all(
    [page.urls.dataset, page.urls.methods, page.urls.sets, page.urls.releases, page.urls.source].map(
      (url) => url && get(url),
    ),
  );
  dataset = { ...found, series: await seriesOf(found) };
  createParts(ways.results, sets.results, releases.results);
  history = new History({ ...(await begin(source)), values: methods.values() });
  seriesChoice($("[data-series]"), dataset.series, readSeries);
  await readSeries(0);
  settle();
  await Promise.all([preview.now(), against.choose(page.against)]);
  await show();
  document.addEventListener("keydown", onKey);
  $("[data-undo]").addEventListener("click", () => step("undo"));
  $("[data-redo]").addEventListener("click", () => step("redo"));
  $("[data-save]").addEventListener("click", () => keep("page"));
  $("[data-save-release]").addEventListener("click", () => keep("release"));
  kept = keepForm($("[data-editor]"), { more: { read: () => history.now, apply: restore }, name: location.search });
  $("[data-editor]").dataset.ready = "all";
}

start().catch((error) => showErrors(error.message));
