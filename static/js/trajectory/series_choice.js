/* Which series of the dataset is shown, or all of them. */

import { allText, isOfPeople, peopleOf } from "./people.js";
import { searchSelect } from "../components/search_select.js";
import { swatch } from "../core/swatch.js";

export const ALL = "all";

/**
 * A choice in `host` where `series` are several; `onChange(index)`. With `all`, all of them can be chosen: then
 * `onChange(null)`. `chosen` is an index or null. Returns `set(index or null)`.
 *
 * @param {Element} host
 * @param {any[]} series as the API has them
 * @param {(index: number | null) => void} onChange
 * @param {{all?: boolean, chosen?: number | null}} options
 */
export function seriesChoice(host, series, onChange, { all = false, chosen = 0 } = {}) {
  if (series.length < 2) return { set: () => {} };
  const valueOf = (index) => (index === null ? ALL : String(index));
  const markOf = (colour) => (all ? () => swatch({ colour, dash: "" }) : undefined);
  const optionOf = ({ index, name, colour }) => ({ value: String(index), text: name, mark: markOf(colour) });
  const each = peopleOf(series).map(optionOf);
  const options = all ? [{ value: ALL, text: allText(series) }, ...each] : each;
  const choose = (value) => onChange(value === ALL ? null : Number(value));
  const select = searchSelect(isOfPeople(series) ? "Person" : "Series", options, valueOf(chosen), choose);
  host.replaceChildren(select.element);
  return { set: (index) => select.set(valueOf(index)) };
}

/**
 * What creates the view of all people, loaded where there are several: of one it is never on.
 *
 * @returns {Promise<(bench: Element, options: any) => any>}
 */
export async function peopleViewFor(series, view) {
  if (series.length > 1 || view.series === null) return (await import("./compare/people_view.js")).createPeopleView;
  return () => ({ isOn: () => false, show() {}, coloured: (tracks) => tracks, place: () => undefined });
}
