/* Elements that have what core/dom.js sets and the tests read: tags, attributes, text and listeners, no layout. */
import { pageOf, setGlobals } from "./support.mjs";

const asNode = (node) => (node instanceof FakeElement ? node : String(node));

export class FakeElement {
  constructor(tag) {
    Object.assign(this, { tag, hidden: false, children: [], dataset: {}, attributes: {}, listeners: {} });
    const style = {};
    this.style = Object.assign(style, { setProperty: (name, to) => void (style[name] = to) });
  }
  get textContent() {
    return this.children.map((child) => child.textContent ?? child).join("");
  }
  set textContent(text) {
    this.replaceChildren(text);
  }
  append(...nodes) {
    this.children.push(...nodes.map(asNode));
  }
  replaceChildren(...nodes) {
    this.children = nodes.map(asNode);
  }
  setAttribute(name, value) {
    this.attributes[name] = String(value);
  }
  getAttribute(name) {
    return this.attributes[name] ?? null;
  }
  focus() {}
  remove() {}
  addEventListener(type, listener) {
    (this.listeners[type] ??= []).push(listener);
  }
  /** What listeners of an event return. */
  emit(type, event = {}) {
    return (this.listeners[type] ?? []).map((listener) => listener(event));
  }
  /** The elements of a tag inside it. */
  all(tag) {
    const inside = this.children.filter((child) => child instanceof FakeElement);
    return inside.flatMap((child) => [...(child.tag === tag ? [child] : []), ...child.all(tag)]);
  }
  /** The texts of the elements of a tag inside it. */
  texts(tag) {
    return this.all(tag).map((one) => one.textContent.replaceAll("\u202f", " "));
  }
}

/** Let modules make such elements; `parts` are those of the page by selector. */
export function setElements(parts = {}) {
  const createElement = (tag) => new FakeElement(tag);
  const createElementNS = (_, tag) => new FakeElement(tag);
  setGlobals({ document: { ...pageOf(parts), createElement, createElementNS } });
}
