/* Public links in the dialog that deletes datasets or releases: they stay, unless they are revoked there too. */

import { del, get } from "../core/api.js";
import { $ } from "../core/dom.js";

const LISTS = "/api/v1/publications/";
const DELETED = /\/api\/v1\/(dataset|release)s\/([0-9a-f-]{36})\/$/;

/** Where public links of what is deleted are listed; null for other kinds. @param {string} url of a row of the API */
export function linksUrl(url) {
  const found = DELETED.exec(url);
  return found && `${LISTS}?${found[1]}=${found[2]}&page_size=200`;
}

/**
 * List the links that are valid in `dialog`, once the server sent them; `revoke()` revokes them if that is checked.
 *
 * @param {HTMLElement} dialog
 * @param {string[]} urls of the rows of the API that the dialog deletes
 */
export function showPublicLinks(dialog, urls) {
  const box = $("[data-links]", dialog);
  if (!box) return { revoke: async () => {} };
  const check = $("[data-links-revoke]", box);
  [box.hidden, check.checked] = [true, false];
  const wanted = (dialog.dataset.links = urls.join(" "));
  const load = async () => {
    const lists = await Promise.all(urls.flatMap((url) => linksUrl(url) ?? []).map((url) => get(url)));
    return lists.flatMap(({ results }) => results).filter(({ expired }) => !expired);
  };
  const loading = load();
  loading.then(
    (links) => {
      if (dialog.dataset.links !== wanted || !links.length) return;
      $("[data-links-list]", box).textContent = links.map(({ title, method }) => title || method).join("; ");
      box.hidden = false;
    },
    () => {}, // the deletion itself shows what the server refuses
  );
  return {
    revoke: async () => {
      if (check.checked) for (const { urls: own } of await loading) await del(own.self);
    },
  };
}
