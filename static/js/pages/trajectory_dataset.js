/* The page of trajectories: their map, and the facts that need the points. */

import { $, data, el } from "../core/dom.js";
import { showPoints } from "../trajectory/dataset_map.js";

showPoints(data("dataset-data")).catch((error) => {
  const notice = { class: "notice notice--error dataset__problem", role: "alert" };
  $("[data-map]").replaceWith(el("p", notice, error.message));
});
