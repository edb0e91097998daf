/* The dialog that makes a release out of a finished one by post-processing. */

import { ApiError, get, post } from "../api.js";
import { createAfter } from "../composer/after.js";
import { $, announce, el } from "../dom.js";

/** `open(release)` asks for the steps; `made(release)` hears of the new release. `url` lists the steps. */
export function createSmoothing(dialog, { url, made }) {
  const form = $("form", dialog);
  const confirm = $("[data-confirm]", dialog);
  let steps, source;

  async function ready() {
    if (steps) return;
    const { results } = await get(url);
    const hosts = { chosen: $("[data-chosen-steps]", dialog), offered: $("[data-steps]", dialog) };
    steps = createAfter(hosts, results, { onChange: () => (confirm.disabled = !steps?.chosen().length) });
  }

  function complain(errors) {
    const box = $("[data-error]", dialog);
    box.hidden = !errors.length;
    box.replaceChildren(...errors.map(({ message }) => el("span", {}, message)));
  }

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    steps.clear();
    complain([]);
    confirm.disabled = true;
    try {
      const release = await post(source.urls.postprocess, { postprocess: steps.values() });
      dialog.close(); // gives focus back to the button, before the table is drawn again
      announce(`${release.title} is being made.`);
      await made(release);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      complain(steps.fail(error.errors));
    } finally {
      confirm.disabled = !steps.chosen().length;
    }
  });
  $("[data-close]", dialog).addEventListener("click", () => dialog.close());

  return {
    async open(release, title) {
      await ready();
      source = release;
      $("[data-title]", dialog).textContent = `Smooth ${title}`;
      steps.set([]);
      complain([]);
      dialog.showModal();
    },
  };
}
