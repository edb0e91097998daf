/* What a protection costs: the errors of every mechanism at one level, typed as ε or as how often a guess is right. The
 * server computes them from the original, for its owner alone.
 */

import { swatch } from "../../components/swatch.js";
import { invalidIn, isGiven, valueOf } from "../../components/number_field.js";
import { ApiError, post } from "../../core/api.js";
import { $, el } from "../../core/dom.js";
import { sentenceOf } from "../../core/field_errors.js";
import { metres } from "../../core/format.js";
import { verdictText } from "../verdict_text.js";
import { byGuarantee, useButton } from "./error_table.js";
import { protectionOf, protectionText } from "./protection_text.js";
import { levelName } from "./submit_summary.js";

const HEADS = ["Mechanism", "Typical", "95\u202f%", "Verdict", ""];

/** What the costs depend on beside the level. @param {any} body */
const withoutLevel = (body) =>
  JSON.stringify({ ...body, mechanisms: body.mechanisms.map((one) => ({ ...one, epsilon: null, radius_m: null })) });

/**
 * The part in `host`. `known` has {level, lineStyle} of each mechanism by name; `requested()` is the form's request, or
 * null while it is invalid; `use(name, epsilon, {radius_m})` sets the form. Returns {update()}.
 *
 * @param {HTMLElement} host
 * @param {{
 *   url: string, known: Map<string, any>, requested: () => any,
 *   use: (name: string, epsilon: number, radius: {radius_m: number}) => void,
 * }} options
 */
export function createProtectionCost(host, { url, known, requested, use }) {
  const [unit, find, text, table] = ["unit", "find", "text", "table"].map((part) => $(`[data-cost-${part}]`, host));
  const fields = new Map(["guess", "epsilon"].map((name) => [name, $(`[data-cost-${name}]`, host)]));
  let of = "";
  const inputNow = () => $("input", fields.get(unit.value));

  function chooseUnit() {
    fields.forEach((field, name) => (field.hidden = name !== unit.value));
  }
  function show(/** @type {any} */ found) {
    const level = levelName(found);
    const { epsilon, radius_m } = found;
    const row = (/** @type {any} */ one) => rowOf(one, level, () => use(one.name, epsilon, { radius_m }));
    text.replaceChildren(el("strong", {}, `${level}. `), protectionText(found));
    table.replaceChildren(
      el("caption", { class: "visually-hidden" }, `What ${level} costs, by mechanism`),
      el("thead", {}, el("tr", {}, HEADS.map(headOf))),
      ...byGuarantee(
        found.mechanisms.map((/** @type {any} */ one) => ({ ...known.get(one.name), ...one })),
        row,
        HEADS.length,
      ),
    );
  }
  function clear() {
    text.replaceChildren();
    table.replaceChildren();
    of = "";
  }
  async function load() {
    const [body, input] = [requested(), inputNow()];
    if (!body || !isGiven(valueOf(input)) || invalidIn(fields.get(unit.value)).length) return input.focus();
    find.disabled = true;
    try {
      const found = await post(url, { ...body, ...protectionOf(unit.value, Number(valueOf(input))) });
      of = withoutLevel(body);
      show(found);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      clear();
      text.textContent = error.errors.map(sentenceOf).join(" ");
    }
    find.disabled = !requested();
  }

  unit.addEventListener("change", chooseUnit);
  find.addEventListener("click", load);
  chooseUnit();
  return {
    update() {
      const body = requested();
      find.disabled = !body;
      if (body && of && withoutLevel(body) !== of) clear();
    },
  };
}

const headOf = (/** @type {string} */ title, /** @type {number} */ i) =>
  title ? el("th", { scope: "col", class: i && i < 3 ? "number" : null }, title) : el("td", {});

function rowOf(/** @type {any} */ one, /** @type {string} */ level, /** @type {() => void} */ use) {
  const { typical_m, p95_m } = one.errors.overall;
  const figure = (value, label, name = "") =>
    el("td", { class: "number", "data-label": label, "data-figure": name }, value === null ? "–" : metres(value));
  const label = `Use this: ${one.title} at ${level}`;
  return el(
    "tr",
    { dataset: { cost: one.name, verdict: one.verdict?.name ?? "" } },
    el("th", { scope: "row" }, el("span", { class: "row" }, swatch(one.lineStyle), one.title)),
    figure(typical_m, "Typical"),
    figure(p95_m, "95\u202f%", "p95"),
    el("td", { "data-label": "Verdict", class: "verdict" }, verdictText(one.verdict) || "–"),
    el("td", { "data-label": "Use" }, useButton({ text: "Use this", label, fits: one.fits }, use)),
  );
}
