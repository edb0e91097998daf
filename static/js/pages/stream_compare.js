/* The comparison of a count stream with its releases: one chart of both, and what each release is. */

import { get } from "../core/api.js";
import { $, announce, data, el } from "../core/dom.js";
import { createCountChart } from "../stream/count_chart.js";
import { watchDialogs } from "../components/dialogs.js";
import { swapSoon, watchStates } from "../components/job_status.js";
import { swatch } from "../components/legend.js";
import { watchJobActions } from "../components/job_actions.js";

const { releases, palette } = data("page-data");
const mechanisms = Object.keys(palette);
const refresh = swapSoon("releases", "header-budget");
const hidden = new Set(releases.slice(4).map((/** @type {any} */ one) => one.id)); // more lines hide each other

/** The style of a release: its mechanism's, with another dash where a mechanism comes again. */
function styleOf(/** @type {any} */ release) {
  const same = releases.filter((/** @type {any} */ one) => one.mechanism === release.mechanism);
  const again = same.indexOf(release) % 3;
  const { colour, dash, marker } = palette[release.mechanism];
  return { colour, dash: [dash, "dot", "longdash"][again], marker };
}

async function start() {
  const select = $("[data-stream]");
  const chart = await createCountChart($("[data-chart]"), { title: "Counts", name: "cairn-released-counts" });
  const query = () => (select.value ? `?stream=${select.value}` : "");
  /** @type {any[]} */
  let answers = [];

  function draw() {
    const original = answers[0];
    const lines = releases.map((/** @type {any} */ release, /** @type {number} */ i) => ({
      id: release.id,
      name: `${release.title}, ${release.level}`,
      y: answers[i].released,
      visible: !hidden.has(release.id),
      ...styleOf(release),
    }));
    const uploaded = { id: "uploaded", name: "Uploaded counts", y: original.counts, colour: "--ink" };
    return chart.draw(original, [uploaded, ...lines]);
  }

  function toggle(/** @type {string} */ id) {
    if (!hidden.delete(id)) hidden.add(id);
    fillLegend();
    return draw();
  }

  function fillLegend() {
    const items = releases.map((/** @type {any} */ release) => {
      const pressed = String(!hidden.has(release.id));
      const onclick = () => toggle(release.id);
      const text = `${release.title}, ${release.level}`;
      return el(
        "li",
        {},
        el("button", { class: "button button--small", type: "button", "aria-pressed": pressed, onclick }, [
          swatch({ index: mechanisms.indexOf(release.mechanism), dash: styleOf(release).dash }),
          ` ${text}`,
        ]),
      );
    });
    $("[data-legend]").replaceChildren(...items);
  }

  async function show() {
    const problem = $("[data-problem]");
    try {
      answers = await Promise.all(releases.map((/** @type {any} */ release) => get(`${release.counts}${query()}`)));
      problem.hidden = true;
      await draw();
      announce(`Counts of ${answers[0].name} are shown.`);
    } catch (error) {
      problem.textContent = error instanceof Error ? error.message : String(error);
      problem.hidden = false;
    }
  }

  fillLegend();
  select.addEventListener("change", show);
  await show();
}

// a release that is done joins the chart: the page is drawn again
watchStates(refresh, () => location.reload());
watchDialogs(() => location.reload());
watchJobActions(refresh);
if (releases.length) await start();
