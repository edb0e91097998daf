/* Errors to expect of every mechanism beside the scale of the data, with a verdict; and the least ε for an error that
 * is accepted. The server computes both from the original, for its owner alone.
 */

import { createForecast } from "../../components/forecast_request.js";
import { swatch } from "../../components/swatch.js";
import { isGiven, valueOf } from "../../components/number_field.js";
import { ApiError, post } from "../../core/api.js";
import { $, el } from "../../core/dom.js";
import { sentenceOf } from "../../core/field_errors.js";
import { metres, number } from "../../core/format.js";
import { verdictText } from "../verdict_text.js";
import { axisOf, scaleHead, span } from "./error_axis.js";
import { levelName } from "./submit_summary.js";

const WEAKER = ["event", "w-event"]; // levels at which landmarks are not protected together
const HEADS = ["Mechanism", "Typical", "95\u202f%", "Landmarks, typical", "", "Verdict"];

/** The mechanism to use of `rows`: usable, all landmarks protected together, and the least typical error; or null. */
export function best(rows) {
  const usable = rows.filter(({ verdict, level }) => verdict?.name === "usable" && !WEAKER.includes(level));
  return usable.sort((a, b) => a.errors.overall.typical_m - b.errors.overall.typical_m)[0] ?? null;
}

function answer(rows, scale) {
  const found = best(rows);
  const extent = scale.extent_m ? `; your data is ${metres(scale.extent_m)} wide` : "";
  if (!found)
    return [
      el("strong", {}, "No mechanism is usable at this level."),
      " Accept a larger ε or a smaller radius, or enter the error that you accept",
      extent,
      ".",
    ];
  const { typical_m, p95_m } = found.errors.overall;
  return [
    el("strong", {}, `Usable: ${found.title}.`),
    ` Half of the events within ${metres(typical_m)}, 95\u202f% within ${metres(p95_m)}${extent}.`,
  ];
}

const ruleText = ({ title, rule, at_most_m }) =>
  `${title}: ${at_most_m ? `95\u202f% up to ${metres(at_most_m)}` : rule}`;

/**
 * The section `host`. `known` has {level, lineStyle} of each mechanism by name; `requested()` is the form's request, or
 * null while it is invalid; `use(name, epsilon)` sets the form; `changed()` is called when what is shown is up to date,
 * or refused. Returns {update(), isWaiting()}.
 */
export function createErrorTable(host, { urls, known, requested, use, changed }) {
  const [text, table, rule, find] = ["answer", "table", "rule", "find"].map((part) => $(`[data-errors-${part}]`, host));
  const [field, figure] = ["accepted", "figure"].map((id) => $(`#${id}`, host));
  /** @type {any[]} */
  let [errors, levels, of, shownLevel] = [null, null, "", ""];
  const busy = (on) => host.setAttribute("aria-busy", String(on));
  const forecast = createForecast(urls.errors, { show, fail });

  function show(found, body) {
    errors = found;
    shownLevel = levelName(body.mechanisms[0]);
    if (withoutLevels(body) !== of) levels = null;
    draw();
    changed();
  }

  /** What is shown is of an earlier request: dimmed, with the reason above it. */
  function dim(reason, rest) {
    host.dataset.stale = "";
    text.replaceChildren(el("strong", {}, reason), shownLevel ? ` The values below are for ${shownLevel}${rest}.` : "");
  }

  function fail(refused) {
    dim(refused.map(sentenceOf).join(" "), "");
    busy(false);
    changed();
  }

  function draw() {
    const rows = errors.mechanisms.map((one) => ({ ...known.get(one.name), ...one }));
    const columns = { axis: axisOf(errors.scale, rows), scale: errors.scale, levels, use };
    text.replaceChildren(...answer(rows, errors.scale));
    table.replaceChildren(...tableOf(rows, columns));
    rule.textContent = `Rule: ${errors.rules.map(ruleText).join(" · ")}.`;
    delete host.dataset.stale;
    busy(false);
  }

  async function findLevels() {
    const body = requested();
    if (!body || !isGiven(valueOf(field))) return field.focus();
    find.disabled = true;
    busy(true);
    try {
      levels = await post(urls.levels, { ...body, accepted_m: valueOf(field), figure: figure.value });
      of = withoutLevels(body);
      draw();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      fail(error.errors);
    }
    find.disabled = false;
  }

  find.addEventListener("click", findLevels);
  return {
    update() {
      const body = requested();
      find.disabled = !body;
      if (!body) {
        forecast.stop();
        busy(false);
        dim("A value is missing or invalid.", ", the last valid input");
      } else if (forecast.request(body)) {
        busy(true);
        dim(`Updating for ${levelName(body.mechanisms[0])} …`, " and cannot be submitted");
      }
    },
    isWaiting: forecast.isWaiting,
  };
}

/** What the least levels depend on. */
const withoutLevels = (body) =>
  JSON.stringify({ ...body, mechanisms: body.mechanisms.map((one) => ({ ...one, epsilon: null })) });

function tableOf(rows, columns) {
  const heads = HEADS.map((title, i) => headOf(title, i, columns));
  if (columns.levels) heads.push(el("th", { scope: "col" }, `ε for ${metres(columns.levels.accepted_m)}`));
  return [
    el("caption", { class: "visually-hidden" }, "Errors to expect, by mechanism"),
    el("thead", {}, el("tr", {}, heads)),
    ...byGuarantee(rows, (one) => rowOf(one, columns), heads.length),
  ];
}

/** The bodies of a table of mechanisms: those that protect all landmarks together, then the others. */
export function byGuarantee(rows, rowOf, columns) {
  const groups = [
    rows.filter(({ level }) => !WEAKER.includes(level)),
    rows.filter(({ level }) => WEAKER.includes(level)),
  ];
  const [strong, weak] = groups.map((group) => group.map(rowOf));
  const weaker = el(
    "tr",
    {},
    el(
      "th",
      { scope: "rowgroup", colspan: columns, class: "small muted" },
      "Weaker guarantee: landmarks are not protected together",
    ),
  );
  return [el("tbody", {}, strong), weak.length ? el("tbody", {}, weaker, weak) : ""];
}

const headOf = (title, i, { axis, scale }) =>
  title
    ? el("th", { scope: "col", class: i && i < 4 ? "number" : null }, title)
    : el("td", { class: "errors__axis" }, scaleHead(axis, scale));

function rowOf(one, { axis, scale, levels, use }) {
  const { overall, landmarks } = one.errors;
  const figure = (value, label, name = "") =>
    el("td", { class: "number", "data-label": label, "data-figure": name }, value === null ? "–" : metres(value));
  return el(
    "tr",
    { dataset: { errors: one.name, verdict: one.verdict?.name ?? "" } },
    el("th", { scope: "row" }, el("span", { class: "row" }, swatch(one.lineStyle), one.title)),
    figure(overall.typical_m, "Typical"),
    figure(overall.p95_m, "95\u202f%", "p95"),
    figure(landmarks.typical_m, "Landmarks, typical"),
    el("td", { class: "errors__axis wide" }, overall.p95_m !== null && span(axis, scale, overall, one.lineStyle)),
    el("td", { "data-label": "Verdict", class: "verdict" }, verdictText(one.verdict) || "–"),
    levels && el("td", { "data-label": "ε" }, levelOf(levels, one, use)),
  );
}

function levelOf({ mechanisms }, { name, title }, use) {
  const level = mechanisms.find((one) => one.name === name);
  if (!level) return "–";
  if (level.epsilon === null) return el("span", { class: "small muted" }, "none: repeats are off by more");
  const label = `Use ε ${number(level.epsilon)} with ${title}`;
  return useButton({ text: `Use ${number(level.epsilon)}`, label, fits: level.fits }, () => use(name, level.epsilon));
}

/** A button that sets the form, with a note where the budget has less left. */
export const useButton = ({ text, label, fits }, onclick) =>
  el(
    "span",
    { class: "row" },
    el("button", { class: "button button--small", type: "button", "aria-label": label, onclick }, text),
    !fits && el("span", { class: "small muted" }, "over budget"),
  );
