/* What several unit tests of static/js need: seeded draws and, for modules that read the page, a page without elements.
 * Nothing here comes from a browser or the network.
 */
import { after } from "node:test";
import { setImmediate } from "node:timers";

/** A seeded source of numbers (mulberry32): the same draws on each run. */
export function draws(seed) {
  let state = seed >>> 0;
  /** At least 0, below 1. */
  const unit = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const real = (low, high) => low + (high - low) * unit();
  const int = (low, last) => Math.floor(real(low, last + 1));
  return {
    real,
    int,
    pick: (items) => items[int(0, items.length - 1)],
    list: (n, make) => Array.from({ length: n }, (_, i) => make(i)),
  };
}

/** Let everything run that waits for a promise. */
export const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Narrow spaces between numbers and units as plain ones. */
export const plain = (text) => text.replaceAll("\u202f", " ");

/** Put `values` in place of globals (document, fetch, location, …) until the tests of the file are over. */
export function setGlobals(values) {
  for (const [name, value] of Object.entries(values)) {
    const before = Object.getOwnPropertyDescriptor(globalThis, name);
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
    after(() => {
      if (before) Object.defineProperty(globalThis, name, before);
      else Reflect.deleteProperty(globalThis, name);
    });
  }
}

/**
 * A document whose `querySelector` gives `elements[selector]`; `listeners` of "submit", "cairn:theme", … are called by
 * `emit`.
 */
export function pageOf(elements = {}) {
  const events = new EventTarget();
  return {
    cookie: "",
    hidden: false,
    documentElement: { dataset: {} },
    body: { dataset: {} },
    querySelector: (selector) => elements[selector] ?? null,
    querySelectorAll: (selector) => elements[selector] ?? [],
    getElementById: (id) => elements[`#${id}`] ?? null,
    addEventListener: events.addEventListener.bind(events),
    removeEventListener: events.removeEventListener.bind(events),
    dispatchEvent: events.dispatchEvent.bind(events),
  };
}

/** A Storage in memory. */
export function storageOf(entries = {}) {
  const methods = {
    getItem: (key) => (Object.hasOwn(store, key) ? store[key] : null),
    setItem: (key, value) => void (store[key] = String(value)),
    removeItem: (key) => void delete store[key],
  };
  const store = Object.assign(Object.create(methods), entries);
  return store;
}

/**
 * A server without a network, behind `fetch` and `XMLHttpRequest`: `sent` is what arrived, `answer` gives what becomes
 * of it: an error where the connection is lost, undefined where nothing ever comes.
 */
export function serverOf(answer) {
  const sent = [];
  function take(one) {
    sent.push(one);
    const found = answer(one);
    if (found instanceof Error) throw found;
    if (!found) return null;
    const { status = 200, body = null, headers = {} } = found;
    return { status, text: typeof body === "string" ? body : JSON.stringify(body), headers };
  }

  class XMLHttpRequest extends EventTarget {
    upload = new EventTarget();
    headers = {};
    answered = {};
    open(method, url) {
      Object.assign(this, { method, url });
    }
    setRequestHeader(name, value) {
      this.headers[name] = value;
    }
    getResponseHeader(name) {
      return this.answered[name] ?? null;
    }
    abort() {
      this.dispatchEvent(new Event("abort"));
    }
    send(body) {
      const { method, url, headers } = this;
      queueMicrotask(() => {
        const size = body?.size ?? 4;
        for (const progress of [{ lengthComputable: true, loaded: size / 4, total: size }, { loaded: 9 }])
          this.upload.dispatchEvent(Object.assign(new Event("progress"), progress));
        try {
          const found = take({ method, url, headers, body });
          if (!found) return;
          Object.assign(this, { status: found.status, responseText: found.text, answered: found.headers });
          this.dispatchEvent(new Event("load"));
        } catch {
          this.dispatchEvent(new Event("error"));
        }
        this.dispatchEvent(new Event("loadend"));
      });
    }
  }

  async function fetch(url, { method = "GET", signal, ...more } = {}) {
    signal?.throwIfAborted();
    const found = take({ url, method, ...more });
    if (!found) return new Promise(() => {});
    const { status, text, headers: answered } = found;
    return new Response([204, 304].includes(status) ? null : text, { status, headers: answered });
  }
  return { sent, fetch, XMLHttpRequest };
}

/** The address bar of a page: pages replace the address, `go` opens one. */
export function addressBar() {
  const place = { href: "", search: "" };
  const go = (href) => Object.assign(place, { href, search: new URL(href).search });
  setGlobals({ location: place, history: { replaceState: (_, __, to) => go(to) } });
  return { place, go: (query) => go(`https://cairn.example/compare/${query}`) };
}
