/* The release form: one table of releases over a landmark set or none; one POST for each, then to the comparison. */

import { commonFields } from "../components/form_fields.js";
import { isGiven, valueOf } from "../components/number_field.js";
import { levelOfGuess } from "../components/release_form/level_inputs.js";
import { ReleaseForm, showProblems, showPromise } from "../components/release_form/release_form.js";
import { get } from "../core/api.js";
import { $, announce, data, save } from "../core/dom.js";
import { capitalized, count, number, whole } from "../core/format.js";
import { answerText, ruleText } from "../trajectory/release_form/answer.js";
import {
  budgetOf,
  levelName,
  notice,
  promises,
  shareTable,
  showOdds,
  spending,
  uncovered,
  warnings,
} from "../trajectory/release_form/promise.js";
import { asText, parse } from "../trajectory/release_form/configuration_file.js";
import { createLevel } from "../trajectory/release_form/level_fields.js";
import { createNoisePreview, loadMapData, loadRuns } from "../trajectory/release_form/noise_preview.js";
import { ReleaseRows } from "../trajectory/release_form/release_rows.js";
import { createTemporalLossTable } from "../trajectory/release_form/temporal_loss_table.js";

const page = data("page-data");
const lineStyles = new Map(Object.entries(page.palette).map(([name, [first]]) => [name, first]));
let dataset, form, temporalLoss, preview, loadingMap;
/** Of the newest errors. */
let extent_m = 0;

const chosenSet = () => $("#landmark-set").value || null;
const hasLandmarks = () => Boolean(page.sets[chosenSet() ?? ""]?.count);
const guess = () => Number(valueOf($("#guess")) ?? NaN);

/** What components/release_form/release_form.js takes of trajectories, of `mechanisms` and `steps` of the API. */
const kindOf = (mechanisms, steps, common) => ({
  noun: "release",
  unusable: "Raise ε, lower the radius, or tick one all the same.",
  subject: () => ({ dataset: dataset.id, landmark_set: chosenSet() }),
  specsOf: (releases) => ({ releases }),
  errorsOf: { smoothing: true },
  quoteOf: () => ({ correlation: temporalLoss.correlation(), errors: false }), // those are in the table
  query: () => [...(chosenSet() ? [["landmark_set", chosenSet()]] : []), ["show", "best"]],
  levelText: levelName,
  levelAt: (level) => `${page.radii.find((one) => one.radius_m === level.radius_m)?.title}, ${levelName(level)}`,
  budgetOf,
  accepted: {
    bodyOf: (accepted_m) => ({ accepted_m, figure: $("[name=figure]").value }),
    none: "repeated positions alone are off by more",
  },
  createLevel: ({ onChange }) => createLevel($("main"), { radius_m: page.radius_m, onChange }),
  createRows: (table, { onChange }) =>
    new ReleaseRows(table, mechanisms, {
      fieldsOf: ({ fields }) => fields.filter(({ name }) => !common.includes(name)),
      listed: steps,
      styles: page.palette,
      onChange,
    }),
  follow({ level, rows, isValid }) {
    const set = page.sets[chosenSet() ?? ""];
    const events = set ? `${whole(set.count)} of ${count(dataset.points, "event")}` : "Each event alone";
    $("[data-set-text]").textContent = set?.covered ? `${events}; ${set.covered}` : events;
    rows.hasLandmarks = hasLandmarks();
    showOdds($("[data-odds]"), isValid() ? level.values() : {});
    $("[data-guess-use]").disabled = !isGiven(guess());
    if (isGiven(guess())) $("[data-guess-use]").textContent = `Use ε ${number(levelOfGuess(guess() / 100))}`;
  },
  show(found, rows) {
    extent_m = found.scale.extent_m ?? 0;
    const rated = rows.offered().filter((row) => row.found);
    const shown = rated.map((row) => ({ ...row.found, key: row.key, lineStyle: row.lineStyle, title: row.title }));
    preview.rows(shown, rows.chosen(), extent_m);
    const best = rows.best();
    const answer = answerText(best && { ...best.found, key: best.key }, found.scale, rows.hasLandmarks, dataset.people);
    return { answer, rule: ruleText(found.rules), unusable: extent_m ? undefined : "Tick one all the same." };
  },
  bar(state, chosen) {
    $("[data-save]").disabled = !chosen.length || state === "invalid";
    preview.follow(chosen);
  },
  promise: showAnswer,
});

/** As beside each of the rows. */
const exposedBy = (rows) =>
  [...new Set(rows.map(({ exposes }) => exposes).filter(Boolean))].map((text) => `${capitalized(text)}.`);

/** What releases of `rows` promise, and all that follows from it; nothing without a quote. */
function showAnswer(host, found, rows, { values, experiment }) {
  const named = (found?.mechanisms ?? []).map((one, i) => ({ ...one, title: rows[i].title }));
  const once = named.filter((one, i) => named.findIndex(({ name }) => name === one.name) === i);
  const stated = experiment ? [] : named;
  showPromise(host, stated.length, {
    nodes: stated.length ? promises(stated) : [],
    uncovered: stated.length ? [...exposedBy(rows), ...uncovered(stated, form.rows.sharedCaveats())] : [],
    noun: "release",
  });
  for (const part of ["forecast", "warnings", "spending"]) $(`[data-${part}]`).replaceChildren();
  if (!found) return temporalLoss.clear();
  $("[data-forecast]").replaceChildren(...shareTable(once, lineStyles));
  temporalLoss.show({ ...found, mechanisms: once }, lineStyles);
  const notices = warnings({
    level: values,
    forecasts: found.mechanisms,
    chosen: rows.flatMap((row) => [
      { ...row.fields.values(), name: row.mechanism.name, title: row.mechanism.title },
      ...(row.steps?.values() ?? []).map((step, i) => ({ ...step, title: row.steps.chosen()[i].title })),
    ]),
    extent_m,
    seeded: experiment,
  });
  $("[data-warnings]").replaceChildren(...notices.map(notice));
  $("[data-spending]").textContent = spending(found.budget, values, named, experiment).join(" ");
}

/** The background of the preview: the original, read once, and the landmarks of the set chosen, if one is. */
async function showGround() {
  const set = chosenSet();
  loadingMap ??= loadMapData(dataset, page.urls.track);
  const [mapData, runs] = await Promise.all([loadingMap, set ? loadRuns(page.sets[set].events) : []]);
  if (set === chosenSet()) preview.data({ mapData, runs });
}

/** Without the original there is no preview; all numbers are beside it. */
const ungrounded = (error) => ($("[data-noise-preview-text]").textContent = error.message);

// The form as a file ------------------------------------------------------------------------

async function load(file, known) {
  try {
    const found = parse(await file.text(), known);
    form.level.set(found.level);
    form.purpose.set(found.seed);
    form.rows.set(found.releases);
    showProblems([]);
    announce(`The form is set to ${file.name}.`);
  } catch (error) {
    showProblems([`${file.name}: ${error.message}`]);
  }
}

function offerFiles(known) {
  const chooser = $("[data-load-file]");
  $("[data-save]").addEventListener("click", () => {
    const text = asText(form.rows.chosen().map(form.described));
    save(new Blob([text], { type: "application/json" }), "releases.json");
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
  const order = [...lineStyles.keys()];
  const sorted = [...listed.results].sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
  const common = commonFields(sorted).map(({ name }) => name);
  const update = () => form.update();
  preview = createNoisePreview($("[data-noise-preview]"), dataset.points);
  temporalLoss = createTemporalLossTable($("[data-leaks]"), { radius_m: page.radius_m, onChange: update });
  form = new ReleaseForm(kindOf(sorted, offered.results, common));
  const names = (things) => things.map(({ name }) => name);
  offerFiles({ mechanisms: names(sorted), steps: names(offered.results), common });
  $("#landmark-set").addEventListener("change", () => {
    update();
    showGround().catch(ungrounded);
  });
  $("#guess").addEventListener("input", update);
  $("[data-guess-use]").addEventListener("click", () => form.setEpsilon(levelOfGuess(guess() / 100)));
  form.start();
  showGround().catch(ungrounded);
}

if ($("[data-form]")) start().catch((error) => showProblems([error.message]));
