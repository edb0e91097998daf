/* A landmark set's report: what mechanisms would leak over it, and budgets for a target. */

import { ApiError, get } from "../api.js";
import { withQuery } from "../compare/model.js";
import { $, announce, data, el, number } from "../dom.js";
import { createFigure } from "../figure.js";
import { term } from "../glossary.js";
import { swatch } from "../legend.js";
import { radios, tick } from "../loss/choices.js";
import { correlationWords, createCorrelation } from "../loss/correlation.js";
import { createPlan } from "../loss/plan.js";
import { STANDARD, boundQuery, correlationQuery, readState, writeState } from "../loss/state.js";
import { showTable } from "../loss/table.js";
import { BOUNDS, PARTS, viewWords, warning } from "../loss/words.js";

const MORE = { view: "landmarks", epsilon: "1", series: "0", alpha: "1", method: "quantification" };
const TITLES = { weak: "Weak", moderate: "Moderate", strong: "Strong", own: "Own matrix", estimated: "Estimated" };

const page = data("page-data");
const inks = Object.fromEntries(Object.entries(page.palette).map(([name, ink], index) => [name, { ...ink, index }]));
const host = $("[data-report]");
const state = readState(MORE);
const reports = new Map(); // query -> report
let figure, plan, shown;
let turn = 0;

const keep = () => writeState(state, MORE);

function queryOf(corr) {
  return { ...correlationQuery({ ...state, corr }), ...boundQuery(state), epsilon: state.epsilon, series: state.series };
}

async function report(corr) {
  const url = withQuery(page.urls.loss, queryOf(corr));
  if (!reports.has(url)) reports.set(url, get(url).catch((error) => (reports.delete(url), Promise.reject(error))));
  return reports.get(url);
}

// Drawing -------------------------------------------------------------------------

async function draw() {
  const mine = (turn += 1);
  const keys = [...new Set([...Object.keys(STANDARD), state.corr])];
  const found = await Promise.all(keys.map(report));
  if (mine !== turn) return;
  shown = found[keys.indexOf(state.corr)];
  tell();
  showTable($("[data-head]"), $("[data-rows]"), keys.map((key, i) => ({ key, title: TITLES[key], report: found[i] })), {
    part: state.part, current: state.corr, inks,
  });
  for (const link of host.ownerDocument.querySelectorAll("[data-download]")) {
    link.href = withQuery(page.urls.loss, { ...queryOf(state.corr), points: 20_000, format: link.dataset.download });
  }
  await drawChart();
}

function drawChart() {
  const drawn = shown.mechanisms.filter((one) => one[state.part]);
  const log = state.axis === "log";
  const ink = ({ name }) => inks[name];
  $("[data-legend]").replaceChildren(...drawn.map((one) => el("li", {}, swatch(ink(one)), one.name === "w-event" ? term("w-event", one.title) : one.title)));
  return figure.show({
    log, note: `${TITLES[state.corr].toLowerCase()} correlation, ε${log ? ", log" : ""}`, bands: shown.landmarks, span: [0, Math.max(1, shown.points - 1)],
    lines: drawn.map((one) => ({ id: one.name, name: one.title, x: shown.event, y: one[state.part], colour: ink(one).colour, dash: ink(one).dash, marker: ink(one).marker })),
    rules: [{ y: shown.epsilon, label: `ε = ${number(shown.epsilon)}, no correlation` }],
  });
}

const words = el("p", { class: "loss__words" });
const warned = el("div", { "aria-live": "polite" });

function tell() {
  words.textContent = `${correlationWords(shown.correlation)} ${viewWords(state, shown)}`;
  warned.replaceChildren(...(shown.correlation.data_dependent ? [warning(shown.correlation.note)] : []));
  const worst = state.part === "joint" ? "All landmarks and the worst event together" : "The worst event’s own part";
  $("[data-table-words]").textContent = `${worst}, at ε = ${number(Number(state.epsilon))}. The bridge is an upper bound; the published formula below it is not. No correlation: what ${state.part === "joint" ? "the landmarks and one event spend" : "the worst event spends"}.`;
}

// What the reader does --------------------------------------------------------------

async function attempt(what) {
  const box = $("[data-problem]");
  try {
    host.dataset.ready = "no";
    await what();
    box.hidden = true;
    host.dataset.ready = "all";
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    box.textContent = error.message;
    box.hidden = false;
    announce(error.message);
    host.dataset.ready = "refused";
  }
}

/** Keep `changes` and draw anew; `planned` where the plan follows from them too. */
const change = (changes, planned = false) =>
  attempt(async () => {
    Object.assign(state, changes);
    keep();
    await Promise.all([draw(), planned && plan.draw(Number(state.series))]);
  });

function controls() {
  const correlation = createCorrelation(state, page.note, {
    check: (changes) => get(withQuery(page.urls.loss, { ...correlationQuery({ ...state, ...changes }), epsilon: state.epsilon, series: state.series, points: 10 })),
    change: () => change({}, true),
  });
  const part = radios("Loss", PARTS, state.part, (value) => change({ part: value }));
  const bound = radios("Bound", BOUNDS, state.bound, (value) => change({ bound: value }));
  const log = tick("Log axis", state.axis === "log", (checked) => change({ axis: checked ? "log" : "linear" }));
  $("[data-controls]").replaceChildren(correlation.element, el("div", { class: "loss__pair" }, part.element, bound.element), log.element, words, warned);
  const epsilon = $("#epsilon");
  epsilon.value = state.epsilon;
  let waiting;
  epsilon.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => change({ epsilon: epsilon.value }), 250);
  });
  const series = $("#series");
  if (series) series.value = state.series;
  series?.addEventListener("change", () => change({ series: series.value }, true));
  return correlation;
}

async function start() {
  const correlation = controls();
  figure = await createFigure($("[data-chart=loss]"), { title: "Loss over time", unit: "ε", name: "cairn-landmark-loss" });
  plan = await createPlan($("#plan"), page, state, keep);
  await change({}, true);
  if (host.dataset.ready !== "refused") return;
  const why = $("[data-problem]").textContent; // an address may ask for what the server refuses
  await change({ corr: "moderate", bound: "bridge", epsilon: "1", series: "0" }, true);
  correlation.show();
  $("[data-problem]").textContent = why;
  $("[data-problem]").hidden = false;
}

start();
