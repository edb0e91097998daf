/* A report of releases of trajectories to print: the map and the charts. */

import { createChart } from "../charts/chart.js";
import { printedMap, showReport } from "../components/printed_report.js";
import { $, $$, data } from "../core/dom.js";
import { metres, number } from "../core/format.js";
import { markedTitle, within } from "../core/level.js";
import { createMap } from "../map/map.js";
import { lossAxis } from "../trajectory/loss/loss_text.js";
import { fetchTrack, frameOf, sizeOf } from "../trajectory/track.js";

const page = data("page-data");

async function drawMap(tracks, original) {
  const shown = tracks.filter(({ track }) => track.n);
  const framed = shown
    .map(({ title, track }) => ({ title, box: frameOf(track) }))
    .sort((a, b) => sizeOf(a.box) - sizeOf(b.box))[0];
  const box = original ? original.bounds() : framed?.box;
  const host = $("[data-map]");
  const names = [...(original ? ["the original"] : []), ...tracks.map(({ title }) => title)].join(", ");
  const map = printedMap(host, () => createMap(host, { bounds: box ?? null, label: `Map of ${names}` }));
  const noisiestFirst = shown.slice().sort((a, b) => sizeOf(frameOf(b.track)) - sizeOf(frameOf(a.track)));
  noisiestFirst.forEach(({ id, style: lineStyle, track }, order) => {
    const { colour, dash, marker } = lineStyle;
    map.addTrack({ id, track, colour, dash, marker, width: 1.5, opacity: 0.85, fade: true, order });
  });
  if (original) {
    map.addTrack({ id: "original", track: original, colour: "--foreground", width: 1.8, order: 90 });
    map.addLandmarks({ track: original, runs: page.releases[0].curves.landmarks });
  }
  const around = original ? "the original" : framed?.title;
  $("[data-frame]").textContent = around ? `Framed on ${around}; what lies beyond it is not shown. No base map.` : "";
}

/** The titles of the vertical axes; budgets are stated within the first release's radius, named for the others. */
const radiusM = page.releases[0].level.radius_m;
const AXES = {
  error_m: "error, m, log",
  noise_m: "noise, m, log",
  budget: `ε within ${metres(radiusM)}, log`,
  loss: lossAxis(page.diameter_m, true),
};

async function drawChart(host, part) {
  const { curves } = page.releases[0];
  const stated = (values, level) =>
    part === "budget" ? values.map((one) => within(one, level.radius_m, radiusM)) : values;
  const lines = page.releases
    .filter((one) => one.curves[part])
    .map(({ id, title, level, style: lineStyle, curves: one }) => ({
      id,
      name: markedTitle(title, level, radiusM),
      x: one.event,
      y: stated(one[part], level),
      colour: lineStyle.colour,
      dash: lineStyle.dash,
      marker: lineStyle.marker,
      step: part === "budget" || part === "noise_m",
    }));
  if (!lines.length) return host.closest("figure").remove();
  const levels = [...new Set(page.releases.map(({ curves: one }) => one.level))].slice(0, 3);
  const rules =
    part === "loss"
      ? levels.map((y) => ({ y, label: `ε = ${number(y)} at ${number(page.diameter_m)} m, no correlation` }))
      : [];
  const text = host.closest("figure").querySelector("figcaption").textContent.trim().replace(/\s+/g, " ");
  const chart = await createChart(host, { label: () => `${text}: ${lines.map(({ name }) => name).join(", ")}.` });
  const span = [0, Math.max(1, curves.n - 1)];
  return chart.draw({ lines, rules, bands: curves.landmarks, span, log: true, titles: { y: AXES[part] } });
}

showReport(async () => {
  const { series } = page;
  const read = (url) => fetchTrack(`${url}?series=${series}`);
  const [tracks, original] = await Promise.all([
    Promise.all(page.releases.map(async (one) => ({ ...one, track: await read(one.track) }))),
    page.original ? read(page.original) : null,
  ]);
  await drawMap(tracks, original);
  await Promise.all($$("[data-chart]").map((host) => drawChart(host, host.dataset.chart)));
});
