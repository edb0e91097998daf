/* Rename and delete: buttons with data-rename or data-delete open the page's dialogs. */

import { ApiError, del, patch } from "./api.js";
import { $, announce } from "./dom.js";

/** Open the dialog; do `work` when it is confirmed; close it when that worked, else say why not. */
function ask(dialog, work) {
  const error = $("[data-error]", dialog);
  const form = $("form", dialog);
  error.hidden = true;
  form.onsubmit = async (event) => {
    if (event.submitter?.value !== "go") return;
    event.preventDefault();
    event.submitter.disabled = true;
    try {
      await work();
      dialog.close();
    } catch (problem) {
      if (!(problem instanceof ApiError)) throw problem;
      error.textContent = problem.message;
      error.hidden = false;
    } finally {
      event.submitter.disabled = false;
    }
  };
  dialog.showModal();
}

function rename(button, done) {
  const dialog = $("#rename-dialog");
  const input = $("input", dialog);
  input.value = button.dataset.name;
  ask(dialog, async () => {
    await patch(button.dataset.rename, { name: input.value });
    announce(`Renamed to ${input.value}.`);
    await done("rename", button);
  });
  input.select();
}

function remove(button, done) {
  const dialog = $("#delete-dialog");
  $("[data-title]", dialog).textContent = `Delete ${button.dataset.name}?`;
  $("[data-words]", dialog).textContent = `This removes ${button.dataset.takes}.`;
  ask(dialog, async () => {
    await del(button.dataset.delete);
    announce(`${button.dataset.name} is deleted.`);
    await done("delete", button);
  });
}

/** `done("rename" | "delete", button)` is called once the server has done it. */
export function watchDialogs(done) {
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-rename], [data-delete]");
    if (!button) return;
    if (button.dataset.rename) rename(button, done);
    else remove(button, done);
  });
}
