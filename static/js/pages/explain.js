/* The explanation of a release: without this script it is the same page, printed from the browser's menu. */

import { $, $$ } from "../core/dom.js";

const button = $("[data-print]");
button.hidden = false;
button.addEventListener("click", () => window.print());
for (const choice of $$(".explain__side :is(select, [type=checkbox])"))
  choice.addEventListener("change", () => choice.form.requestSubmit());
