/* What is loaded once for all that need it: files, libraries. */

import { $, el } from "./dom.js";

/** @type {Map<string, Promise<any>>} by what is loaded */
const loading = new Map();

/**
 * What `load` gives, once for a key; a load that failed is tried again by the next one.
 *
 * @template T
 * @param {string} key
 * @param {() => Promise<T>} load
 * @returns {Promise<T>}
 */
export function once(key, load) {
  const found = loading.get(key) ?? load();
  loading.set(key, found);
  found.catch(() => loading.delete(key));
  return found;
}

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
