/* How an upload is read: its first rows with the role of each column, and every reading option. */

import { createCleaning } from "../components/step_list.js";
import { createPreview } from "../components/column_preview.js";
import { filledIn, refuseInvalid } from "../components/number_field.js";
import { showProblems } from "../components/problem_box.js";
import { createSubmitBar } from "../components/submit_bar.js";
import { ApiError, post } from "../core/api.js";
import { $, data } from "../core/dom.js";

const NOTE = "Nothing changes before you import. The file stays on this server.";

const { urls, used, cleaning: steps } = data("page-data");
const form = $("[data-import]");
const problem = $("[data-problem]", form);
const bar = createSubmitBar(form);
let totals = { label: "Import", names: "" };
const showBar = (state = "ready") => bar.show({ state, note: NOTE, ...totals });
const onTotals = (/** @type {typeof totals} */ found) => showBar(((totals = found), "ready"));
const preview = createPreview($("[data-preview]"), form, { url: urls.preview, used, onTotals });
const cancel = $("[data-cancel]", form);
cancel.disabled = false;
cancel.addEventListener("click", () => location.assign(urls.page));
showBar();
start();

async function start() {
  const cleaning = /** @type {any} */ (await createCleaning($("[data-cleaning]", form), steps));
  form.dataset.ready = "";
  if (location.hash) preview.go(location.hash.slice(1));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    problem.hidden = true;
    if (refuseInvalid(form)) return;
    cleaning.clear();
    showBar("updating");
    try {
      await post(urls.read, { ...filledIn(form), cleaning: cleaning.values() });
      location.assign(urls.page);
    } catch (error) {
      showBar();
      if (!(error instanceof ApiError)) throw error;
      const question = error.errors.find(({ choices }) => choices?.length);
      const rest = cleaning.fail(error.errors).filter((/** @type {ApiProblem} */ one) => one !== question);
      if (question) preview.raise(question);
      if (rest.length) showProblems(problem, rest);
    }
  });
}
