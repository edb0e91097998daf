/* Elements. Everything a user or a file wrote goes in as text, never as markup. */

import { pageFileName } from "./file_name.js";

const SVG = "http://www.w3.org/2000/svg";
const PROPERTIES = ["value", "checked", "disabled", "open", "indeterminate"]; // set as such, not as attributes

/**
 * @template {any} T
 * @param {T} element
 * @param {Record<string, any> | null | undefined} attributes
 * @param {any[]} children
 * @returns {T}
 */
function fill(element, attributes, children) {
  /** @type {any} */
  const node = element;
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "dataset") Object.assign(node.dataset, value);
    else if (name === "text") node.textContent = value;
    else if (name === "style") for (const [key, to] of Object.entries(value)) node.style.setProperty(key, to);
    else if (PROPERTIES.includes(name)) node[name] = value;
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/**
 * el("button", {class: "button", onclick: go}, "Go"): children are nodes or text; those that are null, undefined or
 * false are left out.
 *
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, any> | null} [attributes]
 * @param {...any} children
 */
export const el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);

/**
 * The same for SVG.
 *
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, any> | null} [attributes]
 * @param {...any} children
 */
export const svg = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

/**
 * The first element that matches. Its type is any: which element it is, and that there is one, the template decides.
 *
 * @param {string} selector
 * @param {ParentNode} root
 * @returns {any}
 */
export const $ = (selector, root = document) => root.querySelector(selector);

/** All elements that match. @param {string} selector @param {ParentNode} root @returns {any[]} */
export const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];

/** The data of a {{ value|json_script:id }} tag. @param {string} id */
export const data = (id) => JSON.parse(document.getElementById(id)?.textContent ?? "null");

/** "light" or "dark", as shown now; `document` receives "cairn:theme" when it changes. */
export const theme = () => document.documentElement.dataset.theme ?? "light";

/** Announce a text to screen readers. @param {string} text */
export function announce(text) {
  const region = document.getElementById("announcer");
  if (region && region.textContent !== text) region.textContent = text;
}

/**
 * Offer a file to the reader; `content` is a Blob or a URL. Its name begins with the dataset of the page.
 *
 * @param {Blob | string} content
 * @param {string} name what it has, with its extension
 */
export function save(content, name) {
  const url = content instanceof Blob ? URL.createObjectURL(content) : content;
  const point = name.lastIndexOf(".");
  el("a", { href: url, download: pageFileName(name.slice(0, point), name.slice(point + 1)) }).click();
  if (content instanceof Blob) setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
