/* What several unit tests of static/js need: seeded draws and, for modules that read the page, a page without elements.
 * Nothing here comes from a browser or the network.
 */
import { after } from "node:test";
import { setImmediate } from "node:timers";

/** A seeded source of numbers (mulberry32): the same draws on each run. @param {number} seed */
export function draws(seed) {
  let state = seed >>> 0;
  /** At least 0, below 1. */
  const unit = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const real = (/** @type {number} */ low, /** @type {number} */ high) => low + (high - low) * unit();
  const int = (/** @type {number} */ low, /** @type {number} */ last) => Math.floor(real(low, last + 1));
  return {
    real,
    int,
    /** @template T @param {ArrayLike<T>} items */
    pick: (items) => items[int(0, items.length - 1)],
    /** @template T @param {number} n @param {(i: number) => T} make @returns {T[]} */
    list: (n, make) => Array.from({ length: n }, (_, i) => make(i)),
  };
}

/** Let everything run that waits for a promise. */
export const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Narrow spaces between numbers and units as plain ones. @param {string} text */
export const plain = (text) => text.replaceAll("\u202f", " ");

/**
 * Put `values` in place of globals (document, fetch, location, …) until the tests of the file are over.
 *
 * @param {Record<string, any>} values
 */
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
 *
 * @param {Record<string, any>} elements
 */
export function pageOf(elements = {}) {
  const events = new EventTarget();
  return {
    cookie: "",
    hidden: false,
    documentElement: { dataset: /** @type {Record<string, string>} */ ({}) },
    body: { dataset: /** @type {Record<string, string>} */ ({}) },
    querySelector: (/** @type {string} */ selector) => elements[selector] ?? null,
    querySelectorAll: (/** @type {string} */ selector) => elements[selector] ?? [],
    getElementById: (/** @type {string} */ id) => elements[`#${id}`] ?? null,
    addEventListener: events.addEventListener.bind(events),
    removeEventListener: events.removeEventListener.bind(events),
    dispatchEvent: events.dispatchEvent.bind(events),
  };
}

/** A Storage in memory. @param {Record<string, string>} [entries] */
export function storageOf(entries = {}) {
  const methods = {
    getItem: (/** @type {string} */ key) => (Object.hasOwn(store, key) ? store[key] : null),
    setItem: (/** @type {string} */ key, /** @type {any} */ value) => void (store[key] = String(value)),
    removeItem: (/** @type {string} */ key) => void delete store[key],
  };
  /** @type {any} */
  const store = Object.assign(Object.create(methods), entries);
  return store;
}

/**
 * @typedef {{url: string, method: string, headers: any, body: any}} Sent
 * @typedef {{status?: number, body?: any, headers?: Record<string, string>}} Answer
 *
 * A server without a network, behind `fetch` and `XMLHttpRequest`: `sent` is what arrived, `answer` gives what becomes
 * of it: an error where the connection is lost, undefined where nothing ever comes.
 *
 * @param {(sent: Sent) => Answer | Error | undefined} answer
 */
export function serverOf(answer) {
  /** @type {Sent[]} */
  const sent = [];
  /** @param {Sent} one */
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
    headers = /** @type {Record<string, string>} */ ({});
    answered = /** @type {Record<string, string>} */ ({});
    open(/** @type {string} */ method, /** @type {string} */ url) {
      Object.assign(this, { method, url });
    }
    setRequestHeader(/** @type {string} */ name, /** @type {string} */ value) {
      this.headers[name] = value;
    }
    getResponseHeader(/** @type {string} */ name) {
      return this.answered[name] ?? null;
    }
    abort() {
      this.dispatchEvent(new Event("abort"));
    }
    send(/** @type {any} */ body) {
      const { method, url, headers } = /** @type {any} */ (this);
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

  /** @param {string} url
   * @param {any} options */
  async function fetch(url, { method = "GET", headers, body, signal } = {}) {
    signal?.throwIfAborted();
    const found = take({ url, method, headers, body });
    if (!found) return new Promise(() => {});
    const { status, text, headers: answered } = found;
    return new Response([204, 304].includes(status) ? null : text, { status, headers: answered });
  }
  return { sent, fetch, XMLHttpRequest };
}
