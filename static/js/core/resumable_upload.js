/* A large file in pieces, by the tus protocol: after a lost connection it goes on from the byte the server has. */

import { ApiError, pause, transfer } from "./api.js";

export const PIECE = 8_000_000;
const TUS = { "Tus-Resumable": "1.0.0" };
const MAX_RETRIES = 12; // failures in a row, each waited for longer than the one before: some four minutes
const LOST = new Set([0, 408, 409, 423, 429, 460, 500, 502, 503, 504]);

const PREFIX = "cairn-upload:";
const KEY = /^(.*):(\d+):\d+$/s; // after the prefix

/** Where the URL of an unfinished upload of a file is stored. @param {File} file */
export const keyOf = ({ name, size, lastModified }) => `${PREFIX}${name}:${size}:${lastModified}`;

const encoded = (/** @type {string} */ text) => btoa(String.fromCharCode(...new TextEncoder().encode(text)));

/** The piece's SHA-256 as a header; browsers have it on secure pages only. */
async function checksum(/** @type {Blob} */ piece) {
  /** @type {Record<string, string>} */
  const none = {};
  if (!globalThis.crypto?.subtle) return none;
  const digest = await crypto.subtle.digest("SHA-256", await piece.arrayBuffer());
  return { "Upload-Checksum": `sha256 ${btoa(String.fromCharCode(...new Uint8Array(digest)))}` };
}

/** @param {string} url @param {AbortSignal} [signal] */
const receivedBytes = async (url, signal) =>
  Number((await transfer("HEAD", url, { headers: TUS, signal })).getResponseHeader("Upload-Offset"));

/** @param {string} urls @param {File} file @param {AbortSignal} [signal] */
async function begin(urls, file, signal) {
  const headers = { ...TUS, "Upload-Length": String(file.size), "Upload-Metadata": `filename ${encoded(file.name)}` };
  const answer = await transfer("POST", urls, { headers, signal });
  // a proxy may call itself otherwise
  const { pathname } = new URL(answer.getResponseHeader("Location") ?? "", location.href);
  localStorage.setItem(keyOf(file), pathname);
  return { url: pathname, offset: 0 };
}

/** The unfinished upload of the same file; null for none. @param {File} file @param {AbortSignal} [signal] */
async function resume(file, signal) {
  const url = localStorage.getItem(keyOf(file));
  if (!url) return null;
  try {
    return { url, offset: await receivedBytes(url, signal) };
  } catch (error) {
    if (!(error instanceof ApiError) || LOST.has(error.status)) throw error;
    localStorage.removeItem(keyOf(file)); // expired, or another's
    return null;
  }
}

/**
 * Send `file` to `urls` (where uploads begin). `onProgress(share)` receives how much the server has, `onWait(seconds)`
 * that the connection is lost and when it is tried again. Resolves with {id, done()}: call `done` when a dataset is
 * made of it. Cancelled by `signal`, the server discards it.
 *
 * @param {string} urls
 * @param {File} file
 * @param {{onProgress?: (share: number) => void, onWait?: (seconds: number) => void, signal?: AbortSignal}} options
 */
export async function sendInPieces(urls, file, { onProgress, onWait, signal }) {
  /** @type {{url: string, offset: number} | null} */
  let upload = null;
  signal?.addEventListener("abort", () => upload && discardUpload({ key: keyOf(file), url: upload.url }));
  for (let missed = 0; !upload || upload.offset < file.size;) {
    try {
      upload ??= (await resume(file, signal)) ?? (await begin(urls, file, signal));
      if (missed) upload.offset = await receivedBytes(upload.url, signal);
      if (upload.offset < file.size) upload.offset = await sendPiece(upload, file, onProgress, signal);
      missed = 0;
    } catch (error) {
      if (!(error instanceof ApiError) || !LOST.has(error.status) || missed >= MAX_RETRIES) throw error;
      missed += 1;
      const seconds = error.retryAfter ?? Math.min(2 ** (missed - 1), 30);
      onWait?.(seconds);
      await pause(seconds * 1000, signal);
    }
  }
  return { id: upload.url.split("/").at(-2), done: () => localStorage.removeItem(keyOf(file)) };
}

/**
 * @param {{url: string, offset: number}} upload
 * @param {File} file
 * @param {((share: number) => void) | undefined} onProgress
 * @param {AbortSignal} [signal]
 */
async function sendPiece({ url, offset }, file, onProgress, signal) {
  const piece = file.slice(offset, offset + PIECE);
  const answer = await transfer("PATCH", url, {
    body: piece,
    headers: {
      ...TUS,
      "Upload-Offset": String(offset),
      "Content-Type": "application/offset+octet-stream",
      ...(await checksum(piece)),
    },
    onProgress: (sent) => onProgress?.((offset + sent) / file.size),
    signal,
  });
  return Number(answer.getResponseHeader("Upload-Offset"));
}

/** @typedef {{key: string, url: string, name: string, size: number, offset: number}} Unfinished */

/** Uploads that this browser began and the server still has, with how many bytes arrived; others are forgotten.
 * @returns {Promise<Unfinished[]>} */
export async function unfinishedUploads() {
  const found = [];
  for (const key of Object.keys(localStorage).filter((one) => one.startsWith(PREFIX))) {
    const [, name, size] = KEY.exec(key.slice(PREFIX.length)) ?? [];
    const url = localStorage.getItem(key) ?? "";
    try {
      found.push({ key, url, name, size: Number(size), offset: await receivedBytes(url) });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (!LOST.has(error.status)) localStorage.removeItem(key); // expired, or another user's
    }
  }
  return found;
}

/** @param {Pick<Unfinished, "key" | "url">} upload */
export function discardUpload({ key, url }) {
  localStorage.removeItem(key);
  transfer("DELETE", url, { headers: TUS }).catch(() => {}); // the server discards it automatically after a day
}
