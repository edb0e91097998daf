/* The release form: several mechanisms over one landmark set; one POST for each, then to the comparison. */

import { get, post } from "../api.js";
import { meaning } from "../compare/guarantee.js";
import { commonFields, createCards } from "../composer/cards.js";
import { bestRadius, expectation, warnings } from "../composer/outlook.js";
import { $, announce, count, data, el, number } from "../dom.js";
import { createFields } from "../fields.js";
import { distanceM } from "../layers/globe.js";
import { swatch } from "../legend.js";

const FIRST = ["landmark-skip", "landmark-uniform", "landmark-adaptive"];
const page = data("page-data");
const keys = new Map(); // description -> idempotency key: a request sent twice makes one release
let dataset, cards, common, inks;

const setId = () => $("[name=landmark_set]:checked")?.value ?? null;
const seed = () => ($("#seed").value === "" ? null : Number($("#seed").value));
const level = () => common.values();
const valid = ({ epsilon, radius_m }) => epsilon > 0 && radius_m > 0;

function extent() {
  const [west, south, east, north] = dataset.bounds;
  return distanceM(west, south, east, north);
}

// What it will mean -----------------------------------------------------------------------

function show() {
  const chosen = cards.chosen();
  const shares = page.shares[setId()] ?? {};
  const ok = valid(level());
  $("[data-meaning]").textContent = ok ? meaning(level()) : "";
  $("[data-outlook]").replaceChildren(...(ok ? chosen.map(({ mechanism }) => outlook(mechanism, shares[mechanism.name])) : []));
  const radii = chosen.map(({ mechanism }) => bestRadius(shares[mechanism.name], level()));
  $("[data-warnings]").replaceChildren(...(ok ? warnings(level(), radii, extent()) : []).map((text) => el("p", { class: "notice small" }, text)));
  const experiment = seed() !== null;
  $("[data-not-private]").hidden = !experiment;
  showSpending(ok, chosen.length, experiment);
  const submit = $("[data-submit]");
  submit.disabled = !chosen.length || !setId() || !ok;
  submit.textContent = experiment ? `Run ${count(chosen.length, "simulation")}, not private` : `Make ${count(chosen.length, "release")}`;
}

function outlook(mechanism, share) {
  return el(
    "li",
    { dataset: { outlook: mechanism.name } },
    el("p", {}, swatch(inks.get(mechanism.name)), el("strong", {}, mechanism.title)),
    expectation(mechanism, share, level()).map((text) => el("p", { class: "small" }, text)),
  );
}

function showSpending(ok, many, experiment) {
  const { epsilon, radius_m } = level();
  const per = (perKm) => number((perKm * radius_m) / 1000);
  const { spent, budget } = dataset;
  const words = [];
  if (!ok || !many) words.push("Choose a mechanism and a level.");
  else if (experiment) words.push("Simulations are not published, so they spend nothing.");
  else words.push(`About any one event ${many === 1 ? "the release" : "each release"} may leak ε = ${number(epsilon)} per ${number(radius_m)} m${many === 1 ? "" : `, the ${many} together ${number(many * epsilon)}`}.`);
  if (ok) words.push(spent.releases ? `Earlier releases: ${per(spent.per_km)}.` : "Nothing is spent yet.");
  const bar = $("[data-budget]");
  bar.hidden = !budget || !ok;
  if (budget && ok) {
    const total = (budget.epsilon * 1000) / budget.radius_m;
    const after = spent.per_km + (experiment ? 0 : (many * epsilon * 1000) / radius_m);
    bar.max = total;
    bar.value = Math.min(after, total);
    words.push(after > total ? `That is more than the budget of ${per(total)}: ask for a smaller level or fewer releases.` : `The budget is ${per(total)}.`);
  }
  $("[data-spending]").textContent = words.join(" ");
}

// Sending -------------------------------------------------------------------------------

function keyFor(body) {
  const text = JSON.stringify(body);
  if (!keys.has(text)) keys.set(text, [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join(""));
  return keys.get(text);
}

async function submit(event) {
  event.preventDefault();
  const button = $("[data-submit]");
  button.disabled = true;
  [cards, common].forEach((part) => part.clear());
  complain([]);
  const made = [];
  for (const { mechanism, own } of cards.chosen()) {
    const body = { dataset: dataset.id, landmark_set: setId(), mechanism: { name: mechanism.name, ...level(), ...own } };
    if (seed() !== null) body.seed = seed();
    try {
      made.push(await post(page.urls.releases, body, { headers: { "Idempotency-Key": keyFor(body) } }));
    } catch (error) {
      refuse(mechanism, error, made);
      button.disabled = false;
      return;
    }
  }
  const query = new URLSearchParams([["landmark_set", setId()], ...made.map(({ id }) => ["release", id])]);
  location.assign(`${page.urls.compare}?${query}`);
}

function refuse(mechanism, error, made) {
  const errors = error.errors ?? [error];
  const rest = cards.fail(mechanism.name, common.fail(errors));
  const words = rest.map(({ message }) => `${mechanism.title}: ${message}`);
  if (made.length) words.push(`${count(made.length, "release")} before it ${made.length === 1 ? "was" : "were"} submitted and will not be made twice.`);
  complain(words);
  ($("[aria-invalid=true]") ?? $("[data-problem]")).focus();
}

function complain(words) {
  const box = $("[data-problem]");
  box.hidden = !words.length;
  box.replaceChildren(...words.map((text) => el("p", {}, text)));
  if (words.length) announce(words.join(" "));
}

// Loading ---------------------------------------------------------------------------------

async function start() {
  const [found, listed] = await Promise.all([get(page.urls.dataset), get(page.urls.mechanisms)]);
  dataset = found;
  const order = Object.keys(page.palette);
  const mechanisms = listed.results
    .map((one) => ({ ...one, index: order.indexOf(one.name) }))
    .sort((a, b) => a.index - b.index);
  inks = new Map(mechanisms.map(({ name, index, dash }) => [name, { index, dash }]));
  const fields = commonFields(mechanisms);
  common = createFields($("[data-common]"), fields, { onChange: show });
  cards = createCards($("[data-mechanisms]"), mechanisms, { common: fields, chosen: FIRST, onChange: show });
  document.querySelectorAll("[name=landmark_set]").forEach((input) => input.addEventListener("change", show));
  $("#seed").addEventListener("input", show);
  $("[data-form]").addEventListener("submit", submit);
  show();
  $("[data-form]").dataset.ready = "all";
}

if ($("[data-form]")) start().catch((error) => complain([error.message]));
