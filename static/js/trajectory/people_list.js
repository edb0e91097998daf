/* A list of people with their colours: filtered by name, moved through with the arrows, one is chosen by a press; and
 * the person under the pointer on a map of all people: emphasised, and named beside the pointer.
 */

import { matching } from "../components/search_select.js";
import { el } from "../core/dom.js";
import { showText } from "../core/elements.js";
import { capitalized, count, plural, whole } from "../core/format.js";
import { swatch } from "../core/swatch.js";
import { seriesAt, seriesPart } from "./people.js";

const PERSON = "person"; // the layer of the person under the pointer or in focus
const REACH_PX = 10; // of a line; of a release's positions less, which are denser
const NEAR_PX = 6;

/** A name beside the pointer while it is over `panes`. */
function createTag(panes) {
  const tag = el("div", { class: "person-tag popup", hidden: true, "aria-hidden": "true" });
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

const MOST = 500; // rows; a search finds the others
const STEPS = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity };

/**
 * The list in `host` of `people` (see people.js), each a `noun`. `choose(index)` after a press, `look(index or null)`
 * while a pointer or the focus is on one. `set(shown)` fills it when it is first shown; `mark(index or null)` shows
 * which one was chosen.
 */
export function createPeopleList(host, people, { noun, choose, look }) {
  const named = { placeholder: `Find a ${noun}`, "aria-label": `Find a ${noun}` };
  const filter = el("input", { class: "input", type: "search", ...named, oninput: () => fill() });
  const list = el("ul", { class: "people", "aria-label": capitalized(plural(noun)) });
  const note = el("p", { class: "muted small", role: "status" });
  /** @type {HTMLElement[]} */
  let buttons = [];
  /** @type {number | null} */
  let chosen = null;

  const button = ({ index, name, points, colour }) =>
    el(
      "button",
      {
        ...{ class: "bare people__one line", type: "button", tabindex: "-1", dataset: { index }, title: name },
        "aria-current": index === chosen && "true",
        onclick: () => choose(index),
        onpointerenter: () => look(index),
        onpointerleave: () => look(null),
        onfocus: () => look(index),
        onblur: () => look(null),
      },
      swatch({ colour, dash: "" }),
      el("span", { class: "grow clip" }, name),
      el("span", { class: "muted" }, whole(points)),
    );
  const all = people.map((person) => ({ text: person.name, person }));

  function fill() {
    const found = matching(all, filter.value);
    buttons = found.slice(0, MOST).map(({ person }) => button(person));
    list.replaceChildren(...buttons.map((one) => el("li", {}, one)));
    if (buttons.length) buttons[0].tabIndex = 0;
    const some = `The first ${whole(MOST)} of ${whole(found.length)}: search to find others.`;
    showText(note, found.length > MOST ? some : found.length ? "" : `No ${noun} has this name.`);
  }

  list.addEventListener("keydown", (event) => {
    const step = STEPS[event.key];
    const at = buttons.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    if (step === undefined || at < 0) return;
    event.preventDefault();
    const to = buttons[Math.max(0, Math.min(at + step, buttons.length - 1))];
    buttons[at].tabIndex = -1;
    to.tabIndex = 0;
    to.focus();
  });
  host.replaceChildren(filter, list, note);

  return {
    set: (shown) => shown && !buttons.length && fill(),
    mark(index) {
      chosen = index;
      for (const item of buttons) item.ariaCurrent = Number(item.dataset.index) === index ? "true" : null;
    },
  };
}
