/* What the editor holds, step by step. States are never changed, only replaced. */

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
