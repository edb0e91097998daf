/* Copying a token, where the browser allows it. */

import { $, $$, announce } from "../core/dom.js";

for (const button of $$("[data-copy]")) {
  const source = /** @type {HTMLInputElement} */ (document.getElementById(button.dataset.copy));
  button.hidden = false;
  button.addEventListener("click", async () => {
    source.select();
    let copied;
    try {
      await navigator.clipboard.writeText(source.value);
      copied = true;
    } catch {
      copied = document.execCommand("copy"); // over plain HTTP there is no clipboard object
    }
    const text = copied ? "Copied" : "Press Ctrl+C";
    $("span", button).textContent = text;
    announce(text);
  });
}

$("[data-fresh] h2")?.focus();
