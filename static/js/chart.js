/* Charts over events. This file alone knows Plotly.
 *
 * Plotly draws; pointing, the cursor and the menus are ours (figure.js), so that nothing of its controls is loaded.
 * A page that shows charts has, in its head, for the content security policy,
 *   <link rel="stylesheet" href="…/css/plotly.css" id="plotly.js-style-global" class="no-inline-styles">
 * (Plotly then adds no style element) and <meta name="plotly" content="…/plotly/plotly.min.js">.
 */

import { inkOf, onTheme, token } from "./ink.js";

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

const SUPERSCRIPTS = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };
const DECADES = 7; // what lies further below the largest value is off the chart, not the measure of it

/** 1, 10, 1k on a logarithmic axis; .001 below one. */
function decadeText(power) {
  if (power >= 3 && power < 9) return `${10 ** (power % 3)}${power < 6 ? "k" : "M"}`;
  if (power >= 0 && power < 3) return String(10 ** power);
  if (power < 0 && power >= -3) return (10 ** power).toFixed(-power).slice(1);
  return `10${[...String(power)].map((char) => SUPERSCRIPTS[char]).join("")}`; // Plotly's <sup> needs inline styles
}

/** Lowest and highest power of ten around the positive values. */
function decades(lines, rules) {
  let [low, high] = [Infinity, 0];
  const see = (value) => {
    if (value > 0 && value < low) low = value;
    if (value > high) high = value;
  };
  for (const { y } of lines) y.forEach(see);
  for (const { y } of rules) see(y);
  if (!(high > 0)) [low, high] = [1, 10];
  const [from, to] = [Math.floor(Math.log10(low) + 1e-9), Math.ceil(Math.log10(high) - 1e-9)];
  return from === to ? [from - 1, to] : [Math.max(from, to - DECADES), to];
}

function logAxis(lines, rules, zeros) {
  const [from, to] = decades(lines, rules);
  const floor = zeros ? from - 0.7 : from; // where an exact 0 is drawn, with a tick of its own
  const every = Math.ceil((to - from) / 5);
  const powers = [];
  for (let power = from; power <= to; power += every) powers.push(power);
  return {
    floor: 10 ** floor,
    axis: {
      type: "log",
      range: [floor - (zeros ? 0.15 : 0), to + 0.06 * (to - floor)],
      tickvals: [...(zeros ? [10 ** floor] : []), ...powers.map((power) => 10 ** power)],
      ticktext: [...(zeros ? ["0"] : []), ...powers.map(decadeText)],
    },
  };
}

function linearAxis(lines, rules) {
  const highest = Math.max(...lines.map(({ y }) => y.reduce((a, b) => Math.max(a, b ?? 0), 0)), ...rules.map(({ y }) => y), 0);
  return { floor: 0, axis: { type: "linear", range: [0, highest * 1.06 || 1], nticks: 6, tickformat: ",~g" } };
}

function asTrace({ id, name, x, y, colour, dash, step, visible = true }, floor) {
  return {
    type: "scatter",
    mode: x.length === 1 ? "markers" : "lines",
    uid: id,
    name,
    x,
    y: floor ? y.map((value) => (value === 0 ? floor : value)) : y,
    visible,
    line: { color: inkOf(colour), width: x.length > 900 ? 1.2 : 1.6, dash, shape: step ? "hv" : "linear", simplify: true },
    hoverinfo: "skip",
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
    type: "scatter", mode: "lines", x, y, yaxis: "y2", fill: "toself", hoverinfo: "skip",
    fillcolor: `${token("--accent")}1c`, line: { width: 0 },
  };
}

function layoutOf({ lines, rules, span }, axis) {
  const font = { family: token("--sans"), size: 11, color: token("--muted") };
  const plain = { fixedrange: true, zeroline: false, ticks: "", automargin: false };
  return {
    font,
    margin: { l: 38, r: 8, t: 8, b: 22 },
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    showlegend: false,
    hovermode: false,
    dragmode: false,
    xaxis: { ...plain, range: span, showgrid: false, nticks: 5, tickformat: ",d", showline: true, linecolor: token("--line") },
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

/**
 * A chart in `element`. `draw({lines, bands, rules, span, log})`:
 *   lines  [{id, name, x, y, colour, dash, step, visible}]   bands  [[start, end), …]   rules  [{y, label}]
 *   span   [first, last] event
 */
export async function createChart(element, { label }) {
  const plotly = await loadPlotly();
  const cursor = document.createElement("div");
  cursor.className = "chart__cursor";
  cursor.hidden = true;
  let shown = null;
  let at = null;

  async function redraw() {
    if (!shown) return;
    const zeros = shown.log && shown.lines.some(({ y }) => y.includes(0));
    const { floor, axis } = shown.log ? logAxis(shown.lines, shown.rules, zeros) : linearAxis(shown.lines, shown.rules);
    const traces = [asBands(shown.bands), ...shown.lines.map((line) => asTrace(line, floor))];
    await plotly.react(element, traces, layoutOf(shown, axis), { staticPlot: true, responsive: false, displayModeBar: false });
    element.append(cursor);
    element.setAttribute("role", "img");
    element.setAttribute("aria-label", label());
    place();
  }

  function place() {
    const axes = element._fullLayout;
    cursor.hidden = at === null || !axes?.xaxis || !axes.yaxis;
    if (cursor.hidden) return;
    const x = axes.xaxis;
    cursor.style.transform = `translateX(${x._offset + x.l2p(at)}px)`;
    cursor.style.top = `${axes.yaxis._offset}px`;
    cursor.style.height = `${axes.yaxis._length}px`;
  }

  function eventAt(clientX) {
    const x = element._fullLayout?.xaxis;
    if (!x) return null;
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
      const index = shown?.lines.findIndex((line) => line.id === id) ?? -1;
      if (index < 0) return;
      shown.lines[index].visible = on;
      plotly.restyle(element, { visible: on }, [index + 1]);
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
    /** A data URL of the chart: "png" (three times as sharp) or "svg". */
    image: (format) =>
      plotly.toImage({ data: element.data, layout: { ...element.layout, paper_bgcolor: token("--paper") } }, {
        format, width: 640, height: 320, scale: format === "png" ? 3 : 1,
      }),
    lines: () => shown?.lines ?? [],
  };
}
