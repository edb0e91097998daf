/* Dialogs: of buttons with data-rename, data-delete or data-other-people, and the forms of others. */

import { ApiError, del, get, patch, post } from "../core/api.js";
import { $, announce } from "../core/dom.js";
import { showText } from "../core/elements.js";

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
      showText(error, problem.message);
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

const LISTS = "/api/v1/publications/";
const DELETED = /\/api\/v1\/(dataset|release)s\/([0-9a-f-]{36})\/$/;

/** Where public links of what is deleted are listed; null for other kinds. @param {string} url of a row of the API */
export function linksUrl(url) {
  const found = DELETED.exec(url);
  return found && `${LISTS}?${found[1]}=${found[2]}&page_size=200`;
}

/**
 * List the links that are valid in `dialog`, once the server sent them; `revoke()` revokes them if that is checked.
 *
 * @param {HTMLElement} dialog
 * @param {string[]} urls of the rows of the API that the dialog deletes
 */
export function showPublicLinks(dialog, urls) {
  const box = $("[data-links]", dialog);
  if (!box) return { revoke: async () => {} };
  const check = $("[data-links-revoke]", box);
  [box.hidden, check.checked] = [true, false];
  const wanted = (dialog.dataset.links = urls.join(" "));
  const load = async () => {
    const lists = await Promise.all(urls.flatMap((url) => linksUrl(url) ?? []).map((url) => get(url)));
    return lists.flatMap(({ results }) => results).filter(({ expired }) => !expired);
  };
  const loading = load();
  loading.then(
    (links) => {
      if (dialog.dataset.links !== wanted || !links.length) return;
      $("[data-links-list]", box).textContent = links.map(({ title, method }) => title || method).join("; ");
      box.hidden = false;
    },
    () => {}, // the deletion itself shows what the server refuses
  );
  return {
    revoke: async () => {
      if (check.checked) for (const { urls: own } of await loading) await del(own.self);
    },
  };
}
