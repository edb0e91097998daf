/* The one way to the server: JSON over fetch, uploads over XMLHttpRequest (fetch cannot tell how much was sent). */

import { sentenceOf } from "./field_errors.js";

/** What the server refused, or could not do. `errors` are the API's: {code, field, rule, value, message, …}. */
export class ApiError extends Error {
  constructor(status, errors, retryAfter = null) {
    super(errors.map(sentenceOf).join(" "));
    this.name = "ApiError";
    this.status = status;
    this.errors = errors;
    this.retryAfter = retryAfter;
  }
}

const cookie = (name) =>
  document.cookie
    .split("; ")
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1);

function csrf() {
  const meta = (name) => document.querySelector(`meta[name=${name}]`)?.content;
  return meta("csrf-token") || cookie(meta("csrf-cookie") ?? "csrftoken") || "";
}

const UNREACHED = {
  code: "unreached",
  message: "The server did not answer. Is Cairn still running? Nothing was changed; try again.",
};

/** Statuses that need words of their own when the body has none. */
const TEXTS = {
  401: "You are logged out. Log in again and repeat this.",
  403: "This was not allowed. Reload the page and try again.",
  404: "It is no longer there.",
  413: "The file is larger than this server takes.",
  429: "Too many requests. Wait a little and try again.",
};

function failure(status, text, retryAfter) {
  let errors = null;
  try {
    errors = JSON.parse(text).errors;
  } catch {
    // not JSON: a proxy's page or ours
  }
  const message = TEXTS[status] ?? `The server failed (status ${status}). Try again; if it fails again, report it.`;
  return new ApiError(status, errors?.length ? errors : [{ code: `http-${status}`, message }], retryAfter);
}

async function request(method, url, { body, signal, headers = {} } = {}) {
  const own = { Accept: "application/json", ...headers };
  if (method !== "GET") own["X-CSRFToken"] = csrf();
  if (body !== undefined) own["Content-Type"] = "application/json";
  let answer;
  try {
    answer = await fetch(url, {
      method,
      headers: own,
      signal,
      body: body === undefined ? undefined : JSON.stringify(body),
      credentials: "same-origin",
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError(0, [UNREACHED]);
  }
  if (!answer.ok) throw failure(answer.status, await answer.text(), Number(answer.headers.get("Retry-After")) || null);
  return answer;
}

async function json(answer) {
  const text = await answer.text();
  return text ? JSON.parse(text) : null;
}

export const get = async (url, options) => json(await request("GET", url, options));
export const post = async (url, body = {}, options) => json(await request("POST", url, { ...options, body }));
export const patch = async (url, body, options) => json(await request("PATCH", url, { ...options, body }));
export const del = async (url, options) => json(await request("DELETE", url, options));
export const getBuffer = async (url, { signal } = {}) =>
  (await request("GET", url, { signal, headers: { Accept: "application/octet-stream, */*" } })).arrayBuffer();
export const getText = async (url, { signal } = {}) =>
  (await request("GET", url, { signal, headers: { Accept: "text/html, */*" } })).text();

/** POST a form; `onProgress(share)` hears how much of it was sent, 0 to 1. */
export const postForm = async (url, form, { onProgress, signal } = {}) =>
  JSON.parse(
    (await transfer("POST", url, { body: form, onProgress: (sent, all) => onProgress?.(sent / all), signal }))
      .responseText || "null",
  );

/**
 * A request that tells how much of its body was sent: `onProgress(bytes, ofBytes)`. Resolves with the XMLHttpRequest.
 */
export function transfer(method, url, { body, headers = {}, onProgress, signal } = {}) {
  return new Promise((resolve, reject) => {
    const sending = new XMLHttpRequest();
    const stop = () => sending.abort();
    sending.open(method, url);
    for (const [name, value] of Object.entries({ Accept: "application/json", "X-CSRFToken": csrf(), ...headers }))
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

/**
 * GET `url` again and again until `until(answer)`; every answer goes to `onUpdate`. Resolves with the last one.
 * A server that is away for a moment is asked again, more and more slowly; an answer of 4xx ends the polling.
 */
export async function poll(url, { until, every = 1000, onUpdate, signal } = {}) {
  for (let missed = 0; ;) {
    try {
      const answer = await get(url, { signal });
      missed = 0;
      onUpdate?.(answer);
      if (until?.(answer)) return answer;
    } catch (error) {
      const passing = error instanceof ApiError && (error.status === 0 || error.status >= 500 || error.status === 429);
      if (!passing) throw error;
      missed += 1;
    }
    const wait = document.hidden ? Math.max(every, 5000) : every;
    await pause(Math.min(wait * 2 ** Math.min(missed, 5), 30_000), signal);
  }
}
