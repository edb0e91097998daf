/* Detection of jumps and low signals: a ROC curve for each visible release, and the areas below them. */

import { ApiError, get } from "../core/api.js";
import { $, announce, el } from "../core/dom.js";
import { tableHead } from "../core/elements.js";
import { swatch } from "../core/swatch.js";
import { withQuery } from "../core/address.js";
import { messageOf } from "../core/field_errors.js";
import { number, whole } from "../core/format.js";
import { createNumber, numbersOf, refuseInvalid, showProblem, write } from "../components/number_field.js";
import { showProblems } from "../components/problem_box.js";

const THRESHOLD = { minimum: 0, required: true };

/**
 * Watch the section; it is loaded when it is opened first. `visible()` are the releases to compare, `threshold()` a
 * first threshold, `timestamps` how many there are.
 *
 * @param {HTMLDetailsElement} section
 * @param {{visible: () => Release[], threshold: () => number, timestamps: number}} page
 */
export function watchDetection(section, { visible, threshold, timestamps }) {
  const form = $("[data-detection-form]", section);
  const problem = $("[data-detection-problem]", section);
  const [chart, table] = [$("[data-roc]", section), $("[data-detection-table]", section)];
  const inputs = createInputs(form, timestamps);
  /** @type {ReturnType<typeof import("../charts/figure.js").createFigure> | null} */
  let figure = null;

  /** @param {string} title */
  async function createChart(title) {
    const { createFigure } = await import("../charts/figure.js"); // most readers need no chart library here
    return createFigure(chart, { title, unit: "share", name: "streams-roc", log: false });
  }

  /** Remove results, which are of other values. */
  function clear() {
    chart.hidden = true;
    table.replaceChildren();
  }

  /** Show problems beside their fields, the others below the form. @param {ApiProblem[]} errors */
  function fail(errors) {
    clear();
    const { beside, others } = besideFields(errors, Object.keys(inputs));
    for (const one of beside) showProblem(inputs[one.field], messageOf(one));
    showProblems(problem, others);
  }

  async function compare() {
    problem.hidden = true;
    for (const input of Object.values(inputs)) showProblem(input, "");
    const query = { event: form.event.value, ...numbersOf(form) };
    $("[data-detection-about]", section).textContent = aboutText(query.event);
    const releases = visible();
    try {
      if (!releases.length) throw new ApiError(400, [{ message: "Show at least one release: check it in the table." }]);
      const found = await Promise.all(releases.map(({ urls }) => get(withQuery(urls.detection, query))));
      await show(releases, found, query.event === "jump" ? "Jumps" : "Low signals");
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      fail(error.errors);
    }
  }

  /** @param {Release[]} releases @param {Found[]} found @param {string} title */
  async function show(releases, found, title) {
    table.replaceChildren(tableOf(releases, found));
    chart.hidden = false;
    figure ??= createChart(title);
    const lines = curvesOf(releases, found);
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
    if (refuseInvalid(form)) clear();
    else compare();
  });
  section.addEventListener("toggle", () => {
    if (!section.open || figure) return;
    write(inputs.threshold, threshold());
    compare();
  });
}

/** The number fields, by name. @param {HTMLElement} form @param {number} timestamps @returns {Record<string, any>} */
function createInputs(form, timestamps) {
  const { rule, value } = lengthRule(timestamps);
  const length = createNumber(rule, { id: "detection-length", name: "length", value });
  const level = createNumber(THRESHOLD, { id: "detection-threshold", name: "threshold" });
  const label = (/** @type {string} */ id, /** @type {string} */ text) => el("label", { for: id }, text);
  $("[data-length]", form).append(label("detection-length", "Timestamps"), length.input, length.error);
  $("[data-threshold]", form).append(label("detection-threshold", "Threshold"), level.input, level.error);
  return { length: length.input, threshold: level.input };
}

/** @param {Release[]} releases @param {Found[]} found */
function tableOf(releases, found) {
  const row = (/** @type {Release} */ { title, style }, /** @type {number} */ i) =>
    el(
      "tr",
      el("th", { scope: "row" }, el("span.detection__name", swatch(style), title)),
      el("td.number", areaText(found[i])),
      el("td.number", whole(found[i].positives)),
      el("td.number", whole(found[i].negatives)),
    );
  return el(
    "table.table",
    el("caption.visually-hidden", "Area below each curve: 1 is perfect, 0.5 a guess"),
    tableHead(["Release", "Area", "Events", "Other timestamps"]),
    el("tbody", releases.map(row)),
  );
}

/** @type {Record<string, string>} */
const ABOUT = {
  jump: "A jump is a change, up or down, by at least the threshold from that many timestamps before.",
  "low-signal": "A low signal is one of at least that many successive timestamps below the threshold.",
};
const JUDGED = " The uploaded counts are judged at this threshold, each release at every threshold.";
const MOST = 10_000;
const USUAL = 10;

/**
 * @typedef {{curve: any, positives: number, negatives: number}} Found
 * @typedef {{id: string, title: string, style: any, urls: Record<string, string>}} Release
 */

/** What is detected, in sentences. @param {string} event */
export const aboutText = (event) => ABOUT[event] + JUDGED;

/** The rule of how many timestamps an event takes, and the usual number of them. @param {number} timestamps */
export function lengthRule(timestamps) {
  const longest = Math.max(1, Math.min(MOST, timestamps - 1));
  return { rule: { minimum: 1, maximum: longest, whole: true, required: true }, value: Math.min(USUAL, longest) };
}

/** The area below a curve, or why there is none. @param {Pick<Found, "curve" | "positives">} found */
export function areaText({ curve, positives }) {
  if (curve) return number(curve.area, 3);
  return positives ? "every timestamp is such an event" : "no such event";
}

/** The curves of releases that have one, for a chart. @param {Release[]} releases @param {Found[]} found of each */
export const curvesOf = (releases, found) =>
  releases.flatMap(({ id, title, style }, i) => {
    const { curve } = found[i];
    return curve ? [{ id, name: title, ...style, x: curve.false_positive_rate, y: curve.true_positive_rate }] : [];
  });

/**
 * Errors that belong beside one of the fields, and all others.
 *
 * @param {ApiProblem[]} errors
 * @param {string[]} fields their names
 */
export function besideFields(errors, fields) {
  const isBeside = (/** @type {ApiProblem} */ { field }) => fields.includes(field ?? "");
  return {
    beside: /** @type {(ApiProblem & {field: string})[]} */ (errors.filter(isBeside)),
    others: errors.filter((one) => !isBeside(one)),
  };
}
