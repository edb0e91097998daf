/* Search, filter and order of a list that the server draws: the address follows, the list is drawn again. */

import { readdress } from "../core/address.js";

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
