/* The public page of a model of check-ins: the cells it ranks first, on a map. */

import { createCellsMap } from "../checkins/cells.js";
import { $, data } from "../core/dom.js";

const page = data("page-data");
const map = createCellsMap($("[data-map]"), `Map of ${page.title}`);
map.show(page.places);
$("[data-public]").dataset.ready = "all";
