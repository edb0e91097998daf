/* Long computations in slices, between which the page can paint and react. */

/** Let the page paint and handle events before the caller goes on. @returns {Promise<void>} */
export function yieldToPage() {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close(); // Node would wait for another one
      resolve();
    };
    port2.postMessage(null);
  });
}
