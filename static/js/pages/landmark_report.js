/* A landmark set's report: what mechanisms would leak over it, and budgets for a target. */

import { onOptions, options } from "../charts/chart_options.js";
import { createFigure } from "../charts/figure.js";
import { radios, tick } from "../components/choice_controls.js";
import { term } from "../components/glossary.js";
import { swatch } from "../core/swatch.js";
import { check, valueOf, write } from "../components/number_field.js";
import { rangeOf, withQuery } from "../core/address.js";
import { ApiError, get } from "../core/api.js";
import { $, announce, data, el } from "../core/dom.js";
import { showText } from "../core/elements.js";
import { runsWithout, spanOf } from "../core/event_runs.js";
import { sentenceOf } from "../core/field_errors.js";
import { number } from "../core/format.js";
import { once } from "../core/once.js";
import { createPlan } from "../trajectory/loss/budget_plan.js";
import { correlationText, createCorrelation } from "../trajectory/loss/correlation.js";
import { showTable } from "../trajectory/loss/loss_table.js";
import { BOUNDS, levelLabel, lossAxis, PARTS, viewText, warning } from "../trajectory/loss/loss_text.js";
import { createParameters } from "../trajectory/loss/mechanism_parameters.js";
import {
  boundQuery,
  correlationQuery,
  DIAMETER_M,
  readState,
  STANDARD,
  writeState,
} from "../trajectory/loss/view_state.js";
import { fetchTrack } from "../trajectory/track.js";

const MORE = {
  view: "landmarks",
  epsilon: "1",
  radius_m: "200",
  parameters: "",
  series: "0",
  range: "",
  alpha: "1",
  method: "quantification",
};
const TITLES = { weak: "Weak", moderate: "Moderate", strong: "Strong", own: "Own matrix", estimated: "Estimated" };

const page = data("page-data");
const lineStyles = page.palette;
const host = $("[data-report]");
const state = readState(MORE);
let figure, plan, parameters, shown, dummies;
let turn = 0;

const keep = () => writeState(state, MORE);

function queryOf(corr) {
  const { epsilon, radius_m, parameters: own, series } = state;
  return {
    ...correlationQuery({ ...state, corr }),
    ...boundQuery(state),
    epsilon,
    radius_m,
    ...(own && { parameters: own }),
    series,
  };
}

/** @type {Map<string, {at: ArrayLike<number>, zone: string}>} of each series, once a chart has an axis of time */
const loaded = new Map();
const times = () => page.time_zone && (loaded.get(state.series) ?? { at: [], zone: page.time_zone });

/** The times of the events, where an axis of time is chosen. */
async function loadTimes() {
  const { series } = state;
  if (!page.time_zone || options.along !== "time" || loaded.has(series)) return;
  const { time } = await fetchTrack(withQuery(page.urls.track, { series }));
  loaded.set(series, { at: time ?? [], zone: page.time_zone });
}

const getOnce = (url) => once(url, () => get(url));
const report = (corr) => getOnce(withQuery(page.urls.loss, queryOf(corr)));
const marks = () => getOnce(withQuery(page.urls.events, { series: state.series }));

// Drawing -------------------------------------------------------------------------

async function draw() {
  const mine = (turn += 1);
  const keys = [...new Set([...Object.keys(STANDARD), state.corr])];
  const [marked, , ...found] = await Promise.all([marks(), loadTimes(), ...keys.map(report)]);
  if (mine !== turn) return;
  shown = found[keys.indexOf(state.corr)];
  dummies = marked.dummies ?? [];
  showTexts();
  showTable(
    $("[data-head]"),
    $("[data-rows]"),
    keys.map((key, i) => ({ key, title: TITLES[key], report: found[i] })),
    { part: state.part, current: state.corr, lineStyles },
  );
  for (const link of host.ownerDocument.querySelectorAll("[data-download]")) {
    link.href = withQuery(page.urls.loss, { ...queryOf(state.corr), points: 20_000, format: link.dataset.download });
  }
  await drawChart();
}

const range = () => rangeOf(state.range);

/** The line of a mechanism, with the spread of its runs where they differ. */
function lineOf(one) {
  const { colour, dash, marker } = lineStyles[one.name];
  const part = (end) => one[`${state.part}${end}`];
  const band = part("_low") && {
    low: part("_low"),
    high: part("_high"),
    ends: ["minimum of the runs", "maximum of the runs"],
  };
  return {
    id: one.name,
    name: one.simulated ? `${one.title}, simulated` : one.title,
    x: shown.event,
    y: part(""),
    colour,
    dash,
    marker,
    ...band,
  };
}

function drawChart() {
  const drawn = shown.mechanisms.filter((one) => one[state.part]);
  const log = state.axis === "log";
  const last = shown.points;
  const lineStyle = ({ name }) => lineStyles[name];
  $("[data-legend]").replaceChildren(
    ...drawn.map((one) =>
      el("li", swatch(lineStyle(one)), one.name === "w-event" ? term("w-event", one.title) : one.title),
    ),
  );
  return figure.show({
    log,
    note: `${TITLES[state.corr].toLowerCase()} correlation`,
    vertical: lossAxis(shown.correlation.diameter_m, log),
    bands: runsWithout(shown.landmarks, dummies),
    hollow: dummies,
    times: times(),
    span: spanOf(range(), last),
    whole: spanOf(null, last),
    lines: drawn.map(lineOf),
    rules: [
      { y: shown.epsilon_at_distance, label: levelLabel(shown.epsilon_at_distance, shown.correlation.diameter_m) },
    ],
    about: drawn.flatMap(({ title, simulated }) => (simulated ? [`${title}: ${simulated.note}`] : [])).join(" "),
  });
}

/** Show the events from `first` to before `after` alone, or all, on both charts; the address gives which. */
function showRange(first, after) {
  state.range = first === undefined ? "" : `${first}-${after}`;
  keep();
  const span = spanOf(range(), shown.points);
  figure.setSpan(span);
  plan.setSpan(span);
}

const watched = () => ({
  range: showRange,
  clear: () => showRange(),
  hover: (event) => [figure, plan].forEach((chart) => chart.hover(event)),
});

const message = el("p.loss__text.small.muted");
const warned = el("div", { "aria-live": "polite" });

function showTexts() {
  message.textContent =
    `${correlationText(shown.correlation)} ` +
    `${viewText(state, { ...shown, diameter_m: shown.correlation.diameter_m })}`;
  warned.replaceChildren(...(shown.correlation.data_dependent ? [warning(shown.correlation.note)] : []));
  const simulated = shown.mechanisms.filter((one) => one.simulated);
  $("[data-simulated]").replaceChildren(
    ...simulated.map(({ title, simulated: { note } }) => el("p", `${title}: ${note} No position is read.`)),
  );
  const worst = state.part === "joint" ? "All landmarks and the worst event together" : "The worst event’s own part";
  $("[data-table-text]").textContent =
    `${worst}, at ε = ${number(Number(state.epsilon))} within ${number(Number(state.radius_m))} m, ` +
    `for states at most ${number(shown.correlation.diameter_m)} m apart. The bridge is an upper ` +
    `bound for an adversary with this matrix; the published formula below it is not. No correlation: ` +
    `what ` +
    `${state.part === "joint" ? "the landmarks and one event spend" : "the worst event spends"}, at ` +
    `that distance.`;
}

// What the reader does --------------------------------------------------------------

async function attempt(what) {
  const box = $("[data-problem]");
  try {
    if (host.dataset.ready) host.dataset.ready = "no"; // the first time it shows itself when it is whole
    await what();
    box.hidden = true;
    host.dataset.ready = "all";
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const message =
      (parameters?.fail(error.errors) ?? error.errors).map(sentenceOf).join(" ") ||
      "This parameter is not valid: see the marked field.";
    showText(box, message);
    announce(message);
    host.dataset.ready = "refused";
  }
}

/** Keep `changes` and draw again; `planned` where the plan follows from them too. */
const change = (changes, planned = false) =>
  attempt(async () => {
    Object.assign(state, changes);
    parameters?.clear();
    keep();
    await Promise.all([draw(), planned && plan.draw(Number(state.series))]);
  });

function controls() {
  const correlation = createCorrelation(state, page.note, {
    check: (changes) =>
      get(
        withQuery(page.urls.loss, { ...correlationQuery({ ...state, ...changes }), series: state.series, points: 10 }),
      ),
    change: () => change({}, true),
  });
  const part = radios("Loss", PARTS, state.part, (value) => change({ part: value }));
  const bound = radios("Bound", BOUNDS, state.bound, (value) => change({ bound: value }));
  const log = tick("Log axis", state.axis === "log", (checked) => change({ axis: checked ? "log" : "linear" }));
  $("[data-controls]").replaceChildren(
    correlation.element,
    el("div.pair.gap-2", part.element, bound.element),
    log.element,
    message,
    warned,
  );
  for (const [id, name] of [
    ["#epsilon", "epsilon"],
    ["#radius", "radius_m"],
  ]) {
    const input = $(id);
    if (isFinite(state[name])) write(input, Number(state[name]));
    let waiting;
    input.addEventListener("input", () => {
      clearTimeout(waiting);
      if (check(input))
        waiting = setTimeout(() => change({ [name]: String(valueOf(input)) }, name === "radius_m"), 250);
    });
  }
  const series = $("#series");
  if (series) series.value = state.series;
  series?.addEventListener("change", () => change({ series: series.value, range: "" }, true));
  return correlation;
}

async function start() {
  const correlation = controls();
  const described = (await get(page.urls.mechanisms)).results;
  parameters = createParameters($("[data-parameters]"), described, lineStyles, state.parameters, (text) =>
    change({ parameters: text }),
  );
  $("[data-own]").open = Boolean(state.parameters);
  figure = await createFigure($("[data-chart=loss]"), {
    title: "Loss over time",
    unit: "ε",
    name: "landmark-loss",
    item: "event",
  });
  plan = await createPlan($("#plan"), page, state, keep, { span: (n) => spanOf(range(), n), times });
  onOptions(() => attempt(() => loadTimes().then(() => Promise.all([drawChart(), plan.redraw()]))));
  [figure, plan].forEach((chart) => chart.listen(watched()));
  await change({}, true);
  if (host.dataset.ready !== "refused") return;
  const why = $("[data-problem]").textContent; // an address may name what the server refuses
  await change(
    {
      corr: "moderate",
      bound: "bridge",
      epsilon: "1",
      radius_m: "200",
      diameter_m: DIAMETER_M,
      parameters: "",
      series: "0",
      range: "",
    },
    true,
  );
  correlation.show();
  showText($("[data-problem]"), why);
}

start();
