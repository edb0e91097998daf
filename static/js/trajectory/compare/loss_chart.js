/* The loss chart of the comparison and what chooses its view. */

import { $, el } from "../../core/dom.js";
import { radios, tick } from "../../components/choice_controls.js";
import { correlationText, createCorrelation } from "../loss/correlation.js";
import { DIAMETER_M, boundQuery, correlationQuery, readState, writeState } from "../loss/view_state.js";
import { BOUNDS, PARTS, SIDES, levelLabel, limitText, viewText, warning } from "../loss/loss_text.js";

const VIEWS = [
  ["event", "Each event"],
  ["landmarks", "Landmarks and event"],
];

/**
 * Controls in `host` and drawing in `figure`. `on.change()` after a correlation or bound was chosen whose curves must be
 * fetched, `on.restyle()` after another view of the same ones, `on.check(query)` asks the server about matrices.
 */
export function createLosses(host, figure, note, on) {
  const state = readState();
  const keep = (changes, then) => {
    Object.assign(state, changes);
    writeState(state);
    show();
    $("[data-chart=loss]")?.scrollIntoView({ block: "nearest", inline: "start" }); // where the charts are a row to swipe
    then();
  };
  const correlation = createCorrelation(state, note, {
    check: (changes) => on.check(correlationQuery({ ...state, ...changes })),
    change: () => keep({}, on.change),
  });
  const view = radios("View", VIEWS, state.view, (value) => keep({ view: value }, on.restyle));
  const side = radios("Loss of each event", SIDES, state.side, (value) => keep({ side: value }, on.restyle));
  const part = radios("Loss of landmarks and event", PARTS, state.part, (value) => keep({ part: value }, on.restyle));
  const bound = radios("Bound", BOUNDS, state.bound, (value) => keep({ bound: value }, on.change));
  const log = tick("Log axis", state.axis === "log", (checked) =>
    keep({ axis: checked ? "log" : "linear" }, on.restyle),
  );
  const text = el("p", { class: "loss__words" });
  const warned = el("div", { "aria-live": "polite" });
  const pair = el("div", { class: "loss__pair" }, part.element, bound.element);
  host.replaceChildren(
    correlation.element,
    el("div", { class: "loss__view" }, view.element, log.element),
    side.element,
    pair,
    text,
    warned,
  );

  function show() {
    side.element.hidden = state.view !== "event";
    pair.hidden = state.view === "event";
  }
  show();

  const valueOf = ({ loss, landmark }) => (state.view === "event" ? loss[state.side] : landmark[state.part]);

  function rulesOf(shown) {
    const level = ({ loss, landmark }) =>
      state.view === "landmarks" && state.part === "joint" ? (landmark.level ?? loss.level) : loss.level;
    const levels = [
      ...new Set(
        shown
          .map(({ curve }) => level(curve))
          .filter((one) => one !== null)
          .map((one) => Number(one.toPrecision(6))),
      ),
    ].slice(0, 3);
    return levels.map((y) => ({ y, label: levelLabel(y, shown[0].curve.correlation.diameter_m) }));
  }

  function showText(shown) {
    const first = shown[0]?.curve;
    if (!first) return;
    const landmark = shown.find(({ curve }) => curve.landmark.bound)?.curve.landmark ?? first.landmark;
    const limits = shown
      .filter(({ curve }) => curve.loss.supremum)
      .map(({ title, curve }) => [title, curve.loss.supremum[state.side]]);
    const missing = shown
      .filter(({ curve }) => !valueOf(curve))
      .map(({ title, curve }) => ` ${title}: ${curve.loss.undefined || curve.landmark.undefined}.`);
    text.textContent = `${correlationText(first.correlation)} ${viewText(state, { ...landmark, pairwise: first.loss.pairwise, diameter_m: first.correlation.diameter_m })}${state.view === "event" ? limitText(limits) : ""}${missing.join("")}`;
    warned.replaceChildren(...(first.correlation.data_dependent ? [warning(first.correlation.note)] : []));
  }

  return {
    /** What the server is asked for. */
    query: () => ({ ...correlationQuery(state), ...boundQuery(state) }),
    /** After the server refused what the address asked for. */
    reset: () => {
      keep({ corr: "moderate", bound: "bridge", diameter_m: DIAMETER_M }, () => correlation.show());
      bound.set("bridge");
    },
    draw(shown, common, lines) {
      showText(shown);
      const log = state.axis === "log";
      const drawn = shown.filter(({ curve }) => valueOf(curve));
      return figure.show({
        ...common,
        log,
        note: log ? "ε, log" : "ε",
        lines: lines(drawn, valueOf),
        rules: rulesOf(shown),
      });
    },
  };
}
