/* What Plotly draws of a chart, as data: traces, axes, layout. `shown` is what a chart's `draw` takes (see chart.js).
 */

import { runsJoined } from "../core/event_runs.js";
import { cssColour, plotDash, token } from "../core/series_style.js";
import { linearAxis, logAxis, shareAxis, valueAxis } from "./axes.js";
import { endLabels, widthOf } from "./end_labels.js";
import { medianText } from "./rolling_median.js";
import { wrapped } from "../core/text_lines.js";

const MARKERS = 8; // on a line, so that lines differ in grey too
const MARGIN = 38; // px, left of the plot, at least
const BELOW = 22; // px, for the labels below the plot
const LINE_PX = 14; // of an axis's title
const LABEL_GAP = 8; // px, between the labels' left edge and the plot, beside their width
const FINE = 4000; // bands nearer to each other than this part of the events shown are drawn as one
const MARKED = ["Landmarks", "Dummy landmarks"]; // what bands are called in an image outside the page

/** Everything that has to fit on the vertical axis: of lines over events what lies in the span. */
function heights({ lines, rules, span, also, x: values }) {
  const within = ({ x, step }) => {
    if (values) return [0, x.length];
    const after = x.findIndex((at) => at > span[1]);
    const first = x.findIndex((at) => at >= span[0]);
    return [
      Math.max(0, first < 0 ? x.length : step && x[first] > span[0] ? first - 1 : first),
      after < 0 ? x.length : after,
    ];
  };
  const parts = lines.flatMap((line) =>
    [line.y, line.low ?? [], line.high ?? []].map((part) => part.slice(...within(line))),
  );
  return [...parts, rules.map(({ y }) => y), also];
}

export function verticalAxis(shown) {
  if (shown.y?.share) return shareAxis();
  if (!shown.log) return linearAxis(heights(shown));
  return logAxis(
    heights(shown),
    shown.lines.some(({ y }) => y.includes(0)),
  );
}

/** The axis of values or of events, without its title. */
function horizontalAxis({ lines, span, x }, scale, width) {
  if (!x) return scale.axis(span, width);
  return valueAxis(
    lines.map((line) => line.x),
    x.log,
  );
}

/** A line; where its rolling median is drawn too, thin and pale. */
function asTrace({ id, name, x, y, colour, dash, marker, step, strong, width, median, visible = true }, floor) {
  const alone = x.length === 1;
  const edge = alone ? { color: token("--panel"), width: 1.5 } : { color: cssColour(colour), width: 1 };
  return {
    type: "scatter",
    mode: alone ? "markers" : marker && !median ? "lines+markers" : "lines",
    meta: id,
    name,
    opacity: median ? 0.3 : 1,
    showlegend: !median,
    x,
    y: floor ? y.map((value) => (value === 0 ? floor : value)) : y,
    visible,
    line: {
      color: cssColour(colour),
      width: width ?? (strong ? 2.8 : median || x.length > 900 ? 1.2 : 1.6),
      dash: plotDash(dash),
      shape: step ? "hv" : "linear",
      simplify: true,
    },
    marker: {
      symbol: marker ?? "circle",
      size: alone ? 11 : 5.5,
      color: cssColour(colour),
      maxdisplayed: alone ? 0 : MARKERS,
      line: edge,
    },
    hoverinfo: "skip",
  };
}

/** A line and, where it has one, its rolling median in front of it. */
function asTraces(line, floor) {
  if (!line.median) return [asTrace(line, floor)];
  const { median, step, strong, ...rest } = line;
  const smooth = { ...rest, name: `${line.name}, ${medianText(median)}`, y: median.values };
  return [asTrace(line, floor), asTrace({ ...smooth, width: 2 }, floor)];
}

/** The area between a line's `low` and `high`, shaded in its colour. */
function asBand({ id, x, low, high, colour, visible = true }, floor) {
  const known = x.map((_, i) => i).filter((i) => low[i] !== null && high[i] !== null);
  const back = [...known].reverse();
  return {
    type: "scatter",
    mode: "lines",
    meta: id,
    visible,
    fill: "toself",
    hoverinfo: "skip",
    showlegend: false,
    x: [...known, ...back].map((i) => x[i]),
    y: [...known.map((i) => high[i]), ...back.map((i) => low[i])].map((value) => value || floor),
    fillcolor: `${cssColour(colour)}3a`,
    line: { width: 0 },
  };
}

/** Ranges of events as one shape, behind the lines: filled, or hollow as the map draws dummies. */
function asBands(name, bands, scale, hollow) {
  /** @type {(number | null)[][]} */
  const [x, y] = [[], []];
  for (const [start, end] of bands) {
    const [from, to] = [scale.place(start) - scale.half, scale.place(end - 1) + scale.half];
    x.push(from, from, to, to, hollow ? from : null, ...(hollow ? [null] : []));
    y.push(0, 1, 1, 0, hollow ? 0 : null, ...(hollow ? [null] : []));
  }
  const paint = hollow
    ? { line: { width: 1, color: `${token("--accent")}70` } }
    : { fill: "toself", fillcolor: `${token("--accent")}1c`, line: { width: 0 } };
  return {
    type: "scatter",
    mode: "lines",
    meta: name,
    x,
    y,
    yaxis: "y2",
    hoverinfo: "skip",
    showlegend: false,
    ...paint,
  };
}

/**
 * The space for the labels of the vertical axis: enough for those of all events too, so that the plot does not move
 * when the span changes.
 */
function labelsWidth(shown, axis, font) {
  const all = verticalAxis({ ...shown, span: [-Infinity, Infinity] }).axis;
  const texts = [axis, all].flatMap(({ ticktext }) => ticktext ?? []);
  return Math.ceil(Math.max(MARGIN, ...texts.map((text) => widthOf(text, font) + LABEL_GAP)));
}

/** The space for names at the ends of lines, with the distance to the plot. */
const rightMargin = ({ ends, lines }, font) =>
  ends ? Math.ceil(Math.max(0, ...lines.map(({ name }) => widthOf(name, { ...font, weight: 600 })))) + 10 : 8;

/** A vertical line at a value of the horizontal axis, through the whole plot. */
const upright = ({ x }) => ({
  type: "line",
  x0: x,
  x1: x,
  yref: "paper",
  y0: 0,
  y1: 1,
  line: { color: token("--foreground"), width: 1 },
});

/** What the axes show: {x, y}, with their units. */
export const titlesOf = ({ titles, x, span }, scale) => ({
  x: titles?.x ?? (x ? x.name : scale.title(span)),
  y: titles?.y ?? "",
});

/** The margins of a plot and the titles of its axes, in as many lines as they need; `inner` is the plot, px. */
function frameOf(shown, axis, scale, { width, height }, font) {
  const titles = titlesOf(shown, scale);
  const labels = labelsWidth(shown, axis, font);
  const measured = (/** @type {string} */ text) => widthOf(text, font);
  const r = Math.max(rightMargin(shown, font), scale.overhang(measured));
  const x = wrapped(titles.x, width - labels - LINE_PX - r, measured);
  const [t, b] = [8, BELOW + LINE_PX * x.length];
  const y = wrapped(titles.y, height - t - b, measured);
  const l = labels + LINE_PX * y.length;
  const titled = (lines) => ({ title: { text: lines.join("<br>"), standoff: 4, font } });
  return {
    margin: { l, r, t, b },
    inner: { width: width - l - r, height: height - t - b },
    x: titled(x),
    y: titled(y),
  };
}

/** Of a chart of `size` = {width, height}, px, whose events lie as `scale` has it. */
export function layoutOf(shown, axis, scale, size) {
  const { rules, uprights = [] } = shown;
  const font = { family: token("--sans"), size: 11, color: token("--muted") };
  const plain = { fixedrange: true, zeroline: false, ticks: "", automargin: false };
  const frame = frameOf(shown, axis, scale, size, font);
  const horizontal = { ...horizontalAxis(shown, scale, frame.inner.width), ...frame.x };
  return {
    font,
    ...(size.width && size.height ? size : {}),
    margin: frame.margin,
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    showlegend: false,
    hovermode: false,
    dragmode: false,
    xaxis: { ...plain, ...horizontal, showgrid: false, showline: true, linecolor: token("--line") },
    yaxis: { ...plain, ...axis, ...frame.y, gridcolor: token("--line") },
    yaxis2: { ...plain, overlaying: "y", range: [0, 1], visible: false },
    shapes: [
      ...uprights.map(upright),
      ...rules.map(({ y }) => ({
        type: "line",
        xref: "paper",
        x0: 0,
        x1: 1,
        y0: y,
        y1: y,
        line: { color: token("--muted"), width: 1.25, dash: "4px,4px" },
      })),
    ],
    annotations: [
      ...endLabels(shown.ends ? shown.lines : [], axis, frame.inner.height, font),
      ...rules.map(({ y, label }) => ({
        xref: "paper",
        x: 1,
        xanchor: "right",
        yref: "y",
        y: axis.type === "log" ? Math.log10(y) : y,
        yanchor: "bottom",
        text: label,
        showarrow: false,
        font: { ...font, size: 10.5 },
        bgcolor: `${token("--paper")}c0`,
        borderpad: 1,
      })),
    ],
  };
}

/** Bands, spreads and lines, events placed by `scale`; values of 0 are drawn at `floor`. */
export function tracesOf({ lines, bands, hollow, span, x: values }, floor, scale) {
  const near = span ? (span[1] - span[0]) / FINE : 0;
  const [filled, outlined] = [bands, hollow].map((runs) => runsJoined(runs, near));
  const marked = [asBands(MARKED[0], filled, scale), asBands(MARKED[1], outlined, scale, true)];
  const placed =
    values || scale.name === "event" ? lines : lines.map((line) => ({ ...line, x: line.x.map(scale.place) }));
  const spread = placed.filter(({ low }) => low);
  return [...marked, ...spread.map((line) => asBand(line, floor)), ...placed.flatMap((line) => asTraces(line, floor))];
}

/** What an image outside the page needs beside the plot: its title, those of its axes, a legend. */
export function published({ data, layout }, title, titles) {
  const textColour = token("--foreground");
  const axis = (name) => ({ title: { text: name, standoff: 8, font: { size: 12, color: textColour } } });
  const labelled = (trace) =>
    MARKED.includes(trace.meta) ? { ...trace, name: trace.meta, showlegend: trace.x.length > 0 } : trace;
  return {
    data: data.map(labelled),
    layout: {
      ...layout,
      paper_bgcolor: token("--paper"),
      title: { text: title, x: 0.02, y: 0.97, yanchor: "top", font: { size: 15, color: textColour } },
      margin: { l: layout.margin.l + 12, r: 16, t: 40, b: 96 },
      showlegend: true,
      legend: { orientation: "h", x: 0, y: -0.2, yanchor: "top", font: { size: 12, color: textColour } },
      xaxis: { ...layout.xaxis, ...axis(titles.x) },
      yaxis: { ...layout.yaxis, ...axis(titles.y) },
    },
  };
}
