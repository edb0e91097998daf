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
  const said = $("[data-preview-said]", host);
  const field = (name) => form.elements.namedItem(name);
  let timer = 0;
  let asking = null;
  let drawn = null; // {key, fill, mark}: the table as it stands

  function soon() {
    clearTimeout(timer);
    timer = setTimeout(ask, WAIT_MS);
  }

  async function ask() {
    asking?.abort();
    if (invalidIn(form).length) return;
    asking = new AbortController();
    region.setAttribute("aria-busy", "true");
    try {
      show(await get(`${url}?${query()}`, { signal: asking.signal }));
    } catch (error) {
      if (error.name === "AbortError") return; // a later question is on its way
      if (!(error instanceof ApiError)) throw error;
      if (!drawn) region.hidden = true;
      tell(error.errors.map(refusal));
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
  const tell = (nodes) => said.replaceChildren(...nodes.flat().filter(Boolean));

  function show(seen) {
    region.hidden = !seen.columns.length;
    if (!seen.columns.length) {
      drawn = null;
      tell([el("p", { class: "small" }, seen.says)]);
      return;
    }
    const key = JSON.stringify([seen.editable, seen.columns.map(({ place, name }) => [place, name])]);
    if (drawn?.key !== key) drawn = { key, ...draw(seen) };
    drawn.fill(seen);
    tell([seen.problem && problem(seen), facts(seen), found(seen)]);
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
    const mark = (seen) => heads.forEach((one, i) => one.mark(seen, seen.columns[i].role));
    const fill = (seen) => {
      mark(seen);
      heads.forEach(({ limit }, i) => limit?.(seen, seen.columns[i].role));
      body.replaceChildren(
        ...seen.rows.map((row) =>
          el(
            "tr",
            {},
            row.map((text, i) => el("td", { class: seen.columns[i].role ? null : "muted" }, text)),
          ),
        ),
      );
    };
    return { fill, mark };
  }

  function head({ place, name }, editable) {
    const title = name || `column ${place.slice(1)}`;
    if (!editable) {
      const words = el("span", { class: "small muted" });
      const mark = (_, role) => (words.textContent = labelOf(role) ?? BESIDE[role] ?? "not read");
      return { cell: el("th", { scope: "col" }, el("span", { class: "preview__name" }, title), words), mark };
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
    const mark = (seen, role) => {
      now = seen;
      none.textContent = BESIDE[role] ?? "not read";
      select.value = labelOf(role) ? role : "";
    };
    // a position needs both coordinates: such a column only changes places with another
    const limit = (seen, role) => {
      none.disabled = needed(role);
      for (const choice of choices)
        choice.disabled = needed(role) && choice.value !== role && !holder(seen, choice.value);
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
  const holder = (seen, role) => (role ? seen.columns.find((column) => column.role === role) : undefined);

  /** Give the column at `place` another role. Who had it takes this one's, so that two columns change places at once. */
  function choose(seen, place, role, title) {
    const column = seen.columns.find((one) => one.place === place);
    const [before, other] = [column.role, holder(seen, role)];
    if (labelOf(before)) field(before).value = other?.place ?? (needed(before) ? "" : "#0");
    if (role) field(role).value = place;
    if (other) other.role = before;
    column.role = role;
    drawn.mark(seen); // at once: typing in a select changes it at every letter, sooner than the server answers
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

  function facts(seen) {
    const words = [
      seen.member ? `${seen.title}, ${seen.member}` : seen.title,
      seen.delimiter && `cells between ${MARKS[seen.delimiter] ?? seen.delimiter}`,
      seen.delimiter && `decimal ${seen.decimal === "," ? "comma" : "point"}`,
      seen.encoding,
      !seen.header && "no header line",
      seen.more_columns && `${seen.more_columns} more columns are not shown`,
    ];
    const fixed =
      !seen.editable &&
      "This format says itself which column is which. To say otherwise, choose the format of a plain table below.";
    return [
      el("p", { class: "small muted" }, `${words.filter(Boolean).join(" · ")}.`),
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
  return { show: () => drawn || ask() };
}
