/* The person under the pointer on a map of all people: emphasised, and named beside the pointer. */

import { el } from "../core/dom.js";
import { count } from "../core/format.js";
import { seriesAt, seriesPart } from "./people.js";

const PERSON = "person"; // the layer of the person under the pointer or in focus
const REACH_PX = 10; // of a line; of a release's positions less, which are denser
const NEAR_PX = 6;

/** A name beside the pointer while it is over `panes`. */
function createTag(panes) {
  const tag = el("div", { class: "person-tag", hidden: true, "aria-hidden": "true" });
  panes.append(tag);
  panes.addEventListener("pointermove", ({ clientX, clientY }) => {
    tag.style.left = `${Math.min(clientX + 14, innerWidth - tag.offsetWidth - 8)}px`;
    tag.style.top = `${clientY + 14}px`;
  });
  return tag;
}

/**
 * Emphasis and name of one of `people` (see people.js) on the maps in `panes`, where the layer `id` shows all of them.
 * `known()` = {original, layers}: their track, and releases {id, track} whose positions are looked at as well.
 */
export function createPeopleHover(panes, people, id, known) {
  const tag = createTag(panes);
  /** @type {number | null} */
  let hovered = null;

  /** Emphasise one person on `map`, or with null none. */
  function mark(map, index) {
    const { original } = known();
    map.remove(PERSON);
    if (index === null || !original?.ends) return;
    const { colour } = people[index];
    map.addTrack({ id: PERSON, track: seriesPart(original, index), colour, width: 4, order: 95, dots: false });
  }

  /** Whose line or position a map shows at a point; null for none. */
  function personAt(map, point) {
    const { original, layers } = known();
    if (!original?.ends) return null;
    const i = map.nearestStep(id, point, REACH_PX);
    if (i >= 0) return seriesAt(original, i);
    for (const layer of layers) {
      const j = layer.track ? map.nearest(layer.id, point, NEAR_PX) : -1;
      if (j >= 0) return seriesAt(layer.track, j);
    }
    return null;
  }

  /** Show whose line is under the pointer at `at` (see onHover of map.js), null once it left. */
  function hover(map, at) {
    const index = at ? personAt(map, at.point) : null;
    tag.hidden = index === null;
    if (index === hovered) return;
    hovered = index;
    mark(map, index);
    if (index === null) return;
    const { name, points } = people[index];
    tag.textContent = `${name} · ${count(points, "event")}`;
  }

  return { mark, personAt, hover };
}
