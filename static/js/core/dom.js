/* Elements. Everything a user or a file wrote goes in as text, never as markup. */

const SVG = "http://www.w3.org/2000/svg";

function make(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "dataset") Object.assign(node.dataset, value);
    else if (name === "text") node.textContent = value;
    else if (name === "style") for (const [key, to] of Object.entries(value)) node.style.setProperty(key, to);
    else if (["value", "checked", "disabled", "open", "indeterminate"].includes(name)) node[name] = value;
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** el("button", {class: "button", onclick: go}, "Go"): children are nodes or text. */
export const el = (tag, attributes, ...children) => make(document.createElement(tag), attributes, children);

/** The same for SVG. */
export const svg = (tag, attributes, ...children) => make(document.createElementNS(SVG, tag), attributes, children);

export const $ = (selector, root = document) => root.querySelector(selector);
export const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];

/** The data of a {{ value|json_script:id }} tag. */
export const data = (id) => JSON.parse(document.getElementById(id).textContent);

/** "light" or "dark", as shown now; `document` hears "cairn:theme" when it changes. */
export const theme = () => document.documentElement.dataset.theme ?? "light";

/** Say something to a screen reader. */
export function announce(text) {
  const region = document.getElementById("announcer");
  if (region && region.textContent !== text) region.textContent = text;
}

/** Offer a file to the reader; `content` is a Blob or a URL. */
export function save(content, name) {
  const url = content instanceof Blob ? URL.createObjectURL(content) : content;
  el("a", { href: url, download: name }).click();
  if (content instanceof Blob) setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
