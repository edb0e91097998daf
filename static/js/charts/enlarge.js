/* A figure in a large view: a modal dialog that holds the figure's own elements while it is open. */

import { el } from "../core/dom.js";
import { icon } from "../core/elements.js";

const LARGER = "M9.5 2.5h4v4M13.5 2.5 9 7M6.5 13.5h-4v-4M2.5 13.5 7 9";
const SMALLER = "M13.5 6.5h-4v-4M9.5 6.5 14 2M2.5 9.5h4v4M6.5 9.5 2 14";

/** A button to enlarge something; its name is given where it is used. @param {() => unknown} onclick */
export function enlargeButton(onclick) {
  const name = "button button--quiet button--small button--square chart__enlarge";
  return el("button", { class: name, onclick }, icon(LARGER));
}

/**
 * `button` opens and closes the large view of what is in `host`, as does Escape; the focus stays on the button.
 * `name(title)` names both. `host` must hold `dialog`; other dialogs in it stay where they are. `more` are classes that
 * the elements need around them.
 *
 * @param {HTMLElement} host
 * @param {{more?: string}} [options]
 */
export function createLargeView(host, { more = "" } = {}) {
  const button = enlargeButton(toggle);
  const body = el("div", { class: `chart__body ${more}`.trim() });
  const dialog = el("dialog.dialog.chart__large", { onclose: restore }, body);
  let named = "";
  let then = () => button.focus();

  const isOpen = () => dialog.open;

  function label() {
    button.setAttribute("aria-label", `${named}: ${isOpen() ? "close the large view" : "enlarge"}`);
    button.querySelector("path")?.setAttribute("d", isOpen() ? SMALLER : LARGER);
    dialog.setAttribute("aria-label", named);
  }

  function toggle() {
    if (isOpen()) dialog.close();
    else enlarge();
  }

  function enlarge() {
    host.style.setProperty("min-height", `${host.offsetHeight}px`); // what is below stays where it is
    body.append(...[...host.children].filter((one) => one.localName !== "dialog"));
    dialog.showModal();
    label();
    button.focus();
  }

  function restore() {
    host.prepend(...body.children);
    host.style.removeProperty("min-height");
    label();
    then();
  }

  return {
    button,
    dialog,
    /** Open it; `closed` is called instead of focusing the button. @param {() => void} closed */
    open(closed) {
      then = closed;
      enlarge();
    },
    /** @param {string} title */
    name(title) {
      named = title;
      label();
    },
  };
}
