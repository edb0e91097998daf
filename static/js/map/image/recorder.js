/* Frames that are drawn one after another, as a video: each has its time, however long drawing and encoding take. */

import { yieldToPage } from "../../core/yielding.js";
import { webm } from "./webm.js";

const CODECS = { "vp09.00.31.08": "V_VP9", vp8: "V_VP8" };
const BITS_PER_S = 6_000_000;
const KEY_S = 2; // from one frame that stands alone to the next
const WAITING = 4; // frames that wait for the encoder

export const UNSUPPORTED =
  "This browser cannot record video here: it has no WebCodecs encoder for WebM. Current versions of Chrome, Edge and " +
  "Firefox have one, on pages from HTTPS or localhost.";

/**
 * The encoder's configuration for frames of this size; null where the browser has none.
 *
 * @param {{width: number, height: number, fps: number}} video
 */
export async function configurationFor({ width, height, fps }) {
  if (!("VideoEncoder" in window)) return null;
  for (const codec of Object.keys(CODECS)) {
    const wanted = { codec, width, height, framerate: fps, bitrate: BITS_PER_S };
    const { supported } = await VideoEncoder.isConfigSupported(wanted);
    if (supported) return wanted;
  }
  return null;
}

/**
 * A WebM of `count` frames of `canvas`, on which `draw(k)` draws the k-th. `progress(share)`; an abort of `signal` is
 * thrown.
 *
 * @param {{canvas: HTMLCanvasElement, draw: (k: number) => void, count: number, fps: number, title: string}} film
 * @param {{signal: AbortSignal, progress: (share: number) => void}} on
 */
export async function record({ canvas, draw, count, fps, title }, { signal, progress }) {
  const { width, height } = canvas;
  const configuration = await configurationFor({ width, height, fps });
  if (!configuration) throw new Error(UNSUPPORTED);
  /** @type {import("./webm.js").Frame[]} */
  const frames = [];
  /** @type {any} */
  let failure = null;
  const encoder = new VideoEncoder({
    output(chunk) {
      const data = new Uint8Array(chunk.byteLength);
      chunk.copyTo(data);
      frames.push({ time_ms: Math.round(chunk.timestamp / 1000), isKey: chunk.type === "key", data });
    },
    error: (error) => (failure = error),
  });
  encoder.configure(configuration);
  try {
    for (let k = 0; k < count; k += 1) {
      draw(k);
      const frame = new VideoFrame(canvas, { timestamp: (k * 1e6) / fps, duration: 1e6 / fps });
      encoder.encode(frame, { keyFrame: k % (KEY_S * fps) === 0 });
      frame.close();
      progress(k / count);
      do await yieldToPage();
      while (encoder.encodeQueueSize > WAITING && !failure && !signal.aborted);
      signal.throwIfAborted();
      if (failure) throw failure;
    }
    await encoder.flush();
  } finally {
    if (encoder.state !== "closed") encoder.close();
  }
  const codec = CODECS[configuration.codec];
  return new Blob(
    /** @type {any[]} */ (webm(frames, { codec, width, height, duration_ms: (count * 1000) / fps, title })),
    { type: "video/webm" },
  );
}
