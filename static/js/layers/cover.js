/* Which pixels a line has been drawn over: a million noisy steps paint the same pixels again and again, and what is
 * painted need not be painted once more. */

const TWICE = 2; // a pixel counts as painted when so many steps crossed it: their soft edges have added up
const BLOCK = 8;

let [marks, blocks] = [new Uint8Array(0), new Uint16Array(0)];

/** A fresh cover for a picture of this size in pixels. Only one is in use at a time. */
export class Cover {
  constructor(width, height) {
    this.width = Math.ceil(width);
    this.height = Math.ceil(height);
    this.across = Math.ceil(this.width / BLOCK);
    const [pixels, squares] = [this.width * this.height, this.across * Math.ceil(this.height / BLOCK)];
    if (marks.length < pixels) [marks, blocks] = [new Uint8Array(pixels), new Uint16Array(squares)];
    marks.fill(0, 0, pixels);
    blocks.fill(0, 0, squares);
  }

  /** Draw a step; false if nothing of it would be seen. What lies outside the picture is not. */
  takes(ax, ay, bx, by) {
    let [dx, dy] = [bx - ax, by - ay];
    const { width, height, across } = this;
    if (ax < 0 || bx < 0 || ay < 0 || by < 0 || ax >= width || bx >= width || ay >= height || by >= height) {
      let [first, last] = [0, 1];
      if (dx !== 0) {
        const [one, other] = [-ax / dx, (width - 0.001 - ax) / dx];
        first = Math.max(first, Math.min(one, other));
        last = Math.min(last, Math.max(one, other));
      } else if (ax < 0 || ax >= width) return false;
      if (dy !== 0) {
        const [one, other] = [-ay / dy, (height - 0.001 - ay) / dy];
        first = Math.max(first, Math.min(one, other));
        last = Math.min(last, Math.max(one, other));
      } else if (ay < 0 || ay >= height) return false;
      if (first >= last) return false;
      [ax, ay] = [ax + first * dx, ay + first * dy];
      [dx, dy] = [dx * (last - first), dy * (last - first)];
    }
    const steps = Math.ceil(Math.max(Math.abs(dx), Math.abs(dy))) || 1;
    [dx, dy] = [dx / steps, dy / steps];
    let fresh = false;
    for (let s = 0; s <= steps; s++) {
      const [x, y] = [Math.max(0, ax + s * dx) | 0, Math.max(0, ay + s * dy) | 0];
      const block = (y >> 3) * across + (x >> 3);
      if (blocks[block] >= BLOCK * BLOCK) {
        s += 3; // all around is painted: look again a little farther
        continue;
      }
      const at = y * width + x;
      if (marks[at] >= TWICE) continue;
      fresh = true;
      if (++marks[at] === TWICE) blocks[block]++;
    }
    return fresh;
  }
}
