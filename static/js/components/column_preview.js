/* The first rows of an upload, as they would be read; above each column the choice of what it is. */

import { ApiError, get } from "../core/api.js";
import { $, announce, el } from "../core/dom.js";
import { sentenceOf } from "../core/field_errors.js";
import { invalidIn, numbersOf } from "./number_field.js";

const WAIT_MS = 250;
/** What goes with another column and is not chosen by itself. */
const BESIDE = {
  clock: "with the time",
  offset: "zone of the time",
  lat_sign: "with the latitude",
  lon_sign: "with the longitude",
  geometry: "Position",
  person: "Person",
};
const MARKS = { ",": "commas", ";": "semicolons", "|": "vertical bars", tab: "tabs", space: "spaces" };

/**
 * The preview in `host` of the upload at `url`, read as the options of `form` say. `roles` are the options that name a
 * column: [{name, label, needed}]. Asks for nothing before show().
 */
export function createPreview(host, form, { url, roles }) {
  const region = $("[data-preview-table]", host);
  const messages = $("[data-preview-said]", host);
  const field = (name) => form.elements.namedItem(name);
  let timer = 0;
  let pending = null;
  let drawn = null; // {key, fill, mark}: the table as it stands

  function soon() {
    clearTimeout(timer);
    timer = setTimeout(request, WAIT_MS);
  }

  async function request() {
    pending?.abort();
    if (invalidIn(form).length) return;
    pending = new AbortController();
    region.setAttribute("aria-busy", "true");
    try {
      show(await get(`${url}?${query()}`, { signal: pending.signal }));
    } catch (error) {
      if (error.name === "AbortError") return; // a later question is on its way
      if (!(error instanceof ApiError)) throw error;
      if (!drawn) region.hidden = true;
      showMessages(error.errors.map(refusal));
    }
    region.removeAttribute("aria-busy");
  }

  /** The form's reading options; cleaning comes after reading and has no part in it. */
  const query = () =>
    new URLSearchParams(
      Object.entries({
        ...Object.fromEntries([...new FormData(form)].filter(([, value]) => value)),
        ...numbersOf(form),
      }),
    );
  const showMessages = (nodes) => messages.replaceChildren(...nodes.flat().filter(Boolean));

  function show(preview) {
    region.hidden = !preview.columns.length;
    if (!preview.columns.length) {
      drawn = null;
      showMessages([el("p", { class: "small" }, preview.says)]);
      return;
    }
    const key = JSON.stringify([preview.editable, preview.columns.map(({ place, name }) => [place, name])]);
    if (drawn?.key !== key) drawn = { key, ...draw(preview) };
    drawn.fill(preview);
    showMessages([preview.problem && problem(preview), facts(preview), found(preview)]);
  }

  /** A table for these columns: fill(seen) puts roles and rows in and mark(seen) roles; the focus stays where it is. */
  function draw({ columns, editable }) {
    const heads = columns.map((column) => head(column, editable));
    const body = el("tbody");
    region.replaceChildren(
      el(
        "table",
        { class: "preview__table" },
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            heads.map(({ cell }) => cell),
          ),
        ),
        body,
      ),
    );
    const mark = (preview) => heads.forEach((one, i) => one.mark(preview, preview.columns[i].role));
    const fill = (preview) => {
      mark(preview);
      heads.forEach(({ limit }, i) => limit?.(preview, preview.columns[i].role));
      body.replaceChildren(
        ...preview.rows.map((row) =>
          el(
            "tr",
            {},
            row.map((text, i) => el("td", { class: preview.columns[i].role ? null : "muted" }, text)),
          ),
        ),
      );
    };
    return { fill, mark };
  }

  function head({ place, name }, editable) {
    const title = name || `column ${place.slice(1)}`;
    if (!editable) {
      const caption = el("span", { class: "small muted" });
      const mark = (_, role) => (caption.textContent = labelOf(role) ?? BESIDE[role] ?? "not read");
      return { cell: el("th", { scope: "col" }, el("span", { class: "preview__name" }, title), caption), mark };
    }
    const none = el("option", { value: "" });
    const choices = roles.map((role) => el("option", { value: role.name }, role.label));
    const select = el(
      "select",
      { class: "input", id: `preview-${place.slice(1)}`, "aria-describedby": "preview-help" },
      none,
      choices,
    );
    let now = null;
    select.addEventListener("change", () => choose(now, place, select.value, title));
    const mark = (preview, role) => {
      now = preview;
      none.textContent = BESIDE[role] ?? "not read";
      select.value = labelOf(role) ? role : "";
    };
    // a position needs both coordinates: such a column only changes places with another
    const limit = (preview, role) => {
      none.disabled = needed(role);
      for (const choice of choices)
        choice.disabled = needed(role) && choice.value !== role && !holder(preview, choice.value);
    };
    const label = el(
      "label",
      { for: select.id, class: "preview__name", title },
      title,
      el("span", { class: "visually-hidden" }, ", read as"),
    );
    return { cell: el("th", { scope: "col" }, label, select), mark, limit };
  }

  const labelOf = (role) => roles.find(({ name }) => name === role)?.label;
  const needed = (role) => Boolean(roles.find(({ name }) => name === role)?.needed);
  const holder = (preview, role) => (role ? preview.columns.find((column) => column.role === role) : undefined);

  /** Give the column at `place` another role. Who had it takes this one's, so that two columns change places at once. */
  function choose(preview, place, role, title) {
    const column = preview.columns.find((one) => one.place === place);
    const [before, other] = [column.role, holder(preview, role)];
    if (labelOf(before)) field(before).value = other?.place ?? (needed(before) ? "" : "#0");
    if (role) field(role).value = place;
    if (other) other.role = before;
    column.role = role;
    drawn.mark(preview); // at once: typing in a select changes it at every letter, sooner than the server answers
    announce(role ? `${title} is the ${labelOf(role).toLowerCase()}.` : `${title} is not read.`);
    soon();
  }

  function problem({ problem: { message, parameter }, whole }) {
    const settle =
      parameter &&
      !labelOf(parameter) &&
      el("button", { class: "link", type: "button", onclick: () => field(parameter).focus() }, "Choose below");
    return el(
      "div",
      { class: "notice notice--error", role: "status" },
      el("p", {}, el("strong", {}, message)),
      !whole && el("p", { class: "muted" }, "The first rows alone say so; only they were looked at."),
      settle && el("p", {}, settle),
    );
  }

  const refusal = (error) =>
    el("div", { class: "notice notice--error", role: "status" }, el("p", {}, el("strong", {}, sentenceOf(error))));

  function facts(preview) {
    const caption = [
      preview.member ? `${preview.title}, ${preview.member}` : preview.title,
      preview.delimiter && `cells between ${MARKS[preview.delimiter] ?? preview.delimiter}`,
      preview.delimiter && `decimal ${preview.decimal === "," ? "comma" : "point"}`,
      preview.encoding,
      !preview.header && "no header line",
      preview.more_columns && `${preview.more_columns} more columns are not shown`,
    ];
    const fixed =
      !preview.editable &&
      "This format says itself which column is which. To say otherwise, choose the format of a plain table below.";
    return [
      el("p", { class: "small muted" }, `${caption.filter(Boolean).join(" · ")}.`),
      fixed && el("p", { class: "small" }, fixed),
    ];
  }

  function found({ guesses }) {
    return guesses.length
      ? el(
          "ul",
          { class: "preview__found small", "aria-label": "Found out, not said by the file" },
          guesses.map(({ message }) => el("li", {}, message)),
        )
      : null;
  }

  form.addEventListener("input", ({ target }) => target.name && soon());
  return { show: () => drawn || request() };
}
