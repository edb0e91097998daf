/* A report of releases of check-ins to print: a map of the most visited cells. */

import { createCellsMap } from "../checkins/cells.js";
import { printedMap, showReport } from "../components/printed_report.js";
import { $, data } from "../core/dom.js";

const host = $("[data-map]");
const { places } = data("page-data");

showReport(() => printedMap(host, () => createCellsMap(host, "Map of the most visited cells").show(places[0])));
