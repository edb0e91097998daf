/* A few slots for uploads, so that fifty files do not slow each other down. */

const SLOTS = 3;
let used = 0;
/** @type {(() => void)[]} what is called when a slot becomes free */
const waiting = [];

/**
 * Wait for a slot; resolves with the function that frees it. Rejects with an AbortError when `signal` is aborted.
 *
 * @param {AbortSignal} signal
 * @returns {Promise<() => void>}
 */
export function takeSlot(signal) {
  const free = () => {
    used -= 1;
    waiting.shift()?.();
  };
  return new Promise((resolve, reject) => {
    const take = () => {
      used += 1;
      resolve(free);
    };
    if (used < SLOTS) take();
    else waiting.push(take);
    signal.addEventListener("abort", () => {
      const at = waiting.indexOf(take);
      if (at >= 0) waiting.splice(at, 1);
      reject(new DOMException("Cancelled", "AbortError"));
    });
  });
}
