/* One upload from file to dataset, drawn as a card that shows its state at every moment. */

import { ApiError, isOver, pause, poll, post, postForm } from "../core/api.js";
import { announce } from "../core/dom.js";
import { bytes, capitalized, count, done, queued, span } from "../core/format.js";
import { PIECE, sendInPieces } from "../core/resumable_upload.js";
import {
  needsColumns,
  renderErrors,
  renderQuestion,
  renderReport,
  understood,
  understoodLine,
} from "./import_report.js";
import { refreshJobs } from "./jobs.js";
import { createUploadCard, optionForm } from "./upload_list.js";

/** @typedef {{signal: AbortSignal, onProgress: (share: number) => void, onWait: (seconds: number) => void,
 * onOffline: () => void}} Transfer */

const RETRIES = 3; // of a small file; large ones are sent in pieces, which go on where they stopped

/**
 * Upload `file` with the reading options; the card is returned at once. `settled()` is called whenever the list of
 * datasets may have changed.
 *
 * @param {{
 *   url: string, uploads: string, file: File, options: Record<string, any>, limit: number, settled: () => void,
 * }} upload
 */
export function upload({ url, uploads, file, options, limit, settled }) {
  const card = createUploadCard(file, () => send());
  const reading = createReading(card, file, { settled, keep: () => options.keep });

  async function send() {
    if (file.size > limit) {
      card.showRefusal([tooLarge(file, limit)], null, null);
      return;
    }
    const stop = new AbortController();
    const update = card.showProgress("Waiting for earlier uploads …", () => stop.abort());
    let free;
    try {
      free = await takeSlot(stop.signal);
      await online(stop.signal, () => update("This device is offline; the upload starts once it is connected.", null));
      update("Uploading …", null);
      const transfer = {
        signal: stop.signal,
        onProgress: (/** @type {number} */ share) =>
          share < 1
            ? update(`Uploading: ${done(share)} of ${bytes(file.size)}`, share)
            : update("Uploaded; importing …", null),
        onWait: (/** @type {number} */ seconds) =>
          update(`Connection lost; retrying in ${count(seconds, "second")} …`, null),
        onOffline: () => update("This device is offline; the upload starts again once it is connected.", null),
      };
      await reading.follow(await (file.size > PIECE ? sendResumable : sendWhole)(transfer));
    } catch (error) {
      if (error instanceof DOMException && error.name === "AbortError") card.showCancelled();
      else if (error instanceof ApiError) refuse(error.errors);
      else throw error;
    } finally {
      free?.();
    }
  }

  /** @param {Record<string, any>} changes */
  function sendAgain(changes) {
    options = { ...options, ...changes };
    send();
  }

  /** @param {ApiProblem[]} errors */
  function refuse(errors) {
    const chooseColumns = () => sendAgain({ keep: true }); // its own page shows its columns
    const answer = (/** @type {string} */ parameter, /** @type {string} */ value) => sendAgain({ [parameter]: value });
    card.showRefusal(errors, answer, errors.some(needsColumns) ? chooseColumns : null);
  }

  /** Lost before it was sent whole, it is sent again: the server then has nothing of it. @param {Transfer} transfer */
  async function sendWhole(transfer, missed = 0) {
    let sent = 0;
    const onProgress = (/** @type {number} */ share) => transfer.onProgress((sent = share));
    const form = new FormData();
    form.set("file", file, file.name);
    for (const [name, value] of Object.entries(options)) {
      form.set(name, typeof value === "string" ? value : JSON.stringify(value));
    }
    try {
      return await postForm(url, form, { ...transfer, onProgress });
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 0 || sent === 1 || missed === RETRIES) throw error;
      await online(transfer.signal, transfer.onOffline);
      transfer.onWait(2 ** missed);
      await pause(2 ** missed * 1000, transfer.signal);
      return sendWhole(transfer, missed + 1);
    }
  }

  /** @param {Transfer} transfer */
  async function sendResumable(transfer) {
    const sent = await sendInPieces(uploads, file, transfer);
    const dataset = await post(url, { upload: sent.id, ...options }, { signal: transfer.signal });
    sent.done();
    return dataset;
  }

  send();
  return card.element;
}

/**
 * Resolve at once, or where the browser has no network when it has; `waiting` is called before that.
 *
 * @param {AbortSignal} signal
 * @param {() => void} waiting
 */
function online(signal, waiting) {
  if (navigator.onLine) return Promise.resolve();
  waiting();
  return new Promise((resolve, reject) => {
    window.addEventListener("online", resolve, { once: true, signal });
    signal.addEventListener("abort", () => reject(new DOMException("Cancelled", "AbortError")));
  });
}

/** @param {File} file @param {number} limit @returns {ApiProblem} */
function tooLarge(file, limit) {
  const sizes = `The file has ${bytes(file.size)}; this server accepts up to ${bytes(limit)}.`;
  return { message: `${sizes} Compress it (.gz), or split it and upload the parts.`, field: "file" };
}

/**
 * What happens once the server has the file: wait until it is read, then show the result.
 *
 * @param {ReturnType<typeof createUploadCard>} card
 * @param {File} file
 * @param {{settled: () => void, keep: () => boolean}} options
 */
function createReading(card, file, { settled, keep }) {
  async function follow(dataset) {
    settled();
    if (!isOver(dataset)) {
      refreshJobs();
      const update = card.showProgress("Waiting for a worker …", null);
      const onUpdate = ({ state, stage, progress, queue_position: place }) =>
        state === "running"
          ? update(`${stage || "Reading"}: ${done(progress)}`, progress)
          : state === "queued" && update(`${capitalized(queued(place))} …`, null);
      dataset = await poll(dataset.urls.self, { onUpdate });
      settled();
    }
    if (dataset.state === "ready") showResult(dataset);
    else if (keep()) location.assign(dataset.urls.import);
    else showFailure(dataset);
  }

  /** @param {any} dataset @param {Record<string, any>} changes */
  async function reread(dataset, changes) {
    card.showProgress("Importing again …", null);
    try {
      await follow(await post(`${dataset.urls.self}read/`, { ...dataset.options, ...changes }));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const question = error.errors.find((/** @type {ApiProblem} */ { choices }) => choices?.length);
      showResult(dataset, question ? questionForm(dataset, question, changes) : renderErrors(error.errors));
    }
  }

  /** @param {any} dataset @param {ApiProblem} question */
  const questionForm = (dataset, question, changes = {}) =>
    renderQuestion(question, (/** @type {string} */ name, /** @type {string} */ value) =>
      reread(dataset, { ...changes, [name]: value }),
    );

  function showFailure(dataset) {
    const error = dataset.error ?? { message: "The file could not be read." };
    const after = "The uploaded file is stored; delete the dataset below, or change its import settings.";
    const question = Boolean(error.choices?.length);
    card.showFailure(question ? questionForm(dataset, error) : renderErrors([error], after), question);
  }

  /** @param {any} dataset @param {Element | null} problem */
  function showResult(dataset, problem = null) {
    const { report } = dataset;
    const none = dataset.length_m === null ? [] : ["no times"]; // counts and check-ins state theirs in the report
    const times = dataset.has_time ? [span(dataset.start, dataset.end)] : none;
    announce(`${file.name} is ready: ${understood(report)}.`);
    const onChange = (guess) => {
      const { form, input } = optionForm(dataset, guess, (changes) => reread(dataset, changes));
      showResult(dataset, form);
      input.focus();
    };
    card.showResult(dataset, understoodLine(report, {}, ...times), problem, renderReport(report, { onChange }));
  }

  return { follow };
}

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
