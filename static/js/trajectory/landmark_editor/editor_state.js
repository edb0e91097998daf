/* What the editor holds: which events are landmarks, a mask over the whole dataset; and its states step by step, never
 * changed, only replaced.
 */

export class Marks {
  constructor(n) {
    this.mask = new Uint8Array(n);
  }

  get count() {
    let sum = 0;
    for (const one of this.mask) sum += one;
    return sum;
  }

  has(event) {
    return this.mask[event] === 1;
  }

  /** Mark half-open runs and nothing else. */
  replace(runs) {
    this.mask.fill(0);
    for (const [start, end] of runs) this.mask.fill(1, start, end);
  }

  /** Mark these events; unmark them if all of them are marked. Returns whether they are marked now. */
  toggle(events) {
    const value = events.every((event) => this.has(event)) ? 0 : 1;
    for (const event of events) this.mask[event] = value;
    return value === 1;
  }

  /** Runs within [from, to), counted from `from`. */
  runs(from = 0, to = this.mask.length) {
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

  /** How this mask and half-open `runs` of another overlap: {both, here, there, jaccard}; 1 where both are empty. */
  overlap(runs) {
    let [both, onlySecond] = [0, 0];
    for (const [start, end] of runs) {
      for (let i = start; i < end; i++) both += this.mask[i];
      onlySecond += end - start;
    }
    const onlyFirst = this.count - both;
    const any = onlyFirst + onlySecond;
    return { both, onlyFirst, onlySecond: onlySecond - both, jaccard: any ? both / any : 1 };
  }
}

const REMEMBERED = 200;
const ONE_STEP_MS = 900; // changes of the same thing within this time are one step

export class History {
  constructor(state) {
    this.past = [];
    this.future = [];
    this.now = state;
    this.last = { key: null, at: -Infinity };
  }

  /** A step to `state`; with a `key`, steps of that key in quick succession become one (typing, arrow keys). */
  put(state, key = null) {
    const at = performance.now();
    const same = key !== null && key === this.last.key && at - this.last.at < ONE_STEP_MS;
    if (!same) this.past.push(this.now);
    if (this.past.length > REMEMBERED) this.past.shift();
    this.future = [];
    this.last = { key, at };
    this.now = state;
  }

  undo() {
    return this.swap(this.past, this.future);
  }

  redo() {
    return this.swap(this.future, this.past);
  }

  swap(from, to) {
    if (!from.length) return false;
    to.push(this.now);
    this.now = from.pop();
    this.last = { key: null, at: -Infinity };
    return true;
  }
}
