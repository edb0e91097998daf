/* Long computations in slices, between which the page can paint and react. */

const { port1, port2 } = new MessageChannel();
const waiting = [];
port1.onmessage = () => waiting.shift()();

/** Lets the page paint and answer before it goes on. */
export function yieldToPage() {
  return new Promise((resolve) => {
    waiting.push(resolve);
    port2.postMessage(null);
  });
}
