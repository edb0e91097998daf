/* What was typed into a form, stored in the session storage of the tab: of whoever is logged in, for one page.
 * Passwords, files, hidden fields and what is marked data-unkept are never kept.
 */

import { $, $$ } from "./dom.js";

/** @typedef {Record<string, string | boolean>} Values by the key of a control */
/** @typedef {{values: Values, more: any, search: string}} Kept */

const PREFIX = "cairn:form:";
const NEVER = ["password", "file", "hidden", "range", "submit", "button", "reset"]; // a slider shows its number field
const PASSES = 200; // each choice can make other controls

/** The storage key of the form of a page, for the user it belongs to. @param {string} name */
export const keyOf = (name) => `${PREFIX}${$("meta[name=session]")?.dataset.userId ?? ""}:${name}`;

/** @param {any} control */
function nameOf(control) {
  const name = control.name || control.closest("[data-field]")?.dataset.field || control.id.replace(/-\d+$/, "");
  return ["radio", "checkbox"].includes(control.type) ? `${name}=${control.value}` : name;
}

/**
 * The controls in `root` whose values are kept, by a key that a reload does not change.
 *
 * @param {ParentNode} root
 * @returns {Map<string, any>}
 */
function controlsOf(root) {
  const found = new Map();
  const counts = new Map();
  for (const control of $$("input, select, textarea", root)) {
    const name = nameOf(control);
    if (!name || NEVER.includes(control.type) || control.readOnly || control.closest("dialog, [data-unkept]")) continue;
    const earlier = counts.get(name) ?? 0;
    counts.set(name, earlier + 1);
    found.set(earlier ? `${name} ${earlier}` : name, control);
  }
  return found;
}

const isTicked = (/** @type {any} */ control) => ["radio", "checkbox"].includes(control.type);
const valueOf = (/** @type {any} */ control) => (isTicked(control) ? control.checked : control.value);

/** The values in `root`, as typed. @param {ParentNode} root @returns {Values} */
export const valuesIn = (root) =>
  Object.fromEntries([...controlsOf(root)].map(([key, control]) => [key, valueOf(control)]));

/** @param {any} control @param {string | boolean} value */
function set(control, value) {
  if (isTicked(control)) control.checked = value;
  else control.value = value;
  for (const type of ["input", "change"]) control.dispatchEvent(new Event(type, { bubbles: true }));
}

/**
 * Set the controls in `root` as if they were typed. One that is set may make others, which are then set too; each is
 * set once. What is no longer there is left out.
 *
 * @param {ParentNode} root
 * @param {Values} values
 */
export function putValues(root, values) {
  const tried = new WeakSet();
  const isDue = (/** @type {[string, any]} */ [key, control]) =>
    key in values &&
    values[key] !== valueOf(control) &&
    !tried.has(control) &&
    !(control.type === "radio" && !values[key]); // another of its group is chosen
  for (let pass = 0; pass < PASSES; pass += 1) {
    const next = [...controlsOf(root)].find(isDue);
    if (!next) return;
    const [key, control] = next;
    tried.add(control);
    set(control, values[key]);
  }
}

/**
 * What of `kept` belongs to a page at the address `search`: a parameter that the address newly has goes first.
 *
 * @param {Kept} kept
 * @param {string} search
 * @returns {Values}
 */
export function valuesFor({ values, search: before }, search) {
  if (search === before) return values;
  const named = new Set(new URLSearchParams(search).keys());
  return Object.fromEntries(Object.entries(values).filter(([key]) => !named.has(key.split(/[= ]/)[0])));
}

/** What `use` gives, or `otherwise` where the storage is full or forbidden.
 * @template T
 * @param {() => T} use
 * @param {T} otherwise */
function stored(use, otherwise) {
  try {
    return use();
  } catch {
    return otherwise;
  }
}

/** What this version keeps under `key`; null for nothing. @param {string} key @returns {Kept | null} */
export const read = (key) =>
  stored(() => {
    const kept = JSON.parse(sessionStorage.getItem(key) ?? "null");
    return kept && typeof kept.values === "object" ? { more: null, search: "", ...kept } : null;
  }, null);

/** Keep this under `key`; false where the storage is full or forbidden. @param {string} key @param {Kept} kept */
export function write(key, kept) {
  const isWritten = stored(() => (sessionStorage.setItem(key, JSON.stringify(kept)), true), false);
  if (!isWritten) discard(key); // what is older would be wrong
  return isWritten;
}

/** @param {string} key */
export const discard = (key) => stored(() => sessionStorage.removeItem(key), undefined);

/** Discard what this tab keeps of all forms: at logout. */
export const discardAll = () =>
  stored(() => {
    for (const key of Object.keys(sessionStorage)) if (key.startsWith(PREFIX)) discard(key);
  }, undefined);
