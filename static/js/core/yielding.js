/* Long computations in slices, between which the page can paint and react. */

const { port1, port2 } = new MessageChannel();
/** @type {(() => void)[]} */
const waiting = [];
port1.onmessage = () => waiting.shift()?.();

/** Let the page paint and handle events before the caller goes on. @returns {Promise<void>} */
export function yieldToPage() {
  return new Promise((resolve) => {
    waiting.push(resolve);
    port2.postMessage(null);
  });
}
