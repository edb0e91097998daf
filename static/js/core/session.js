/* The session of the page: who it belongs to, whether it is still there, and logging in again without leaving. */

import { $ } from "./dom.js";
import { csrfToken } from "./csrf.js";

/** @typedef {{user: string | null, problem: string, needsCode?: boolean}} Session */

/** @type {(() => Promise<boolean>) | null} */
let logInAgain = null;
/** @type {Promise<boolean> | null} */
let waiting = null;

/** The user whom this page was made for, "" for none. */
export const pageUser = () => $("meta[name=session]")?.content ?? "";

/** `handler()` logs in again and resolves with whether it did; requests refused for a lost session wait for it. */
export const onSessionLost = (/** @type {() => Promise<boolean>} */ handler) => (logInAgain = handler);

/** Log in again, once for all that wait for it; whether requests may be repeated. */
export function restoreSession() {
  waiting ??= (logInAgain?.() ?? Promise.resolve(false)).finally(() => (waiting = null));
  return waiting;
}

/** Who is logged in now. The answer sets a CSRF cookie where there is none. @returns {Promise<Session>} */
export const currentSession = () => query("GET");

/**
 * Log in; `code` is that of the second factor, where the account has one.
 *
 * @param {string} username
 * @param {string} password
 * @param {string} code
 * @returns {Promise<Session>}
 */
export async function logIn(username, password, code) {
  const { user } = await currentSession(); // another tab may have done it
  return user ? { user, problem: "" } : query("POST", new URLSearchParams({ username, password, code }));
}

/** @param {string} method @param {URLSearchParams} [body] @returns {Promise<Session>} */
async function query(method, body) {
  try {
    const answer = await fetch($("meta[name=session]").dataset.login, {
      method,
      body,
      headers: { Accept: "application/json", ...(body && { "X-CSRFToken": csrfToken() }) },
      credentials: "same-origin",
    });
    if (answer.status >= 500 || !answer.headers.get("Content-Type")?.includes("json"))
      return { user: null, problem: `The server could not log you in (status ${answer.status}). Try again.` };
    const { user = null, errors = [] } = await answer.json();
    const needsCode = errors.some((/** @type {ApiProblem} */ { code }) => code === "second-factor");
    return { user, problem: errors.map((/** @type {ApiProblem} */ { message }) => message).join(" "), needsCode };
  } catch {
    return { user: null, problem: "The server did not answer. Try again." };
  }
}

/**
 * Whether a refused request may be sent once more: after logging in again, or with a new CSRF cookie.
 *
 * @param {{status: number, errors: ApiProblem[]}} refusal
 */
export async function isRepeatable({ status, errors }) {
  if (!pageUser()) return false;
  if (status === 401) return restoreSession();
  const isToken = status === 403 && errors.some(({ message }) => message.startsWith("CSRF"));
  if (!isToken) return false;
  const { user } = await currentSession();
  return user === null ? restoreSession() : user === pageUser();
}
