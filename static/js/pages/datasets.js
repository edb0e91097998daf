/* The list of datasets and the uploads. */

import { createCleaning } from "../components/step_list.js";
import { watchDialogs } from "../components/dialogs.js";
import { createSelection, watchFilter } from "../components/row_selection.js";
import { swapSoon, watchStates } from "../components/job_status.js";
import { filledIn, refuseInvalid } from "../components/number_field.js";
import { upload } from "../components/upload.js";
import { createUploadList, showUnfinished } from "../components/upload_list.js";
import { $ } from "../core/dom.js";
import { keyOf } from "../core/resumable_upload.js";

const form = $("[data-upload]");
const input = $("input[type=file]", form);
const uploads = createUploadList($("[data-outcomes]"));
const veil = $("[data-drop-veil]");
const filter = $("[data-filter]");
const list = $("#datasets");
const redraw = createSelection(list, {
  noun: "dataset",
  takes: "them with their landmark sets, releases and files, and experiments on them",
  draw: swapSoon("datasets"),
});
const changed = async () => {
  await redraw();
  filter.hidden &&= !$("[data-select]", list); // shown from the first dataset on
};

let cleaning;

/** What the owner set under "Import settings". */
function chosen() {
  const { file, csrfmiddlewaretoken, ...options } = filledIn(form);
  const steps = cleaning?.values() ?? [];
  return { ...options, ...(steps.length && { cleaning: steps }) };
}

function take(files) {
  if (refuseInvalid(form)) return;
  const common = {
    url: form.dataset.url,
    uploads: form.dataset.uploads,
    limit: Number(form.dataset.limit),
    options: chosen(),
    settled: changed,
  };
  for (const file of files) $(`[data-unfinished="${CSS.escape(keyOf(file))}"]`)?.remove();
  uploads.add(files.map((file) => upload({ ...common, file })));
}

$("[data-options]", form).addEventListener(
  "toggle",
  async () => (cleaning ??= await createCleaning($("[data-cleaning]", form))),
  { once: true },
);
$("[data-choose]", form).addEventListener("click", () => input.click());
input.addEventListener("change", () => {
  take([...input.files]);
  input.value = "";
});
form.addEventListener("submit", (event) => event.preventDefault());

// Drop anywhere: dragenter and dragleave fire for every element on the way, so they are counted
let inside = 0;
const carriesFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
const hover = (change) => (event) => {
  if (!carriesFiles(event)) return;
  event.preventDefault();
  inside = Math.max(inside + change, 0);
  veil.hidden = inside === 0;
};
document.addEventListener("dragenter", hover(1));
document.addEventListener("dragleave", hover(-1));
document.addEventListener("dragover", (event) => carriesFiles(event) && event.preventDefault());
document.addEventListener("drop", (event) => {
  if (!carriesFiles(event)) return;
  event.preventDefault();
  inside = 0;
  veil.hidden = true;
  take([...(event.dataTransfer?.files ?? [])]);
});

showUnfinished($("[data-outcomes]"), () => input.click());
watchDialogs(changed);
watchFilter(filter, changed);
watchStates(changed);
