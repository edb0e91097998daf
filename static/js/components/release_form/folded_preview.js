/* The preview beside a release form: on a phone it is folded away until it is opened. */

import { $ } from "../../core/dom.js";

/** The figure `host`; `onOpen` when it is opened. */
export function foldedPreview(host, onOpen = () => {}) {
  const toggle = $("[data-preview-toggle]", host);
  toggle.addEventListener("click", () => {
    const isOpen = host.toggleAttribute("data-open");
    toggle.setAttribute("aria-expanded", String(isOpen));
    if (isOpen) onOpen();
  });
}
