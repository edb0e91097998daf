/* Terms that explain themselves: buttons by the server's {% term %} or by term() here. Each button's sentence is a
 * popover that the server wrote at the end of main; without this script a press still opens it. */

import { el } from "../core/dom.js";

const GAP = 6; // px between the term and its sentence
const EDGE = 12; // px that stay free at the window's edges
const GRACE_MS = 160; // so that the pointer can go from the term to the sentence
let shown; // {button, note}
let leaving = 0;

/** The text as a button that explains `name`; the page's template lists it in {% terms %}. */
export const term = (name, ...text) =>
  el("button.term", { popovertarget: `term-${name}`, "aria-describedby": `term-${name}` }, text);

function place({ button, note }) {
  const termButton = button.getBoundingClientRect();
  const { width, height } = note.getBoundingClientRect();
  const above = termButton.bottom + GAP + height > innerHeight - EDGE && termButton.top - GAP - height > EDGE;
  const top = above ? termButton.top - GAP - height : termButton.bottom + GAP;
  const left = Math.max(EDGE, Math.min(termButton.left, innerWidth - EDGE - width));
  Object.assign(note.style, { inset: `${top}px auto auto ${left}px`, margin: "0" });
}

function show(button) {
  clearTimeout(leaving);
  if (shown?.button === button) return;
  hide();
  const note = document.getElementById(button.getAttribute("popovertarget"));
  if (!note) return;
  shown = { button, note };
  button.dataset.open = "";
  note.showPopover();
  place(shown);
}

function hide() {
  clearTimeout(leaving);
  if (!shown) return;
  delete shown.button.dataset.open;
  if (shown.note.matches(":popover-open")) shown.note.hidePopover();
  shown = null;
}

const termButtonOf = (target) => target.closest?.(".term") ?? null;
const isShown = (target) => Boolean(shown?.button.contains(target) || shown?.note.contains(target));

function over(event) {
  if (event.pointerType === "touch") return;
  const termButton = termButtonOf(event.target);
  if (termButton) show(termButton);
  else if (isShown(event.target)) clearTimeout(leaving);
  else if (shown && document.activeElement !== shown.button) {
    clearTimeout(leaving);
    leaving = setTimeout(hide, GRACE_MS);
  }
}

function escape(event) {
  if (event.key !== "Escape" || !shown) return;
  hide();
  event.stopPropagation(); // it closes the sentence and nothing behind it
}

/** Every term of the page, also those that scripts make later. */
export function watchTerms() {
  document.addEventListener("pointerover", over);
  document.addEventListener("pointerdown", (event) => !isShown(event.target) && hide());
  document.addEventListener("focusin", (event) =>
    termButtonOf(event.target) ? show(termButtonOf(event.target)) : hide(),
  );
  document.addEventListener("click", (event) => {
    const termButton = termButtonOf(event.target);
    if (!termButton) return;
    event.preventDefault(); // or the browser would close what hover and focus have opened
    show(termButton);
  });
  document.addEventListener("keydown", escape, { capture: true });
  for (const moved of ["scroll", "resize"]) {
    addEventListener(moved, () => (shown?.button.isConnected ? place(shown) : hide()), {
      capture: true,
      passive: true,
    });
  }
}
