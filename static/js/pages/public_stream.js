/* The public page of released counts: a chart of one stream or of the total. */

import { $, data } from "../core/dom.js";
import { drawReleasedCounts } from "../stream/released_counts.js";

const page = data("page-data");
const host = $("[data-chart]");

drawReleasedCounts(host, page.curves, [{ id: "published", title: page.title, style: page.style }])
  .then(() => ($("[data-public]").dataset.ready = "all"))
  .catch((error) => (host.textContent = `The chart could not be drawn: ${error.message}`));
