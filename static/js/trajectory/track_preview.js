/* A large track takes a while: until all of it is there the map shows the server's rendering of the view.
 */

import { decodeTrack, fetchTrack } from "./track.js";

const LARGE = 100_000; // events; fewer are there before an image of them would be
const HEAD_START_MS = 400; // the view is small and goes first, but nothing waits for it long

/**
 * The whole track behind `url`, of about `n` events. Until it is there `map` shows an image of it in `style` (see
 * addTrack), as a layer of its own that nothing is picked from. `options` are those of fetchTrack.
 */
export async function fetchWithPreview(map, url, n, style, options = {}) {
  const view = n < LARGE ? null : map.view();
  if (!view?.width) return fetchTrack(url, options);
  const id = `early-${style.id}`;
  const preview = new AbortController();
  const shown = fetchImage(`${url}&${new URLSearchParams(view)}`, preview.signal)
    .then((track) => preview.signal.aborted || map.addTrack({ ...style, id, track }))
    .catch(() => {}); // the track itself reports what is wrong
  await Promise.race([shown, new Promise((resolve) => setTimeout(resolve, HEAD_START_MS))]);
  try {
    return await fetchTrack(url, options);
  } finally {
    preview.abort();
    map.remove(id); // in the frame that draws the track itself
  }
}

async function fetchImage(url, signal) {
  const answer = await fetch(url, { signal, credentials: "same-origin" });
  if (!answer.ok) throw new Error(`${answer.status}`);
  return decodeTrack(await answer.arrayBuffer());
}
