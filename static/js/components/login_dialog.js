/* Logging in again without leaving the page, where the session has ended: here, or in another tab. */

import { announce, el } from "../core/dom.js";
import { errorPlace, showText } from "../core/elements.js";
import { currentSession, logIn, onSessionLost, pageUser, restoreSession } from "../core/session.js";
import { discardAll } from "../core/form_memory.js";

const OTHER = (user) =>
  `“${user}” is logged in now, and this page belongs to “${pageUser()}”. Log out in the other tab, or reload the page.`;

/** Open the dialog; resolves with whether its user is logged in again. */
function showLogin() {
  const parts = build();
  const { dialog, form, password, code, codeField, error, submit, other, cancel } = parts;
  const before = document.activeElement;
  return new Promise((resolve) => {
    let answer = false;
    const show = (message) => showText(error, message);
    const settle = ({ user, problem, needsCode = false }, missing = problem) => {
      submit.disabled = false;
      if (needsCode) codeField.hidden = !(code.required = true);
      answer = user !== null && user === pageUser();
      if (answer) dialog.close();
      else show(user ? OTHER(user) : missing);
    };
    const look = async () => settle(await currentSession(), "");
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      show("");
      submit.disabled = true;
      settle(await logIn(pageUser(), password.value, code.value));
      if (!answer) (codeField.hidden ? password : code).select();
    });
    other.addEventListener("click", async () =>
      settle(await currentSession(), "No user is logged in yet in this browser."),
    );
    cancel.addEventListener("click", () => dialog.close());
    window.addEventListener("focus", look);
    dialog.addEventListener("close", () => {
      window.removeEventListener("focus", look);
      dialog.remove();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
      if (answer) announce("Logged in again.");
      resolve(answer);
    });
    document.body.append(dialog);
    dialog.showModal();
    password.focus();
  });
}

function build() {
  const input = (/** @type {string} */ id, more) => el("input.input", { id: `again-${id}`, ...more });
  const described = { "aria-describedby": "again-error", required: true };
  const password = input("password", { ...described, type: "password", autocomplete: "current-password" });
  const name = input("name", { value: pageUser(), readonly: true, autocomplete: "username", tabindex: "-1" });
  const code = input("code", { ...described, required: false, autocomplete: "one-time-code" });
  const error = errorPlace({ id: "again-error" });
  const submit = el("button.button.button--primary", { type: "submit" }, "Log in");
  const cancel = el("button.button", "Cancel");
  const other = el("button.button.button--small", "Continue");
  const field = (label, input, ...more) => el("div.field", el("label", { for: input.id }, label), input, more);
  const codeField = field("Code of the second factor", code);
  codeField.hidden = true;
  const form = el(
    "form",
    el("h2", { id: "again-title" }, "Log in again"),
    el("p", { id: "again-text" }, "Your session has ended. What you typed is still here and is sent once you are in."),
    field("User name", name),
    field("Password", password),
    codeField,
    error,
    el("p.small.muted.row", "Without a password: open a new login link in another tab, then", other),
    el("div.dialog__actions", cancel, submit),
  );
  const labels = { "aria-labelledby": "again-title", "aria-describedby": "again-text" };
  const dialog = el("dialog", { class: "dialog", id: "login-dialog", ...labels }, form);
  return { dialog, form, password, code, codeField, error, submit, other, cancel };
}

/** A form that a script does not send is sent once the session is known to be there. */
async function checkFirst(event) {
  const { target: form, submitter } = event;
  if (event.defaultPrevented || form.method !== "post" || "sent" in form.dataset) return;
  if ("logsOut" in form.dataset) return discardAll();
  event.preventDefault();
  const { user, problem } = await currentSession();
  if (user === null && !problem && !(await restoreSession())) return;
  form.dataset.sent = "";
  form.requestSubmit(submitter);
  delete form.dataset.sent;
}

/** Offer to log in again wherever a request finds that the session has ended. */
export function watchSession() {
  onSessionLost(showLogin);
  window.addEventListener("submit", checkFirst); // after all handlers of the page
}
