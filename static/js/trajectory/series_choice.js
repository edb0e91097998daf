/* Which series of the dataset is shown, or all of them. */

import { allText, isOfPeople, peopleOf } from "./people.js";
import { searchSelect } from "../components/search_select.js";
import { swatch } from "../components/swatch.js";

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
  const each = peopleOf(series).map(({ index, name, colour }) => ({
    value: String(index),
    text: name,
    mark: all ? () => swatch({ colour, dash: "" }) : undefined,
  }));
  const options = all ? [{ value: ALL, text: allText(series) }, ...each] : each;
  const select = searchSelect(isOfPeople(series) ? "Person" : "Series", options, valueOf(chosen), (value) =>
    onChange(value === ALL ? null : Number(value)),
  );
  host.replaceChildren(select.element);
  return { set: (index) => select.set(valueOf(index)) };
}
