/* A release that may be made: a row of the table, and the row below it with what belongs to it alone. */

import { addSpeed } from "../speed_field.js";
import { createAfter } from "../postprocess_steps.js";
import { verdictText } from "../verdict_text.js";
import { createFields } from "../../components/form_fields.js";
import { isGiven } from "../../components/number_field.js";
import { swatch } from "../../components/swatch.js";
import { el } from "../../core/dom.js";
import { icon, list, selectOf, smallButton } from "../../core/elements.js";
import { errorOf } from "./answer.js";
import { span } from "./error_axis.js";

const OPEN = "M4 6l4 4 4-4";
export const COLUMNS = 7;
let made = 0;

/**
 * A release by `mechanism` with the parameters `own` of `fields`, and the steps `postprocess` of those `listed`; null
 * for one that has none and is always there. `on` has {change(row), tick(row), derive(row, step), remove(row)}.
 *
 * @param {any} mechanism
 * @param {{fields: any[], listed: any[], lineStyle: LineStyle, own?: object, postprocess?: any[] | null, on: any}} more
 */
export function createRow(mechanism, { fields: shown, listed, lineStyle, own: given = {}, postprocess = null, on }) {
  const id = `release-${(made += 1)}`;
  let isMade = false;
  const { box, name, toggle, cells, element } = createCells(id, mechanism, lineStyle);
  const host = el("div", { class: "parameters__fields unless-empty" });
  const changed = () => isMade && on.change(row);
  const fields = createFields(host, shown, { onChange: changed });
  addSpeed(host, fields, changed);
  const figures = el("p", { class: "small" });
  const steps = postprocess && createSteps(listed, changed, () => on.remove(row));
  const own = el("div", { class: "stack" }, host, steps?.element ?? derivation(mechanism, listed, on, () => row));
  const detail = el(
    "tr",
    { class: "parameters", id: `${id}-parameters`, hidden: true, dataset: { unkept: "", mechanism: mechanism.name } },
    el("td", { colspan: COLUMNS }, el("div", { class: "parameters__all" }, about(mechanism, figures), own)),
  );
  const stepValues = () => steps?.values() ?? [];
  const legends = () => (steps?.chosen() ?? []).map(({ short }) => ` + ${short}`);

  const row = {
    ...{ mechanism, lineStyle, box, element, detail, fields, steps },
    /** What the server returned of it; null before. @type {any} */
    found: null,
    /** A name that no other row has: the caller sets it, for data-quantity. */
    key: mechanism.name,
    title: "",
    spec: (level) => ({
      mechanism: { name: mechanism.name, ...level, ...fields.values() },
      ...(steps?.values().length && { postprocess: steps.values() }),
    }),
    isWhole: () => [fields.values(), ...stepValues()].every((one) => Object.values(one).every(isGiven)),
    specKey: () => [mechanism.name, ...stepValues().map((step) => step.name)].join("+"),
    unfold(on_) {
      detail.hidden = !on_;
      toggle.setAttribute("aria-expanded", String(on_));
    },
    /** Not shown, and its parameters neither. */
    fold(off) {
      element.hidden = off;
      if (off) row.unfold(false);
    },
    /** Give it its key; its title is the server's once there is a forecast. */
    rename(key) {
      row.key = key;
      row.title = row.found?.title ?? [mechanism.title, ...legends()].join("");
      const parts = row.title.split(" + ").map((text, i) => el("span", {}, i ? `+ ${text}` : text));
      name.replaceChildren(...parts.flatMap((part, i) => (i ? [" ", part] : [part])));
      toggle.setAttribute("aria-label", `Parameters of ${row.title}`);
    },
    /** Show the errors that the server returned, on an axis. */
    show(scaled) {
      const { found } = row;
      const one = { key: row.key, errors: found.errors };
      const { overall } = found.errors;
      element.dataset.release = detail.dataset.release = row.key;
      element.dataset.verdict = found.verdict?.name ?? "";
      cells.typical.replaceChildren(errorOf(one, "typical_m"));
      cells.p95.replaceChildren(errorOf(one, "p95_m"));
      cells.axis.replaceChildren(...(overall.p95_m === null ? [] : [span(scaled, overall, lineStyle)]));
      cells.verdict.replaceChildren(verdictText(found.verdict) || "–");
      figures.replaceChildren(...groupFigures(one));
    },
  };
  fields.set(given);
  steps?.set(postprocess ?? []);
  box.addEventListener("change", () => on.tick(row));
  toggle.addEventListener("click", () => row.unfold(Boolean(detail.hidden)));
  row.rename(mechanism.name);
  isMade = true;
  return row;
}

/** The row itself: {element, box, name, toggle, cells: {typical, p95, axis, verdict}}. */
function createCells(id, mechanism, lineStyle) {
  const box = el("input", { type: "checkbox", name: "mechanism", value: mechanism.name, id, dataset: { unkept: "" } });
  const name = el("span", {});
  const [typical, p95] = [0, 1].map(() => el("td", { class: "number" }, "–"));
  const [axis, verdict, open] = ["errors__axis", "verdict", "errors__open"].map((style) => el("td", { class: style }));
  const toggle = el(
    "button",
    { class: "errors__toggle", type: "button", "aria-expanded": "false", "aria-controls": `${id}-parameters` },
    icon(OPEN),
  );
  open.append(el("span", { class: "small muted" }, mechanism.exposes || "–"), toggle);
  const head = el("th", { scope: "row" }, el("label", { class: "line", for: id }, swatch(lineStyle), name));
  const element = el("tr", {}, el("td", {}, box), head, [typical, p95, axis, verdict, open]);
  return { element, box, name, toggle, cells: { typical, p95, axis, verdict } };
}

const about = ({ summary, guarantee, exposes }, figures) =>
  el(
    "div",
    { class: "stack" },
    el("p", {}, summary),
    exposes && el("p", { class: "small only-phone" }, `Not covered: ${exposes}.`),
    figures,
    list({ class: "small muted" }, guarantee.caveats),
  );

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
