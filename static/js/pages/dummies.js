/* Dummy landmarks: choose how, see how many to expect, draw, go on to a release on all marks. */

import { check, invalidIn, refuseInvalid, reveal, showProblem, valueOf } from "../components/number_field.js";
import { keepForm } from "../components/kept_form.js";
import { createForecast } from "../components/forecast_request.js";
import { showTexts } from "../components/problem_box.js";
import { get, post } from "../core/api.js";
import { $, announce, data } from "../core/dom.js";
import { showText } from "../core/elements.js";
import { messageOf, sentenceOf } from "../core/field_errors.js";
import { count, percent } from "../core/format.js";
import { bars, before, budgetText, createMethodCards, expected } from "../trajectory/dummy_landmarks/method_cards.js";

const page = data("page-data");
const buttons = [$("[data-draw]"), $("[data-draw-release]")];
let methodCards, kept;
const forecast = createForecast(page.urls.preview, { show, fail: impossible, first: 0 });

const seed = () => valueOf($("#seed"));
const enable = (on) => buttons.forEach((button) => (button.disabled = !on));

// What to expect ------------------------------------------------------------------------

function changed() {
  if (!invalidIn($("[data-methods]")).length) return forecast.request({ method: methodCards.values() });
  forecast.stop();
  impossible([]);
  enable(true); // pressed, they show what is wrong
}

function impossible(errors) {
  $("[data-expected]").textContent = "Not possible with this choice.";
  $("[data-price]").textContent = "";
  $("[data-bar-note]").textContent = "Not possible with this choice.";
  $("[data-chances]").hidden = true;
  enable(false);
  if (errors.length) refuse(errors);
  $("[data-form]").dataset.ready = "all";
}

function show(found) {
  $("[data-expected]").textContent = expected(found);
  $("[data-price]").textContent = budgetText(found);
  $("[data-chances]").hidden = found.points === found.landmarks;
  $("[data-bar-note]").textContent = expected(found);
  $("[data-chances] tbody").replaceChildren(...bars(found.counts));
  const note = before(found, methodCards.chosen().redrawing);
  showText($("[data-draws]"), note);
  showErrors([]);
  methodCards.clear();
  enable(true);
  $("[data-form]").dataset.ready = "all";
}

function showSeed() {
  $("[data-not-private]").hidden = seed() === null;
  check($("#seed"));
}

// Drawing -------------------------------------------------------------------------------

async function draw(release) {
  forecast.stop();
  if (refuseInvalid($("[data-form]"))) return;
  enable(false);
  try {
    const made = await post(page.urls.draw, { method: methodCards.values(), seed: seed(), name: $("#set-name").value });
    kept.forget();
    if (release) location.assign(releaseOn(made));
    else showSelection(made);
  } catch (error) {
    refuse(error.errors ?? [error]);
    enable(true);
    ($("[aria-invalid=true]") ?? $("[data-problem]:not([hidden])") ?? $("[name=method]:checked")).focus();
  }
}

const releaseOn = ({ id }) => `${page.urls.release}?landmark_set=${id}`;

function showSelection(made) {
  const { dummies, landmarks, private: honest } = made.selection;
  const title = dummies ? `${count(dummies, "dummy")} sampled` : "No dummy was sampled";
  $("[data-drawn-title]").textContent = title;
  $("[data-drawn-text]").textContent =
    `${count(made.count, "event")} of ${made.points} are in L′, ${percent(made.share)}: ` +
    `${count(landmarks, "landmark")} and ${count(dummies, "dummy")}.` +
    (honest ? "" : " NOT PRIVATE: sampled with a seed.");
  $("[data-release]").href = releaseOn(made);
  $("[data-drawn]").hidden = false;
  $("[data-draw]").textContent = "Sample again";
  $("[data-draw]").classList.remove("button--primary");
  changed();
  $("[data-drawn]").focus();
  announce(title);
}

// Refusals ------------------------------------------------------------------------------

function refuse(errors) {
  const rest = methodCards.fail(errors);
  const own = rest.filter(({ field }) => field === "seed");
  if (own.length) failSeed(own.map(messageOf).join(" "));
  showErrors(rest.filter((one) => !own.includes(one)).map(sentenceOf));
}

function failSeed(message) {
  showProblem($("#seed"), message);
  reveal($("#seed"));
}

const showErrors = (/** @type {string[]} */ notes) => showTexts($("[data-problem]"), notes);

// Loading -------------------------------------------------------------------------------

async function start() {
  const { results } = await get(page.urls.methods);
  methodCards = createMethodCards($("[data-methods]"), results, { onChange: changed });
  $("#seed").addEventListener("input", showSeed);
  $("[data-form]").addEventListener("submit", (event) => {
    event.preventDefault();
    if (!buttons[0].disabled) draw(false);
  });
  $("[data-draw-release]").addEventListener("click", () => draw(true));
  showSeed();
  kept = keepForm($("[data-form]"));
  changed();
}

start().catch((error) => showErrors([error.message]));
