/* Idempotency keys: a request that is sent twice creates one release. */

/** @type {Map<string, string>} */
const keys = new Map(); // request body -> key

/**
 * The headers of a POST of `body`: the same key for the same body, as long as the page is open.
 *
 * @param {object} body
 * @returns {{"Idempotency-Key": string}}
 */
export function idempotencyHeaders(body) {
  const text = JSON.stringify(body);
  const key = keys.get(text) ?? newKey();
  keys.set(text, key);
  return { "Idempotency-Key": key };
}

// Not crypto.randomUUID: it is undefined on a page without TLS.
const newKey = () =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
