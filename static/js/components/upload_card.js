/* The card of one upload: progress, questions, errors, what was read. */

import { announce, el } from "../core/dom.js";
import { showText, smallButton } from "../core/elements.js";
import { bytes } from "../core/format.js";
import { renderErrors, renderQuestion } from "./import_report.js";
import { numbersOf, refuseInvalid } from "./number_field.js";

/** @typedef {keyof typeof STATES} UploadState */

/** What a card names its state, and how a summary counts it. */
export const STATES = {
  sending: { name: "", counted: "in progress" },
  ready: { name: "ready", counted: "ready" },
  question: { name: "question", counted: "with a question" },
  refused: { name: "refused", counted: "refused" },
  failed: { name: "not read", counted: "not read" },
  cancelled: { name: "cancelled", counted: "cancelled" },
};

/**
 * A card for `file`: {element, showProgress, showRefusal, showCancelled, showResult, showFailure}. Its state is in
 * data-state, and "upload:state" bubbles when it changes; "upload:again" on it calls `again`.
 *
 * @param {File} file
 * @param {() => void} again
 */
export function createUploadCard(file, again) {
  const body = el("div", { class: "stack" });
  const now = el("div", { class: "stack" }); // what is never folded
  const side = el("div", { class: "row" });
  const size = el("span", { class: "muted" }, ` ${bytes(file.size)}`);
  const chip = el("span", { class: "chip outcome__state", hidden: true });
  const header = el("header", { class: "row row--apart" }, el("h3", {}, file.name, size, " ", chip), side);
  const result = el("summary", {}, "Details");
  const fold = el("details", { class: "outcome__fold", open: true }, result, body);
  const element = el("article", { class: "outcome card stack", "aria-label": file.name }, header, now, fold);
  element.addEventListener("upload:again", again);

  /** @param {UploadState} state @param {any[]} nodes the first is the result, all that a folded card shows */
  function show(state, ...nodes) {
    result.textContent = nodes[0]?.querySelector?.("strong, legend")?.textContent ?? nodes[0]?.textContent ?? "";
    const folds = ["ready", "refused", "failed"].includes(state);
    now.replaceChildren(...(folds ? [] : nodes));
    body.replaceChildren(...(folds ? nodes.filter(Boolean) : []));
    fold.hidden = !folds;
    now.hidden = folds;
    element.dataset.state = state;
    showText(chip, STATES[state].name);
    element.dispatchEvent(new CustomEvent("upload:state", { bubbles: true }));
  }

  /** @param {string} text @param {() => void} onclick */
  const button = (text, onclick, style = "") => smallButton(text, `${text} ${file.name}`, onclick, { style });
  const dismiss = () => button("Dismiss", () => element.remove(), "button--quiet");
  const retry = () => button("Retry", again);

  return {
    element,
    /**
     * Show a progress bar; `stop` is what its Cancel button calls, null for none. Returns update(text, share or null).
     *
     * @param {string} text
     * @param {(() => void) | null} stop
     */
    showProgress(text, stop) {
      const note = el("p", { class: "muted small" }, text);
      const bar = el("progress", { class: "progress", max: 1, "aria-label": `${file.name}: ${text}` });
      side.replaceChildren(...(stop ? [button("Cancel", stop)] : []));
      show("sending", el("div", { class: "stack stack--tight" }, bar, note));
      return (/** @type {string} */ now, /** @type {number | null} */ share) => {
        note.textContent = now;
        if (share === null) bar.removeAttribute("value");
        else bar.value = share;
      };
    },
    /**
     * Show why the file was refused, or the server's question; `answer(parameter, value)` receives the choice.
     *
     * @param {ApiProblem[]} errors
     * @param {((parameter: string, value: string) => void) | null} answer
     * @param {(() => void) | null} chooseColumns
     */
    showRefusal(errors, answer, chooseColumns) {
      const question = errors.find((error) => error.choices?.length);
      if (question) {
        announce(`${file.name}: ${question.message}`);
        side.replaceChildren(dismiss());
        show("question", renderQuestion(question, answer));
        return;
      }
      side.replaceChildren(retry(), dismiss());
      announce(`${file.name} was refused.`);
      const choose =
        chooseColumns && el("button", { class: "button", type: "button", onclick: chooseColumns }, "Choose columns");
      show("refused", renderErrors(errors, "Nothing of this file was stored."), choose && el("p", {}, choose));
    },
    showCancelled() {
      announce(`${file.name} was cancelled.`);
      side.replaceChildren(retry(), dismiss());
      show("cancelled", el("p", { class: "muted" }, "Cancelled. Nothing of this file was stored."));
    },
    /** Show the parts of a dataset that was read, with a link to its page. @param {any} dataset */
    showResult(dataset, /** @type {any[]} */ ...parts) {
      const attributes = {
        class: "button button--small",
        href: dataset.urls.page,
        "aria-label": `Open ${dataset.name}`,
      };
      const columns = { ...attributes, href: dataset.urls.import, "aria-label": `Check columns of ${dataset.name}` };
      const check = dataset.report.columns?.length && el("a", columns, "Check columns");
      side.replaceChildren(el("a", attributes, "Open"), check || "", dismiss());
      show("ready", ...parts);
    },
    /** Show why a dataset could not be read. @param {any} part
     * @param {boolean} question whether it can be answered here */
    showFailure(part, question) {
      side.replaceChildren(dismiss());
      show(question ? "question" : "failed", part);
    },
  };
}

/**
 * A form for one reading option, with the same control as in the upload form; `onSubmit(changes)` receives the choice.
 *
 * @param {any} dataset
 * @param {{option: string, value: any}} guess
 * @param {(changes: Record<string, any>) => void} onSubmit
 */
export function optionForm(dataset, { option, value }, onSubmit) {
  const original = document.getElementById(`upload-${option}`);
  const field = /** @type {HTMLElement} */ (original?.closest(".field")?.cloneNode(true));
  const input = /** @type {HTMLInputElement} */ (field.querySelector("input, select"));
  input.value = dataset.options[option] ?? (input.tagName === "INPUT" ? value : "");
  const form = el("form", { class: "question" }, field, el("button", { class: "button button--primary" }, "Apply"));
  for (const node of form.querySelectorAll("[id], [for]")) {
    for (const name of ["id", "for"]) {
      if (node.hasAttribute(name)) node.setAttribute(name, `${dataset.id}-${node.getAttribute(name)}`);
    }
  }
  input.removeAttribute("aria-describedby");
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!refuseInvalid(form)) onSubmit({ [option]: input.value, ...numbersOf(form) });
  });
  return { form, input };
}
