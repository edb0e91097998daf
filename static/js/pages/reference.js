/* Swagger UI draws a main landmark of its own inside the page's: a reader of landmarks needs one. */

import { $ } from "../dom.js";

const place = $("#swagger-ui");
const drawn = new MutationObserver(() => {
  const inner = $("main", place);
  if (!inner) return;
  drawn.disconnect();
  inner.setAttribute("role", "region");
  inner.setAttribute("aria-label", "Addresses of the API");
});
drawn.observe(place, { childList: true, subtree: true });
