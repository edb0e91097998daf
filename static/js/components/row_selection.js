/* Lists that the server draws: searched, filtered and ordered by the address; rows selected and deleted together. */

import { ApiError, del } from "../core/api.js";
import { $, $$, announce } from "../core/dom.js";
import { count } from "../core/format.js";
import { openDialog, showPublicLinks } from "./dialogs.js";
import { readdress } from "../core/address.js";
import { watchBoxes } from "./release_checks.js";

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
  const [box, valueOf] = ["[data-select]", (/** @type {HTMLElement} */ { dataset }) => dataset.select ?? ""];
  const of = { box, valueOf, all: "[data-select-all]", group: "table" };
  const { chosen: selected, ...checks } = watchBoxes(host, of, ({ size }) => {
    const bar = $("[data-bulk]", host);
    if (!bar) return;
    bar.hidden = !size;
    $("[data-bulk-count]", bar).textContent = `${count(size, noun)} selected`;
    marked?.($$(`${box}:checked`, host));
  });
  const redraw = () => checks.redraw(draw);

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

  host.addEventListener("click", (/** @type {any} */ { target }) => {
    if (target.closest("[data-bulk-delete]")) confirm();
    if (target.closest("[data-bulk-none]")) {
      checks.set([]);
    }
  });
  return redraw;
}

const WAIT_MS = 250; // after the last key

/**
 * Apply the fields of `form` as they are changed; without scripts its button sends them.
 *
 * @param {HTMLFormElement} form
 * @param {() => Promise<any>} changed
 */
export function watchFilter(form, changed) {
  let timer = 0;

  function apply() {
    window.clearTimeout(timer);
    const entered = [...new FormData(form)].map(([name, value]) => [name, String(value).trim()]);
    const names = [...form.elements].map((/** @type {any} */ { name }) => name).filter(Boolean);
    readdress((url) => {
      for (const name of ["page", ...names]) url.searchParams.delete(name);
      for (const [name, value] of entered) if (value) url.searchParams.append(name, value);
    });
    return changed();
  }

  form.addEventListener("input", () => {
    window.clearTimeout(timer);
    timer = window.setTimeout(apply, WAIT_MS);
  });
  form.addEventListener("change", ({ target }) => target?.matches("select, [type=checkbox]") && apply());
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    apply();
  });
}
