/* The dialog that makes a release out of a finished one by post-processing. */

import { get, post } from "../../core/api.js";
import { createAfter } from "../postprocess_steps.js";
import { $, announce } from "../../core/dom.js";
import { createDialogForm } from "../../components/dialog_form.js";

/** `open(release)` opens the dialog for the steps; `made(release)` receives the new release. `url` lists the steps. */
export function createSmoothing(url, made) {
  const dialog = $("#smooth-dialog");
  const confirm = $("[data-confirm]", dialog);
  let steps, source;

  async function ready() {
    if (steps) return;
    const { results } = await get(url);
    const hosts = { chosen: $("[data-chosen-steps]", dialog), offered: $("[data-steps]", dialog) };
    steps = createAfter(hosts, results, { onChange: () => (confirm.disabled = !steps?.chosen().length) });
  }

  const showErrors = createDialogForm(dialog, {
    clear: () => steps.clear(),
    fail: (errors) => steps.fail(errors),
    ready: () => steps.chosen().length > 0,
    async send() {
      const release = await post(source.urls.postprocess, { postprocess: steps.values() });
      dialog.close(); // gives focus back to the button, before the table is drawn again
      announce(`${release.title} is queued.`);
      await made(release);
    },
  });

  return {
    async open(release, title) {
      await ready();
      source = release;
      $("[data-title]", dialog).textContent = `Smooth ${title}`;
      steps.set([]);
      showErrors([]);
      dialog.showModal();
    },
  };
}
