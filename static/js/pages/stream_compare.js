/* The comparison of a count stream with its releases: one chart of both, a button for each line. */

import { get } from "../core/api.js";
import { $, announce, data, el } from "../core/dom.js";
import { createProblemBox } from "../components/problem_box.js";
import { swatch } from "../components/legend.js";
import { watchReleases } from "../components/release_list.js";
import { createCountChart } from "../stream/count_chart.js";

const VISIBLE = 4; // releases at first: more lines cover each other

/**
 * @typedef {{id: string, title: string, mechanism: string, level: string, url: string}} Release
 * @typedef {import("../stream/count_chart.js").Shown & {counts: number[], released: number[]}} Counts
 */

/** @type {{releases: Release[], palette: Record<string, any>}} */
const { releases, palette } = data("page-data");
const mechanisms = Object.keys(palette);
const hidden = new Set(releases.slice(VISIBLE).map(({ id }) => id));

/** The style of a release: its mechanism's, with another dash for a second and third release of the mechanism. */
function styleOf(/** @type {Release} */ release) {
  const same = releases.filter((one) => one.mechanism === release.mechanism);
  const again = same.indexOf(release) % 3;
  const { colour, dash, marker } = palette[release.mechanism];
  return { colour, dash: [dash, "dot", "longdash"][again], marker };
}

/** All lines of the chart; `swatch` is the style of the line in the legend. */
const LINES = [
  { id: "uploaded", name: "Uploaded counts", colour: "--ink", swatch: null },
  ...releases.map((release) => {
    const style = styleOf(release);
    const index = mechanisms.indexOf(release.mechanism);
    return {
      id: release.id,
      name: `${release.title}, ${release.level}`,
      ...style,
      swatch: { index, dash: style.dash },
    };
  }),
];

async function start() {
  const select = $("[data-stream]");
  const problem = createProblemBox($("[data-problem]"));
  const chart = await createCountChart($("[data-chart]"), { title: "Counts", name: "cairn-released-counts" });
  const query = () => (select.value ? `?stream=${select.value}` : "");

  function toggle(/** @type {string} */ id) {
    if (!hidden.delete(id)) hidden.add(id);
    chart.setVisible(id, !hidden.has(id));
  }

  function legendItem(/** @type {typeof LINES[number]} */ line) {
    const button = el(
      "button",
      {
        class: "button button--small",
        type: "button",
        "aria-pressed": String(!hidden.has(line.id)),
        onclick: () => {
          toggle(line.id);
          button.setAttribute("aria-pressed", String(!hidden.has(line.id)));
        },
      },
      swatch(line.swatch),
      ` ${line.name}`,
    );
    return el("li", {}, button);
  }

  const show = () =>
    problem.attempt(async () => {
      /** @type {Counts[]} */
      const answers = await Promise.all(releases.map(({ url }) => get(`${url}${query()}`)));
      const values = [answers[0].counts, ...answers.map(({ released }) => released)];
      await chart.draw(
        answers[0],
        LINES.map((line, i) => ({ ...line, y: values[i], visible: !hidden.has(line.id) })),
      );
      announce(`Counts of ${answers[0].name} are shown.`);
    });

  $("[data-legend]").replaceChildren(...LINES.map(legendItem));
  select.addEventListener("change", show);
  await show();
}

watchReleases();
if (releases.length) await start();
