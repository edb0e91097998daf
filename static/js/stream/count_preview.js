/* Three streams beside one simulation of a release: how it would look, for the owner. No budget is used. */

import { createForecast } from "../components/forecast_request.js";
import { createFollowed } from "../components/release_form/followed.js";
import { swatch } from "../core/swatch.js";
import { $, el, svg } from "../core/dom.js";
import { whole } from "../core/format.js";
import { themedColour } from "../core/series_style.js";
import { counts } from "./error_text.js";
import { ticksOf } from "./timestamp_ticks.js";

const [WIDTH, HEIGHT] = [600, 100];

/** The preview in `host`, of a page: {show(rows, values), follow(ticked)}, of the
 * rows of the form at their level.
 */
export function createCountPreview(host, { preview: url, dataset }) {
  const [select, place, line] = ["choice", "streams", "swatch"].map((name) => $(`[data-preview-${name}]`, host));
  const request = createForecast(url, { show: draw, fail: () => place.replaceChildren() });
  /** @type {any[]} */
  let offered = [];
  let values = {};
  const followed = createFollowed(select, load);

  const row = () => offered.find(({ key }) => key === select.value);
  function load() {
    const chosen = row();
    if (chosen?.isWhole()) request.request({ dataset, mechanisms: [chosen.spec(values).mechanism] });
  }
  function draw({ streams, timestamps }) {
    const { lineStyle } = row();
    line.replaceChildren(swatch(lineStyle));
    place.replaceChildren(...streams.map((one) => drawnStream(one, timestamps, lineStyle)));
    host.dataset.drawn = select.value;
  }

  return {
    show(rows, level) {
      [offered, values] = [rows.offered(), level];
      followed.offer(offered, rows.chosen());
      load();
    },
    follow: followed.follow,
  };
}

/** One stream: its name, what a count and an error of this simulation are, and both lines over time. */
function drawnStream(
  { name, typical_count: typical, typical_error: error, index, labels, ...lines },
  timestamps,
  style,
) {
  const [first, last = ""] = ticksOf(index, labels, 0).text;
  const most = Math.max(1, ...lines.counts, ...lines.released);
  const x = (/** @type {number} */ i) => ((WIDTH * i) / Math.max(timestamps - 1, 1)).toFixed(1);
  const y = (/** @type {number} */ value) => (HEIGHT * (1 - Math.max(value, 0) / most)).toFixed(1);
  const path = (/** @type {(number | null)[]} */ row, /** @type {Record<string, any>} */ attributes) =>
    svg("path", { d: `M${row.map((value, i) => `${x(index[i])} ${y(value ?? 0)}`).join("L")}`, ...attributes });
  const about = `${name}: the upload and one simulation, up to ${counts(most)}`;
  return el(
    "div.count-preview__one",
    el(
      "p.small.row.apart",
      el("span", el("strong", name || "All"), el("span.muted", ` typical count ${counts(typical)}`)),
      el("span.muted", "error here ", el("strong", counts(error))),
    ),
    svg(
      "svg",
      {
        class: "count-preview__plot",
        viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
        preserveAspectRatio: "none",
        role: "img",
        "aria-label": about,
      },
      path(lines.released, { style: { stroke: themedColour(style.colour) }, "stroke-width": 2 }),
      path(lines.counts, { class: "count-preview__truth" }),
    ),
    el("p.count-preview__ends.small.muted", el("span", first), el("span", `0 to ${whole(most)}`), el("span", last)),
  );
}
