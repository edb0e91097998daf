/* A list of people with their colours: filtered by name, moved through with the arrows, one is chosen by a press. */

import { matching } from "../components/matching.js";
import { swatch } from "../components/swatch.js";
import { el } from "../core/dom.js";
import { showText } from "../core/elements.js";
import { capitalized, plural, whole } from "../core/format.js";

const MOST = 500; // rows; a search finds the others
const STEPS = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity };

/**
 * The list in `host` of `people` (see people.js), each a `noun`. `choose(index)` after a press, `look(index or null)`
 * while a pointer or the focus is on one. `set(shown)` fills it when it is first shown; `mark(index or null)` shows
 * which one was chosen.
 */
export function createPeopleList(host, people, { noun, choose, look }) {
  const filter = el("input", {
    ...{ class: "input", type: "search", placeholder: `Find a ${noun}`, "aria-label": `Find a ${noun}` },
    oninput: () => fill(),
  });
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
      el("span", { class: "people__name clip" }, name),
      el("span", { class: "muted" }, whole(points)),
    );
  const all = people.map((person) => ({ text: person.name, person }));

  function fill() {
    const found = matching(all, filter.value);
    buttons = found.slice(0, MOST).map(({ person }) => button(person));
    list.replaceChildren(...buttons.map((one) => el("li", {}, one)));
    if (buttons.length) buttons[0].tabIndex = 0;
    const text =
      found.length > MOST ? `The first ${whole(MOST)} of ${whole(found.length)}: search to find others.` : "";
    showText(note, found.length ? text : `No ${noun} has this name.`);
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
    set(shown) {
      if (shown && !buttons.length) fill();
    },
    mark(index) {
      chosen = index;
      for (const one of buttons) {
        if (Number(one.dataset.index) === index) one.setAttribute("aria-current", "true");
        else one.removeAttribute("aria-current");
      }
    },
  };
}
