/* The release form: several mechanisms over one landmark set; one POST for each, then to the comparison. */

import { createFields } from "../components/form_fields.js";
import { keepForm } from "../components/kept_form.js";
import { invalidIn, isGiven, refuseInvalid } from "../components/number_field.js";
import { get, post } from "../core/api.js";
import { $, announce, data, el } from "../core/dom.js";
import { sentenceOf } from "../core/field_errors.js";
import { count } from "../core/format.js";
import { idempotencyHeaders } from "../core/idempotency.js";
import { distanceM } from "../map/projection.js";
import { createAfter } from "../trajectory/postprocess_steps.js";
import { asText, download, parse } from "../trajectory/release_form/configuration_file.js";
import { createErrorTable } from "../trajectory/release_form/error_table.js";
import { afterwards, createForecast, entry, guarantees, spending } from "../trajectory/release_form/forecast.js";
import { commonFields, createCards } from "../trajectory/release_form/mechanism_cards.js";
import { createNoisePreview } from "../trajectory/release_form/noise_preview.js";
import { loadMapData, loadRuns } from "../trajectory/release_form/noise_preview_data.js";
import { offerRadii } from "../trajectory/release_form/named_radii.js";
import { showOdds } from "../trajectory/release_form/odds_table.js";
import { createPurpose, showPurpose } from "../trajectory/release_form/release_purpose.js";
import { createTemporalLossTable } from "../trajectory/release_form/temporal_loss_table.js";
import { notice, warnings } from "../trajectory/release_form/warnings.js";

const FIRST = ["landmark-skip", "landmark-uniform", "landmark-adaptive"];
const page = data("page-data");
let kept, dataset, cards, common, purpose, steps, lineStyles, forecast, errorTable, temporalLoss, preview, loadingMap;
let answer = null; // the newest forecast, while it matches the form

const setId = () => $("[name=landmark_set]:checked")?.value ?? null;
const level = () => common.values();
const whole = (description) => Object.values(description).every(isGiven);

/** The mechanisms requested, each as the API takes it. */
const mechanisms = () => cards.chosen().map(({ mechanism, own }) => ({ name: mechanism.name, ...level(), ...own }));

/** The request for errors of all mechanisms whose parameters are given; null while something chosen is invalid. */
function requestedErrors() {
  if (!setId() || ![level(), ...mechanisms(), ...steps.values()].every(whole)) return null;
  const given = cards.all().filter(({ own }) => whole(own));
  return {
    landmark_set: setId(),
    mechanisms: given.map(({ mechanism, own }) => ({ name: mechanism.name, ...level(), ...own })),
    postprocess: steps.values(),
  };
}

/** Set the level that a row of the table of errors offers, and choose its mechanism. */
function use(name, epsilon) {
  common.set({ epsilon });
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
  const submit = $("[data-submit]");
  submit.disabled = !request.length || !setId();
  showPurpose(purpose.experiment(), request.length);
  if (answer) showSpending(answer);
  errorTable.update();
  $("[data-save]").disabled = submit.disabled || invalidIn($("[data-form]")).length > 0;
  if (!request.length || !ok || ![...request, ...after].every(whole)) {
    forecast.stop();
    empty(request.length ? "A value is missing or invalid: see the marked fields." : "Choose a mechanism and a level.");
  } else {
    forecast.request({
      landmark_set: setId(),
      mechanisms: request,
      postprocess: after,
      correlation: temporalLoss.correlation(),
    });
  }
}

function empty(...note) {
  for (const part of ["forecast", "warnings", "promises"]) $(`[data-${part}]`).replaceChildren();
  temporalLoss.clear();
  preview.answer(null, []);
  answer = null;
  $("[data-budget]").hidden = true;
  $("[data-spending]").textContent = note.join(" ");
  $("[data-form]").dataset.ready = "all";
}

function showForecast(found, request) {
  answer = found;
  $("[data-forecast]").replaceChildren(...found.mechanisms.map((one) => entry(one, lineStyles.get(one.name))));
  temporalLoss.show(found, lineStyles);
  preview.answer(request.mechanisms[0], found.mechanisms);
  showSpending(found);
  $("[data-form]").dataset.ready = "all";
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
  const bar = $("[data-budget]");
  bar.hidden = quote.total_per_km === null;
  bar.max = quote.total_per_km ?? 1;
  bar.value = Math.min(experiment ? quote.spent_per_km : quote.after_per_km, bar.max);
}

function extent() {
  const [west, south, east, north] = dataset.bounds;
  return distanceM(west, south, east, north);
}

/** The background of the preview: the original, read once, and the landmarks of the set chosen. */
async function showGround() {
  const set = setId();
  loadingMap ??= loadMapData(dataset, page.urls.track);
  const [mapData, runs] = await Promise.all([loadingMap, loadRuns(page.events[set])]);
  if (set === setId()) preview.data({ mapData, runs, extent_m: extent() });
}

// Sending -------------------------------------------------------------------------------

async function submit(event) {
  event.preventDefault();
  if (refuseInvalid($("[data-form]"))) return;
  const button = $("[data-submit]");
  button.disabled = true;
  [cards, common, steps, purpose].forEach((part) => part.clear());
  showErrors([]);
  const made = [];
  for (const mechanism of mechanisms()) {
    const body = { dataset: dataset.id, landmark_set: setId(), ...spec(mechanism) };
    try {
      made.push(await post(page.urls.releases, body, { headers: idempotencyHeaders(body) }));
    } catch (error) {
      refuse(mechanism.name, error, made);
      button.disabled = false;
      return;
    }
  }
  kept.forget();
  const query = new URLSearchParams([
    ["landmark_set", setId()],
    ["show", "best"],
    ...made.map(({ id }) => ["release", id]),
  ]);
  location.assign(`${page.urls.compare}?${query}`);
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

function showErrors(note) {
  const box = $("[data-problem]");
  box.hidden = !note.length;
  box.replaceChildren(...note.map((text) => el("p", {}, text)));
  if (note.length) announce(note.join(" "));
}

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
  $("[data-save]").addEventListener("click", () => download(asText(mechanisms().map(spec)), "cairn-releases.json"));
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
    fail: (errors) => empty(...errors.map(sentenceOf)),
  });
  const fields = commonFields(described).map((one) =>
    one.name === "radius_m" ? { ...one, example: page.radius_m } : one,
  );
  common = createFields($("[data-common]"), fields, { onChange: show });
  offerRadii($("[data-common]"), page.radii, (radius_m) => {
    common.set({ radius_m });
    show();
  });
  preview = createNoisePreview($("[data-noise-preview]"), lineStyles);
  temporalLoss = createTemporalLossTable($("[data-leaks]"), { onChange: show });
  errorTable = createErrorTable($("[data-errors]"), {
    urls: page.urls,
    known: new Map(described.map((one) => [one.name, { level: one.level, lineStyle: lineStyles.get(one.name) }])),
    requested: requestedErrors,
    use,
  });
  purpose = createPurpose($("[data-purpose]"), { onChange: show });
  cards = createCards({ cards: $("[data-mechanisms]"), own: $("[data-own]") }, described, {
    common: fields,
    chosen: FIRST,
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
  show();
  showGround().catch(ungrounded);
}

/** Without the original there is no preview; all numbers are beside it. */
const ungrounded = (error) => ($("[data-noise-preview-text]").textContent = error.message);

if ($("[data-form]")) start().catch((error) => showErrors([error.message]));
