/* The first rows of an upload, as they would be read; above each column the choice of what it is. */

import { ApiError, get } from "../core/api.js";
import { $, $$, announce } from "../core/dom.js";
import { createColumnTable } from "./column_table.js";
import { renderErrors } from "./import_report.js";
import { invalidIn, numbersOf, reveal } from "./number_field.js";
import { previewBelow, previewFacts, previewTotals } from "./preview_messages.js";

const WAIT_MS = 250;

/**
 * The preview in `host` of the upload at `url`, read with the options of `form`. `onTotals(totals)` receives what
 * would be imported. Returns {ask(problem)}: shows a question that only the whole file raised.
 *
 * @param {HTMLElement} host
 * @param {HTMLFormElement} form
 * @param {{url: string, onTotals: (totals: {label: string, names: string}) => void}} options
 */
export function createPreview(host, form, { url, onTotals }) {
  const region = $("[data-preview-table]", host);
  const below = $("[data-preview-text]", host);
  const [lines, line] = [$("[data-lines]", host), $("[data-line-name]", host)];
  const field = (/** @type {string} */ name) => /** @type {any} */ (form.elements.namedItem(name));
  const table = createColumnTable(region, choose);
  const kept = new Set();
  let timer = 0;
  /** @type {any} what is shown, its roles those of its kind of data */
  let shown = null;
  /** @type {ApiProblem | null} */
  let asked = null;
  /** @type {AbortController | null} */
  let pending = null;

  function requestSoon() {
    clearTimeout(timer);
    timer = setTimeout(request, WAIT_MS);
  }

  async function request() {
    pending?.abort();
    if (invalidIn(form).length) return;
    pending = new AbortController();
    region.setAttribute("aria-busy", "true");
    try {
      show(await get(`${url}?${query()}`, { signal: pending.signal }));
    } catch (error) {
      if (error instanceof DOMException && error.name === "AbortError") return; // a newer request is pending
      if (!(error instanceof ApiError)) throw error;
      if (!table.isDrawn()) region.hidden = true;
      below.replaceChildren(renderErrors(error.errors));
    }
    region.removeAttribute("aria-busy");
  }

  /** The form's reading options; cleaning comes after reading and has no part in it. */
  function query() {
    const filled = [...new FormData(form)].filter(([, value]) => value);
    return new URLSearchParams({ ...Object.fromEntries(filled), ...numbersOf(form), kind: field("kind").value });
  }

  /** @param {any} preview */
  function show(preview) {
    shown = preview;
    region.hidden = lines.hidden = !preview.columns.length;
    table.show(preview);
    line.textContent = table.turn(0);
    $("[data-preview-facts]").textContent = previewFacts(preview);
    onTotals(previewTotals(preview));
    showBelow();
  }

  const showBelow = () => below.replaceChildren(...previewBelow(shown, { mend, go, keep, field, kept, asked }));

  function keep(/** @type {string} */ message) {
    kept.add(message);
    showBelow();
    region.focus();
  }

  const go = (/** @type {string} */ option) => field(option) && reveal(field(option));
  const roleOf = (/** @type {string} */ name) => shown?.roles.find((/** @type {Role} */ role) => role.name === name);
  const labelOf = (/** @type {string} */ name) => roleOf(name)?.label;

  /** Set the option that mends what is wrong, and read the rows with it. @param {string} option @param {string} value */
  function mend(option, value) {
    asked = null;
    const column = roleOf(option) && shown.columns.find((/** @type {any} */ { place }) => place === value);
    if (column) choose(shown, value, option, column.name || value);
    else field(option).value = value;
    region.focus();
    request();
  }

  /**
   * Give the column at `place` another role. The column that had it takes this one's, so that two change places at
   * once.
   *
   * @param {any} preview
   * @param {string} place
   * @param {string} role
   * @param {string} title
   */
  function choose(preview, place, role, title) {
    const column = preview.columns.find((/** @type {any} */ one) => one.place === place);
    const other = role ? preview.columns.find((/** @type {any} */ one) => one.role === role) : undefined;
    const before = column.role;
    if (labelOf(before)) field(before).value = other?.place ?? (roleOf(before)?.needed ? "" : "#0");
    if (role) field(role).value = place;
    if (other) other.role = before;
    column.role = role;
    table.mark(preview); // at once: typing in a select changes it at every letter, sooner than the server responds
    announce(role ? `${title} is the ${labelOf(role)?.toLowerCase()}.` : `${title} is not used.`);
    requestSoon();
  }

  host.addEventListener("input", ({ target }) => /** @type {any} */ (target).name && requestSoon());
  for (const button of $$("[data-line]", lines))
    button.addEventListener("click", () => announce((line.textContent = table.turn(Number(button.dataset.line)))));
  request();
  return {
    go,
    ask(/** @type {ApiProblem} */ problem) {
      asked = problem;
      showBelow();
      $("input", below)?.focus();
    },
  };
}
