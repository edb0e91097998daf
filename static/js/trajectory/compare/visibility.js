/* Which releases are shown: at first, by checkboxes, alone by name, and the best one until the reader chooses. */

import { announce } from "../../core/dom.js";
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

/**
 * Changes `view.hidden` and the `visible` of `layers()`. `on.shown(layer, on)` after one was shown or hidden,
 * `on.changed()` after the view did, `on.titled(layer)` is what one is called.
 */
export function createVisibility(view, layers, on) {
  let isBest = false; // the best of those that are done is shown, until the reader chooses
  /** @type {{id: string, before: Set<string>} | null} */
  let alone = null;

  function set(hidden) {
    view.hidden = hidden;
    for (const layer of layers()) {
      const wanted = !hidden.has(nameOf(layer.id));
      if (wanted === layer.visible) continue;
      layer.visible = wanted;
      on.shown(layer, wanted);
    }
  }

  /** What is hidden once these are shown, or hidden too. */
  function withThese(shown, ids = layers().map(({ id }) => id)) {
    const hidden = new Set(view.hidden);
    for (const id of ids) hidden[shown ? "delete" : "add"](nameOf(id));
    return hidden;
  }

  /** After the reader chose: draw it. */
  function choose(hidden) {
    isBest = false;
    set(hidden);
    on.changed();
  }

  return {
    /** What is shown at first, where the address names `requested`. @param {string[]} requested */
    open(requested) {
      const ids = layers().map(({ id }) => id);
      const opening = openingOf(view, requested, ids);
      isBest = opening.best;
      view.hidden = new Set(opening.hidden);
      for (const layer of layers()) layer.visible = !view.hidden.has(nameOf(layer.id));
      this.follow();
      view.opening = new Set(view.hidden);
    },
    /** Show the best release of those that are done, and no other, until the reader chooses. */
    follow() {
      const best = isBest && bestOf(layers().map(({ release }) => release));
      if (!best) return;
      const hidden = withThese(false);
      hidden.delete(nameOf(best.id));
      set(hidden);
      view.opening = new Set(hidden);
    },
    /** Show or hide a layer or a mark. @param {string} id @param {boolean} shown */
    toggle(id, shown) {
      alone = null;
      choose(withThese(shown, [id]));
    },
    /** Show one release and the original alone; a second time, again what was shown before. @param {string} id */
    solo(id) {
      const layer = layers().find((one) => one.id === id);
      if (alone?.id === id) {
        const { before } = alone;
        alone = null;
        choose(before);
        announce("The releases are shown as before.");
        return;
      }
      const before = alone?.before ?? new Set(view.hidden);
      const hidden = withThese(false);
      hidden.delete(nameOf(id));
      hidden.delete("original");
      alone = { id, before };
      choose(hidden);
      announce(`${on.titled(layer)} and the original are shown alone.`);
    },
    showAll() {
      alone = null;
      choose(withThese(true));
    },
    /** A release that the reader made is shown beside the others. */
    keep() {
      isBest = false;
      alone = null;
    },
    alone: () => alone?.id ?? null,
  };
}
