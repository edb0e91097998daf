/* The page of a count stream: the uploaded counts over time. */

import { get } from "../core/api.js";
import { $, announce } from "../core/dom.js";
import { createCountChart } from "../stream/count_chart.js";

const host = $("[data-counts]");
const select = $("[data-stream]");
const url = host.dataset.counts;
const chart = await createCountChart(host, { title: "Counts", name: "counts" });

async function show() {
  const found = await get(select.value ? `${url}?stream=${select.value}` : url);
  await chart.draw(found, [{ id: "counts", name: found.name, y: found.counts, colour: "--foreground" }]);
  announce(`Counts of ${found.name} are shown.`);
}

select.addEventListener("change", show);
await show();
