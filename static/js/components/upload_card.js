/* One upload from file to dataset, drawn as a card that says at every moment what is going on. */

import { ApiError, poll, post, postForm } from "../core/api.js";
import { announce, bytes, count, done, el, span } from "../core/dom.js";
import { refreshJobs } from "./jobs.js";
import { numbersOf, refuseInvalid } from "./number_field.js";
import { needsColumns, renderQuestion, renderErrors, renderReport, understood } from "./import_report.js";
import { PIECE, sendInPieces } from "../core/resumable_upload.js";

const open = (dataset) => dataset.state === "queued" || dataset.state === "running";

const AT_A_TIME = 3;
let sending = 0;
const line = []; // what is called when a place becomes free

/** Wait for one of few places, so that fifty files do not crowd each other out; call what it gives to leave it. */
function place(signal) {
  const leave = () => {
    sending -= 1;
    line.shift()?.();
  };
  return new Promise((resolve, reject) => {
    const enter = () => {
      sending += 1;
      resolve(leave);
    };
    if (sending < AT_A_TIME) enter();
    else line.push(enter);
    signal.addEventListener("abort", () => {
      const at = line.indexOf(enter);
      if (at >= 0) line.splice(at, 1);
      reject(new DOMException("Cancelled", "AbortError"));
    });
  });
}

/**
 * Upload `file` with the reading options; the card is returned at once. `settled()` is called whenever the list of
 * datasets may have changed.
 */
export function upload({ url, uploads, file, options, limit, settled }) {
  const body = el("div", { class: "stack" });
  const side = el("div", { class: "row" });
  const card = el(
    "article",
    { class: "outcome card stack", "aria-label": file.name },
    el(
      "header",
      { class: "row row--apart" },
      el("h3", {}, file.name, el("span", { class: "muted" }, ` ${bytes(file.size)}`)),
      side,
    ),
    body,
  );
  const show = (...nodes) => body.replaceChildren(...nodes.filter(Boolean));
  const dismiss = () =>
    el(
      "button",
      {
        class: "button button--small button--quiet",
        type: "button",
        "aria-label": `Dismiss ${file.name}`,
        onclick: () => card.remove(),
      },
      "Dismiss",
    );

  function waiting(label, stop) {
    const note = el("p", { class: "muted small" }, label);
    const bar = el("progress", { class: "progress", max: 1, "aria-label": `${file.name}: ${label}` });
    side.replaceChildren(
      ...(stop
        ? [
            el(
              "button",
              { class: "button button--small", type: "button", "aria-label": `Cancel ${file.name}`, onclick: stop },
              "Cancel",
            ),
          ]
        : []),
    );
    show(el("div", { class: "stack stack--tight" }, bar, note));
    return (text, share) => {
      note.textContent = text;
      if (share === null) bar.removeAttribute("value");
      else bar.value = share;
    };
  }

  function refused(errors, again) {
    side.replaceChildren(dismiss());
    const question = errors.find((error) => error.choices?.length);
    if (question) {
      announce(`${file.name}: ${question.message}`);
      show(renderQuestion(question, again));
      return;
    }
    announce(`${file.name} was refused.`);
    const choose =
      again &&
      errors.some(needsColumns) &&
      el("button", { class: "button", type: "button", onclick: chooseColumns }, "Choose its columns");
    show(renderErrors(errors, "Nothing of this file was kept."), choose && el("p", {}, choose));
  }

  /** Send it once more, to be kept as it is: its own page shows its columns. */
  function chooseColumns() {
    options = { ...options, keep: true };
    send();
  }

  async function send() {
    if (file.size > limit) {
      refused([
        {
          message: `The file has ${bytes(file.size)}; this server takes up to ${bytes(limit)}. Compress it (.gz), or split it and upload the parts.`,
          field: "file",
        },
      ]);
      return;
    }
    const stop = new AbortController();
    const showProgress = waiting("Waiting for its turn …", () => stop.abort());
    let leave = null;
    try {
      leave = await place(stop.signal);
      showProgress("Sending …", null);
      const onProgress = (share) =>
        share < 1
          ? showProgress(`Sending: ${done(share)} of ${bytes(file.size)}`, share)
          : showProgress("Sent; the server reads it …", null);
      const onWait = (seconds) =>
        showProgress(`The connection is lost; trying again in ${count(seconds, "second")} …`, null);
      const how = { signal: stop.signal, onProgress, onWait };
      await follow(await (file.size > PIECE ? inPieces : atOnce)(how));
    } catch (error) {
      if (error.name === "AbortError") {
        announce(`${file.name} was cancelled.`);
        side.replaceChildren(dismiss());
        show(el("p", { class: "muted" }, "Cancelled. Nothing of this file was kept."));
      } else if (error instanceof ApiError) {
        refused(error.errors, (parameter, value) => {
          options = { ...options, [parameter]: value };
          send();
        });
      } else throw error;
    } finally {
      leave?.();
    }
  }

  async function atOnce(how) {
    const form = new FormData();
    form.set("file", file, file.name);
    for (const [name, value] of Object.entries(options))
      form.set(name, typeof value === "string" ? value : JSON.stringify(value));
    return postForm(url, form, how);
  }

  async function inPieces(how) {
    const whole = await sendInPieces(uploads, file, how);
    const dataset = await post(url, { upload: whole.id, ...options }, { signal: how.signal });
    whole.done();
    return dataset;
  }

  /** The server has it: wait until it is read, then say what was understood. */
  async function follow(dataset) {
    settled();
    if (open(dataset)) {
      refreshJobs();
      const showProgress = waiting("Waiting for a worker …", null);
      dataset = await poll(dataset.urls.self, {
        until: (now) => !open(now),
        onUpdate: (now) =>
          now.state === "running" && showProgress(`${now.stage || "Reading"}: ${done(now.progress)}`, now.progress),
      });
      settled();
    }
    if (dataset.state === "ready") understoodAs(dataset);
    else if (options.keep) location.assign(dataset.urls.page);
    else failed(dataset);
  }

  async function reread(dataset, changes) {
    waiting("Reading it again …", null);
    try {
      await follow(await post(`${dataset.urls.self}read/`, { ...dataset.options, ...changes }));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const question = error.errors.find((one) => one.choices?.length);
      understoodAs(
        dataset,
        question
          ? renderQuestion(question, (name, value) => reread(dataset, { ...changes, [name]: value }))
          : renderErrors(error.errors),
      );
    }
  }

  function failed(dataset) {
    side.replaceChildren(dismiss());
    const error = dataset.error ?? { message: "The file could not be read." };
    if (error.choices?.length) show(renderQuestion(error, (name, value) => reread(dataset, { [name]: value })));
    else show(renderErrors([error], "The upload is kept; delete the dataset below, or read it in another way."));
  }

  function understoodAs(dataset, problem = null) {
    const { report } = dataset;
    const facts = [understood(report), dataset.has_time ? span(dataset.start, dataset.end) : "no times"].join(" · ");
    announce(`${file.name} is ready: ${count(dataset.points, "point")}.`);
    side.replaceChildren(
      el("a", { class: "button button--small", href: dataset.urls.page, "aria-label": `Open ${dataset.name}` }, "Open"),
      dismiss(),
    );
    show(el("p", {}, facts), problem, renderReport(report, { onChange: (guess) => change(dataset, guess) }));
  }

  /** One reading option, asked again with the same control as in the upload form. */
  function change(dataset, { option, value }) {
    const original = document.getElementById(`upload-${option}`);
    const field = original.closest(".field").cloneNode(true);
    const input = field.querySelector("input, select");
    input.value = dataset.options[option] ?? (input.tagName === "INPUT" ? value : "");
    const form = el("form", { class: "ask" }, field, el("button", { class: "button button--primary" }, "Read it so"));
    for (const node of form.querySelectorAll("[id], [for]")) {
      for (const name of ["id", "for"])
        if (node.hasAttribute(name)) node.setAttribute(name, `${dataset.id}-${node.getAttribute(name)}`);
    }
    input.removeAttribute("aria-describedby");
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (!refuseInvalid(form)) reread(dataset, { [option]: input.value, ...numbersOf(form) });
    });
    understoodAs(dataset, form);
    input.focus();
  }

  send();
  return card;
}
