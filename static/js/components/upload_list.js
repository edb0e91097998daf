/* The uploads of a page: a card for each file, one summary line, what was not finished before the page was left. */

import { $, $$, announce, el } from "../core/dom.js";
import { showText, smallButton } from "../core/elements.js";
import { bytes, count, done } from "../core/format.js";
import { discardUpload, unfinishedUploads } from "../core/resumable_upload.js";
import { renderErrors, renderQuestion } from "./import_report.js";
import { numbersOf, refuseInvalid } from "./number_field.js";

const FOLDED_FROM = 8; // so many files of a list have their details folded

const OVER = ["ready", "refused", "failed", "cancelled"];

/** 25 files: 14 ready, 11 refused. @param {string[]} states */
function summaryText(states) {
  const parts = Object.entries(STATES).map(([state, { counted }]) => [
    states.filter((one) => one === state).length,
    counted,
  ]);
  return `${count(states.length, "file")}: ${parts
    .filter(([n]) => n)
    .map(([n, text]) => `${n} ${text}`)
    .join(", ")}`;
}

/**
 * The list in `host`: add(cards) puts new cards on top. Cards report their state by the event "upload:state", and
 * "upload:again" is sent to a card that is to be sent again.
 *
 * @param {HTMLElement} host
 */
export function createUploadList(host) {
  const text = el("p.uploads__text");
  const again = el("button.button.button--small", { onclick: sendAgain }, "Retry refused");
  const dismiss = el("button.button.button--small.button--quiet", "Dismiss ended");
  const header = el("div.uploads.gap-3.row", { hidden: true }, text, again, dismiss);
  host.before(header);
  const cards = () => /** @type {HTMLElement[]} */ ($$(".outcome[data-state]", host));
  const states = () => cards().map(({ dataset }) => dataset.state ?? "");

  function draw() {
    const found = states();
    header.hidden = found.length < 2;
    text.textContent = summaryText(found);
    again.hidden = !found.some((state) => state === "refused" || state === "cancelled");
    dismiss.hidden = !found.some((state) => OVER.includes(state));
  }

  function sendAgain() {
    for (const card of cards())
      if (["refused", "cancelled"].includes(card.dataset.state ?? ""))
        card.dispatchEvent(new CustomEvent("upload:again"));
  }

  dismiss.addEventListener("click", () => {
    for (const card of cards()) if (OVER.includes(card.dataset.state ?? "")) card.remove();
    draw();
  });
  host.addEventListener("upload:state", draw);
  new MutationObserver(draw).observe(host, { childList: true });
  return {
    add(/** @type {HTMLElement[]} */ added) {
      for (const card of added.length + cards().length < FOLDED_FROM ? [] : added) {
        card.dataset.folded = "";
        $("details", card).open = false;
      }
      host.prepend(...added);
    },
  };
}

/**
 * Rows in `host` for uploads that were begun and not finished: a page cannot open a file again without its user.
 *
 * @param {HTMLElement} host
 * @param {() => void} choose
 */
export async function showUnfinished(host, choose) {
  for (const upload of await unfinishedUploads()) {
    const discard = () => {
      discardUpload(upload);
      row.remove();
    };
    const button = (/** @type {string} */ label, /** @type {() => void} */ onclick, style = "") =>
      smallButton(label, `${label} ${upload.name}`, onclick, { style });
    const share = `${done(upload.offset / upload.size)} of ${bytes(upload.size)} arrived.`;
    const row = el(
      "article.outcome.card.row.apart",
      { "aria-label": `${upload.name}, unfinished` },
      el("p", el("strong", upload.name), ` ${share} Choose the file again to continue from there.`),
      el("div.row", button("Choose", choose), button("Discard", discard, "button--quiet")),
    );
    row.dataset.unfinished = upload.key;
    host.append(row);
  }
}

/** @typedef {keyof typeof STATES} UploadState */

/** What a card names its state, and how a summary counts it. */
const STATES = {
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
  const body = el("div.stack");
  const now = el("div.stack"); // what is never folded
  const side = el("div.row");
  const size = el("span.muted", ` ${bytes(file.size)}`);
  const chip = el("span.chip.outcome__state", { hidden: true });
  const header = el("header.row.apart", el("h3", file.name, size, " ", chip), side);
  const result = el("summary", "Details");
  const fold = el("details.outcome__fold", { open: true }, result, body);
  const element = el("article.outcome.card.stack", { "aria-label": file.name }, header, now, fold);
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
      const note = el("p.muted.small", text);
      const bar = el("progress.progress", { max: 1, "aria-label": `${file.name}: ${text}` });
      side.replaceChildren(...(stop ? [button("Cancel", stop)] : []));
      show("sending", el("div.stack.gap-1", bar, note));
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
      const choose = chooseColumns && el("button.button", { onclick: chooseColumns }, "Choose columns");
      show("refused", renderErrors(errors, "Nothing of this file was stored."), choose && el("p", choose));
    },
    showCancelled() {
      announce(`${file.name} was cancelled.`);
      side.replaceChildren(retry(), dismiss());
      show("cancelled", el("p.muted", "Cancelled. Nothing of this file was stored."));
    },
    /** Show the parts of a dataset that was read, with a link to its page. */
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
  const form = el("form.question", field, el("button.button.button--primary", { type: "submit" }, "Apply"));
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
