/* Elements that many pages have: buttons and links with a name for screen readers, choices, lists, heads of tables. */

import { $$, el, svg } from "./dom.js";

/**
 * A small button; `name` is what screen readers read, null for its text, `style` a further class.
 *
 * @param {any} text
 * @param {string | null} name
 * @param {(event: any) => unknown} onclick
 * @param {Record<string, any>} [attributes]
 */
export const smallButton = (text, name, onclick, { style = "", ...attributes } = {}) => {
  const own = { class: `button button--small ${style}`.trim(), "aria-label": name, onclick };
  return el("button", { ...own, ...attributes }, text);
};

/** A link to a file; `name` is what screen readers read. @param {string} href
 * @param {string} text
 * @param {string} name */
export const fileLink = (href, text, name) => el("a", { href, download: true, "aria-label": name }, text);

/** A checkbox or a radio input with its text. @param {HTMLInputElement} input @param {...any} text */
export const choice = (input, ...text) => el("label.choice", input, el("span", text));

/** A list of `items`, each text or nodes. @param {Record<string, any>} attributes @param {any[]} items */
export const list = (attributes, items) => el("ul", attributes, items.map(itemOf));

const itemOf = (/** @type {any} */ content) => el("li", content);

/** A list of terms and what they are. @param {Record<string, any>} attributes @param {any[][]} facts */
export const factList = (attributes, facts) => el("dl", attributes, facts.map(factOf));

const factOf = (/** @type {any[]} */ [term, ...what]) => [el("dt", term), el("dd", what)];

/** A select of `options`, [value, text] each. @param {Record<string, any>} attributes @param {any[][]} options */
export const selectOf = (attributes, options) => el("select", { class: "input", ...attributes }, options.map(optionOf));

const optionOf = (/** @type {any[]} */ [value, text]) => el("option", { value: String(value) }, text);

/** The head of a table: the first column has texts, the others what `style` is for. @param {string[]} heads */
export function tableHead(heads, style = "number") {
  const headOf = (/** @type {string} */ text, /** @type {number} */ i) =>
    el("th", { scope: "col", class: (i && style) || null }, text);
  return el("thead", el("tr", heads.map(headOf)));
}

/** A computed number, marked by what it is: one name has one value on a page. @param {string} name
 * @param {string} text */
export const quantity = (name, text) => el("span", { dataset: { quantity: name } }, text);

/**
 * Watch the buttons [data-name], of which the one chosen is pressed; `choose(value)` receives the value of its
 * attribute. The result presses the button of a value.
 *
 * @param {string} name
 * @param {(value: any) => unknown} choose
 */
export function watchPressed(name, choose) {
  const buttons = $$(`[data-${name}]`);
  const press = (/** @type {string} */ value) => {
    for (const one of buttons) one.setAttribute("aria-pressed", String(one.dataset[name] === value));
  };
  for (const button of buttons)
    button.addEventListener("click", () => {
      press(button.dataset[name]);
      return choose(button.dataset[name]);
    });
  return press;
}

/** An icon of 16 by 16 px. @param {string} path */
export const icon = (path) =>
  svg("svg", { class: "icon", viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", { d: path }));

/** Show a text in its place, which is hidden without one. @param {HTMLElement} place @param {string} text */
export function showText(place, text) {
  place.textContent = text;
  place.hidden = !text;
}

/** An input with its label and what stands below it. @param {HTMLElement} input @param {any} label
 * @param {...any} more */
export const labelled = (input, label, ...more) =>
  el("div", { class: "field" }, el("label", { for: input.id }, label), input, more);

/** The place of an error, for {@link showText}. @param {Record<string, any>} [attributes] */
export const errorPlace = (attributes) =>
  el("p", { class: "field__error", role: "alert", hidden: true, ...attributes });
