/* Charts over events. This file alone knows Plotly.
 *
 * Plotly draws; pointing, the cursor and the menus are ours (figure.js), so that nothing of its controls is loaded.
 * A page that shows charts has, in its head, for the content security policy,
 *   <link rel="stylesheet" href="…/css/plotly.css" id="plotly.js-style-global" class="no-inline-styles">
 * (Plotly then adds no style element) and <meta name="plotly" content="…/plotly/plotly.min.js">.
 */

import { linearAxis, logAxis, shareAxis, valueAxis } from "./axes.js";
import { el } from "./dom.js";
import { inkOf, onTheme, rimOf, token } from "./ink.js";

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

/** Everything that has to fit on the vertical axis. */
const heights = ({ lines, rules }) => [...lines.flatMap(({ y, low = [], high = [] }) => [y, low, high]), rules.map(({ y }) => y)];

function verticalAxis(shown) {
  if (shown.y?.share) return shareAxis();
  if (!shown.log) return linearAxis(heights(shown));
  return logAxis(heights(shown), shown.lines.some(({ y }) => y.includes(0)));
}

function horizontalAxis({ lines, span, x }) {
  if (!x) return { range: span, nticks: 5, tickformat: ",d" };
  return { ...valueAxis(lines.map((line) => line.x), x.log), title: { text: x.name, standoff: 4 } };
}

function asTrace({ id, name, x, y, colour, dash, marker, step, visible = true }, floor) {
  const alone = x.length === 1;
  const edge = alone ? { color: token("--panel"), width: 1.5 } : { color: rimOf(colour), width: 1 };
  return {
    type: "scatter",
    mode: alone ? "markers" : marker ? "lines+markers" : "lines",
    meta: id,
    name,
    x,
    y: floor ? y.map((value) => (value === 0 ? floor : value)) : y,
    visible,
    line: { color: inkOf(colour), width: x.length > 900 ? 1.2 : 1.6, dash, shape: step ? "hv" : "linear", simplify: true },
    marker: { symbol: marker ?? "circle", size: alone ? 11 : 5.5, color: inkOf(colour), maxdisplayed: alone ? 0 : MARKERS, line: edge },
    hoverinfo: "skip",
  };
}

/** The room between a line's `low` and `high`, shaded in its colour. */
function asBand({ id, x, low, high, colour, visible = true }) {
  const known = x.map((_, i) => i).filter((i) => low[i] !== null && high[i] !== null);
  const back = [...known].reverse();
  return {
    type: "scatter", mode: "lines", meta: id, visible, fill: "toself", hoverinfo: "skip", showlegend: false,
    x: [...known, ...back].map((i) => x[i]), y: [...known.map((i) => high[i]), ...back.map((i) => low[i])],
    fillcolor: `${inkOf(colour)}3a`, line: { width: 0 },
  };
}

/** Stretches of events as one filled shape, behind the lines. */
function asBands(bands) {
  const [x, y] = [[], []];
  for (const [start, end] of bands) {
    x.push(start - 0.5, start - 0.5, end - 0.5, end - 0.5, null);
    y.push(0, 1, 1, 0, null);
  }
  return {
    type: "scatter", mode: "lines", x, y, yaxis: "y2", fill: "toself", hoverinfo: "skip", showlegend: false,
    fillcolor: `${token("--accent")}1c`, line: { width: 0 },
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
      type: "line", xref: "paper", x0: 0, x1: 1, y0: y, y1: y,
      line: { color: token("--muted"), width: 1.25, dash: "4px,4px" },
    })),
    annotations: rules.map(({ y, label }) => ({
      xref: "paper", x: 1, xanchor: "right", yref: "y", y: axis.type === "log" ? Math.log10(y) : y, yanchor: "bottom",
      text: label, showarrow: false, font: { ...font, size: 10.5 }, bgcolor: `${token("--paper")}c0`, borderpad: 1,
    })),
  };
}

/** What a picture outside the page needs beside the plot: its title, the names of its axes, a legend. */
function published({ data, layout }, { title, unit, x }) {
  const ink = token("--ink");
  const [marked, ...traces] = data;
  const axis = (name) => ({ title: { text: name, standoff: 8, font: { size: 12, color: ink } } });
  return {
    data: [{ ...marked, name: "Landmarks", showlegend: marked.x.length > 0 }, ...traces],
    layout: {
      ...layout,
      paper_bgcolor: token("--paper"),
      title: { text: title, x: 0.02, y: 0.97, yanchor: "top", font: { size: 15, color: ink } },
      margin: { l: 64, r: 16, t: 40, b: 96 },
      showlegend: true,
      legend: { orientation: "h", x: 0, y: -0.2, yanchor: "top", font: { size: 12, color: ink } },
      xaxis: { ...layout.xaxis, ...axis(x) },
      yaxis: { ...layout.yaxis, ...axis(unit) },
    },
  };
}

/**
 * A chart in `element`. `draw({lines, bands, rules, span, log, x, y, dots})`:
 *   lines  [{id, name, x, y, low, high, colour, dash, marker, step, visible}], a line of one point is a marker
 *   bands  [[start, end), …] of events   rules  [{y, label}]   span   [first, last] event   log    of the vertical axis
 *   x      {name, log} where the horizontal axis has values and not events   y      {share} where the vertical one has shares
 *   dots   (event) => [{id, x, y, colour}], what shows the event where no cursor can
 */
export async function createChart(element, { label }) {
  const plotly = await loadPlotly();
  const cursor = el("div", { class: "chart__cursor" });
  const dots = el("div", { class: "chart__dots" });
  cursor.hidden = true;
  let shown = null;
  let at = null;

  async function redraw() {
    if (!shown) return;
    const { floor, axis } = verticalAxis(shown);
    const spread = shown.lines.filter(({ low }) => low);
    const traces = [asBands(shown.bands), ...spread.map(asBand), ...shown.lines.map((line) => asTrace(line, floor))];
    await plotly.react(element, traces, layoutOf(shown, axis), { staticPlot: true, responsive: false, displayModeBar: false });
    element.append(cursor, dots);
    element.classList.toggle("chart__plot--values", Boolean(shown.x));
    element.setAttribute("role", "img");
    element.setAttribute("aria-label", label());
    place();
  }

  function place() {
    const axes = element._fullLayout;
    cursor.hidden = at === null || !axes?.xaxis || !axes.yaxis || Boolean(shown?.x);
    dots.replaceChildren(...(at !== null && axes?.xaxis && shown?.dots ? shown.dots(at).filter(isVisible).map(asDot) : []));
    if (cursor.hidden) return;
    const x = axes.xaxis;
    cursor.style.transform = `translateX(${x._offset + x.l2p(at)}px)`;
    cursor.style.top = `${axes.yaxis._offset}px`;
    cursor.style.height = `${axes.yaxis._length}px`;
  }

  const isVisible = ({ id }) => shown.lines.some((line) => line.id === id && line.visible !== false);

  function asDot({ x, y, colour }) {
    const { xaxis, yaxis } = element._fullLayout;
    const transform = `translate(${xaxis._offset + xaxis.d2p(x)}px, ${yaxis._offset + yaxis.d2p(y)}px)`;
    return el("span", { class: "chart__dot", style: { transform, background: inkOf(colour) } });
  }

  function eventAt(clientX) {
    const x = element._fullLayout?.xaxis;
    if (!x || shown?.x) return null;
    return Math.round(x.p2l(clientX - element.getBoundingClientRect().left - x._offset));
  }

  onTheme(redraw);
  let width = 0;
  new ResizeObserver(([{ contentRect }]) => {
    if (!shown || Math.abs(contentRect.width - width) < 1) return;
    width = contentRect.width;
    plotly.Plots.resize(element).then(place);
  }).observe(element);

  return {
    draw(what) {
      shown = { bands: [], rules: [], ...what };
      return redraw();
    },
    setVisible(id, on) {
      const own = shown?.lines.filter((line) => line.id === id) ?? [];
      if (!own.length) return;
      own.forEach((line) => (line.visible = on));
      plotly.restyle(element, { visible: on }, element.data.flatMap(({ meta }, index) => (meta === id ? [index] : [])));
      place();
    },
    moveCursor(event) {
      at = event;
      place();
    },
    /** Call `listener(event)` while the pointer is pressed and moved over the chart. */
    onPick(listener) {
      let held = false;
      const tell = (event) => {
        const found = eventAt(event.clientX);
        if (found !== null) listener(found);
      };
      element.addEventListener("pointerdown", (event) => {
        if (event.button) return;
        held = true;
        element.setPointerCapture(event.pointerId);
        tell(event);
      });
      element.addEventListener("pointermove", (event) => held && tell(event));
      for (const end of ["pointerup", "pointercancel"]) element.addEventListener(end, () => (held = false));
    },
    /** A data URL of the chart: "png" (three times as sharp) or "svg", with what `words` = {title, unit, x} say. */
    image: (format, words) =>
      plotly.toImage(published(element, words), { format, width: 760, height: 420, scale: format === "png" ? 3 : 1 }),
    lines: () => shown?.lines ?? [],
  };
}
