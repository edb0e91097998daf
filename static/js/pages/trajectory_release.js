/* The release form: several mechanisms over a landmark set or none; one POST for each, then to the comparison. */

import { createFields } from "../components/form_fields.js";
import { keepForm } from "../components/kept_form.js";
import { invalidIn, isGiven, refuseInvalid } from "../components/number_field.js";
import { showTexts } from "../components/problem_box.js";
import { createSubmitBar } from "../components/submit_bar.js";
import { get, post } from "../core/api.js";
import { $, announce, data, el, save } from "../core/dom.js";
import { sentenceOf } from "../core/field_errors.js";
import { count } from "../core/format.js";
import { idempotencyHeaders } from "../core/idempotency.js";
import { distanceM } from "../map/projection.js";
import { createAfter } from "../trajectory/postprocess_steps.js";
import { createForecast } from "../components/forecast_request.js";
import { asText, parse } from "../trajectory/release_form/configuration_file.js";
import { createErrorTable } from "../trajectory/release_form/error_table.js";
import { afterwards, forecastTable, guarantees, spending } from "../trajectory/release_form/forecast.js";
import { commonFields, createCards, isFirstWithoutSet } from "../trajectory/release_form/mechanism_cards.js";
import { createProtectionCost } from "../trajectory/release_form/protection_cost.js";
import { createNoisePreview } from "../trajectory/release_form/noise_preview.js";
import { loadMapData, loadRuns } from "../trajectory/release_form/noise_preview_data.js";
import { offerRadii } from "../trajectory/release_form/named_radii.js";
import { showOdds } from "../trajectory/release_form/odds_table.js";
import { createPurpose, showPurpose } from "../components/release_purpose.js";
import { setNeeded, summaryOf } from "../trajectory/release_form/submit_summary.js";
import { createTemporalLossTable } from "../trajectory/release_form/temporal_loss_table.js";
import { notice, warnings } from "../trajectory/release_form/warnings.js";

const FIRST = ["landmark-skip", "landmark-uniform", "landmark-adaptive"];
const page = data("page-data");
let kept,
  dataset,
  cards,
  common,
  purpose,
  steps,
  lineStyles,
  forecast,
  errorTable,
  protectionCost,
  temporalLoss,
  preview,
  loadingMap,
  bar;
/** @type {any} */
let answer = null; // the newest forecast, while it matches the form
/** @type {any} */
let quote = null; // the newest of the budget
let [isSending, problem] = [false, ""]; // the problem is why there is no forecast

const setId = () => $("[name=landmark_set]:checked")?.value || null;
const subject = () => ({ dataset: dataset.id, landmark_set: setId() });
const level = () => common.values();
const whole = (description) => Object.values(description).every(isGiven);

/** The mechanisms requested, each as the API takes it. */
const mechanisms = () => cards.chosen().map(({ mechanism, own }) => ({ name: mechanism.name, ...level(), ...own }));

/** Titles of the mechanisms chosen that lack the landmark set they need. */
const reading = () =>
  cards.chosen().flatMap(({ mechanism }) => (mechanism.reads_landmarks && !setId() ? [mechanism.title] : []));

/**
 * The request for errors of all mechanisms whose parameters are given, and whose landmarks; null while something chosen
 * is invalid.
 */
function requestedErrors() {
  if (reading().length || ![level(), ...mechanisms(), ...steps.values()].every(whole)) return null;
  const given = cards.all().filter(({ mechanism, own }) => whole(own) && (setId() || !mechanism.reads_landmarks));
  if (!given.length) return null;
  return {
    ...subject(),
    mechanisms: given.map(({ mechanism, own }) => ({ name: mechanism.name, ...level(), ...own })),
    postprocess: steps.values(),
  };
}

/**
 * Set the level that a row of a table of errors offers, and choose its mechanism.
 *
 * @param {string} name
 * @param {number} epsilon
 * @param {{radius_m?: number}} [radius]
 */
function use(name, epsilon, radius = {}) {
  common.set({ epsilon, ...radius });
  cards.choose(name);
  show();
}

/** A release's description; steps and seed only where there are any. */
function spec(mechanism) {
  const [after, seed] = [steps.values(), purpose.seed()];
  return { mechanism, ...(after.length && { postprocess: after }), ...(seed !== null && { seed }) };
}

// What it will mean -----------------------------------------------------------------------

function show() {
  if (!steps) return; // a part of the form, while the next one is made
  const [request, after] = [mechanisms(), steps.values()];
  const ok = !invalidIn($("[data-common]")).length;
  showOdds($("[data-odds]"), ok ? level() : {});
  if (ok) preview.level(level());
  $("[data-afterwards]").replaceChildren(
    ...afterwards(steps.chosen()).map((text) => el("p", { class: "small" }, text)),
  );
  showPurpose(purpose.experiment());
  if (answer) showSpending(answer);
  errorTable.update();
  protectionCost.update();
  $("[data-save]").disabled = !request.length || invalidIn($("[data-form]")).length > 0;
  if (!request.length) empty("Choose a mechanism and a level.");
  else if (reading().length) empty(setNeeded(reading()));
  else if (!ok || ![...request, ...after].every(whole)) dim("A value is missing or invalid: see the marked fields.");
  else {
    const body = { ...subject(), mechanisms: request, postprocess: after };
    if (forecast.request({ ...body, correlation: temporalLoss.correlation() })) $("[data-side]").dataset.stale = "";
  }
  showBar();
}

/** What is sent, what it costs, and whether it may be: not while a forecast is of other values than the form's. */
function showBar() {
  const updating = forecast.isWaiting() || errorTable.isWaiting();
  const state = {
    chosen: cards.chosen().map(({ mechanism }) => mechanism.title),
    hasSet: !reading().length,
    reading: reading(),
    level: level(),
    invalid: bar.invalid(),
    quote,
    isCurrent: answer !== null && !forecast.isWaiting(),
    experiment: purpose.experiment(),
    updating,
    problem,
    use: (epsilon) => {
      common.set({ epsilon });
      show();
    },
  };
  bar.show({ ...summaryOf(state), ...(isSending && { state: "blocked" }) });
  if (!forecast.isWaiting()) $("[data-form]").dataset.ready = "all";
}

/** Keep what is shown, dimmed: it is of the last valid values. */
function dim(note) {
  forecast.stop();
  answer = null;
  problem = note;
  $("[data-side]").dataset.stale = "";
  $("[data-spending]").textContent = note;
}

function empty(...note) {
  for (const part of ["forecast", "warnings", "promises"]) $(`[data-${part}]`).replaceChildren();
  temporalLoss.clear();
  preview.answer(null, []);
  dim(note.join(" "));
  delete $("[data-side]").dataset.stale;
}

function showForecast(found, request) {
  answer = found;
  quote = found.budget;
  delete $("[data-side]").dataset.stale;
  $("[data-forecast]").replaceChildren(...forecastTable(found.mechanisms, lineStyles));
  temporalLoss.show(found, lineStyles);
  preview.answer(request.mechanisms[0], found.mechanisms);
  showSpending(found);
  showBar();
}

/** What is extreme about it, and what it costs: both also depend on what it is for. */
function showSpending({ mechanisms: forecasts, budget: quote }) {
  const [experiment, request] = [
    purpose.experiment(),
    cards.chosen().map(({ mechanism, own }) => ({ ...own, name: mechanism.name, title: mechanism.title })),
  ];
  const after = steps.chosen().map(({ title }, i) => ({ ...steps.values()[i], title }));
  const notices = warnings({
    level: level(),
    forecasts,
    request,
    steps: after,
    extent_m: extent(),
    seeded: experiment,
  });
  $("[data-warnings]").replaceChildren(...notices.map(notice));
  $("[data-promises]").replaceChildren(...(experiment ? [] : guarantees(forecasts)));
  $("[data-spending]").textContent = spending(quote, level(), forecasts, experiment).join(" ");
}

function extent() {
  const [west, south, east, north] = dataset.bounds;
  return distanceM(west, south, east, north);
}

/** The background of the preview: the original, read once, and the landmarks of the set chosen, if one is. */
async function showGround() {
  const set = setId();
  loadingMap ??= loadMapData(dataset, page.urls.track);
  const [mapData, runs] = await Promise.all([loadingMap, set ? loadRuns(page.events[set]) : []]);
  if (set === setId()) preview.data({ mapData, runs, extent_m: extent() });
}

// Sending -------------------------------------------------------------------------------

async function submit(event) {
  event.preventDefault();
  if (refuseInvalid($("[data-form]"))) return;
  setSending(true);
  [cards, common, steps, purpose].forEach((part) => part.clear());
  showErrors([]);
  const made = [];
  for (const mechanism of mechanisms()) {
    const body = { ...subject(), ...spec(mechanism) };
    try {
      made.push(await post(page.urls.releases, body, { headers: idempotencyHeaders(body) }));
    } catch (error) {
      setSending(false);
      refuse(mechanism.name, error, made);
      return;
    }
  }
  kept.forget();
  const query = new URLSearchParams([
    ...(setId() ? [["landmark_set", setId()]] : []),
    ["show", "best"],
    ...made.map(({ id }) => ["release", id]),
  ]);
  location.assign(`${page.urls.compare}?${query}`);
}

function setSending(on) {
  isSending = on;
  showBar();
}

function refuse(name, error, made) {
  const { mechanism } = cards.chosen().find((one) => one.mechanism.name === name);
  const rest = cards.fail(name, purpose.fail(common.fail(steps.fail(error.errors ?? [error]))));
  const note = rest.map((error) => `${mechanism.title}: ${sentenceOf(error)}`);
  if (made.length)
    note.push(
      `${count(made.length, "release")} before it ${made.length === 1 ? "was" : "were"} submitted ` +
        `and will not be created twice.`,
    );
  showErrors(note);
  ($("[aria-invalid=true]") ?? $("[data-problem]")).focus();
}

const showErrors = (/** @type {string[]} */ notes) => showTexts($("[data-problem]"), notes);

// The form as a file ------------------------------------------------------------------------

async function load(file, known) {
  try {
    const found = parse(await file.text(), known);
    common.set(found.level);
    cards.set(found.mechanisms);
    purpose.set(found.seed);
    steps.set(found.steps);
    showErrors([]);
    announce(`The form is set to ${file.name}.`);
  } catch (error) {
    showErrors([`${file.name}: ${error.message}`]);
  }
}

function offerFiles(known) {
  const chooser = $("[data-load-file]");
  $("[data-save]").addEventListener("click", () =>
    save(new Blob([asText(mechanisms().map(spec))], { type: "application/json" }), "releases.json"),
  );
  $("[data-load]").addEventListener("click", () => chooser.click());
  $("[data-load]").disabled = false;
  chooser.addEventListener("change", async () => {
    if (chooser.files.length) await load(chooser.files[0], known);
    chooser.value = ""; // so that the same file can be chosen again
  });
}

// Loading ---------------------------------------------------------------------------------

async function start() {
  const [found, listed, offered] = await Promise.all(
    [page.urls.dataset, page.urls.mechanisms, page.urls.postprocesses].map((url) => get(url)),
  );
  dataset = found;
  const order = Object.keys(page.palette);
  const described = [...listed.results].sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
  lineStyles = new Map(described.map((one) => [one.name, one]));
  forecast = createForecast(page.urls.forecast, {
    show: showForecast,
    fail(errors) {
      empty(...errors.map(sentenceOf));
      showBar();
    },
  });
  bar = createSubmitBar($("[data-form]"));
  const fields = commonFields(described).map((one) =>
    one.name === "radius_m" ? { ...one, example: page.radius_m } : one,
  );
  common = createFields($("[data-common]"), fields, { onChange: show });
  offerRadii($("[data-common]"), page.radii, (radius_m) => {
    common.set({ radius_m });
    show();
  });
  preview = createNoisePreview($("[data-noise-preview]"), lineStyles);
  temporalLoss = createTemporalLossTable($("[data-leaks]"), { radius_m: page.radius_m, onChange: show });
  const known = new Map(described.map((one) => [one.name, { level: one.level, lineStyle: lineStyles.get(one.name) }]));
  const errors = { known, requested: requestedErrors, use };
  errorTable = createErrorTable($("[data-errors]"), { ...errors, urls: page.urls, changed: showBar });
  protectionCost = createProtectionCost($("[data-cost]"), { ...errors, url: page.urls.costs });
  purpose = createPurpose($("[data-purpose]"), { onChange: show });
  cards = createCards({ cards: $("[data-mechanisms]"), own: $("[data-own]") }, described, {
    common: fields,
    chosen: setId() ? FIRST : described.filter(isFirstWithoutSet).map(({ name }) => name),
    onChange: show,
  });
  steps = createAfter({ chosen: $("[data-chosen-steps]"), offered: $("[data-steps]") }, offered.results, {
    onChange: show,
  });
  const names = (things) => things.map(({ name }) => name);
  offerFiles({ mechanisms: names(described), steps: names(offered.results), common: names(fields) });
  document.querySelectorAll("[name=landmark_set]").forEach((input) =>
    input.addEventListener("change", () => {
      show();
      showGround().catch(ungrounded);
    }),
  );
  kept = keepForm($("[data-form]"), { more: { read: () => steps.values(), apply: (values) => steps.set(values) } });
  $("[data-form]").addEventListener("submit", submit);
  window.addEventListener("pageshow", () => setSending(false)); // also on the way back
  show();
  showGround().catch(ungrounded);
}

/** Without the original there is no preview; all numbers are beside it. */
const ungrounded = (error) => ($("[data-noise-preview-text]").textContent = error.message);

if ($("[data-form]")) start().catch((error) => showErrors([error.message]));
