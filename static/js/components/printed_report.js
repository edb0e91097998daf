/* What reports to print share: figures that are drawn once, always light, and then the button that prints. */

import { $, $$ } from "../core/dom.js";

const RATIO = 3; // pixels of the map for one of the page's: 288 for an inch of paper

/**
 * Draw the map in `host` sharp enough for paper, without controls.
 *
 * @template T
 * @param {HTMLElement} host
 * @param {() => T} draw
 */
export function printedMap(host, draw) {
  host.dataset.ratio = String(RATIO);
  const map = draw();
  host.tabIndex = -1;
  host.setAttribute("role", "img");
  return map;
}

/** Draw the figures, and offer to print when they are there. @param {() => Promise<void> | void} draw */
export async function showReport(draw) {
  for (const choice of $$("input[name=for], select[name=series]"))
    choice.addEventListener("change", () => choice.form.requestSubmit());
  try {
    await draw();
  } catch (error) {
    $("[data-frame]").textContent = `The figures could not be drawn: ${error.message}`;
    return;
  }
  await new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)));
  const button = $("[data-print]");
  button.disabled = false;
  button.addEventListener("click", () => window.print());
  $("[data-sheet]").dataset.ready = "all";
}
