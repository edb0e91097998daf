/* The venues of a recommended cell, ranked by the counts of a release that counts the venues of a public list. */

import { get } from "../core/api.js";
import { $, el } from "../core/dom.js";
import { count } from "../core/format.js";

const COUNTING = "checkin-venues";
const SHOWN = 5;

/**
 * The newest release that counts venues in the box of `release`: itself, or another one of the same grid.
 *
 * @param {any[]} releases
 * @param {any} release
 * @param {(release: any) => string} gridOf
 */
export const venuesRelease = (releases, release, gridOf) =>
  [release, ...releases].find((one) => one.mechanism === COUNTING && gridOf(one) === gridOf(release)) ?? null;

/**
 * The list of venues: `show(source, cells, name)` for other recommended cells, `source` null where no release counts
 * venues.
 *
 * @param {{attempt: (action: () => Promise<any>) => Promise<void>}} problem
 */
export function createVenueList(problem) {
  const select = $("[data-venues-cell]");
  /** @type {any} */
  let source = null;

  const load = () =>
    problem.attempt(async () => {
      const query = new URLSearchParams({ cell: select.value, k: String(SHOWN) });
      const { venues } = await get(`${source.urls.venues}?${query}`);
      const row = (/** @type {any} */ one) =>
        el(
          "li",
          {},
          el("span", {}, one.name || one.venue),
          el("span", { class: "muted" }, count(one.count, "check-in")),
        );
      const none = el("li", { class: "muted" }, "The list has no venue here.");
      $("[data-venues-rows]").replaceChildren(...(venues.length ? venues.map(row) : [none]));
    });

  select.addEventListener("change", load);
  return {
    /** @param {any} from @param {number[]} cells @param {(cell: number) => string} name */
    show(from, cells, name) {
      source = from;
      $("[data-venues]").hidden = !source || !cells.length;
      if (!source || !cells.length) return undefined;
      $("[data-venues-level]").textContent = source.short;
      select.replaceChildren(...cells.map((cell) => el("option", { value: String(cell) }, name(cell))));
      return load();
    },
  };
}
