/* The list of experiments, and the presets that run from a click. */

import { ApiError, post } from "../core/api.js";
import { $, $$, data } from "../core/dom.js";
import { watchDialogs } from "../components/dialogs.js";
import { swapSoon, watchStates } from "../components/job_status.js";

const { urls } = data("page-data");
const chosenOf = (/** @type {string} */ kind) => $(`[data-data="${kind}"]`).value;
const problem = $("[data-problem]");
const buttons = $$("[data-run]");
const changed = swapSoon("experiments");

async function run(/** @type {string} */ name, /** @type {string} */ kind) {
  problem.hidden = true;
  buttons.forEach((button) => (button.disabled = true));
  try {
    const made = await post(urls.experiments, { preset: { name }, dataset: chosenOf(kind) || null });
    location.assign(made.urls.page);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    problem.textContent = error.message;
    problem.hidden = false;
    problem.focus();
    buttons.forEach((button) => (button.disabled = false));
  }
}

buttons.forEach((button) => button.addEventListener("click", () => run(button.dataset.run, button.dataset.kind)));
for (const link of $$("[data-edit]")) {
  link.addEventListener("click", () => {
    const to = new URL(link.href);
    const dataset = chosenOf(link.dataset.edit);
    if (dataset) to.searchParams.set("dataset", dataset);
    else to.searchParams.delete("dataset");
    link.href = to;
  });
}
window.addEventListener("pageshow", () => buttons.forEach((button) => (button.disabled = false))); // on the way back

watchDialogs(changed);
watchStates(changed);
