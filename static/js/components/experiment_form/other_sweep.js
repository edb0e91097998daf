/* One more parameter to sweep, which not all mechanisms have: one of those that are chosen, or of the data. */

import { announce, el } from "../../core/dom.js";
import { createList, ofValue } from "./value_list.js";

const NOTHING = "";
const titleOf = ({ label, symbol }) => (symbol ? `${label} ${symbol}` : label);

/**
 * The choice in `host`, hidden where there is nothing to choose.
 * Returns {values() -> {path, values}, null for none, undefined while values are missing; offer(sweeps) what there is,
 * [{path, field}]; path() or "", set({path, values or null for the usual} or null), fail(path, text) -> whether it had
 * a place, clear()}.
 *
 * @param {HTMLElement} host
 * @param {{onChange: () => void}} on
 */
export function createOtherSweep(host, { onChange }) {
  const select = el("select", { class: "input", id: "other-sweep", onchange: chosen });
  const place = el("div", {});
  const label = el("label", { for: "other-sweep" }, "Also sweep");
  const help = el("p", { class: "field__help" }, "These values replace the one that is given elsewhere in the form.");
  host.replaceChildren(el("div", {}, el("div", { class: "field" }, label, select, help)), place);
  /** @type {{path: string, field: any}[]} */
  let offered = [];
  /** @type {any} */
  let list = null;

  function show(/** @type {any[] | null} */ values = null) {
    const found = offered.find(({ path }) => path === select.value);
    list = found ? createList(found.field, values ?? [found.field.default ?? found.field.example], { onChange }) : null;
    place.replaceChildren(...(list ? [list.element] : []));
  }
  function chosen() {
    show();
    onChange();
  }

  return {
    path: () => select.value,
    values() {
      if (!list) return null;
      const values = list.values();
      return values ? { path: select.value, values } : undefined;
    },
    offer(/** @type {{path: string, field: any}[]} */ sweeps) {
      const before = select.value;
      if (JSON.stringify(sweeps.map(({ path }) => path)) === JSON.stringify(offered.map(({ path }) => path))) return;
      offered = sweeps;
      const options = offered.map(({ path, field }) => el("option", { value: path }, titleOf(field)));
      select.replaceChildren(el("option", { value: NOTHING }, "Nothing else"), ...options);
      host.hidden = !offered.length;
      select.value = offered.some(({ path }) => path === before) ? before : NOTHING;
      if (select.value === before) return;
      show();
      announce("Nothing else is swept: not all that is selected has the parameter.");
    },
    set(/** @type {{path: string, values: any[] | null} | null} */ given) {
      if (given?.values && list && select.value === given.path) {
        list.set(given.values);
        return;
      }
      select.value = given?.path ?? NOTHING;
      show(given?.values);
    },
    fail(/** @type {string[]} */ path, /** @type {string} */ text) {
      const own = select.value && path.slice(1).join(".").startsWith(select.value);
      if (!own || !list) return false;
      list.fail(ofValue(Number(path.at(-1)), text));
      return true;
    },
    clear: () => list?.clear(),
  };
}
