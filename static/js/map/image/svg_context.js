/* What the layers of a map need of a canvas's context, written as SVG: lines stay lines, text stays text.
 *
 * Pixels that a layer puts there (a crowd of lines, cells of a grid) are embedded as PNG. A text and its halo are one
 * element, and so are the filling and the line of one path.
 */

const STATE = ["fillStyle", "strokeStyle", "globalAlpha", "lineWidth", "lineJoin", "lineCap", "font", "textAlign"];
const KEPT = [...STATE, "textBaseline", "scale"];
const ANCHORS = { start: "start", left: "start", center: "middle", right: "end", end: "end" };
const BASELINES = { alphabetic: "auto", middle: "central", top: "text-before-edge", bottom: "text-after-edge" };
const FONT = /^(?:(\d{3}) )?([\d.]+)px (.*)$/;
const FULL = 2 * Math.PI - 1e-9;

const round = (value) => Number(value.toFixed(2));
const boxOf = (numbers) =>
  Object.fromEntries(["x", "y", "width", "height"].map((name, i) => [name, round(numbers[i])]));

/** Text as the content of an XML element or attribute. */
export const xml = (text) =>
  String(text).replace(/[&<>"]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign] ?? "");

/** An element as text; attributes that are null or undefined are left out. */
export function tag(name, attributes, content = "") {
  const own = Object.entries(attributes).filter(([, value]) => value !== null && value !== undefined);
  const open = [name, ...own.map(([key, value]) => `${key}="${xml(value)}"`)].join(" ");
  return content === "" ? `<${open}/>` : `<${open}>${content}</${name}>`;
}

/** A context of `width` by `height` pixels, for layers that draw pixels `ratio` times as many. */
export class SvgContext {
  isVector = true;
  globalAlpha = 1;
  lineWidth = 1;
  lineJoin = "miter";
  lineCap = "butt";
  textAlign = "start";
  textBaseline = "alphabetic";
  imageSmoothingEnabled = true;
  #colours = { fill: "#000000", stroke: "#000000" };
  #dash = [];
  #path = [];
  #nodes = []; // {name, attributes, content, path}
  #saved = [];
  #measure;

  constructor(width, height, ratio) {
    this.canvas = { width: Math.round(width * ratio), height: Math.round(height * ratio), style: { opacity: "" } };
    this.ratio = ratio;
    this.scale = ratio; // of the transformation now
    this.#measure = /** @type {any} */ (document.createElement("canvas").getContext("2d"));
  }

  get fillStyle() {
    return this.#colours.fill;
  }

  set fillStyle(colour) {
    this.#colours.fill = this.#plain(colour);
  }

  get strokeStyle() {
    return this.#colours.stroke;
  }

  set strokeStyle(colour) {
    this.#colours.stroke = this.#plain(colour);
  }

  get font() {
    return this.#measure.font;
  }

  set font(font) {
    this.#measure.font = font;
  }

  /** Any colour as #rrggbb, as a canvas gives it back. */
  #plain(colour) {
    this.#measure.fillStyle = colour;
    return this.#measure.fillStyle;
  }

  /** What was drawn, as SVG elements. */
  content() {
    return this.#nodes.map(({ name, attributes, content }) => tag(name, attributes, content)).join("\n");
  }

  /** Put elements that were drawn elsewhere here, as a group. */
  group(attributes, content) {
    this.#nodes.push({ name: "g", attributes, content, path: null, length: 0 });
  }

  /** What `draw` draws here, as a group. */
  within(attributes, draw) {
    const before = this.#nodes;
    this.#nodes = [];
    draw();
    const content = this.content();
    this.#nodes = before;
    this.group(attributes, content);
  }

  save() {
    this.#saved.push([this.#dash, ...KEPT.map((name) => this[name])]);
  }

  restore() {
    const [dash = this.#dash, ...values] = this.#saved.pop() ?? [];
    this.#dash = dash;
    values.forEach((value, i) => (this[KEPT[i]] = value));
  }

  setLineDash(lengths) {
    this.#dash = lengths;
  }

  getTransform() {
    return { a: this.scale, b: 0, c: 0, d: this.scale, e: 0, f: 0 };
  }

  measureText(text) {
    return this.#measure.measureText(text);
  }

  beginPath() {
    this.#path = [];
  }

  moveTo(x, y) {
    this.#path.push(`M${round(x)} ${round(y)}`);
  }

  lineTo(x, y) {
    this.#path.push(`${this.#path.length ? "L" : "M"}${round(x)} ${round(y)}`);
  }

  closePath() {
    this.#path.push("Z");
  }

  rect(x, y, width, height) {
    this.#path.push(`M${round(x)} ${round(y)}h${round(width)}v${round(height)}h${round(-width)}Z`);
  }

  arc(x, y, r, from, to) {
    const at = (angle) => [x + r * Math.cos(angle), y + r * Math.sin(angle)];
    const turn = (angle, large) => {
      const [toX, toY] = at(angle);
      this.#path.push(`A${round(r)} ${round(r)} 0 ${large} 1 ${round(toX)} ${round(toY)}`);
    };
    this.lineTo(...at(from));
    if (to - from < FULL) return turn(to, to - from > Math.PI ? 1 : 0);
    turn(from + Math.PI, 1); // one arc cannot end where it begins
    turn(from, 1);
  }

  fill(rule = "nonzero") {
    const own = rule === "evenodd" ? rule : null;
    this.#draw({ fill: this.fillStyle, "fill-opacity": this.#alpha(), "fill-rule": own });
  }

  stroke() {
    const last = this.#nodes.at(-1);
    if (last?.path === this.#path && last.length === this.#path.length && !last.attributes.stroke)
      Object.assign(last.attributes, this.#line());
    else this.#draw({ fill: "none", ...this.#line() });
  }

  fillRect(...box) {
    this.#add("rect", { ...boxOf(box), fill: this.fillStyle, "fill-opacity": this.#alpha() });
  }

  strokeRect(...box) {
    this.#add("rect", { ...boxOf(box), fill: "none", ...this.#line() });
  }

  strokeText(text, x, y) {
    const halo = { stroke: this.strokeStyle, "stroke-width": this.lineWidth, "stroke-linejoin": "round" };
    this.#write(text, x, y, { ...halo, "paint-order": "stroke" });
  }

  fillText(text, x, y) {
    const last = this.#nodes.at(-1);
    const same = last?.name === "text" && last.content === xml(text) && last.attributes.fill === "none";
    if (same && last.attributes.x === round(x) && last.attributes.y === round(y)) last.attributes.fill = this.fillStyle;
    else this.#write(text, x, y, { fill: this.fillStyle });
  }

  /** An image or canvas, whole or a part of it, as the nine-part form of a canvas has it. */
  drawImage(image, ...numbers) {
    const whole = [0, 0, image.width, image.height];
    const [sx, sy, sw, sh, x, y, width, height] = numbers.length === 8 ? numbers : [...whole, ...numbers];
    const k = this.scale / this.ratio;
    const box = [x, y, width ?? sw, height ?? sh].map((length) => length * k);
    this.#embed(sw, sh, box, (ctx) => ctx.drawImage(image, sx, sy, sw, sh, 0, 0, sw, sh));
  }

  putImageData(image) {
    const { width, height } = image;
    const box = [0, 0, width / this.ratio, height / this.ratio];
    this.#embed(width, height, box, (ctx) => ctx.putImageData(image, 0, 0));
  }

  /** Embed in `box` the pixels that `paint(ctx)` draws, so many across and down. */
  #embed(width, height, box, paint) {
    const piece = Object.assign(document.createElement("canvas"), { width, height });
    paint(piece.getContext("2d"));
    this.#add("image", {
      ...boxOf(box),
      preserveAspectRatio: "none",
      opacity: this.#alpha(),
      style: this.imageSmoothingEnabled ? null : "image-rendering:pixelated",
      href: piece.toDataURL("image/png"),
    });
  }

  #alpha() {
    return this.globalAlpha === 1 ? null : round(this.globalAlpha);
  }

  #line() {
    return {
      stroke: this.strokeStyle,
      "stroke-width": round(this.lineWidth),
      "stroke-opacity": this.#alpha(),
      "stroke-linejoin": this.lineJoin === "miter" ? null : this.lineJoin,
      "stroke-linecap": this.lineCap === "butt" ? null : this.lineCap,
      "stroke-dasharray": this.#dash.length ? this.#dash.join(" ") : null,
    };
  }

  #write(text, x, y, paint) {
    const [, weight, size, family] = FONT.exec(this.font) ?? [null, undefined, "11", "sans-serif"];
    this.#add(
      "text",
      {
        ...{ x: round(x), y: round(y), fill: "none", ...paint },
        "font-family": family.replaceAll('"', "'"),
        "font-size": size,
        "font-weight": weight,
        "fill-opacity": this.#alpha(),
        "text-anchor": this.textAlign === "start" ? null : ANCHORS[this.textAlign],
        "dominant-baseline": this.textBaseline === "alphabetic" ? null : BASELINES[this.textBaseline],
      },
      xml(text),
    );
  }

  #draw(paint) {
    if (this.#path.length) this.#add("path", { d: this.#path.join(""), ...paint });
  }

  #add(name, attributes, content = "") {
    const path = name === "path" ? this.#path : null;
    this.#nodes.push({ name, attributes, content, path, length: this.#path.length });
  }
}
