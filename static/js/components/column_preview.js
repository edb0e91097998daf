/* The first rows of an upload, as they would be read; above each column the choice of what it is. */

import { ApiError, get } from "../core/api.js";
import { $, announce } from "../core/dom.js";
import { createColumnTable } from "./column_table.js";
import { numbersOf, invalidIn } from "./number_field.js";
import { emptyText, errorNotice, previewFacts, previewGuesses, previewProblem } from "./preview_messages.js";

const WAIT_MS = 250;

/**
 * The preview in `host` of the upload at `url`, read with the options of `form`. Requests nothing before show().
 *
 * @param {HTMLElement} host
 * @param {HTMLFormElement} form
 * @param {{url: string}} options
 */
export function createPreview(host, form, { url }) {
  const region = $("[data-preview-table]", host);
  const messages = $("[data-preview-text]", host);
  const field = (/** @type {string} */ name) => /** @type {any} */ (form.elements.namedItem(name));
  const table = createColumnTable(region, choose);
  let timer = 0;
  /** @type {Role[]} the options that name a column of this kind of data */
  let roles = [];
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
      showMessages(error.errors.map(errorNotice));
    }
    region.removeAttribute("aria-busy");
  }

  /** The form's reading options; cleaning comes after reading and has no part in it. */
  function query() {
    const filled = [...new FormData(form)].filter(([, value]) => value);
    return new URLSearchParams({ ...Object.fromEntries(filled), ...numbersOf(form), kind: field("kind").value });
  }

  const showMessages = (/** @type {any[]} */ nodes) => messages.replaceChildren(...nodes.flat().filter(Boolean));

  /** @param {any} preview */
  function show(preview) {
    roles = preview.roles;
    region.hidden = !preview.columns.length;
    table.show(preview);
    if (!preview.columns.length) return showMessages([emptyText(preview)]);
    const { problem } = preview;
    const goTo = problem?.parameter && !labelOf(problem.parameter) && (() => field(problem.parameter).focus());
    showMessages([problem && previewProblem(preview, goTo), previewFacts(preview), previewGuesses(preview)]);
  }

  const roleOf = (/** @type {string} */ name) => roles.find((role) => role.name === name);
  const labelOf = (/** @type {string} */ name) => roleOf(name)?.label;

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
    announce(role ? `${title} is the ${labelOf(role)?.toLowerCase()}.` : `${title} is not read.`);
    requestSoon();
  }

  form.addEventListener("input", ({ target }) => /** @type {any} */ (target).name && requestSoon());
  return { show: () => table.isDrawn() || request() };
}
