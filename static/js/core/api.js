/* Requests to the server: JSON over fetch, uploads over XMLHttpRequest (fetch does not report how much was sent). */

import { isRepeatable } from "./session.js";
import { csrfToken } from "./csrf.js";
import { sentenceOf } from "./field_errors.js";

/** What the server refused, or could not do. */
export class ApiError extends Error {
  /** @param {number} status @param {ApiProblem[]} errors @param {number | null} retryAfter seconds */
  constructor(status, errors, retryAfter = null) {
    super(errors.map(sentenceOf).join(" "));
    this.name = "ApiError";
    this.status = status;
    this.errors = errors;
    this.retryAfter = retryAfter;
  }
}

const UNREACHED = {
  code: "unreached",
  message: "The server did not answer. Is Cairn still running? Nothing was changed; try again.",
};

/** @type {Record<number, string>} Messages for statuses whose body has none. */
const TEXTS = {
  401: "You are logged out. Log in again and repeat this.",
  403: "This request is not allowed. Reload the page and try again.",
  404: "It no longer exists.",
  413: "The file is larger than this server accepts.",
  429: "Too many requests. Wait and try again.",
  503: "The server is not available at the moment. Nothing was changed; try again.",
  507: "The disk of the server is full. Nothing was changed.",
};

/** The error for an answer. @param {number} status @param {string} text @param {number | null} retryAfter seconds */
function failure(status, text, retryAfter) {
  /** @type {ApiProblem[] | null} */
  let errors = null;
  try {
    errors = JSON.parse(text).errors;
  } catch {
    // not JSON: a proxy's page or ours
  }
  const message = TEXTS[status] ?? `The server failed (status ${status}). Try again; if it fails again, report it.`;
  return new ApiError(
    status,
    errors?.length && status !== 401 ? errors : [{ code: `http-${status}`, message }],
    retryAfter,
  );
}

/** @param {string} method @param {string} url @param {RequestOptions} options */
async function send(method, url, { body, signal, headers = {} }) {
  /** @type {Record<string, string>} */
  const own = { Accept: "application/json", ...headers };
  if (method !== "GET") own["X-CSRFToken"] = csrfToken();
  if (body !== undefined) own["Content-Type"] = "application/json";
  try {
    return await noted(
      fetch(url, {
        method,
        headers: own,
        signal,
        body: body === undefined ? undefined : JSON.stringify(body),
        credentials: "same-origin",
      }),
    );
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError(0, [UNREACHED]);
  }
}

/** @param {Response} answer */
const refusal = async (answer) =>
  failure(answer.status, await answer.text(), Number(answer.headers.get("Retry-After")) || null);

/**
 * Send a request; where the session has ended, once more after logging in again. One in the `background` is refused.
 *
 * @param {string} method
 * @param {string} url
 * @param {RequestOptions} options
 */
async function request(method, url, { background = false, ...options } = {}) {
  let answer = await send(method, url, options);
  if (answer.ok) return answer;
  const error = await refusal(answer);
  if (background || !(await isRepeatable(error))) throw error;
  answer = await send(method, url, options);
  if (!answer.ok) throw await refusal(answer);
  return answer;
}

async function json(/** @type {Response} */ answer) {
  const text = await answer.text();
  return text ? JSON.parse(text) : null;
}

/** @param {string} url @param {RequestOptions} [options] */
export const get = async (url, options) => json(await request("GET", url, options));
/** @param {string} url @param {any} body @param {RequestOptions} [options] */
export const post = async (url, body = {}, options) => json(await request("POST", url, { ...options, body }));
/** @param {string} url @param {any} body @param {RequestOptions} [options] */
export const patch = async (url, body, options) => json(await request("PATCH", url, { ...options, body }));
/** @param {string} url @param {RequestOptions} [options] */
export const del = async (url, options) => json(await request("DELETE", url, options));
/** @param {string} url @param {RequestOptions} [options] */
export const getText = async (url, options) =>
  (await request("GET", url, { ...options, headers: { Accept: "text/html, */*" } })).text();

/** @param {string} url @param {RequestOptions} [options] */
export const getBytes = async (url, options) =>
  (await request("GET", url, { ...options, headers: { Accept: "*/*" } })).arrayBuffer();

/**
 * POST a form; `onProgress(share)` receives the share that was sent, 0 to 1.
 *
 * @param {string} url
 * @param {FormData} form
 * @param {{onProgress?: (share: number) => void, signal?: AbortSignal}} options
 */
export async function postForm(url, form, { onProgress, signal } = {}) {
  const report = (/** @type {number} */ sent, /** @type {number} */ all) => onProgress?.(sent / all);
  const { responseText } = await transfer("POST", url, { body: form, onProgress: report, signal });
  return JSON.parse(responseText || "null");
}

/**
 * A request that reports how much of its body was sent: `onProgress(bytes, ofBytes)`. Resolves with the XMLHttpRequest;
 * where the session has ended it is sent once more after logging in again.
 *
 * @param {string} method
 * @param {string} url
 * @param {TransferOptions} options
 * @returns {Promise<XMLHttpRequest>}
 */
export async function transfer(method, url, options = {}) {
  try {
    return await transferOnce(method, url, options);
  } catch (error) {
    if (!(error instanceof ApiError) || !(await isRepeatable(error))) throw error;
    return transferOnce(method, url, options);
  }
}

/**
 * @param {string} method
 * @param {string} url
 * @param {TransferOptions} options
 * @returns {Promise<XMLHttpRequest>}
 */
function transferOnce(method, url, { body, headers = {}, onProgress, signal }) {
  return new Promise((resolve, reject) => {
    const sending = new XMLHttpRequest();
    const stop = () => sending.abort();
    sending.open(method, url);
    for (const [name, value] of Object.entries({ Accept: "application/json", "X-CSRFToken": csrfToken(), ...headers }))
      sending.setRequestHeader(name, value);
    sending.upload.addEventListener("progress", (event) => {
      if (event.lengthComputable) onProgress?.(event.loaded, event.total);
    });
    sending.addEventListener("load", () => {
      if (sending.status >= 200 && sending.status < 300) resolve(sending);
      else
        reject(failure(sending.status, sending.responseText, Number(sending.getResponseHeader("Retry-After")) || null));
    });
    sending.addEventListener("error", () => reject(new ApiError(0, [UNREACHED])));
    sending.addEventListener("abort", () => reject(new DOMException("Cancelled", "AbortError")));
    sending.addEventListener("loadend", () => signal?.removeEventListener("abort", stop));
    if (signal?.aborted) {
      reject(new DOMException("Cancelled", "AbortError"));
      return;
    }
    signal?.addEventListener("abort", stop);
    sending.send(body);
  });
}

/**
 * Resolve after `ms` milliseconds; reject with an AbortError when `signal` is aborted.
 *
 * @param {number} ms
 * @param {AbortSignal} [signal]
 * @returns {Promise<void>}
 */
export const pause = (ms, signal) =>
  new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(new DOMException("Cancelled", "AbortError"));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });

/** Whether a job has ended. @param {{state: string}} job */
export const isOver = ({ state }) => state !== "queued" && state !== "running";

/**
 * GET `url` again and again until `until(answer)`, without it until the job has ended; every answer goes to `onUpdate`.
 * Resolves with the last one. Failed requests are repeated, more and more slowly; an answer of 4xx ends the polling.
 *
 * @param {string} url
 * @param {PollOptions} options
 */
export async function poll(url, { until = isOver, every = 1000, onUpdate, signal } = {}) {
  for (let missed = 0; ;) {
    try {
      const answer = await get(url, { signal, background: true });
      missed = 0;
      onUpdate?.(answer);
      if (until(answer)) return answer;
    } catch (error) {
      const passing = error instanceof ApiError && (error.status === 0 || error.status >= 500 || error.status === 429);
      if (!passing) throw error;
      missed += 1;
    }
    const wait = document.hidden ? Math.max(every, 5000) : every;
    await pause(Math.min(wait * 2 ** Math.min(missed, 5), 30_000), signal);
  }
}

const SHOWN_AFTER_MS = 1000;
let waiting = 0;

/**
 * What `answer` becomes; where the page was served before all was compiled, its note is shown while that takes long.
 *
 * @template Answer
 * @param {Promise<Answer>} answer
 * @returns {Promise<Answer>}
 */
export async function noted(answer) {
  /** @type {HTMLElement | null} */
  const note = document.querySelector("[data-compiling]");
  if (!note) return answer;
  waiting += 1;
  const timer = setTimeout(() => (note.hidden = false), SHOWN_AFTER_MS);
  try {
    return await answer;
  } finally {
    clearTimeout(timer);
    waiting -= 1;
    note.hidden ||= !waiting;
  }
}

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
