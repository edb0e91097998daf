/* Elements and files. Everything a user or a file wrote goes in as text, never as markup. */

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
 * el("button.link", {onclick: go}, "Go"): a tag and its classes, attributes if any, then children: nodes or text, of
 * which null, undefined and false are left out. A button submits a form only where its type is "submit".
 *
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag | `${Tag}.${string}`} name
 * @param {...any} rest
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function el(name, ...rest) {
  const [tag, ...classes] = name.split(".");
  const attributes = rest[0] === null || rest[0]?.constructor === Object ? rest.shift() : {};
  const style = [...classes, attributes?.class].filter(Boolean).join(" ") || null;
  const element = /** @type {any} */ (document.createElement(tag));
  return fill(element, { ...(tag === "button" && { type: "button" }), ...attributes, class: style }, rest);
}

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

const MOST = 60; // characters of one part

const cleaned = (/** @type {string} */ part) =>
  Array.from(
    part
      .normalize("NFKC")
      .replace(/[^\p{L}\p{M}\p{N}.]/gu, "-")
      .replace(/-*\.[-.]*|-+/g, (gap) => (gap.includes(".") ? "." : "-"))
      .replace(/^[-.]+|[-.]+$/g, ""),
  )
    .slice(0, MOST)
    .join("")
    .replace(/[-.]+$/, "");

/**
 * `parts` as one file name: letters, digits, points and hyphens, an underscore between two parts.
 *
 * @param {(string | undefined)[]} parts
 * @param {string} extension without its point
 */
export function fileName(parts, extension) {
  const stem = parts
    .map((part) => cleaned(part ?? ""))
    .filter(Boolean)
    .join("_");
  return `${stem || "cairn"}.${extension}`;
}

/**
 * The name of a file of this page, which begins with the dataset that it is about.
 *
 * @param {string} what its further parts, with underscores between them: "error_landmarks"
 * @param {string} extension
 */
export const pageFileName = (what, extension) => fileName([document.body.dataset.files, ...what.split("_")], extension);
