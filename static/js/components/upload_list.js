/* The uploads of a page: one summary line, a card for each file, what was not finished before the page was left. */

import { $, $$, el } from "../core/dom.js";
import { smallButton } from "../core/elements.js";
import { bytes, count, done } from "../core/format.js";
import { discardUpload, unfinishedUploads } from "../core/resumable_upload.js";
import { STATES } from "./upload_card.js";

const FOLDED_FROM = 8; // so many files of a list have their details folded

const OVER = ["ready", "refused", "failed", "cancelled"];

/** 25 files: 14 ready, 11 refused. @param {string[]} states */
export function summaryText(states) {
  const parts = Object.entries(STATES).map(([state, { counted }]) => [
    states.filter((one) => one === state).length,
    counted,
  ]);
  return `${count(states.length, "file")}: ${parts
    .filter(([n]) => n)
    .map(([n, text]) => `${n} ${text}`)
    .join(", ")}`;
}

/**
 * The list in `host`: add(cards) puts new cards on top. Cards report their state by the event "upload:state", and
 * "upload:again" is sent to a card that is to be sent again.
 *
 * @param {HTMLElement} host
 */
export function createUploadList(host) {
  const text = el("p", { class: "uploads__text" });
  const again = el("button", { class: "button button--small", type: "button", onclick: sendAgain }, "Retry refused");
  const dismiss = el("button", { class: "button button--small button--quiet", type: "button" }, "Dismiss ended");
  const header = el("div", { class: "uploads row", hidden: true }, text, again, dismiss);
  host.before(header);
  const cards = () => /** @type {HTMLElement[]} */ ($$(".outcome[data-state]", host));
  const states = () => cards().map(({ dataset }) => dataset.state ?? "");

  function draw() {
    const found = states();
    header.hidden = found.length < 2;
    text.textContent = summaryText(found);
    again.hidden = !found.some((state) => state === "refused" || state === "cancelled");
    dismiss.hidden = !found.some((state) => OVER.includes(state));
  }

  function sendAgain() {
    for (const card of cards())
      if (["refused", "cancelled"].includes(card.dataset.state ?? ""))
        card.dispatchEvent(new CustomEvent("upload:again"));
  }

  dismiss.addEventListener("click", () => {
    for (const card of cards()) if (OVER.includes(card.dataset.state ?? "")) card.remove();
    draw();
  });
  host.addEventListener("upload:state", draw);
  new MutationObserver(draw).observe(host, { childList: true });
  return {
    add(/** @type {HTMLElement[]} */ added) {
      for (const card of added.length + cards().length < FOLDED_FROM ? [] : added) {
        card.dataset.folded = "";
        $("details", card).open = false;
      }
      host.prepend(...added);
    },
  };
}

/**
 * Rows in `host` for uploads that were begun and not finished: a page cannot open a file again without its user.
 *
 * @param {HTMLElement} host
 * @param {() => void} choose
 */
export async function showUnfinished(host, choose) {
  for (const upload of await unfinishedUploads()) {
    const discard = () => {
      discardUpload(upload);
      row.remove();
    };
    const button = (/** @type {string} */ label, /** @type {() => void} */ onclick, style = "") =>
      smallButton(label, `${label} ${upload.name}`, onclick, { style });
    const share = `${done(upload.offset / upload.size)} of ${bytes(upload.size)} arrived.`;
    const row = el(
      "article",
      { class: "outcome card row row--apart", "aria-label": `${upload.name}, unfinished` },
      el("p", {}, el("strong", {}, upload.name), ` ${share} Choose the file again to continue from there.`),
      el("div", { class: "row" }, button("Choose", choose), button("Discard", discard, "button--quiet")),
    );
    row.dataset.unfinished = upload.key;
    host.append(row);
  }
}
