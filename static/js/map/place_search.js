/* A search for one of the built-in cities by the beginning of its name: a combobox with a list. */

import { announce, el } from "../core/dom.js";
import { baseMap } from "./basemap_choice.js";
import { findCities, loadCities } from "./cities.js";
import { createPopover } from "./popover.js";

const ZOOM = 11; // a city and what is around it
const UNREACHED = "The list of cities could not be loaded. Type again to try once more.";
let searches = 0;

/** The field, its list and a note. @param {string} id */
function elements(id) {
  const list = el("ul", { class: "place-search__list", id: `${id}-list`, role: "listbox", "aria-label": "Cities" });
  const named = { id, class: "input place-search__input", placeholder: "Find a city", "aria-label": "Find a city" };
  const typed = { type: "text", role: "combobox", autocomplete: "off", spellcheck: "false" };
  const listed = { "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": list.id };
  const input = el("input", { ...named, ...typed, ...listed });
  return { input, list, note: el("p", { class: "place-search__note small muted unless-empty", role: "status" }) };
}

/** The search that `button` opens; it is open. `near(lon)` is a longitude as the map counts it. */
export function openPlaceSearch(button, map, near) {
  const id = `places-${(searches += 1)}`;
  const { input, list, note } = elements(id);
  input.addEventListener("input", search);
  input.addEventListener("keydown", onKey);
  const box = el("div", { class: "place-search", role: "dialog", "aria-label": "Find a place" }, input, list, note);
  const opened = () => {
    load();
    input.focus();
    input.select();
  };
  button.after(box);
  const popover = createPopover(button, box, { opened, align: "right" });
  L.DomEvent.disableClickPropagation(box);
  L.DomEvent.disableScrollPropagation(box);
  box.showPopover();

  /** @type {import("./cities.js").City[]} */
  let found = [];
  let at = -1;

  const load = () => loadCities(/** @type {any} */ (baseMap()).built_in.cities);

  async function search() {
    const text = input.value;
    try {
      const all = await load();
      if (text === input.value) show(findCities(all, text), text);
    } catch {
      note.textContent = UNREACHED;
    }
  }

  function show(cities, text) {
    found = cities;
    list.replaceChildren(...cities.map(option));
    mark(cities.length ? 0 : -1);
    input.setAttribute("aria-expanded", String(cities.length > 0));
    note.textContent = text.trim() && !cities.length ? `No built-in city begins with “${text.trim()}”.` : "";
    popover.place();
  }

  function option({ name, country }, i) {
    const press = { role: "option", id: `${id}-${i}`, class: "place-search__option", onclick: () => choose(i) };
    return el("li", press, name, el("span", { class: "small muted" }, ` ${country}`));
  }

  function mark(i) {
    at = i;
    [...list.children].forEach((one, k) => one.setAttribute("aria-selected", String(k === i)));
    list.children[i]?.scrollIntoView({ block: "nearest" });
    if (i < 0) input.removeAttribute("aria-activedescendant");
    else input.setAttribute("aria-activedescendant", `${id}-${i}`);
  }

  function choose(i) {
    const { name, country, lon, lat } = found[i];
    popover.close();
    input.value = name;
    map.setView([lat, near(lon)], ZOOM, { animate: false });
    announce(`The map shows ${name}, ${country}.`);
    button.focus();
  }

  function onKey(event) {
    const last = found.length - 1;
    /** @type {Record<string, () => void>} */
    const keys = {
      ArrowDown: () => mark(at < last ? at + 1 : 0),
      ArrowUp: () => mark(at > 0 ? at - 1 : last),
      Enter: () => at >= 0 && choose(at),
    };
    if (!keys[event.key] || event.isComposing || (!found.length && event.key !== "Enter")) return;
    event.preventDefault();
    keys[event.key]();
  }
}
