/* The curves that the charts show, fetched for the parameters and events in view. */

import { withQuery } from "../../core/address.js";
import { get, post } from "../../core/api.js";
import { spanOf } from "../../core/event_runs.js";
import { markedTitle } from "../../core/level.js";
import { listedIds } from "./map_layers.js";
import { createCharts } from "./charts.js";

/**
 * The charts in `bench`. `known()` = {layers, lineStyles, titled, cursor, view, original, runs, dummies} is the present
 * state;
 * `on`: the events of charts, as in charts.js, and `refused(text)`, `drawn(highest losses by id, how many)`.
 * `attempt(what)` runs what may fail.
 * Returns {draw, setSpan, …charts}.
 */
export async function createReleaseCharts(bench, page, known, on, attempt) {
  const again = () => attempt(redraw);
  const { refused, drawn, ...listeners } = on;
  const charts = await createCharts(
    bench,
    { note: page.note, radiusM: page.radius_m },
    { ...listeners, change: again, restyle: again, check, simulate },
  );
  const chartable = () => known().layers.filter((layer) => layer.chartable);

  const order = () => listedIds(known().layers, known().view);

  function check(query) {
    const [layer] = chartable();
    return (
      layer &&
      get(
        withQuery(layer.release.urls.series, {
          ...query,
          ...layer.comparedOn,
          series: known().cursor.series,
          points: 10,
        }),
      )
    );
  }

  function simulate(mechanisms) {
    const { dataset, landmark_set } = page;
    return post(page.urls.curve, { dataset, landmark_set, series: known().cursor.series, mechanisms });
  }

  let turn = 0;
  async function draw() {
    const mine = ++turn;
    const { lineStyles, titled, cursor, view, original, runs, dummies } = known();
    const [query, { range }] = [charts.query(), view];
    const shown = await Promise.all(
      chartable().map(async (layer) => ({
        layer,
        lineStyle: lineStyles.get(layer.id),
        short: titled(layer),
        title: markedTitle(titled(layer), layer.release.mechanism, page.radius_m),
        curve: await layer.curve(cursor.series, query, range),
      })),
    );
    if (mine !== turn) return; // more is to be drawn by now, or something else
    const times = original.time && { at: original.time, zone: page.time_zone };
    await charts.draw(shown, { runs, dummies, n: original.n, series: cursor.series, range, times, order });
    charts.moveCursor(cursor.event, known().active?.id);
    const highest = ({ layer }) =>
      layer
        .curve(cursor.series, query)
        .then(({ loss }) => [layer.id, loss.total?.reduce((a, b) => Math.max(a, b), 0) ?? null]);
    drawn(new Map(await Promise.all(shown.map(highest))));
    bench.dataset.charts = String(shown.length);
  }

  /** After a choice. An address may name what the server refuses: then the default correlation, and the reason. */
  async function redraw() {
    try {
      await draw();
    } catch (error) {
      if (error.status !== 400) throw error;
      charts.reset();
      await draw();
      refused(error.message);
    }
  }

  /** @type {any} */
  let closer = null;
  return {
    ...charts,
    draw: redraw,
    /** Show the events of `range` alone; once it rests, closer where the curves of all events are thinned out. */
    setRange(range) {
      charts.setSpan(spanOf(range, known().original.n));
      clearTimeout(closer);
      closer = setTimeout(again, 250);
    },
  };
}
