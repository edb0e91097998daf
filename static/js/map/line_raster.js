/* Lines as soft-edged pixels of our own: a crowd of short steps costs a third of what the canvas takes for them.
 *
 * Each step fills, in every column it crosses (row, if it is steep), the pixels its width covers; where steps meet in a
 * pixel the fuller one counts. The pixels are those of the device.
 */

const MARGIN = 8; // pixels around the view, so that no step need be cut to the pixel; no line is wider
let cover = new Uint8Array(0);
/** @type {any} */
let image = null;

function bgrOf(colour) {
  const rgb = Number.parseInt(colour.slice(1), 16);
  return ((rgb & 255) << 16) | (rgb & 0xff00) | (rgb >> 16);
}

/** An empty raster of width by height pixels for lines `thick` pixels wide. Only one is in use at a time. */
export class Raster {
  constructor(width, height, thick) {
    this.width = width;
    this.height = height;
    this.half = Math.min(thick, MARGIN / 2) / 2;
    this.stride = width + 2 * MARGIN;
    const size = this.stride * (height + 2 * MARGIN);
    if (cover.length < size) cover = new Uint8Array(size);
    cover.fill(0, 0, size);
  }

  line(ax, ay, bx, by) {
    const { width, height, stride } = this;
    if (Math.abs(bx - ax) >= Math.abs(by - ay)) this.fill(ax, ay, bx, by, width, height, 1, stride);
    else this.fill(ay, ax, by, bx, height, width, stride, 1);
  }

  /** Along the first coordinate the line goes on, across the second it is wide; `on` and `over` are steps in memory. */
  fill(ax, ay, bx, by, length, breadth, on, over) {
    if (bx < ax) [ax, ay, bx, by] = [bx, by, ax, ay];
    const slope = bx > ax ? (by - ay) / (bx - ax) : 0;
    const reach = this.half * Math.sqrt(1 + slope * slope);
    let from = Math.max(0, Math.ceil(ax - 1)); // those whose middle is on the step or half a pixel off: steps that
    let to = Math.min(length, Math.floor(bx) + 1); // turn from flat to steep leave no gap between them
    if (slope !== 0 && (ay < 0 || by < 0 || ay > breadth || by > breadth)) {
      const one = ax - ay / slope;
      const other = ax + (breadth - ay) / slope;
      from = Math.max(from, Math.floor(Math.min(one, other)));
      to = Math.min(to, Math.ceil(Math.max(one, other)));
    } else if (ay < 0 || ay > breadth) return;
    let y = ay + (from + 0.5 - ax) * slope + MARGIN;
    for (let at = (from + MARGIN) * on, end = (to + MARGIN) * on; at < end; at += on, y += slope) {
      const low = y - reach;
      const high = y + reach;
      const first = low | 0;
      const last = high | 0;
      let pixel = at + first * over;
      if (first === last) {
        const value = 255 * (high - low);
        if (cover[pixel] < value) cover[pixel] = value;
        continue;
      }
      const begins = 255 * (first + 1 - low);
      if (cover[pixel] < begins) cover[pixel] = begins;
      for (let k = first + 1; k < last; k++) cover[(pixel += over)] = 255;
      const ends = 255 * (high - last);
      pixel += over;
      if (cover[pixel] < ends) cover[pixel] = ends;
    }
  }

  /** Add the lines to `pixels` in `colour` ("#rrggbb"), where they cover more of a pixel than what is there. */
  addTo(pixels, colour) {
    const { width, height, stride } = this;
    const bgr = bgrOf(colour);
    for (let row = 0, at = 0; row < height; row++) {
      for (let from = (row + MARGIN) * stride + MARGIN, end = from + width; from < end; from++, at++)
        if (cover[from] > pixels[at] >>> 24) pixels[at] = bgr | (cover[from] << 24);
    }
  }

  /** Lay the lines on the canvas, from its origin, in `colour` ("#rrggbb"), in place of what is there. */
  put(ctx, colour) {
    const { width, height, stride } = this;
    if (image?.width !== width || image.height !== height) image = new ImageData(width, height);
    const pixels = new Uint32Array(image.data.buffer);
    const bgr = bgrOf(colour);
    for (let row = 0, at = 0; row < height; row++) {
      for (let from = (row + MARGIN) * stride + MARGIN, end = from + width; from < end; from++)
        pixels[at++] = bgr | (cover[from] << 24);
    }
    const { e, f } = ctx.getTransform();
    ctx.putImageData(image, e, f);
  }
}
