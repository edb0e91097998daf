/* The release form: one table of releases over a landmark set or none; one POST for each, then to the comparison. */

import { createForecast } from "../components/forecast_request.js";
import { commonFields } from "../components/form_fields.js";
import { keepForm } from "../components/kept_form.js";
import { isGiven, refuseInvalid, valueOf } from "../components/number_field.js";
import { showTexts } from "../components/problem_box.js";
import { createPurpose } from "../components/release_purpose.js";
import { createAccepted } from "../components/release_form/accepted.js";
import { levelOfGuess } from "../components/release_form/odds.js";
import { createSubmitBar, labelOf } from "../components/submit_bar.js";
import { get, post } from "../core/api.js";
import { $, announce, data, el, save } from "../core/dom.js";
import { sentenceOf } from "../core/field_errors.js";
import { count, number, whole } from "../core/format.js";
import { idempotencyHeaders } from "../core/idempotency.js";
import { answerText, ruleText } from "../trajectory/release_form/answer.js";
import { asText, parse } from "../trajectory/release_form/configuration_file.js";
import { createLevel } from "../trajectory/release_form/level_fields.js";
import { createNoisePreview } from "../trajectory/release_form/noise_preview.js";
import { loadMapData, loadRuns } from "../trajectory/release_form/noise_preview_data.js";
import { showOdds } from "../trajectory/release_form/odds_table.js";
import { shareTable, showPromise, spending } from "../trajectory/release_form/promise.js";
import { ReleaseRows } from "../trajectory/release_form/release_rows.js";
import { levelName, summaryOf } from "../trajectory/release_form/submit_summary.js";
import { createTemporalLossTable } from "../trajectory/release_form/temporal_loss_table.js";
import { notice, warnings } from "../trajectory/release_form/warnings.js";

const page = data("page-data");
const root = $("main"); // the purpose is in the title
const section = $("[data-errors]");
const rowsOf = new WeakMap(); // the rows of each request
let kept, dataset, level, rows, purpose, lineStyles, temporalLoss, accepted, preview, loadingMap, bar;
/** @type {any} */
let errors = null; // the newest answer on errors
/** @type {any} */
let answer = null; // the newest on promises and the budget, while it matches the form
let [shownLevel, isSending, isReady, problem] = ["", false, false, ""]; // the problem is why there is no forecast

const chosenSet = () => $("#landmark-set").value || null;
const subject = () => ({ dataset: dataset.id, landmark_set: chosenSet() });
const isValid = () => Object.values(level.values()).every(isGiven);
const specs = (some) => some.map((row) => row.spec(level.values()));

const errorForecast = createForecast(page.urls.errors, { show: showErrors, fail: (found) => refuseForecast(found) });
const promiseForecast = createForecast(page.urls.forecast, {
  show: showAnswer,
  fail: (found) => dropAnswer(sentences(found)),
});
const sentences = (found) => found.map(sentenceOf).join(" ");

// What it will mean -----------------------------------------------------------------------

/** Follow every change of the form. */
function update() {
  if (!isReady) return;
  showFixed();
  const some = rows.whole();
  if (!isValid() || !some.length) {
    errorForecast.stop();
    const [wrong] = bar.invalid();
    dim(`No forecast: ${wrong ? labelOf(wrong) : "a value"} is missing or invalid`, ", the last valid input");
  } else {
    const body = { ...subject(), releases: specs(some), smoothing: true };
    rowsOf.set(body, some);
    if (errorForecast.request(body))
      dim(`Updating forecast for ${levelName(level.values())} …`, " and cannot be submitted");
  }
  requestPromise();
  accepted.update();
  showBar();
}

/** What follows from the fields alone. */
function showFixed() {
  const set = page.sets[chosenSet() ?? ""];
  const events = set ? `${whole(set.count)} of ${count(dataset.points, "event")}` : "Each event alone";
  $("[data-set-text]").textContent = set?.covered ? `${events}; ${set.covered}` : events;
  showOdds($("[data-odds]"), isValid() ? level.values() : {});
  $("[data-not-private]").hidden = !purpose.experiment();
  const guess = Number(valueOf($("#guess")) ?? NaN);
  const use = $("[data-guess-use]");
  use.disabled = !isGiven(guess);
  if (isGiven(guess)) use.textContent = `Use ε ${number(levelOfGuess(guess / 100))}`;
}

/** What is shown is of an earlier request: dimmed, with the reason above it. */
function dim(reason, rest) {
  section.dataset.stale = "";
  section.setAttribute("aria-busy", String(errorForecast.isWaiting()));
  const note = shownLevel && ` Values below are for ${shownLevel}${rest}.`;
  $("[data-errors-answer]").replaceChildren(el("strong", {}, reason), el("span", {}, note));
}

function refuseForecast(found) {
  dim(sentences(found), "");
  showBar();
}

function showErrors(found, body) {
  errors = found;
  shownLevel = levelName(level.values());
  delete section.dataset.stale;
  section.removeAttribute("aria-busy");
  const isOther = rows.show(found, rowsOf.get(body));
  const rated = rows.offered().filter((row) => row.found);
  const shown = rated.map((row) => ({ ...row.found, key: row.key, lineStyle: row.lineStyle, title: row.title }));
  $("[data-errors-answer]").replaceChildren(...answerText(shown, found.scale, rows.hasLandmarks));
  $("[data-errors-rule]").replaceChildren(...ruleText(found.rules));
  preview.rows(shown, (rows.chosen()[0] ?? rated[0])?.key, found.scale.extent_m ?? 0);
  if (isOther) return update();
  accepted.update();
  showBar();
}

/** What the releases chosen promise and cost; with none, what is left. */
function requestPromise() {
  const some = rows.chosen();
  if (!isValid() || !some.every((row) => row.isWhole()))
    return dropAnswer("A value is missing or invalid: see the marked fields.");
  if (!some.length) {
    if (!errorForecast.isWaiting()) clearPromise();
    return dropAnswer("");
  }
  const mechanisms = specs(some).map(({ mechanism }) => mechanism);
  const body = { ...subject(), mechanisms, correlation: temporalLoss.correlation(), errors: false }; // those are above
  rowsOf.set(body, some);
  if (promiseForecast.request(body)) $("[data-promise]").dataset.stale = "";
  else if (answer && !promiseForecast.isWaiting()) showAnswer(answer, body);
}

/** Nothing is chosen. */
function clearPromise() {
  showPromise($("[data-promise]"), [], []);
  for (const part of ["forecast", "warnings", "spending"]) $(`[data-${part}]`).replaceChildren();
  temporalLoss.clear();
}

/** Keep what is shown, dimmed: it is of other values. */
function dropAnswer(note) {
  promiseForecast.stop();
  answer = null;
  problem = note;
  if (rows.chosen().length) $("[data-promise]").dataset.stale = "";
  showBar();
}

function showAnswer(found, body, some = rowsOf.get(body)) {
  answer = found;
  delete $("[data-promise]").dataset.stale;
  const named = found.mechanisms.map((one, i) => ({ ...one, title: some[i]?.title ?? one.title }));
  const once = named.filter((one, i) => named.findIndex(({ name }) => name === one.name) === i);
  showPromise($("[data-promise]"), purpose.experiment() ? [] : named, rows.sharedCaveats());
  $("[data-forecast]").replaceChildren(...shareTable(once, lineStyles));
  temporalLoss.show({ ...found, mechanisms: once }, lineStyles);
  const notices = warnings({
    level: level.values(),
    forecasts: found.mechanisms,
    chosen: some.flatMap((row) => [
      { ...row.fields.values(), name: row.mechanism.name, title: row.mechanism.title },
      ...(row.steps?.values() ?? []).map((values, i) => ({ ...values, title: row.steps.chosen()[i].title })),
    ]),
    extent_m: errors?.scale.extent_m ?? 0,
    seeded: purpose.experiment(),
  });
  $("[data-warnings]").replaceChildren(...notices.map(notice));
  $("[data-spending]").textContent = spending(found.budget, level.values(), named, purpose.experiment()).join(" ");
  showBar();
}

/** What is sent, what it costs, and whether it may be: not while a forecast is of other values than the form's. */
function showBar() {
  if (!isReady) return;
  const updating = errorForecast.isWaiting() || promiseForecast.isWaiting();
  const state = {
    chosen: rows.chosen().map(({ title }) => title),
    isTouched: rows.isTouched,
    level: level.values(),
    invalid: bar.invalid(),
    quote: answer?.budget ?? page.quote,
    isCurrent: answer !== null && !promiseForecast.isWaiting(),
    experiment: purpose.experiment(),
    page: page.urls.page,
    updating,
    problem,
    use: setEpsilon,
  };
  $("[data-save]").disabled = !state.chosen.length || state.invalid.length > 0;
  bar.show({ ...summaryOf(state), ...(isSending && { state: "blocked" }) });
  if (!updating) $("[data-form]").dataset.ready = "all";
}

function setEpsilon(epsilon) {
  level.set({ epsilon });
  update();
}

/** The background of the preview: the original, read once, and the landmarks of the set chosen, if one is. */
async function showGround() {
  const set = chosenSet();
  loadingMap ??= loadMapData(dataset, page.urls.track);
  const [mapData, runs] = await Promise.all([loadingMap, set ? loadRuns(page.sets[set].events) : []]);
  if (set === chosenSet()) preview.data({ mapData, runs });
}

// Sending -------------------------------------------------------------------------------

/** The release of a row, with the seed if it is a simulation. */
function described(row) {
  const seed = purpose.seed();
  return { ...row.spec(level.values()), ...(seed !== null && { seed }) };
}

async function submit(event) {
  event.preventDefault();
  if (refuseInvalid(root)) return;
  setSending(true);
  const some = rows.chosen();
  [level, purpose, ...some.flatMap(({ fields, steps }) => [fields, ...(steps ? [steps] : [])])].forEach((one) =>
    one.clear(),
  );
  showProblems([]);
  const made = [];
  for (const row of some) {
    const body = { ...subject(), ...described(row) };
    try {
      made.push(await post(page.urls.releases, body, { headers: idempotencyHeaders(body) }));
    } catch (error) {
      setSending(false);
      refuse(row, error, made);
      return;
    }
  }
  kept.forget();
  const query = new URLSearchParams([
    ...(chosenSet() ? [["landmark_set", chosenSet()]] : []),
    ["show", "best"],
    ...made.map(({ id }) => ["release", id]),
  ]);
  location.assign(`${page.urls.compare}?${query}`);
}

function setSending(on) {
  isSending = on;
  showBar();
}

function refuse(row, error, made) {
  const ofSteps = row.steps?.fail(error.errors ?? [error]) ?? error.errors ?? [error];
  const rest = row.fields.fail(purpose.fail(level.fail(ofSteps)));
  if (rest.length < (error.errors ?? [error]).length && $("[aria-invalid=true]", row.detail)) row.unfold(true);
  const note = rest.map((one) => `${row.title}: ${sentenceOf(one)}`);
  if (made.length)
    note.push(
      `${count(made.length, "release")} before it ${made.length === 1 ? "was" : "were"} submitted and will not be ` +
        `created twice.`,
    );
  showProblems(note);
  ($("[aria-invalid=true]") ?? $("[data-problem]")).focus();
}

const showProblems = (/** @type {string[]} */ notes) => showTexts($("[data-problem]"), notes);

// The form as a file ------------------------------------------------------------------------

async function load(file, known) {
  try {
    const found = parse(await file.text(), known);
    level.set(found.level);
    purpose.set(found.seed);
    rows.set(found.releases);
    showProblems([]);
    announce(`The form is set to ${file.name}.`);
  } catch (error) {
    showProblems([`${file.name}: ${error.message}`]);
  }
}

function offerFiles(known) {
  const chooser = $("[data-load-file]");
  $("[data-save]").addEventListener("click", () => {
    save(new Blob([asText(rows.chosen().map(described))], { type: "application/json" }), "releases.json");
  });
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
  const sorted = [...listed.results].sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
  lineStyles = new Map(Object.entries(page.palette).map(([name, [first]]) => [name, first]));
  const common = commonFields(sorted).map(({ name }) => name);
  bar = createSubmitBar(root);
  level = createLevel(root, { radius_m: page.radius_m, onChange: update });
  preview = createNoisePreview($("[data-noise-preview]"), dataset.points);
  temporalLoss = createTemporalLossTable($("[data-leaks]"), { radius_m: page.radius_m, onChange: update });
  rows = new ReleaseRows($("[data-errors-table]"), sorted, {
    fieldsOf: ({ fields }) => fields.filter(({ name }) => !common.includes(name)),
    listed: offered.results,
    styles: page.palette,
    onChange: update,
  });
  accepted = createAccepted($("[data-accepted]"), {
    url: page.urls.levels,
    bodyOf: (accepted_m) => ({ accepted_m, figure: $("[name=figure]").value }),
    none: "repeated positions alone are off by more",
    requested: () => {
      if (errorForecast.isWaiting()) return undefined;
      const two = isValid() ? rows.leading(2) : [];
      const releases = two.map((row) => row.spec({ ...level.values(), epsilon: 1 }));
      return two.length ? { ...subject(), releases } : null;
    },
    use: setEpsilon,
  });
  purpose = createPurpose($("[data-purpose]"), { onChange: update });
  const names = (things) => things.map(({ name }) => name);
  offerFiles({ mechanisms: names(sorted), steps: names(offered.results), common });
  listen();
  rows.landmarks(Boolean(page.sets[chosenSet() ?? ""]?.count));
  kept = keepForm(root, { more: rows.memory });
  isReady = true;
  update();
  showGround().catch(ungrounded);
}

function listen() {
  const meaning = $("[data-meaning]");
  meaning.addEventListener("click", () => {
    const isOpen = meaning.getAttribute("aria-expanded") !== "true";
    meaning.setAttribute("aria-expanded", String(isOpen));
    $("#meaning").hidden = !isOpen;
  });
  $("#landmark-set").addEventListener("change", () => {
    rows.landmarks(Boolean(page.sets[chosenSet() ?? ""]?.count));
    update();
    if (isReady) showGround().catch(ungrounded);
  });
  $("#guess").addEventListener("input", update);
  $("[data-guess-use]").addEventListener("click", () => setEpsilon(levelOfGuess(Number(valueOf($("#guess"))) / 100)));
  $("[data-form]").addEventListener("submit", submit);
  window.addEventListener("pageshow", () => setSending(false)); // also on the way back
  window.addEventListener("online", update);
}

/** Without the original there is no preview; all numbers are beside it. */
const ungrounded = (error) => ($("[data-noise-preview-text]").textContent = error.message);

if ($("[data-form]")) start().catch((error) => showProblems([error.message]));
