/* A report of releases of count streams to print: a chart of counts. */

import { showReport } from "../components/printed_report.js";
import { $, data } from "../core/dom.js";
import { drawReleasedCounts } from "../stream/released_counts.js";

const { curves, releases } = data("page-data");

showReport(() => drawReleasedCounts($("[data-chart]"), curves, releases));
