/* The comparison of a count stream with its releases: one chart of both, a button for each line. */

import { get } from "../core/api.js";
import { $, $$, announce, data } from "../core/dom.js";
import { createProblemBox } from "../components/problem_box.js";
import { watchReleases } from "../components/release_list.js";
import { createCountChart } from "../stream/count_chart.js";

/**
 * @typedef {{colour: Colour, dash: string, marker: string}} Style
 * @typedef {{id: string, title: string, level: string, style: Style, url: string}} Release
 * @typedef {import("../stream/count_chart.js").Shown & {counts: number[], released: number[]}} Counts
 */

/** @type {Release[]} */
const releases = data("page-data").releases;
const buttonOf = (/** @type {string} */ id) => $(`[data-line="${CSS.escape(id)}"]`);
const isVisible = (/** @type {string} */ id) => buttonOf(id).getAttribute("aria-pressed") === "true";

async function start() {
  const select = $("[data-stream]");
  const problem = createProblemBox($("[data-problem]"));
  const chart = await createCountChart($("[data-chart]"), { title: "Counts", name: "cairn-released-counts" });
  const query = () => (select.value ? `?stream=${select.value}` : "");

  function toggle(/** @type {string} */ id) {
    const visible = !isVisible(id);
    buttonOf(id).setAttribute("aria-pressed", String(visible));
    chart.setVisible(id, visible);
  }

  const show = () =>
    problem.attempt(async () => {
      /** @type {Counts[]} */
      const answers = await Promise.all(releases.map(({ url }) => get(`${url}${query()}`)));
      const uploaded = { id: "uploaded", name: "Uploaded counts", colour: "--foreground", y: answers[0].counts };
      const released = releases.map(({ id, title, level, style }, i) => {
        return { id, name: `${title}, ${level}`, ...style, y: answers[i].released };
      });
      const lines = [uploaded, ...released].map((line) => ({ ...line, visible: isVisible(line.id) }));
      await chart.draw(answers[0], lines);
      announce(`Counts of ${answers[0].name} are shown.`);
    });

  for (const button of $$("[data-line]")) button.addEventListener("click", () => toggle(button.dataset.line));
  select.addEventListener("change", show);
  await show();
}

watchReleases();
if (releases.length) await start();
