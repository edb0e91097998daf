/* The loss chart of the comparison and what chooses its view. */

import { $, el } from "../../core/dom.js";
import { radios, tick } from "../../components/choice_controls.js";
import { correlationText, createCorrelation } from "../loss/correlation.js";
import { boundQuery, correlationQuery, DIAMETER_M, readState, writeState } from "../loss/view_state.js";
import { BOUNDS, levelLabel, limitText, lossAxis, PARTS, SIDES, viewText, warning } from "../loss/loss_text.js";

const VIEWS = [
  ["event", "Each event"],
  ["landmarks", "Landmarks and event"],
];

/**
 * Controls in `host` and drawing in `figure`. `on.change()` after a correlation or bound was chosen whose curves must
 * be fetched, `on.restyle()` after another view of the same ones, `on.check(query)` has the server check matrices.
 */
export function createLosses(host, figure, note, on) {
  const state = readState();
  const keep = (changes, then) => {
    Object.assign(state, changes);
    writeState(state);
    show();
    // where the charts are a row to swipe; never up or down: a control that moves under the pointer loses its click
    const chart = $("[data-chart=loss]");
    chart?.parentElement?.scrollTo({ left: chart.offsetLeft });
    then();
  };
  const correlation = createCorrelation(state, note, {
    check: (changes) => on.check(correlationQuery({ ...state, ...changes })),
    change: () => keep({}, on.change),
  });
  const choice = (name, legend, options, then = on.restyle) =>
    radios(legend, options, state[name], (value) => keep({ [name]: value }, then));
  const view = choice("view", "View", VIEWS);
  const side = choice("side", "Loss of each event", SIDES);
  const part = choice("part", "Loss of landmarks and event", PARTS);
  const bound = choice("bound", "Bound", BOUNDS, on.change);
  const axisOf = (checked) => ({ axis: checked ? "log" : "linear" });
  const log = tick("Log axis", state.axis === "log", (checked) => keep(axisOf(checked), on.restyle));
  const text = el("p", { class: "loss__text small muted" });
  const warned = el("div", { "aria-live": "polite" });
  const pair = el("div", { class: "pair gap-2" }, part.element, bound.element);
  const views = el("div", { class: "loss__view line gap-3" }, view.element, log.element);
  host.replaceChildren(correlation.element, views, side.element, pair, text, warned);

  function show() {
    side.element.hidden = state.view !== "event";
    pair.hidden = state.view === "event";
  }
  show();

  return {
    /** What the server is requested. */
    query: () => ({ ...correlationQuery(state), ...boundQuery(state) }),
    /** After the server refused what the address requested. */
    reset: () => {
      keep({ corr: "moderate", bound: "bridge", diameter_m: DIAMETER_M }, () => correlation.show());
      bound.set("bridge");
    },
    draw(shown, common, lines) {
      if (shown.length) {
        const { correlation } = shown[0].curve;
        text.textContent = textOf(state, shown);
        warned.replaceChildren(...(correlation.data_dependent ? [warning(correlation.note)] : []));
      }
      const log = state.axis === "log";
      const drawn = shown.filter(({ curve }) => valueOf(state, curve));
      return figure.show({
        ...common,
        log,
        note: lossAxis(shown[0]?.curve.correlation.diameter_m, log),
        lines: lines(drawn, (curve) => valueOf(state, curve)),
        rules: rulesOf(state, shown),
      });
    },
  };
}

/** The values of a curve in the view chosen. */
export const valueOf = (/** @type {Record<string, any>} */ { view, side, part }, { loss, landmark }) =>
  view === "event" ? loss[side] : landmark[part];

/** A rule at each level of the releases shown, at most three. */
export function rulesOf(/** @type {Record<string, any>} */ { view, part }, shown) {
  const levelOf = ({ loss, landmark }) =>
    view === "landmarks" && part === "joint" ? (landmark.level ?? loss.level) : loss.level;
  const found = shown.map(({ curve }) => levelOf(curve)).filter((level) => level !== null);
  const levels = [...new Set(found.map((level) => Number(level.toPrecision(6))))].slice(0, 3);
  return levels.map((y) => ({ y, label: levelLabel(y, shown[0].curve.correlation.diameter_m) }));
}

/** The chart as sentences: correlation, view, limits, what is missing. */
export function textOf(state, shown) {
  const { correlation, loss, landmark: own } = shown[0].curve;
  const landmark = shown.find(({ curve }) => curve.landmark.bound)?.curve.landmark ?? own;
  const limited = shown.filter(({ curve }) => curve.loss.supremum);
  const limits = limited.map(({ title, curve }) => [title, curve.loss.supremum[state.side]]);
  const undrawn = shown.filter(({ curve }) => !valueOf(state, curve));
  const missing = undrawn.map(({ title, curve }) => ` ${title}: ${curve.loss.undefined || curve.landmark.undefined}.`);
  const bound = { ...landmark, pairwise: loss.pairwise, diameter_m: correlation.diameter_m };
  const limit = state.view === "event" ? limitText(limits) : "";
  return `${correlationText(correlation)} ${viewText(state, bound)}${limit}${missing.join("")}`;
}
