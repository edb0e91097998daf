/* A box over the page that a button opens: beside the button, inside the window, above everything. */

const AIR = 8;

/**
 * Put `element`, whose position is fixed, by `button` inside the window: above or below, or right of it.
 *
 * @param {HTMLElement} button
 * @param {HTMLElement} element
 * @param {"left" | "right" | "beside"} align
 */
export function placeBy(button, element, align) {
  const { left, right, top, bottom } = button.getBoundingClientRect();
  element.style.left = "0"; // or it is as narrow as the space that was to its right
  const { offsetWidth: width, offsetHeight: height } = element;
  const clamp = (/** @type {number} */ at, /** @type {number} */ most) => Math.max(AIR, Math.min(at, most - AIR));
  const x = { left, right: right - width, beside: right + AIR }[align];
  const above = top - height - AIR;
  const y = align === "beside" ? top : align === "left" && above >= AIR ? above : bottom + AIR;
  element.style.left = `${clamp(x, innerWidth - width)}px`;
  element.style.top = `${clamp(y, innerHeight - height)}px`;
}

/**
 * Open `element`, which is in the page already, by `button`: {place, close}.
 * Escape and a press elsewhere close it, and the focus returns.
 *
 * @param {HTMLButtonElement} button
 * @param {HTMLElement} element
 * @param {{opened?: () => void, align?: "left" | "right"}} options
 */
export function createPopover(button, element, { opened, align = "left" } = {}) {
  element.popover = "auto";
  button.popoverTargetElement = element;
  button.setAttribute("aria-expanded", "false");

  const place = () => placeBy(button, element, align);

  element.addEventListener("toggle", (event) => {
    const open = /** @type {any} */ (event).newState === "open";
    button.setAttribute("aria-expanded", String(open));
    if (!open) return;
    place();
    opened?.();
  });
  element.addEventListener("keydown", (event) => event.stopPropagation()); // the page has keys of its own
  addEventListener("resize", () => element.matches(":popover-open") && place());
  return { place, close: () => element.hidePopover() };
}
