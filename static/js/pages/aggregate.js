/* The form that counts the events of a dataset on a grid: size and sensitivity before, a new dataset after. */

import { ApiError, post } from "../core/api.js";
import { $, data, el } from "../core/dom.js";
import { factList } from "../core/elements.js";
import { count, percent, whole } from "../core/format.js";
import { createBoxMap } from "../components/box_map.js";
import { createForecast } from "../components/forecast_request.js";
import { createFields } from "../components/form_fields.js";
import { keepForm } from "../components/kept_form.js";
import { isGiven, refuseInvalid } from "../components/number_field.js";
import { focusProblem, showProblems } from "../components/problem_box.js";
import { correctionOf, createSubmitBar } from "../components/submit_bar.js";

const WAIT_MS = 400; // after the last key before the size is requested: the events are counted for it
const SIDES = ["west", "south", "east", "north"];
const PER_UNIT = ["most", "pick"]; // fields that do not belong to single events
const page = data("page-data");
const form = $("[data-form]");
const bar = createSubmitBar(form);
const problem = $("[data-problem]");
let size = ""; // of the newest answer

const groups = Object.entries(page.groups).map(([name, fields]) =>
  createFields($(`[data-group=${name}]`), fields, { onChange: name === "box" ? changeBox : schedule }),
);
const forecast = createForecast(page.urls.preview, { show: showExpected, fail: refuse, usual: WAIT_MS });
const boxMap = createBoxMap($("[data-box-map]"), { areas: page.areas, onChange: takeBox });

const sidesOf = (/** @type {number[]} */ box) => Object.fromEntries(SIDES.map((side, i) => [side, box[i]]));

/** What the form describes, as the API takes it. */
function description() {
  const given = Object.assign({}, ...groups.map((group) => group.values()));
  const sides = SIDES.map((side) => given[side]);
  const single = given.unit === "event";
  const entries = Object.entries(given).filter(
    ([name, value]) => value !== "" && !SIDES.includes(name) && !(single && PER_UNIT.includes(name)),
  );
  return { ...Object.fromEntries(entries), ...(sides.some((side) => side !== undefined) && { box: sides }) };
}

function changeBox() {
  boxMap.show(Object.assign({}, ...groups.map((group) => group.values())));
  schedule();
}

function takeBox(/** @type {Record<string, number>} */ box) {
  for (const group of groups) group.set(box);
  schedule();
}

function complete() {
  const { box = [], ...rest } = description();
  const closed = box.every((/** @type {number | undefined} */ side) => side !== undefined);
  return closed && [...Object.values(rest), ...box].every(isGiven) && !bar.invalid().length;
}

function schedule() {
  const single = $("[data-field=unit] select").value === "event";
  for (const name of PER_UNIT) $(`[data-field=${name}]`).hidden = single;
  const body = description();
  if (complete()) {
    if (!forecast.request(body)) return;
    $("[data-side]").dataset.stale = "";
    showBar("updating", "Waiting for the size");
    return;
  }
  forecast.stop();
  const missing = body.box?.some((side) => side === undefined)
    ? "Give all four sides of the box, or none."
    : "A value is missing or invalid: see the marked fields.";
  $("[data-expected]").replaceChildren(el("p.muted", missing));
  $("[data-side]").dataset.stale = "";
  showBar("blocked", missing);
}

/** The bar below, in this state unless a value is wrong. */
function showBar(/** @type {string} */ state, note = "") {
  const invalid = bar.invalid();
  bar.show({
    label: "Count the events",
    names: size,
    ...(invalid.length ? { state: "invalid", note: correctionOf(invalid) } : { state, note }),
  });
}

function showExpected(found, { box }) {
  delete $("[data-side]").dataset.stale;
  problem.hidden = true;
  const facts = [
    ["Events", `${whole(found.events)} of ${count(found.people, "person")}`],
    ["Cells", `${whole(found.cells)} (${whole(found.rows)} × ${whole(found.columns)})`],
    ["Time steps", whole(found.steps)],
    ["Counts of 0", percent(found.zero)],
    found.outside > 0 && ["Left out", `${count(found.outside, "event")} outside the box or the steps`],
    found.cut > 0 && ["Not counted", `${count(found.cut, "visit")} of further cells`],
  ].filter((fact) => Array.isArray(fact));
  $("[data-expected]").replaceChildren(
    factList({ class: "facts" }, facts),
    el("p", found.statement),
    ...found.not_covered.map((/** @type {string} */ text) => el("p.notice", `Not covered: ${text}.`)),
  );
  size = `${count(found.cells, "cell")} × ${count(found.steps, "step")}`;
  showBar("ready", countedText(found.events, found.outside));
  if (box) boxMap.show(sidesOf(box), found.columns, found.rows);
  form.dataset.ready = "all";
}

function countedText(/** @type {number} */ events, /** @type {number} */ outside) {
  const counted = events - outside;
  if (!outside) return count(counted, "event");
  return counted ? `${whole(counted)} of ${count(events, "event")}` : "No event is in the box and the steps.";
}

function refuse(/** @type {ApiProblem[]} */ errors) {
  let rest = errors;
  for (const group of groups) rest = group.fail(rest);
  $("[data-expected]").replaceChildren();
  showProblems(problem, rest);
  showBar(rest.length < errors.length ? "blocked" : "ready", "There is no forecast of the size.");
  form.dataset.ready = "all";
}

async function send(/** @type {Event} */ event) {
  event.preventDefault();
  if (refuseInvalid(form)) return;
  showBar("blocked", "Submitting …");
  try {
    const made = await post(page.urls.aggregate, description());
    kept.forget();
    location.assign(made.urls.page);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    refuse(error.errors);
    focusProblem(form, problem);
  }
}

form.hidden = false; // its fields were made above: nothing moves once it is seen
form.addEventListener("submit", send);
window.addEventListener("pageshow", () => {
  forecast.stop(); // also on the way back
  schedule();
});
schedule();
const kept = keepForm(form);
