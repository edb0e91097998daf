/* Two sets beside each other: how many events they share. */

import { get } from "../../core/api.js";
import { $, announce, el } from "../../core/dom.js";
import { selectOf } from "../../core/elements.js";
import { count, number, whole } from "../../core/format.js";

const row = (term, value, /** @type {any} */ more = "") => [el("dt", {}, term), el("dd", {}, value, more)];

/**
 * A choice of `sets` in `host`; `on.change(runs | null)` receives the runs of the one chosen, over the whole dataset.
 * Returns {show(marks): what the chosen one shares with them, choose(id)}.
 */
export function createAgainst(host, sets, on) {
  host.hidden = !sets.length;
  if (!sets.length) return { show() {}, choose() {} };
  /** @type {any} */
  let runs = null;
  /** @type {any} */
  let chosen = null;
  const options = sets.map(({ id, name, count: n }) => [id, `${name} (${whole(n)})`]);
  const select = selectOf({ id: "against", onchange: change }, [["", "no other set"], ...options]);
  const facts = el("dl", { class: "facts small", hidden: true, dataset: { overlap: "" } });
  host.replaceChildren(el("label", { for: "against" }, "Compare with"), select, facts);

  async function change() {
    chosen = sets.find(({ id }) => id === select.value) ?? null;
    const mine = chosen;
    const found = chosen ? (await get(chosen.urls.events)).runs : null;
    if (mine !== chosen) return;
    runs = found;
    on.change(runs);
    if (chosen) announce($("[data-overlap]", host).textContent);
  }

  function show(marks) {
    facts.hidden = !runs;
    if (!runs) return;
    const { both, onlyFirst, onlySecond, jaccard } = marks.overlap(runs);
    facts.replaceChildren(
      ...row("In both", count(both, "event")),
      ...row("Only here", count(onlyFirst, "event")),
      ...row(`Only in ${chosen.name}`, count(onlySecond, "event")),
      ...row("Jaccard index", number(jaccard), el("span", { class: "muted" }, " of 1")),
    );
  }

  return {
    show,
    choose(id) {
      if (!sets.some((set) => set.id === id)) return null;
      select.value = id;
      return change();
    },
  };
}
