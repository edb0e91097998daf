/* Which releases the comparison opens on. No page is needed for this module. */

import { verdictRank } from "../../components/verdict_text.js";
import { nameOf } from "./view_state.js";

const rankOf = ({ verdict, seed, owner_view }) => [
  seed === null ? 0 : 1, // what may be published before simulations
  verdictRank(verdict),
  owner_view?.p95_error_m ?? Infinity,
];

/** The finished release with the best verdict; of several the one with the least error; undefined for none. */
export function bestOf(releases) {
  const done = releases.filter(({ state }) => state === "done").map((one) => ({ one, rank: rankOf(one) }));
  done.sort((a, b) => {
    const at = a.rank.findIndex((value, i) => value !== b.rank[i]);
    return at < 0 ? b.one.created_at.localeCompare(a.one.created_at) : a.rank[at] - b.rank[at];
  });
  return done[0]?.one;
}

/**
 * What is hidden at first of `ids`, and whether the best release is still to be chosen: everything is shown that the
 * address names, which is several `requested` releases, one, or those that maps or sides are to show.
 *
 * @param {{hidden: Set<string>, isHidden: boolean, show: string | null, left: string | null, right: string | null,
 *   maps: string[] | null}} view
 * @param {string[]} requested ids of releases in the address
 * @param {string[]} ids of all releases
 */
export function openingOf(view, requested, ids) {
  const isNamed = view.isHidden || requested.length > 1;
  if (view.show === "all" || (isNamed && view.show !== "best")) return { hidden: view.hidden, best: false };
  const onMaps = [view.left, view.right, ...(view.maps ?? [])];
  const named = ids.map(nameOf).filter((name) => onMaps.includes(name));
  const shown = view.show === "best" ? [] : [...named, ...requested.map(nameOf)];
  const rest = ids.map(nameOf).filter((name) => !shown.includes(name));
  return { hidden: new Set([...view.hidden, ...rest]), best: !shown.length };
}
