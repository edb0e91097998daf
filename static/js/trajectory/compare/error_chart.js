/* The error chart and its views: by event, as a distribution, cumulated as a mean or a sum, against ε. */

import { ApiError } from "../../core/api.js";
import { $, announce, el, number, whole } from "../../core/dom.js";
import { radios } from "../../components/choice_controls.js";
import { readState, writeState } from "../loss/view_state.js";

const VIEWS = [
  ["event", "Events", "The error of each event"],
  ["distribution", "Distribution", "Which share of the events has at most this error"],
  ["mean", "Mean", "The mean error of the events so far"],
  ["sum", "Sum", "The errors of the events so far, added up"],
  ["epsilon", "By ε", "The mean error at other levels, simulated"],
];
const GROUPS = [
  ["all", "all events"],
  ["landmarks", "landmarks"],
  ["others", "others"],
];
const USUAL = { error: "event", among: "all" };
const known = (options, value, usual) => (options.some(([one]) => one === value) ? value : usual);

/**
 * Views of `shown` = [{layer, ink, title, curve}] in `figure`, whose host is `host`. `simulate(mechanisms)` asks the
 * server for mean errors against ε.
 */
export function createErrors(host, figure, simulate) {
  const requested = readState(USUAL);
  const state = {
    error: known(VIEWS, requested.error, USUAL.error),
    among: known(GROUPS, requested.among, USUAL.among),
  };
  const answers = new Map(); // question -> what the server simulated
  let latest = null;
  let turn = 0;
  const choose = (changes) => {
    Object.assign(state, changes);
    writeState(state, USUAL);
    return latest && draw(...latest);
  };
  const views = radios("View of the error", VIEWS, state.error, (error) => choose({ error }));
  const options = GROUPS.map(([value, text]) => el("option", { value }, text));
  const among = el(
    "select",
    { class: "input chart__among", "aria-label": "Events counted", onchange: () => choose({ among: among.value }) },
    options,
  );
  among.value = state.among;
  const caption = el("p", { class: "chart__words small muted" });
  $(".chart__head", host).after(el("div", { class: "chart__views" }, views.element, among));
  host.append(caption);

  const group = () => GROUPS.find(([value]) => value === state.among)[1];
  const line = ({ layer, lineStyle, title }, more) => ({
    id: layer.id,
    name: title,
    colour: lineStyle.colour,
    dash: lineStyle.dash,
    marker: lineStyle.marker,
    visible: layer.visible,
    ...more,
  });

  function byEvent(shown, common) {
    const lines = shown.map((one) => line(one, { x: one.curve.event, y: one.curve.error_m ?? [] }));
    return (log) => ({ ...common, log, note: "metres", lines });
  }

  async function distribution(shown, { series }) {
    const found = await Promise.all(shown.map(({ layer }) => layer.errors(series)));
    const parts = found.map((one) => one[state.among]);
    const counts = [...new Set(parts.map(({ n }) => n))].sort((a, b) => a - b);
    const n = `n = ${[...new Set([counts[0], counts.at(-1)])].map((one) => whole(one ?? 0)).join("–")}`;
    const lines = shown.map((one, i) => line(one, { x: parts[i].error_m, y: parts[i].share }));
    const dots = (event) =>
      shown.flatMap(({ layer, lineStyle, curve }, i) => dotOf(layer, lineStyle, curve, parts[i], event, state.among));
    return (log) => ({
      lines,
      dots,
      log,
      title: "Error distribution",
      name: "cairn-error-distribution",
      note: "share",
      x: { log, name: `error, m${log ? ", log" : ""} (${group()}, ${n})` },
      y: { share: true },
      by: { key: "y", name: "share" },
      about: `This share of the events (${group()}, ${n}) has at most so large an error; exact quantiles.`,
    });
  }

  async function cumulated(shown, { series, range, ...common }, key, caption) {
    const found = await Promise.all(shown.map(({ layer }) => layer.errors(series, range)));
    const lines = shown.map((one, i) => line(one, { x: found[i].event, y: found[i][state.among][key] }));
    return (log) => ({ ...common, ...caption, lines, log, note: "metres" });
  }

  const mean = (shown, common) =>
    cumulated(shown, common, "running_mean_m", {
      title: "Running mean error",
      name: "cairn-error-mean",
      about: `The mean error of the events so far (${group()}).`,
    });
  const sum = (shown, common) =>
    cumulated(shown, common, "cumulative_m", {
      title: "Cumulative error",
      name: "cairn-error-cumulative",
      about: `The errors of the events so far, added up (${group()}).`,
    });

  async function againstEpsilon(shown, { series }) {
    const found = await simulated(shown, series);
    const first = new Map(); // a curve is drawn once, with the first release that has its mechanism
    for (const one of [...shown].sort(
      (a, b) => a.layer.release.postprocess.length - b.layer.release.postprocess.length,
    )) {
      const key = JSON.stringify(one.layer.release.mechanism);
      if (!first.has(key)) first.set(key, one);
    }
    const curves = found.requested.flatMap((key, i) => {
      const { epsilon, mean_m: y, low_m: low, high_m: high } = found.mechanisms[i];
      const one = first.get(key);
      return epsilon.length
        ? [line(one, { name: `${one.title}, simulated`, x: epsilon, y, low, high, ends: ["5 %", "95 %"] })]
        : [];
    });
    const errors = await Promise.all(shown.map(({ layer }) => layer.errors(series)));
    const marks = shown.flatMap((one, i) => {
      const { mean_m } = errors[i].all;
      return mean_m === null
        ? []
        : [line(one, { name: `${one.title}, this release`, x: [one.layer.release.mechanism.epsilon], y: [mean_m] })];
    });
    return (log) => ({
      lines: [...curves, ...marks],
      log,
      title: "Error against ε",
      name: "cairn-error-epsilon",
      note: "mean, metres",
      x: { log, name: `level ε within its radius${log ? ", log" : ""}` },
      by: { key: "x", name: "epsilon" },
      about: simulationText(found),
      caption: simulationText(found),
    });
  }

  async function simulated(shown, series) {
    const keys = [...new Set(shown.map(({ layer }) => JSON.stringify(layer.release.mechanism)))].slice(0, 20); // as the API takes
    const question = `${series} ${keys}`;
    if (!answers.has(question)) {
      const answer = simulate(keys.map((key) => JSON.parse(key))).then((got) => ({ ...got, requested: keys }));
      answers.set(
        question,
        answer.catch((error) => (answers.delete(question), Promise.reject(error))),
      );
    }
    return answers.get(question);
  }

  const makers = { event: byEvent, distribution, mean, sum, epsilon: againstEpsilon };

  async function draw(shown, common) {
    latest = [shown, common];
    const mine = (turn += 1);
    among.disabled = state.error === "event" || state.error === "epsilon";
    const made = await attempt(shown.length ? makers[state.error] : byEvent, shown, common);
    if (mine !== turn || !made) return;
    caption.textContent = made(true).caption ?? "";
    await figure.show(made);
  }

  /** What `make` makes, or nothing and the reason in words. */
  async function attempt(make, shown, common) {
    try {
      return await make(shown, common);
    } catch (problem) {
      if (!(problem instanceof ApiError)) throw problem;
      caption.textContent = problem.message;
      announce(problem.message);
      return null;
    }
  }

  return { draw };
}

/** Where the event lies in a release's distribution; nowhere if its error is not known or it is not counted. */
function dotOf(layer, lineStyle, curve, part, event, among) {
  const i = curve.event.indexOf(event);
  const error = i < 0 ? null : curve.error_m?.[i];
  const landmark = curve.landmarks.some(([start, end]) => event >= start && event < end);
  if (!error || !part.n || (among !== "all" && landmark !== (among === "landmarks"))) return [];
  const at = part.error_m.findIndex((one) => one >= error);
  return [{ id: layer.id, x: error, y: at < 0 ? 1 : part.share[at], colour: lineStyle.colour }];
}

/** What the simulation read, and what it leaves out. */
function simulationText({ points, events, landmarks, repetitions, band, note, mechanisms }) {
  const cut =
    events < points
      ? ` over the first ${whole(events)} of ${whole(points)} events with their ${whole(landmarks)} landmarks`
      : "";
  const missing = mechanisms.filter(({ why_not }) => why_not).map(({ title, why_not }) => ` ${title}: ${why_not}.`);
  const [low, high] = band.map((one) => number(100 * one));
  return `Mean of ${repetitions} simulated draws${cut}, shaded from ${low} to ${high}\u202f%; a mark is a release as it is here. Smoothing is left out of the lines, not of the marks. ${note}${missing.join("")}`;
}
