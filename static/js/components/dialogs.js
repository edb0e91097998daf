/* Rename, delete and decide on a shared budget: buttons with data-rename, data-delete or data-other-people open
 * dialogs.
 */

import { ApiError, del, patch, post } from "../core/api.js";
import { $, announce } from "../core/dom.js";
import { showPublicLinks } from "./public_links.js";

/** Open the dialog; do `work` when it is confirmed; after success close it and do `then`, else show the error. */
export function openDialog(dialog, work, then) {
  const error = $("[data-error]", dialog);
  const form = $("form", dialog);
  error.hidden = true;
  form.onsubmit = async (event) => {
    event.preventDefault();
    const confirm = $("button:not([type=button])", form);
    confirm.disabled = true;
    try {
      await work();
      dialog.close(); // gives focus back to the button, before lists are drawn again
      await then();
    } catch (problem) {
      if (!(problem instanceof ApiError)) throw problem;
      error.textContent = problem.message;
      error.hidden = false;
    } finally {
      confirm.disabled = false;
    }
  };
  $("[data-close]", dialog).onclick = () => dialog.close();
  dialog.showModal();
}

function rename(button, done) {
  const dialog = $("#rename-dialog");
  const input = $("#rename-name", dialog);
  const tags = "tags" in button.dataset ? $("#rename-tags", dialog) : null;
  $("[data-tags-field]", dialog).hidden = !tags;
  $("[data-title]", dialog).textContent = tags ? "Name and tags" : "Rename";
  $("[type=submit]", dialog).textContent = tags ? "Save" : "Rename";
  input.value = button.dataset.name;
  if (tags) tags.value = button.dataset.tags;
  const work = async () => {
    const entered = tags?.value.split(",").filter((/** @type {string} */ tag) => tag.trim());
    await patch(button.dataset.rename, { name: input.value, ...(entered && { tags: entered }) });
    announce(`Saved: ${input.value}.`);
  };
  openDialog(dialog, work, () => done("rename", button));
  input.select();
}

function remove(button, done) {
  const dialog = $("#delete-dialog");
  $("[data-title]", dialog).textContent = `Delete ${button.dataset.name}?`;
  $("[data-text]", dialog).textContent = `This deletes ${button.dataset.takes}.`;
  const links = showPublicLinks(dialog, [button.dataset.delete]);
  const work = async () => {
    await links.revoke();
    await del(button.dataset.delete);
    announce(`${button.dataset.name} is deleted.`);
  };
  openDialog(dialog, work, () => done("delete", button));
}

function separate(button, done) {
  const dialog = $("#other-people-dialog");
  const { count } = button.dataset;
  $("[data-text]", dialog).textContent =
    `This upload gets its own budget, separate from ` +
    `${count === "1" ? "the other upload" : `the ${count} other uploads`}.`;
  const work = async () => {
    await post(button.dataset.otherPeople, { decision: "other-people" });
    announce("Recorded: this upload has its own budget.");
  };
  openDialog(dialog, work, () => done("separate", button));
}

/** `done("rename" | "delete" | "separate", button)` is called once the server has done it. */
export function watchDialogs(done) {
  document.addEventListener("click", (/** @type {any} */ { target }) => {
    const button = target.closest("[data-rename], [data-delete], [data-other-people]");
    if (!button) return;
    if (button.dataset.rename) rename(button, done);
    else if (button.dataset.delete) remove(button, done);
    else separate(button, done);
  });
}
