/* The state of a page in its address: a link shows the same view. */

/**
 * Let `edit(url)` change the address; commas and colons in it stay readable. Nothing is loaded.
 *
 * @param {(url: URL) => void} edit
 */
export function readdress(edit) {
  const url = new URL(location.href);
  edit(url);
  history.replaceState(null, "", url.href.replaceAll("%2C", ",").replaceAll("%3A", ":"));
}

/** [first, last + 1) out of "first-after"; null of anything else. @param {string | null} text @returns {Run | null} */
export function rangeOf(text) {
  const [, first, after] = (/^(\d+)-(\d+)$/.exec(text ?? "") ?? []).map(Number);
  return first < after ? [first, after] : null;
}

/** Query `url` with more parameters. @param {string} url @param {Record<string, any>} parameters */
export function withQuery(url, parameters) {
  return `${url}${url.includes("?") ? "&" : "?"}${new URLSearchParams(parameters)}`;
}
