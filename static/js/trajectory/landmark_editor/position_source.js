/* What zones are applied to: positions of the upload, or those of an earlier release. */

import { el } from "../../core/dom.js";
import { selectOf } from "../../core/elements.js";

let ids = 0;

/** A choice of the upload or one of the API's `releases`, for `onChange(id or null)`: {element, set(id or null)}. */
export function createJudged(releases, { onChange }) {
  const id = `judged-${(ids += 1)}`;
  const options = releases.map((one) => [one.id, `Release ${one.name || one.title}, ${one.created_at.slice(0, 10)}`]);
  const described = { id, "aria-describedby": `${id}-help` };
  const select = selectOf(described, [["", "Positions of the upload"], ...options]);
  select.addEventListener("change", () => onChange(select.value || null));
  const none = releases.length ? "" : " There is none yet: make one at event level first.";
  const help = el(
    "p",
    { class: "field__help", id: `${id}-help` },
    `Releases over landmarks that an earlier release decides are covered by their promise, what that ` +
      `release spent on them included.${none}`,
  );
  return {
    element: el(
      "div",
      { class: "field", dataset: { judged: "" } },
      el("label", { for: id }, "Zones apply to"),
      select,
      help,
    ),
    set(value) {
      const known = [...select.options].some((option) => option.value === (value ?? ""));
      if (!known) select.append(el("option", { value }, `Release ${value.slice(0, 8)}`)); // discarded since
      select.value = value ?? "";
    },
  };
}
