/* Rows of a table that are selected by checkboxes, and deleted together. The table is drawn again by the server. */

import { ApiError, del } from "../core/api.js";
import { $, $$, announce } from "../core/dom.js";
import { count } from "../core/format.js";
import { openDialog } from "./dialogs.js";
import { showPublicLinks } from "./public_links.js";

/**
 * Watch the checkboxes [data-select] in `host`, whose values are URLs of rows of the API. `draw()` draws the table
 * again and resolves when that is done. Returns redraw(): to be called in its place, it restores the selection.
 *
 * @param {HTMLElement} host
 * @param {{
 *   noun: string, takes: string, draw: () => Promise<any>, marked?: (boxes: HTMLInputElement[]) => void,
 * }} options
 *   noun: dataset; takes: what goes with it; marked: called with the checked boxes whenever they change
 */
export function createSelection(host, { noun, takes, draw, marked }) {
  /** @type {Set<string>} */
  const selected = new Set();
  const boxes = () => /** @type {HTMLInputElement[]} */ ($$("[data-select]", host));

  function mark() {
    const shown = boxes();
    for (const box of shown) box.checked = selected.has(box.dataset.select ?? "");
    const bar = $("[data-bulk]", host);
    if (!bar) return;
    bar.hidden = !selected.size;
    $("[data-bulk-count]", bar).textContent = `${count(selected.size, noun)} selected`;
    const all = $("[data-select-all]", host);
    all.checked = shown.length > 0 && selected.size === shown.length;
    all.indeterminate = selected.size > 0 && !all.checked;
    marked?.(shown.filter((box) => box.checked));
  }

  /** Those that are no longer shown are no longer selected: nothing that is not seen is deleted. */
  async function redraw() {
    await draw();
    const shown = new Set(boxes().map(({ dataset }) => dataset.select));
    for (const url of selected) if (!shown.has(url)) selected.delete(url);
    mark();
  }

  async function removeAll() {
    const urls = [...selected];
    for (const [i, url] of urls.entries()) {
      announce(`Deleting ${i + 1} of ${urls.length}.`);
      try {
        await del(url);
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 404) throw error; // 404: deleted elsewhere meanwhile
      }
      selected.delete(url);
    }
    announce(`${count(urls.length, noun)} deleted.`);
  }

  function confirm() {
    const dialog = $("#delete-dialog");
    $("[data-title]", dialog).textContent = `Delete ${count(selected.size, noun)}?`;
    $("[data-text]", dialog).textContent = `This deletes ${takes}.`;
    const links = showPublicLinks(dialog, [...selected]);
    const removed = () =>
      links
        .revoke()
        .then(removeAll)
        .catch(async (error) => {
          await redraw(); // those before the refusal are gone
          throw error;
        });
    openDialog(dialog, removed, redraw);
  }

  host.addEventListener("change", (/** @type {any} */ { target }) => {
    if ("selectAll" in target.dataset)
      for (const { dataset } of boxes()) selected[target.checked ? "add" : "delete"](dataset.select ?? "");
    else if (target.dataset.select) selected[target.checked ? "add" : "delete"](target.dataset.select);
    else return;
    mark();
  });
  host.addEventListener("click", (/** @type {any} */ { target }) => {
    if (target.closest("[data-bulk-delete]")) confirm();
    if (target.closest("[data-bulk-none]")) {
      selected.clear();
      mark();
    }
  });
  return redraw;
}
