/* What is loaded once for all that need it, and long computations in slices. */

import { $, el } from "./dom.js";

/** A function of a key and what loads: it gives that once for a key; what failed is tried again by the next one. */
export function createOnce() {
  /** @type {Map<string, Promise<any>>} */
  const loading = new Map();
  /**
   * @template T
   * @param {string} key
   * @param {() => Promise<T>} load
   * @returns {Promise<T>}
   */
  return (key, load) => {
    const found = loading.get(key) ?? load();
    loading.set(key, found);
    found.catch(() => loading.delete(key));
    return found;
  };
}

/** For all of the page. */
export const once = createOnce();

/**
 * The global `name` of the library whose address the page has in a meta element `of`.
 *
 * @param {string} of
 * @param {string} name
 * @param {string} failure what the error states where it cannot be had
 */
export const loadLibrary = (of, name, failure) =>
  once(of, () => {
    const { content } = /** @type {HTMLMetaElement} */ ($(`meta[name=${of}]`));
    return new Promise((resolve, reject) => {
      const script = el("script", { src: content });
      script.addEventListener("load", () => resolve(/** @type {any} */ (window)[name]));
      script.addEventListener("error", () => reject(new Error(failure)));
      document.head.append(script);
    });
  });

/** Let the page paint and handle events before the caller goes on. @returns {Promise<void>} */
export function yieldToPage() {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close(); // Node would wait for another one
      resolve();
    };
    port2.postMessage(null);
  });
}
