/* Which releases are shown: by checkboxes, alone by name, and the best one until the reader chooses. */

import { announce } from "../../core/dom.js";
import { bestOf, openingOf } from "./opening.js";
import { nameOf } from "./view_state.js";

/**
 * Changes `view.hidden` and the `visible` of `layers()`. `on.shown(layer, on)` after one was shown or hidden,
 * `on.changed()` after the view did, `on.titled(layer)` is what one is called.
 *
 * @param {any} view
 * @param {() => any[]} layers
 * @param {{shown: (layer: any, on: boolean) => void, changed: () => void, titled: (layer: any) => string}} on
 */
export function createVisibility(view, layers, on) {
  let isBest = false; // the best of those that are done is shown, until the reader chooses
  /** @type {{id: string, before: Set<string>} | null} */
  let alone = null;

  /** @param {Set<string>} hidden */
  function set(hidden) {
    view.hidden = hidden;
    for (const layer of layers()) {
      const wanted = !hidden.has(nameOf(layer.id));
      if (wanted === layer.visible) continue;
      layer.visible = wanted;
      on.shown(layer, wanted);
    }
  }

  function withAll(/** @type {boolean} */ shown, /** @type {any[]} */ some = layers()) {
    const hidden = new Set(view.hidden);
    for (const { id } of some) hidden[shown ? "delete" : "add"](nameOf(id));
    return hidden;
  }

  /** After the reader chose: draw it. */
  function choose(/** @type {Set<string>} */ hidden) {
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
      const hidden = withAll(false);
      hidden.delete(nameOf(best.id));
      set(hidden);
      view.opening = new Set(hidden);
    },
    /** Show or hide a layer or a mark. @param {string} id @param {boolean} shown */
    toggle(id, shown) {
      const hidden = new Set(view.hidden);
      hidden[shown ? "delete" : "add"](nameOf(id));
      alone = null;
      choose(hidden);
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
      const hidden = withAll(false);
      hidden.delete(nameOf(id));
      hidden.delete("original");
      alone = { id, before };
      choose(hidden);
      announce(`${on.titled(layer)} and the original are shown alone.`);
    },
    showAll() {
      alone = null;
      choose(withAll(true));
    },
    /** A release that the reader made is shown beside the others. */
    keep() {
      isBest = false;
      alone = null;
    },
    alone: () => alone?.id ?? null,
  };
}
