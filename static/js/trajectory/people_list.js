/* A list of people with their colours: filtered by name, moved through with the arrows, one is chosen by a press. */

import { matching } from "../components/search_select.js";
import { swatch } from "../components/swatch.js";
import { el } from "../core/dom.js";
import { whole } from "../core/format.js";

const STEPS = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity };

/**
 * The list in `host` of `people` (see people.js). `on.choose(index)` after a press, `on.look(index or null)` while a
 * pointer or the focus is on one. `set(shown)` fills it when it is first shown.
 */
export function createPeopleList(host, people, on) {
  const filter = el("input", {
    ...{ class: "input", type: "search", placeholder: "Find a person", "aria-label": "Find a person" },
    oninput: () => fill(),
  });
  const list = el("ul", { class: "people", "aria-label": "People" });
  const none = el("p", { class: "muted small", hidden: true }, "No person has this name.");
  /** @type {HTMLElement[]} */
  let buttons = [];

  const button = ({ index, name, points, colour }) =>
    el(
      "button",
      {
        ...{ class: "bare people__one", type: "button", tabindex: "-1" },
        onclick: () => on.choose(index),
        onpointerenter: () => on.look(index),
        onpointerleave: () => on.look(null),
        onfocus: () => on.look(index),
        onblur: () => on.look(null),
      },
      swatch({ colour, dash: "" }),
      el("span", { class: "people__name" }, name),
      el("span", { class: "muted" }, whole(points)),
    );
  const all = people.map((person) => ({ text: person.name, person }));

  function fill() {
    buttons = matching(all, filter.value).map(({ person }) => button(person));
    list.replaceChildren(...buttons.map((one) => el("li", {}, one)));
    if (buttons.length) buttons[0].tabIndex = 0;
    none.hidden = buttons.length > 0;
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
  host.replaceChildren(filter, list, none);

  return {
    set(shown) {
      if (shown && !buttons.length) fill();
    },
  };
}
