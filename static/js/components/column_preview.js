/* The first rows of an upload, as they would be read; above each column the choice of what it is. */

import { ApiError, get } from "../core/api.js";
import { $, $$, announce } from "../core/dom.js";
import { createColumnTable, roleTitle } from "./column_table.js";
import { renderErrors } from "./import_report.js";
import { filledIn, invalidIn, reveal } from "./number_field.js";
import { previewBelow, previewFacts, previewTotals } from "./preview_messages.js";

const WAIT_MS = 250;

const roleOf = (preview, /** @type {string} */ name) =>
  preview.roles.find((/** @type {Role} */ role) => role.name === name);

/** The form's reading options; cleaning comes after reading and has no part in it. @param {HTMLFormElement} form */
function queryOf(form) {
  const { value: kind } = /** @type {any} */ (form.elements.namedItem("kind"));
  return new URLSearchParams({ ...filledIn(form), kind });
}

/** The value of the option that gives a role: of none that the column which had it has it no more. */
const valueOf = (/** @type {string} */ role, /** @type {string | undefined} */ place) =>
  role === "person" ? (place ? `column:${place}` : "one") : (place ?? "#0");

/**
 * Give the column at `place` another role, and return the options to set. The column that had it takes this one's, so
 * that two change places at once.
 *
 * @param {any} preview
 * @param {string} place
 * @param {string} role
 * @returns {Record<string, string>}
 */
export function giveRole(preview, place, role) {
  const column = preview.columns.find((one) => one.place === place);
  const other = role ? preview.columns.find((one) => one.role === role) : undefined;
  const before = column.role;
  const left = roleOf(preview, before);
  if (other) other.role = before;
  column.role = role;
  const freed = left && { [before]: left.needed && !other ? "" : valueOf(before, other?.place) };
  return { ...freed, ...(role && { [role]: valueOf(role, place) }) };
}

/**
 * The preview in `host` of the upload at `url`, read with the options of `form`; `used` are those of each kind of data.
 * `onTotals(totals)` receives what would be imported. Returns {raise(problem)}: shows a question that only the whole
 * file raised.
 *
 * @param {HTMLElement} host
 * @param {HTMLFormElement} form
 * @param {{url: string, used: Record<string, string[]>,
 *   onTotals: (totals: {label: string, names: string}) => void}} options
 */
export function createPreview(host, form, { url, used, onTotals }) {
  const [region, below] = [$("[data-preview-table]", host), $("[data-preview-text]", host)];
  const field = (/** @type {string} */ name) => /** @type {any} */ (form.elements.namedItem(name));
  const table = createColumnTable(region, choose, (zone) => {
    field("time_zone").value = zone;
    requestSoon();
  });
  const kind = watchOptions(form, used, () => requestSoon());
  const kept = new Set();
  /** @type {any} */
  let [timer, shown, question, pending] = [0, null, null, null];

  const requestSoon = () => {
    clearTimeout(timer);
    timer = setTimeout(request, WAIT_MS);
  };

  async function request() {
    pending?.abort();
    if (invalidIn(form).length) return;
    pending = new AbortController();
    region.setAttribute("aria-busy", "true");
    try {
      show(await get(`${url}?${queryOf(form)}`, { signal: pending.signal }));
    } catch (error) {
      if (error instanceof DOMException && error.name === "AbortError") return; // a newer request is pending
      if (!(error instanceof ApiError)) throw error;
      if (!table.isDrawn()) region.hidden = region.parentElement.hidden = true;
      below.replaceChildren(renderErrors(error.errors));
    }
    region.removeAttribute("aria-busy");
    host.dataset.shown = "";
  }

  function show(preview) {
    shown = preview;
    region.hidden = region.parentElement.hidden = !preview.columns.length;
    table.show(preview);
    $("[data-line-name]", host).textContent = table.turn(0);
    kind.show(preview.kind);
    $("[data-preview-facts]").replaceChildren(...previewFacts(preview, go));
    onTotals(previewTotals(preview));
    showBelow();
  }

  const showBelow = () => below.replaceChildren(...previewBelow(shown, { mend, go, keep, field, kept, question }));
  const keep = (/** @type {string} */ message) => {
    kept.add(message);
    showBelow();
    region.focus(); // the button is gone
  };
  const go = (/** @type {string} */ option) => (option === "kind" ? kind.focus() : reveal(field(option)));

  /** Set the option that mends what is wrong, and read again. @param {string} option @param {string} value */
  function mend(option, value) {
    question = null;
    const column = shown.columns.find(({ place }) => place === value);
    if (column && roleOf(shown, option)) choose(shown, value, option, column.name || value);
    else if (option === "kind") kind.detect();
    else field(option).value = value;
    region.focus();
    request();
  }

  /** @param {any} preview @param {string} place @param {string} role @param {string} title */
  function choose(preview, place, role, title) {
    for (const [option, value] of Object.entries(giveRole(preview, place, role))) field(option).value = value;
    table.mark(preview); // at once: typing in a select changes it at every letter, sooner than the server responds
    announce(role ? `${title} is the ${roleTitle(preview, role).toLowerCase()}.` : `${title} is not used.`);
    requestSoon();
  }

  watchLines(host, table.turn);
  request();
  return {
    go,
    raise(/** @type {ApiProblem} */ problem) {
      question = problem;
      showBelow();
      $("input", below).focus();
    },
  };
}

/**
 * Call `onChange` when an option changes. Returns the choice of the kind of data, {show(kind), detect(), focus()};
 * `used` are the options of each kind.
 *
 * @param {HTMLFormElement} form
 * @param {Record<string, string[]>} used
 * @param {() => void} onChange
 */
function watchOptions(form, used, onChange) {
  const choices = $$("[name=kind]");
  const kind = {
    /** Mark a kind. That of one that was detected stays empty, so that nothing is stated. @param {string} kind */
    show(kind) {
      const isStated = choices.some(({ checked, value }) => checked && value);
      for (const one of isStated ? [] : choices) {
        one.checked = one.dataset.kind === kind;
        one.value = one.checked ? "" : one.dataset.kind;
      }
      for (const name of new Set(Object.values(used).flat())) {
        const control = /** @type {any} */ (form.elements.namedItem(name));
        control.disabled = !used[kind].includes(name); // not sent; its value stays, for another kind
        control.closest(".field").hidden = control.disabled;
      }
    },
    detect() {
      for (const one of choices) one.checked = false;
    },
    focus: () => choices.find(({ checked }) => checked)?.focus(),
  };
  document.addEventListener("input", ({ target }) => {
    const { name, form: of, dataset } = /** @type {any} */ (target);
    if (name === "kind") kind.show(dataset.kind);
    if (name && of === form) onChange();
  });
  return kind;
}

/** The buttons in `host` that go to another row. @param {HTMLElement} host @param {(by: number) => string} turn */
function watchLines(host, turn) {
  for (const button of $$("[data-line]", host))
    button.addEventListener("click", () => {
      const name = turn(Number(button.dataset.line));
      $("[data-line-name]", host).textContent = name;
      announce(name);
    });
}
