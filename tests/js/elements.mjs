/* Elements that have what core/dom.js sets and the tests read: tags, attributes, text and listeners, no layout. */
import { pageOf, setGlobals } from "./support.mjs";

/** @param {any} node */
const asNode = (node) => (node instanceof FakeElement ? node : String(node));

export class FakeElement {
  /** @param {string} tag @param {Record<string, any>} [parts] what `querySelector` finds in it */
  constructor(tag, parts = {}) {
    this.tag = tag;
    this.parts = parts;
    this.hidden = false;
    /** @type {any} */
    this.value = undefined;
    /** @type {any[]} */
    this.children = [];
    /** @type {Record<string, any>} */
    this.dataset = {};
    /** @type {Record<string, string>} */
    this.attributes = {};
    /** @type {Record<string, ((event: any) => void)[]>} */
    this.listeners = {};
    const style = /** @type {Record<string, any>} */ ({});
    this.style = Object.assign(style, {
      setProperty: (/** @type {string} */ name, /** @type {any} */ to) => void (style[name] = to),
    });
  }
  get textContent() {
    return this.children.map((child) => child.textContent ?? child).join("");
  }
  set textContent(text) {
    this.replaceChildren(text);
  }
  /** @param {...any} nodes */
  append(...nodes) {
    this.children.push(...nodes.map(asNode));
  }
  /** @param {...any} nodes */
  replaceChildren(...nodes) {
    this.children = nodes.map(asNode);
  }
  /** @param {string} name @param {any} value */
  setAttribute(name, value) {
    this.attributes[name] = String(value);
  }
  /** @param {string} name */
  getAttribute(name) {
    return this.attributes[name] ?? null;
  }
  focus() {}
  remove() {}
  /** @param {string} name */
  removeAttribute(name) {
    delete this.attributes[name];
  }
  /** @param {string} selector */
  querySelector(selector) {
    return this.parts[selector] ?? null;
  }
  /** @param {string} type @param {(event: any) => void} listener */
  addEventListener(type, listener) {
    (this.listeners[type] ??= []).push(listener);
  }
  /** What listeners of an event return. @param {string} type @param {any} [event] */
  emit(type, event = {}) {
    return (this.listeners[type] ?? []).map((listener) => listener(event));
  }
  /** The elements of a tag inside it. @param {string} tag @returns {any[]} */
  all(tag) {
    const inside = this.children.filter((child) => child instanceof FakeElement);
    return inside.flatMap((child) => [...(child.tag === tag ? [child] : []), ...child.all(tag)]);
  }
  /** The texts of the elements of a tag inside it. @param {string} tag */
  texts(tag) {
    return this.all(tag).map((one) => one.textContent.replaceAll("\u202f", " "));
  }
}

/** Let modules make such elements; `parts` are those of the page by selector. @param {Record<string, any>} [parts] */
export function setElements(parts = {}) {
  const createElement = (/** @type {string} */ tag) => new FakeElement(tag);
  const createElementNS = (/** @type {string} */ _, /** @type {string} */ tag) => new FakeElement(tag);
  setGlobals({ document: { ...pageOf(parts), createElement, createElementNS } });
}
