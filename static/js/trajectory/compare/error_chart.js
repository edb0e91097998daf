/* The error chart and the choice of its view: by event, as a distribution, cumulated as a mean or a sum, against ε.
 *
 * A view is what a figure shows for a scale: (log) => {lines, …} (see charts/figure.js). `shown` = [{layer, lineStyle,
 * title, curve}]; `common` what all charts over events have; `group` = {name, text} the events counted.
 */

import { radios } from "../../components/choice_controls.js";
import { ApiError } from "../../core/api.js";
import { $, announce, el } from "../../core/dom.js";
import { selectOf } from "../../core/elements.js";
import { metres, number, whole } from "../../core/format.js";
import { titleParts, within } from "../../core/level.js";
import { readState, writeState } from "../loss/view_state.js";

const VIEWS = [
  ["event", "Events", "The error of each event"],
  ["distribution", "Distribution", "Share of the events with at most this error"],
  ["mean", "Mean", "The mean error of the events so far"],
  ["sum", "Sum", "Sum of the errors of the events so far"],
  ["epsilon", "By ε", "The mean error at other levels, simulated"],
];
const GROUPS = [
  ["all", "all events"],
  ["landmarks", "landmarks"],
  ["others", "others"],
];
const USUAL = { error: "event", among: "all" };
const SIMULATED_AT_MOST = 20; // mechanisms, as the API takes them
const valid = (options, value, usual) => (options.some(([one]) => one === value) ? value : usual);

/**
 * Views of `shown` = [{layer, lineStyle, title, curve}] in `figure`, whose host is `host`. `simulate(mechanisms)`
 * requests mean errors against ε from the server.
 */
export function createErrors(host, figure, simulate) {
  const read = readState(USUAL);
  const state = { error: valid(VIEWS, read.error, USUAL.error), among: valid(GROUPS, read.among, USUAL.among) };
  const simulations = createSimulations(simulate);
  /** @type {any} */
  let latest = null;
  let turn = 0;
  const choose = (changes) => {
    Object.assign(state, changes);
    writeState(state, USUAL);
    return latest && draw(...latest);
  };
  const views = radios("View of the error", VIEWS, state.error, (error) => choose({ error }));
  const onchange = () => choose({ among: among.value });
  const among = selectOf(
    { class: "input chart__among compact grow small", "aria-label": "Events counted", onchange },
    GROUPS,
  );
  among.value = state.among;
  const caption = el("p", { class: "chart__text small muted unless-empty" });
  $(".chart__head", host).after(el("div", { class: "line" }, views.element, among));
  host.append(caption);

  const makers = {
    event: eventView,
    distribution: distributionView,
    mean: meanView,
    sum: sumView,
    epsilon: async (shown, common) => epsilonView(shown, common, await simulations.of(shown, common.series)),
  };

  async function draw(shown, common) {
    latest = [shown, common];
    const mine = (turn += 1);
    among.disabled = state.error === "event" || state.error === "epsilon";
    const made = await attempt(shown.length ? makers[state.error] : eventView, shown, common);
    if (mine !== turn || !made) return;
    caption.textContent = made(true).caption ?? "";
    await figure.show(made);
  }

  /** What `make` makes, or null and the reason as the caption. */
  async function attempt(make, shown, common) {
    const group = { name: state.among, text: GROUPS.find(([value]) => value === state.among)?.[1] };
    try {
      return await make(shown, common, group);
    } catch (problem) {
      if (!(problem instanceof ApiError)) throw problem;
      caption.textContent = problem.message;
      announce(problem.message);
      return null;
    }
  }

  return { draw };
}

/** Simulations of mechanisms, each requested once. */
export function createSimulations(simulate) {
  const answers = new Map(); // series and mechanisms -> the promise of the simulation
  return {
    of(shown, series) {
      const keys = [...new Set(shown.map(mechanismKey))].slice(0, SIMULATED_AT_MOST);
      const question = `${series} ${keys}`;
      if (!answers.has(question)) {
        const answer = simulate(keys.map((key) => JSON.parse(key))).then((found) => ({ ...found, keys }));
        answers.set(question, answer);
        answer.catch(() => answers.delete(question));
      }
      return answers.get(question);
    },
  };
}

/** The line of a release, as figures take it, of what `more` has: its values. */
export function lineOf({ layer, lineStyle, title, short }, more) {
  const { colour, dash, marker } = lineStyle;
  return { id: layer.id, name: title, short, colour, dash, marker, visible: layer.visible, ...more };
}

/** The error of each event, with its rolling median. */
export function eventView(shown, common) {
  const lines = shown.map((one) => {
    const { event, error_m, decimated, error_median } = one.curve;
    return lineOf(one, { x: event, y: error_m ?? [], thinned: decimated, rolling: error_median });
  });
  return (log) => ({ ...common, log, note: "error, m", lines, median: true });
}

/** The share of the events with at most an error. */
export async function distributionView(shown, { series }, group) {
  const found = await Promise.all(shown.map(({ layer }) => layer.errors(series)));
  const parts = found.map((one) => one[group.name]);
  const counts = [...new Set(parts.map(({ n }) => n))].sort((a, b) => a - b);
  const n = `n = ${[...new Set([counts[0], counts.at(-1)])].map((one) => whole(one ?? 0)).join("–")}`;
  const lines = shown.map((one, i) => lineOf(one, { x: parts[i].error_m, y: parts[i].share }));
  const dots = (event) => shown.flatMap((one, i) => dotOf(one, parts[i], event, group.name));
  return (log) => ({
    lines,
    dots,
    log,
    title: "Error distribution",
    name: "error-distribution",
    note: "share of the events",
    unit: "share",
    x: { log, short: "error, m", name: `error, m${log ? ", log" : ""} (${group.text}, ${n})` },
    y: { share: true },
    by: { key: "y", name: "share" },
    about: `Share of the events (${group.text}, ${n}) with at most this error; exact quantiles.`,
  });
}

/** The mean error of the events so far. */
export const meanView = (shown, common, group) =>
  cumulated(shown, common, group, "running_mean_m", {
    title: "Running mean error",
    name: "error-mean",
    note: "mean error so far, m",
    about: `The mean error of the events so far (${group.text}).`,
  });

/** The errors of the events so far, added up. */
export const sumView = (shown, common, group) =>
  cumulated(shown, common, group, "cumulative_m", {
    title: "Cumulative error",
    name: "error-cumulative",
    note: "sum of errors so far, m",
    about: `Sum of the errors of the events so far (${group.text}).`,
  });

async function cumulated(shown, { series, range, ...common }, group, key, caption) {
  const found = await Promise.all(shown.map(({ layer }) => layer.errors(series, range)));
  const lines = shown.map((one, i) =>
    lineOf(one, { x: found[i].event, y: found[i][group.name][key], thinned: found[i].decimated }),
  );
  return (log) => ({ ...common, ...caption, lines, log });
}

/**
 * The mean error against ε within `radiusM`, to which the levels of other radii are converted; `simulated` is the
 * server's simulation of `keys`, the mechanisms as JSON.
 */
export async function epsilonView(shown, { series, radiusM }, simulated) {
  const levelOf = ({ layer }, epsilon) => within(epsilon, layer.release.mechanism.radius_m, radiusM);
  const first = new Map(); // a curve is drawn once, with the first release that has its mechanism
  const steps = ({ layer }) => layer.release.postprocess.length;
  for (const one of [...shown].sort((a, b) => steps(a) - steps(b))) {
    const key = mechanismKey(one);
    if (!first.has(key)) first.set(key, one);
  }
  const curves = simulated.keys.flatMap((key, i) => {
    const { epsilon, mean_m: y, low_m: low, high_m: high } = simulated.mechanisms[i];
    const one = first.get(key);
    const name = `${titleParts(one.title)[0]}, simulated`;
    const spread = { low, high, ends: ["5 %", "95 %"] };
    return epsilon.length ? [lineOf(one, { name, x: epsilon.map((level) => levelOf(one, level)), y, ...spread })] : [];
  });
  const errors = await Promise.all(shown.map(({ layer }) => layer.errors(series)));
  const marks = shown.flatMap((one, i) => {
    const { mean_m } = errors[i].all;
    const level = levelOf(one, one.layer.release.mechanism.epsilon);
    const at = { name: `${one.title}, this release`, x: [level], y: [mean_m] };
    return mean_m === null ? [] : [lineOf(one, at)];
  });
  return (log) => ({
    lines: [...curves, ...marks],
    log,
    title: "Error against ε",
    name: "error-epsilon",
    note: "mean error, m",
    x: { log, short: "ε", name: `level ε within ${metres(radiusM)}${log ? ", log" : ""}` },
    by: { key: "x", name: "epsilon" },
    about: simulationText(simulated),
    caption: simulationText(simulated),
  });
}

/** The mechanism of a release shown, as the key of its simulation. */
export const mechanismKey = ({ layer }) => JSON.stringify(layer.release.mechanism);

/** Where the event lies in a release's distribution; nowhere if its error is not known or it is not counted. */
function dotOf({ layer, lineStyle, curve }, part, event, among) {
  const i = curve.event.indexOf(event);
  const error = i < 0 ? null : curve.error_m?.[i];
  const landmark = curve.landmarks.some(([start, end]) => event >= start && event < end);
  if (!error || !part.n || (among !== "all" && landmark !== (among === "landmarks"))) return [];
  const at = part.error_m.findIndex((one) => one >= error);
  return [{ id: layer.id, x: error, y: at < 0 ? 1 : part.share[at], colour: lineStyle.colour }];
}

/** What the simulation read, and what it leaves out. */
function simulationText({ points, events, landmarks, repetitions, band, note, mechanisms }) {
  const part = ` over the first ${whole(events)} of ${whole(points)} events with their ${whole(landmarks)} landmarks`;
  const cut = events < points ? part : "";
  const missing = mechanisms.filter(({ why_not }) => why_not).map(({ title, why_not }) => ` ${title}: ${why_not}.`);
  const [low, high] = band.map((one) => number(100 * one));
  return (
    `Mean of ${repetitions} simulated releases${cut}, shaded from ${low} to ${high}\u202f%; a mark is an ` +
    `existing release. Lines exclude smoothing, marks include it. ${note}${missing.join("")}`
  );
}
