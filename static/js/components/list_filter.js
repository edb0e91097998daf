/* Search, filter and order of a list that the server draws: the address follows, the list is drawn again. */

import { $$ } from "../core/dom.js";
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
  form.classList.add("filter--scripted");

  function apply() {
    window.clearTimeout(timer);
    const entered = [...new FormData(form)].map(([name, value]) => [name, String(value).trim()]);
    readdress((url) => {
      url.searchParams.delete("page");
      for (const [name, value] of entered)
        if (value) url.searchParams.set(name, value);
        else url.searchParams.delete(name);
    });
    return changed();
  }

  form.addEventListener("input", () => {
    window.clearTimeout(timer);
    timer = window.setTimeout(apply, WAIT_MS);
  });
  for (const select of $$("select", form)) select.addEventListener("change", apply);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    apply();
  });
}
