/* What Plotly draws of a chart, as data: traces, axes, layout. `shown` is what a chart's `draw` takes (see chart.js).
 */

import { cssColour, edgeColour, token } from "../core/series_style.js";
import { eventAxis, linearAxis, logAxis, shareAxis, valueAxis } from "./axes.js";
import { endLabels } from "./end_labels.js";

const MARKERS = 8; // on a line, so that lines differ in grey too
const MARGIN = 38; // px, left of the plot, at least
const LABEL_GAP = 8; // px, between the labels' left edge and the plot, beside their width
const MARKED = ["Landmarks", "Dummy landmarks"]; // what bands are called in an image outside the page

/** @type {CanvasRenderingContext2D | null} */
let measuring = null;

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

function horizontalAxis({ lines, span, x, ticks }) {
  if (ticks) return { range: span, tickvals: ticks.at, ticktext: ticks.text };
  if (!x) return eventAxis(span);
  return {
    ...valueAxis(
      lines.map((line) => line.x),
      x.log,
    ),
    title: { text: x.name, standoff: 4 },
  };
}

function asTrace({ id, name, x, y, colour, dash, marker, step, strong, visible = true }, floor) {
  const alone = x.length === 1;
  const edge = alone ? { color: token("--panel"), width: 1.5 } : { color: edgeColour(colour), width: 1 };
  return {
    type: "scatter",
    mode: alone ? "markers" : marker ? "lines+markers" : "lines",
    meta: id,
    name,
    x,
    y: floor ? y.map((value) => (value === 0 ? floor : value)) : y,
    visible,
    line: {
      color: cssColour(colour),
      width: strong ? 2.8 : x.length > 900 ? 1.2 : 1.6,
      dash,
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

/** The area between a line's `low` and `high`, shaded in its colour. */
function asBand({ id, x, low, high, colour, visible = true }) {
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
    y: [...known.map((i) => high[i]), ...back.map((i) => low[i])],
    fillcolor: `${cssColour(colour)}3a`,
    line: { width: 0 },
  };
}

/** Ranges of events as one shape, behind the lines: filled, or hollow as the map draws dummies. */
function asBands(name, bands, hollow) {
  /** @type {(number | null)[][]} */
  const [x, y] = [[], []];
  for (const [start, end] of bands) {
    x.push(start - 0.5, start - 0.5, end - 0.5, end - 0.5, hollow ? start - 0.5 : null, ...(hollow ? [null] : []));
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
function leftMargin(shown, axis, font) {
  const all = verticalAxis({ ...shown, span: [-Infinity, Infinity] }).axis;
  const texts = [axis, all].flatMap(({ ticktext }) => ticktext ?? []);
  measuring ??= document.createElement("canvas").getContext("2d");
  if (!measuring) return MARGIN;
  measuring.font = `${font.size}px ${font.family}`;
  const widths = texts.map((text) => Number(measuring?.measureText(text).width) + LABEL_GAP);
  return Math.ceil(Math.max(MARGIN, ...widths));
}

/** The space for names at the ends of lines, with the distance to the plot. */
function rightMargin(names, font) {
  if (!measuring || !names.length) return 8;
  measuring.font = `600 ${font.size}px ${font.family}`;
  return Math.ceil(Math.max(...names.map((name) => Number(measuring?.measureText(name).width)))) + 10;
}

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

/** `height` is that of the whole chart in pixels: names at the ends of lines are moved apart by it. */
export function layoutOf(shown, axis, height = 0) {
  const { rules, x, uprights = [] } = shown;
  const font = { family: token("--sans"), size: 11, color: token("--muted") };
  const plain = { fixedrange: true, zeroline: false, ticks: "", automargin: false };
  const [t, b] = [8, x ? 36 : 22];
  const ended = shown.ends ? shown.lines : [];
  return {
    font,
    margin: {
      l: leftMargin(shown, axis, font),
      r: rightMargin(
        ended.map(({ name }) => name),
        font,
      ),
      t,
      b,
    },
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    showlegend: false,
    hovermode: false,
    dragmode: false,
    xaxis: { ...plain, ...horizontalAxis(shown), showgrid: false, showline: true, linecolor: token("--line") },
    yaxis: { ...plain, ...axis, gridcolor: token("--line") },
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
      ...endLabels(ended, axis, height - t - b, font),
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

/** Bands, spreads and lines; values of 0 are drawn at `floor`. */
export function tracesOf({ lines, bands, hollow }, floor) {
  const marked = [asBands(MARKED[0], bands), asBands(MARKED[1], hollow, true)];
  const spread = lines.filter(({ low }) => low);
  return [...marked, ...spread.map(asBand), ...lines.map((line) => asTrace(line, floor))];
}

/** What an image outside the page needs beside the plot: its title, the names of its axes, a legend. */
export function published({ data, layout }, { title, unit, x }) {
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
      margin: { l: layout.margin.l + 26, r: 16, t: 40, b: 96 },
      showlegend: true,
      legend: { orientation: "h", x: 0, y: -0.2, yanchor: "top", font: { size: 12, color: textColour } },
      xaxis: { ...layout.xaxis, ...axis(x) },
      yaxis: { ...layout.yaxis, ...axis(unit) },
    },
  };
}
