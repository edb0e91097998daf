/* The list of experiments, and the presets that run from a click. */

import { post } from "../core/api.js";
import { $, $$, data } from "../core/dom.js";
import { watchDialogs } from "../components/dialogs.js";
import { attemptIn } from "../components/problem_box.js";
import { createSelection, watchFilter } from "../components/row_selection.js";
import { swapSoon, watchStates } from "../components/job_status.js";

const { urls } = data("page-data");
const chosenOf = (/** @type {string} */ kind) => $(`[data-data="${kind}"]`).value;
const problem = $("[data-problem]");
const buttons = $$("[data-run]");
const enable = (/** @type {boolean} */ on) => buttons.forEach((button) => (button.disabled = !on));
const list = $("#experiments");
const ordering = $("[data-ordering]");
const draw = swapSoon("experiments", "count", "columns");
const changed = createSelection(list, {
  noun: "experiment",
  takes: "them with their tables",
  draw,
  marked: showComparison,
});

/** Two runs can be compared: the first with the second in its charts. */
function showComparison(/** @type {HTMLInputElement[]} */ boxes) {
  const link = $("[data-compare]", list);
  link.hidden = boxes.length !== 2;
  if (boxes.length === 2) link.href = `${boxes[0].dataset.page}?with=${boxes[1].dataset.id}`;
}

const IN_FILE = ["search", "kind", "tag", "state", "ordering"];

/** What is filtered and ordered in the address is so in the file. */
function showFile() {
  const link = $("[data-csv]");
  if (!link) return;
  const entered = [...new URL(location.href).searchParams].filter(([name, value]) => value && IN_FILE.includes(name));
  link.href = entered.length ? `${urls.runs}?${new URLSearchParams(entered)}` : urls.runs;
}

list.addEventListener("click", (event) => {
  const link = event.target.closest("[data-sort]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  history.replaceState(null, "", link.href);
  ordering.value = link.dataset.sort;
  if (!ordering.value) ordering.append(new Option("by a column", link.dataset.sort, true, true));
  showFile();
  changed();
});

async function run(/** @type {string} */ name, /** @type {string} */ kind) {
  enable(false);
  const made = await attemptIn(problem, () =>
    post(urls.experiments, { preset: { name }, dataset: chosenOf(kind) || null }),
  );
  if (made) location.assign(made.urls.page);
  else enable(true);
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
window.addEventListener("pageshow", () => enable(true)); // on the way back

watchDialogs(changed);
watchFilter($("[data-filter]"), () => {
  showFile();
  return changed();
});
showFile();
watchStates(changed);
