/* A release that may be made of trajectories: a row with the steps after it. */

import { addSpeed } from "../speed_field.js";
import { createAfter } from "../postprocess_steps.js";
import { isGiven } from "../../components/number_field.js";
import { createRow as createPlain } from "../../components/release_form/release_row.js";
import { verdictText } from "../../components/verdict_text.js";
import { el } from "../../core/dom.js";
import { selectOf, smallButton } from "../../core/elements.js";
import { errorOf } from "./answer.js";
import { span } from "./error_axis.js";

export const COLUMNS = ["number", "number", "errors__axis", "verdict"];

/**
 * A release by `mechanism` with the parameters `own` of `fields`, and the steps `postprocess` of those `listed`; null
 * for one that has none and is always there. `on` has {change(row), tick(row), derive(row, step), remove(row)}.
 *
 * @param {any} mechanism
 * @param {{fields: any[], listed: any[], lineStyle: LineStyle, own?: object, postprocess?: any[] | null, on: any}} more
 */
export function createRow(mechanism, { fields, listed, lineStyle, own = {}, postprocess = null, on }) {
  let isMade = false;
  const changed = () => isMade && on.change(row);
  const legends = () => (steps?.chosen() ?? []).map(({ short }) => ` + ${short}`);
  const row = createPlain(mechanism, {
    ...{ fields, lineStyle, own, columns: COLUMNS, note: mechanism.exposes || "–", on: { ...on, change: changed } },
    /** The server's once there is a forecast. */
    titleOf: ({ found = null }) => found?.title ?? [mechanism.title, ...(isMade ? legends() : [])].join(""),
  });
  addSpeed(row.host, row.fields, changed);
  const steps = postprocess && createSteps(listed, changed, () => on.remove(row));
  row.beside.append(steps?.element ?? derivation(mechanism, listed, on, () => row));
  const stepValues = () => steps?.values() ?? [];
  const { spec, isWhole, fail, clear } = row;

  Object.assign(row, {
    steps,
    exposes: mechanism.exposes,
    spec: (level) => ({ ...spec(level), ...(stepValues().length && { postprocess: stepValues() }) }),
    isWhole: () => isWhole() && stepValues().every((one) => Object.values(one).every(isGiven)),
    specKey: () => [mechanism.name, ...stepValues().map((step) => step.name)].join("+"),
    fail: (errors) => fail(steps?.fail(errors) ?? errors),
    clear() {
      clear();
      steps?.clear();
    },
    /** Show the errors that the server returned, on an axis. */
    show(scaled) {
      const { found } = row;
      const one = { key: row.key, errors: found.errors };
      const { overall } = found.errors;
      const drawn = overall.p95_m === null ? [] : [span(scaled, overall, lineStyle)];
      const verdict = verdictText(found.verdict) || "–";
      row.fill([errorOf(one, "typical_m"), errorOf(one, "p95_m"), drawn, verdict], found.verdict);
      row.figures.replaceChildren(...groupFigures(one));
    },
  });
  steps?.set(postprocess ?? []);
  isMade = true;
  row.rename(mechanism.name);
  return row;
}

/** Errors of landmarks apart from the others', where both are published. */
function groupFigures(one) {
  const { landmarks, others } = one.errors;
  if (landmarks.typical_m === null || others.typical_m === null) return [];
  const of = (group) => [
    "half within ",
    errorOf(one, "typical_m", group),
    ", 95\u202f% within ",
    errorOf(one, "p95_m", group),
  ];
  return ["Landmarks: ", of("landmarks"), ". Other events: ", of("others"), "."].flat();
}

function createSteps(listed, onChange, remove) {
  const [chosen, offered] = [el("ol", { class: "steps", "aria-label": "Post-processing steps, in order" }), el("div")];
  const steps = createAfter({ chosen, offered }, listed, { onChange, short: true });
  const away = el("button", { class: "button button--small", type: "button", onclick: remove }, "Remove this row");
  return { ...steps, element: el("div", { class: "stack" }, chosen, offered, el("div", {}, away)) };
}

/** "Add with post-processing": another row, of the same mechanism with a step after it. */
function derivation(mechanism, listed, on, row) {
  const options = listed.map(({ name, title }) => [name, title]);
  const select = selectOf({ "aria-label": `Post-processing of ${mechanism.title}` }, options);
  const add = () => {
    on.derive(row(), select.value);
    select.selectedIndex = 0;
  };
  return el(
    "div",
    { class: "row" },
    el("span", {}, "With post-processing"),
    select,
    smallButton("Add", `Add ${mechanism.title} with post-processing`, add, { dataset: { derive: mechanism.name } }),
  );
}
