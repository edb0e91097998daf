/* Budgets for a target loss: what they are, and that the loss stays there. */

import { createFigure } from "../../charts/figure.js";
import { radios } from "../../components/choice_controls.js";
import { swatch } from "../../core/swatch.js";
import { check, showProblem, valueOf, write } from "../../components/number_field.js";
import { post } from "../../core/api.js";
import { $, el } from "../../core/dom.js";
import { messageOf } from "../../core/field_errors.js";
import { metres, number } from "../../core/format.js";
import { within } from "../../core/level.js";
import { lossAxis } from "./loss_text.js";
import { correlationBody } from "./view_state.js";

const METHODS = [
  ["quantification", "By quantification"],
  ["upper-bound", "By upper bound"],
];
const LINES = [
  ["Total loss", "total", "--foreground", ""],
  ["Backward", "backward", "--m2", "7 4"],
  ["Forward", "forward", "--m3", "2 3"],
  ["Budget", "budget", "--m6", "13 4"],
];
const TEXTS = {
  quantification: "More at both ends, so that the loss is at the target from the first event to the last.",
  "upper-bound": "The same at every event, also where the length is not known; the loss nears the target from below.",
};

/**
 * The section in `host`; `state` has `alpha`, `method` and the correlation. `keep()` writes it to the address,
 * `span(n)` is the span shown of n events, `times()` when they are. Returns {draw(series), redraw(), listen(to),
 * hover(event), setSpan(span)}, the last three as a figure has them.
 */
export async function createPlan(host, page, state, keep, { span, times }) {
  const figure = await createFigure($("[data-chart=plan]", host), {
    ...{ title: "Budget and loss under the plan", unit: "ε", name: "budget-plan", log: false, item: "event" },
  });
  const input = $("#alpha", host);
  write(input, isFinite(state.alpha) ? Number(state.alpha) : 1);
  const method = radios("Method", METHODS, state.method, (value) => {
    state.method = value;
    changed();
  });
  $("[data-method]", host).replaceChildren(method.element);
  let [turn, series] = [0, 0];
  let waiting;
  input.addEventListener("input", () => {
    clearTimeout(waiting);
    if (!check(input)) return;
    state.alpha = String(valueOf(input));
    waiting = setTimeout(changed, 250);
  });

  const legend = LINES.map(([name, , colour, dash]) => el("li", {}, swatch({ colour, dash }), name));
  $("[data-plan-legend]", host).replaceChildren(...legend);

  /** @type {any} */
  let plan = null;
  const redraw = () => plan && figure.show((log) => ({ ...chartOf(plan, log, span(plan.n)), times: times() }));

  function changed() {
    keep();
    return draw();
  }

  async function draw() {
    const mine = (turn += 1);
    $("[data-method-text]", host).textContent = TEXTS[state.method];
    try {
      const body = bodyOf(state, page.landmark_set, series);
      const found = await post(page.urls.plan, body);
      if (mine !== turn) return;
      check(input);
      showText(host, found);
      plan = found;
      await redraw();
    } catch (problem) {
      if (problem.status !== 400 || mine !== turn) throw problem;
      const [own] = problem.errors.filter(({ field }) => field === "alpha");
      showProblem(input, own ? messageOf(own) : problem.message);
    }
  }

  return {
    redraw,
    listen: figure.listen,
    hover: figure.hover,
    setSpan: figure.setSpan,
    draw(index) {
      series = index;
      return draw();
    },
  };
}

function showText(host, { first, middle, last, user_level, radius_m, correlation }) {
  const budgets = [
    ["First", first],
    ["Between", middle],
    ["Last", last],
    ["Instead, α / n", user_level],
  ].filter(([, value]) => value !== null);
  const apart = `losses are between states at most ${number(correlation.diameter_m)} m apart`;
  const drawn = radius_m === correlation.diameter_m ? "" : ", and the chart shows the budgets at that distance too";
  $("[data-plan-text]", host).textContent = `Budgets are ε within ${number(radius_m)} m; ${apart}${drawn}.`;
  const pair = (/** @type {any[]} */ [label, value]) =>
    el("div", {}, el("dt", {}, label), el("dd", {}, `ε = ${number(value, 4)}`));
  $("[data-budgets]", host).replaceChildren(...budgets.map(pair));
}

/** The request for a plan. */
export const bodyOf = (state, landmarkSet, series) => ({
  alpha: Number(state.alpha),
  radius_m: Number(state.radius_m),
  landmark_set: landmarkSet,
  series,
  method: state.method,
  correlation: correlationBody(state),
});

/** A plan as a figure shows it. */
export function chartOf(plan, log, span) {
  const { radius_m: radius, correlation } = plan;
  const apart = correlation.diameter_m;
  const line = (/** @type {any[]} */ [name, key, colour, dash]) => {
    const common = { id: key, name, x: plan.event, y: plan[key], colour, dash };
    if (key !== "budget") return common;
    const there = plan.budget.map((/** @type {number} */ one) => within(one, radius, apart));
    const called = radius === apart ? name : `${name} (set within ${metres(radius)})`;
    return { ...common, name: called, y: there, step: true };
  };
  return {
    span,
    whole: [0, Math.max(1, plan.n - 1)],
    log,
    note: lossAxis(apart, false),
    lines: LINES.map(line),
    rules: [{ y: plan.alpha, label: `target α = ${number(plan.alpha)}` }],
  };
}
