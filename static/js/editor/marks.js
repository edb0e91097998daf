/* Which events are landmarks, with undo: a mask over the whole dataset. */

const REMEMBERED = 200;

export class Marks {
  constructor(n) {
    this.mask = new Uint8Array(n);
    this.past = [];
    this.future = [];
  }

  get count() {
    let sum = 0;
    for (const one of this.mask) sum += one;
    return sum;
  }

  has(event) {
    return this.mask[event] === 1;
  }

  /** Mark half-open runs and nothing else; what came before is forgotten. */
  replace(runs) {
    this.mask.fill(0);
    for (const [start, end] of runs) this.mask.fill(1, start, end);
    this.past = [];
    this.future = [];
  }

  /** Mark or unmark the events of [start, end). */
  fill(start, end, value) {
    this.past.push({ start, before: this.mask.slice(start, end) });
    if (this.past.length > REMEMBERED) this.past.shift();
    this.future = [];
    this.mask.fill(value ? 1 : 0, start, end);
  }

  toggle(event) {
    this.fill(event, event + 1, !this.has(event));
  }

  /** Mark a stretch; unmark it if all of it is marked. */
  toggleRange(start, end) {
    this.fill(start, end, this.mask.subarray(start, end).includes(0));
  }

  undo() {
    return this.swap(this.past, this.future);
  }

  redo() {
    return this.swap(this.future, this.past);
  }

  swap(from, to) {
    const step = from.pop();
    if (!step) return false;
    to.push({ start: step.start, before: this.mask.slice(step.start, step.start + step.before.length) });
    this.mask.set(step.before, step.start);
    return true;
  }

  /** Runs within [from, to), counted from `from`. */
  runs(from, to) {
    const found = [];
    let start = -1;
    for (let i = from; i <= to; i++) {
      const marked = i < to && this.mask[i] === 1;
      if (marked && start < 0) start = i;
      if (!marked && start >= 0) {
        found.push([start - from, i - from]);
        start = -1;
      }
    }
    return found;
  }

  /** Numbers of all marked events. */
  events() {
    const found = [];
    this.mask.forEach((one, event) => one && found.push(event));
    return found;
  }
}
