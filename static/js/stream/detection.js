/* Detection of jumps and low signals: a ROC curve for each visible release, and the areas below them. */

import { ApiError, get } from "../core/api.js";
import { $, announce, el } from "../core/dom.js";
import { withQuery } from "../core/address.js";
import { number, whole } from "../core/format.js";
import { messageOf } from "../core/field_errors.js";
import { createNumber, numbersOf, refuseInvalid, showProblem, write } from "../components/number_field.js";
import { showProblems } from "../components/problem_box.js";

const ABOUT = {
  jump: "A jump is a change by at least the threshold against so many timestamps before, up or down.",
  "low-signal": "A low signal is a timestamp of at least so many successive ones below the threshold.",
};

const LENGTH = { minimum: 1, maximum: 10_000, whole: true, required: true };
const THRESHOLD = { minimum: 0, required: true };
const JUDGED = " The uploaded counts are judged at this threshold, each release at every threshold.";

/** @typedef {{curve: any, positives: number, negatives: number}} Found */
/** @typedef {{id: string, title: string, style: any, urls: Record<string, string>}} Release */

/**
 * Watch the section; it is loaded when it is opened first. `visible()` are the releases to compare, `threshold()` a
 * first threshold.
 *
 * @param {HTMLDetailsElement} section
 * @param {{visible: () => Release[], threshold: () => number, name: string}} page
 */
export function watchDetection(section, { visible, threshold, name }) {
  const form = $("[data-detection-form]", section);
  const problem = $("[data-detection-problem]", section);
  const length = createNumber(LENGTH, { id: "detection-length", name: "length", value: 10 });
  const level = createNumber(THRESHOLD, { id: "detection-threshold", name: "threshold" });
  const label = (/** @type {string} */ id, /** @type {string} */ text) => el("label", { for: id }, text);
  $("[data-length]", form).append(label("detection-length", "Timestamps"), length.input, length.error);
  $("[data-threshold]", form).append(label("detection-threshold", "Threshold"), level.input, level.error);
  /** @type {ReturnType<typeof import("../charts/figure.js").createFigure> | null} */
  let figure = null;

  /** @param {string} title */
  async function createChart(title) {
    const { createFigure } = await import("../charts/figure.js"); // most readers need no chart library here
    return createFigure($("[data-roc]", section), { title, unit: "share", name: `${name}-roc`, log: false });
  }

  /** Show a problem beside its field; true where there is none. */
  function isNotOfField(/** @type {ApiProblem} */ one) {
    const field = [length, level].find(({ input }) => input.name === one.field);
    if (field) showProblem(field.input, messageOf(one));
    return !field;
  }

  async function compare() {
    problem.hidden = true;
    const query = { event: form.event.value, ...numbersOf(form) };
    $("[data-detection-about]", section).textContent = ABOUT[/** @type {keyof typeof ABOUT} */ (query.event)] + JUDGED;
    const releases = visible();
    try {
      if (!releases.length) throw new ApiError(400, [{ message: "Show at least one release: check it in the table." }]);
      const found = await Promise.all(releases.map(({ urls }) => get(withQuery(urls.detection, query))));
      await show(releases, found, query.event === "jump" ? "Jumps" : "Low signals");
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      showProblems(problem, error.errors.filter(isNotOfField));
    }
  }

  /** @param {Release[]} releases
   * @param {Found[]} found
   * @param {string} title */
  async function show(releases, found, title) {
    $("[data-detection-table]", section).replaceChildren(tableOf(releases, found));
    const curves = found.map(({ curve }) => curve);
    figure ??= createChart(title);
    const lines = releases.flatMap(({ id, title: called, style }, i) =>
      curves[i]
        ? [{ id, name: called, ...style, x: curves[i].false_positive_rate, y: curves[i].true_positive_rate }]
        : [],
    );
    await (
      await figure
    ).show({
      title: `${title}: detected against false alarms`,
      lines,
      span: [0, 1],
      note: "share of the events detected",
      x: { name: "share of the other timestamps detected", log: false },
      y: { share: true },
      by: { key: "x", name: "false_positive_rate" },
    });
    announce(`${title}: ${found.map((_, i) => `${releases[i].title} ${areaText(found[i])}`).join(", ")}.`);
  }

  form.addEventListener("submit", (/** @type {Event} */ event) => {
    event.preventDefault();
    if (!refuseInvalid(form)) compare();
  });
  section.addEventListener("toggle", () => {
    if (!section.open || figure) return;
    write(level.input, threshold());
    compare();
  });
}

/** @param {Found} found */
function areaText({ curve, positives }) {
  if (curve) return number(curve.area, 3);
  return positives ? "every timestamp is such an event" : "no such event";
}

/** @param {Release[]} releases
 * @param {Found[]} found */
function tableOf(releases, found) {
  const heads = ["Release", "Area", "Events", "Other timestamps"];
  const row = (/** @type {Release} */ { title }, /** @type {number} */ i) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, title),
      el("td", { class: "number" }, areaText(found[i])),
      el("td", { class: "number" }, whole(found[i].positives)),
      el("td", { class: "number" }, whole(found[i].negatives)),
    );
  return el(
    "table",
    { class: "table" },
    el("caption", { class: "visually-hidden" }, "Area below each curve: 1 is perfect, 0.5 a guess"),
    el(
      "thead",
      {},
      el(
        "tr",
        {},
        heads.map((head, i) => el("th", { scope: "col", class: i ? "number" : "" }, head)),
      ),
    ),
    el("tbody", {}, releases.map(row)),
  );
}
