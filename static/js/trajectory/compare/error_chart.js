/* The error chart and the choice of its view: by event, as a distribution, cumulated as a mean or a sum, against ε. */

import { radios } from "../../components/choice_controls.js";
import { ApiError } from "../../core/api.js";
import { $, announce, el } from "../../core/dom.js";
import { readState, writeState } from "../loss/view_state.js";
import { distributionView, epsilonView, eventView, meanView, mechanismKey, sumView } from "./error_views.js";

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
  const options = GROUPS.map(([value, text]) => el("option", { value }, text));
  const onchange = () => choose({ among: among.value });
  const among = el("select", { class: "input chart__among", "aria-label": "Events counted", onchange }, options);
  among.value = state.among;
  const caption = el("p", { class: "chart__text small muted unless-empty" });
  $(".chart__head", host).after(el("div", { class: "chart__views line" }, views.element, among));
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
