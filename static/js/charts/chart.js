/* Charts over events. This file alone knows Plotly.
 *
 * Plotly draws; pointing (chart_pointer.js), the cursor and the menus (figure.js) are ours: nothing of its controls is loaded.
 * A page that shows charts has, in its head, for the content security policy,
 *   <link rel="stylesheet" href="…/css/plotly.css" id="plotly.js-style-global" class="no-inline-styles">
 * (Plotly then adds no style element) and <meta name="plotly" content="…/plotly/plotly.min.js">.
 */

import { linearAxis, logAxis, shareAxis, valueAxis } from "./axes.js";
import { el } from "../core/dom.js";
import { cssColour, onTheme, edgeColour, token } from "../core/series_style.js";
import { watchPointer } from "./chart_pointer.js";
import { createReadout } from "./readout.js";

// Plotly carries a map library that adds a style element unless one with this id is there; its maps are never used.
const UNUSED_STYLES = "9f215cf04c5486422605d13261cb87401f4e7763b6296af81e98efbc0130da53";

let loading = null;

/** Plotly, loaded when the first chart asks for it. */
export function loadPlotly() {
  loading ??= new Promise((resolve, reject) => {
    const unused = document.createElement("meta");
    unused.id = UNUSED_STYLES;
    document.head.append(unused);
    const script = document.createElement("script");
    script.src = document.querySelector("meta[name=plotly]").content;
    script.addEventListener("load", () => resolve(window.Plotly));
    script.addEventListener("error", () => reject(new Error("The chart library could not be loaded.")));
    document.head.append(script);
  });
  return loading;
}

const MARKERS = 8; // on a line, so that lines are told apart in grey
const MARKED = ["Landmarks", "Dummy landmarks"]; // what bands are called in a picture outside the page

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

function verticalAxis(shown) {
  if (shown.y?.share) return shareAxis();
  if (!shown.log) return linearAxis(heights(shown));
  return logAxis(
    heights(shown),
    shown.lines.some(({ y }) => y.includes(0)),
  );
}

function horizontalAxis({ lines, span, x }) {
  if (!x) return { range: span, nticks: 5, tickformat: ",d" };
  return {
    ...valueAxis(
      lines.map((line) => line.x),
      x.log,
    ),
    title: { text: x.name, standoff: 4 },
  };
}

function asTrace({ id, name, x, y, colour, dash, marker, step, visible = true }, floor) {
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
      width: x.length > 900 ? 1.2 : 1.6,
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

/** The room between a line's `low` and `high`, shaded in its colour. */
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

/** Stretches of events as one shape, behind the lines: filled, or hollow as the map draws dummies. */
function asBands(name, bands, hollow) {
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

function layoutOf(shown, axis) {
  const { rules, x } = shown;
  const font = { family: token("--sans"), size: 11, color: token("--muted") };
  const plain = { fixedrange: true, zeroline: false, ticks: "", automargin: false };
  return {
    font,
    margin: { l: 38, r: 8, t: 8, b: x ? 36 : 22 },
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    showlegend: false,
    hovermode: false,
    dragmode: false,
    xaxis: { ...plain, ...horizontalAxis(shown), showgrid: false, showline: true, linecolor: token("--line") },
    yaxis: { ...plain, ...axis, gridcolor: token("--line") },
    yaxis2: { ...plain, overlaying: "y", range: [0, 1], visible: false },
    shapes: rules.map(({ y }) => ({
      type: "line",
      xref: "paper",
      x0: 0,
      x1: 1,
      y0: y,
      y1: y,
      line: { color: token("--muted"), width: 1.25, dash: "4px,4px" },
    })),
    annotations: rules.map(({ y, label }) => ({
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
  };
}

/** What a picture outside the page needs beside the plot: its title, the names of its axes, a legend. */
function published({ data, layout }, { title, unit, x }) {
  const lineStyle = token("--ink");
  const axis = (name) => ({ title: { text: name, standoff: 8, font: { size: 12, color: lineStyle } } });
  const labelled = (trace) =>
    MARKED.includes(trace.meta) ? { ...trace, name: trace.meta, showlegend: trace.x.length > 0 } : trace;
  return {
    data: data.map(labelled),
    layout: {
      ...layout,
      paper_bgcolor: token("--paper"),
      title: { text: title, x: 0.02, y: 0.97, yanchor: "top", font: { size: 15, color: lineStyle } },
      margin: { l: 64, r: 16, t: 40, b: 96 },
      showlegend: true,
      legend: { orientation: "h", x: 0, y: -0.2, yanchor: "top", font: { size: 12, color: lineStyle } },
      xaxis: { ...layout.xaxis, ...axis(x) },
      yaxis: { ...layout.yaxis, ...axis(unit) },
    },
  };
}

/**
 * A chart in `element`. `draw({lines, bands, hollow, rules, span, log, x, y, dots})`:
 *   lines  [{id, name, x, y, low, high, colour, dash, marker, step, visible}], a line of one point is a marker
 *   bands  [[start, end), …] of events, `hollow` others of another sort   rules  [{y, label}]   log  of the vertical axis
 *   span   [first, last] event shown, to which the vertical axis is fitted
 *   x      {name, log} where the horizontal axis has values and not events   y      {share} where the vertical one has shares
 *   also   other values that have to fit on the vertical axis, so that charts side by side have the same
 *   dots   (event) => [{id, x, y, colour}], what shows the event where no cursor can
 */
export async function createChart(element, { label }) {
  const plotly = await loadPlotly();
  const [cursor, hair] = ["chart__cursor", "chart__hair"].map((name) => el("div", { class: name, hidden: true }));
  const dots = el("div", { class: "chart__dots" });
  const readout = createReadout();
  const listeners = {};
  let [shown, at, hovered] = [null, null, null];

  async function redraw() {
    if (!shown) return;
    const { floor, axis } = verticalAxis(shown);
    const spread = shown.lines.filter(({ low }) => low);
    const marked = [asBands(MARKED[0], shown.bands), asBands(MARKED[1], shown.hollow, true)];
    const traces = [...marked, ...spread.map(asBand), ...shown.lines.map((line) => asTrace(line, floor))];
    await plotly.react(element, traces, layoutOf(shown, axis), {
      staticPlot: true,
      responsive: false,
      displayModeBar: false,
    });
    element.append(mark, hair, cursor, dots, readout.element);
    element.classList.toggle("chart__plot--values", Boolean(shown.x));
    element.dataset.span = shown.x ? "" : shown.span.join("-");
    element.setAttribute("role", "img");
    element.setAttribute("aria-label", label());
    place();
  }

  const ready = () => Boolean(element._fullLayout?.xaxis && element._fullLayout.yaxis);
  const xOf = (event) => element._fullLayout.xaxis._offset + element._fullLayout.xaxis.l2p(event);
  const within = (event) => event !== null && event >= shown.span[0] && event <= shown.span[1];

  function place() {
    const known = ready() && Boolean(shown);
    dots.replaceChildren(...(at !== null && known && shown.dots ? shown.dots(at).filter(isVisible).map(asDot) : []));
    for (const [line, event] of [
      [cursor, at],
      [hair, hovered],
    ]) {
      line.hidden = !known || Boolean(shown.x) || !within(event);
      if (line.hidden) continue;
      const { yaxis } = element._fullLayout;
      Object.assign(line.style, {
        transform: `translateX(${xOf(event)}px)`,
        top: `${yaxis._offset}px`,
        height: `${yaxis._length}px`,
      });
    }
    if (hair.hidden) readout.hide();
    else readout.show(shown, hovered, { x: xOf(hovered), width: element.clientWidth });
  }

  const isVisible = ({ id }) => shown.lines.some((line) => line.id === id && line.visible !== false);

  function asDot({ x, y, colour }) {
    const { xaxis, yaxis } = element._fullLayout;
    const transform = `translate(${xaxis._offset + xaxis.d2p(x)}px, ${yaxis._offset + yaxis.d2p(y)}px)`;
    return el("span", { class: "chart__dot", style: { transform, background: cssColour(colour) } });
  }

  function eventAt(clientX) {
    if (!ready() || !shown || shown.x) return null;
    const { xaxis } = element._fullLayout;
    const event = Math.round(xaxis.p2l(clientX - element.getBoundingClientRect().left - xaxis._offset));
    return Math.max(shown.span[0], Math.min(shown.span[1], event));
  }

  const box = () => ({ top: element._fullLayout.yaxis._offset, height: element._fullLayout.yaxis._length });
  const mark = watchPointer(element, { event: eventAt, x: xOf, box }, () => listeners);

  onTheme(redraw);
  let width = 0;
  new ResizeObserver(([{ contentRect }]) => {
    if (!shown || !contentRect.width || Math.abs(contentRect.width - width) < 1) return; // it may be taken away
    width = contentRect.width;
    plotly.Plots.resize(element).then(place);
  }).observe(element);

  return {
    draw(what) {
      shown = { bands: [], hollow: [], rules: [], also: [], ...what };
      return redraw();
    },
    /** Show the events of `span` alone, and what lies there as high as there is room. */
    setSpan(span) {
      if (!shown || shown.x || String(shown.span) === String(span)) return;
      shown.span = span;
      redraw();
    },
    setVisible(id, on) {
      const own = shown?.lines.filter((line) => line.id === id) ?? [];
      if (!own.length) return;
      own.forEach((line) => (line.visible = on));
      plotly.restyle(
        element,
        { visible: on },
        element.data.flatMap(({ meta }, index) => (meta === id ? [index] : [])),
      );
      place();
    },
    moveCursor(event) {
      at = event;
      place();
    },
    /** Say what the lines are at an event that is looked at and not chosen; null for none. */
    hover(event) {
      if (hovered === event) return;
      hovered = event;
      place();
    },
    /** {pick(event), range(first, after), clear(), hover(event or null)}: what presses, drags and looks tell. */
    listen: (to) => Object.assign(listeners, to),
    /** A data URL of the chart: "png" (three times as sharp) or "svg", with what `caption` = {title, unit, x} say. */
    image: (format, caption) =>
      plotly.toImage(published(element, caption), { format, width: 760, height: 420, scale: format === "png" ? 3 : 1 }),
    lines: () => shown?.lines ?? [],
    span: () => shown?.span ?? null,
    marks: () => [shown?.bands ?? [], shown?.hollow ?? []],
  };
}
