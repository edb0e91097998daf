/* The spec as text: shown as the form makes it, edited at will, loaded and saved. */

import { $, announce, save } from "../../core/dom.js";
import { showText } from "../../core/elements.js";

const PAUSE_MS = 300;
const asText = (spec) => JSON.stringify(spec, null, 2);

/** The spec in a text: a spec itself, or an object that has one. */
export function specIn(text) {
  let found;
  try {
    found = JSON.parse(text);
  } catch (error) {
    throw new Error(`This is not JSON: ${error.message}.`, { cause: error });
  }
  const spec = found?.spec ?? found;
  const object = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
  if (!object(spec) || !object(spec.base)) throw new Error("This is not an experiment: it has no “base”.");
  return spec;
}

/**
 * The editor in `host`. `onSpec(spec)` receives what was typed or loaded, null while it is none.
 * Returns {show(spec), typed() -> what was typed since, or null, type(text), fail(text), name(text)}.
 */
export function createText(host, { onSpec }) {
  const [area, error, chooser] = ["text", "text-error", "load-file"].map((name) => $(`[data-${name}]`, host));
  /** @type {any[]} */
  let [timer, file, isTyped] = [null, "experiment", false];
  function fail(note) {
    showText(error, note);
    if (note) area.setAttribute("aria-invalid", "true");
    else area.removeAttribute("aria-invalid");
  }
  function take(text, from = "") {
    try {
      const spec = specIn(text);
      fail("");
      onSpec(spec);
      if (from) {
        area.value = asText(spec);
        isTyped = false;
        area.dispatchEvent(new Event("change", { bubbles: true })); // so that the form is kept
        announce(`The form is set to ${from}.`);
      }
    } catch (problem) {
      fail(from ? `${from}: ${problem.message}` : problem.message);
      if (!from) onSpec(null);
    }
  }
  area.addEventListener("input", () => {
    isTyped = true;
    clearTimeout(timer);
    timer = setTimeout(() => take(area.value), PAUSE_MS);
  });
  $("[data-save]", host).addEventListener("click", () =>
    save(new Blob([`${area.value}\n`], { type: "application/json" }), `${file}.json`),
  );
  $("[data-load]", host).addEventListener("click", () => chooser.click());
  chooser.addEventListener("change", async () => {
    if (chooser.files.length) take(await chooser.files[0].text(), chooser.files[0].name);
    chooser.value = ""; // so that the same file can be chosen again
  });
  return {
    fail,
    typed: () => (isTyped ? area.value : null),
    type(/** @type {string} */ typed) {
      isTyped = true;
      area.value = typed;
      take(typed);
    },
    show(spec) {
      clearTimeout(timer);
      isTyped = false;
      area.value = asText(spec);
      fail("");
    },
    name: (text) =>
      (file =
        text
          .toLowerCase()
          .replace(/[^a-z0-9]+/g, "-")
          .replace(/^-|-$/g, "")
          .slice(0, 60) || "experiment"),
  };
}
