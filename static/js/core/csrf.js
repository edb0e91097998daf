/* The CSRF token of requests and forms: always the cookie's, which another tab may have changed since the page load. */

import { $ } from "./dom.js";

/** The token to send, empty where there is no cookie. */
export function csrfToken() {
  const name = $("meta[name=csrf-cookie]").content;
  const pair = document.cookie.split("; ").find((one) => one.startsWith(`${name}=`));
  return pair?.slice(name.length + 1) ?? "";
}

/** Forms send the token of the moment they are sent. */
export function refreshFormTokens() {
  document.addEventListener("submit", (/** @type {any} */ { target }) => {
    const field = target.elements.namedItem("csrfmiddlewaretoken");
    if (field) field.value = csrfToken() || field.value;
  });
}
