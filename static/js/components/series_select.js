/* Which series of the dataset is shown. */

import { el } from "../core/dom.js";

/** A choice in `host` where `series` are several; `onChange(index)`. */
export function seriesChoice(host, series, onChange) {
  if (series.length < 2) return;
  const options = series.map(({ index, name }) =>
    el("option", { value: String(index) }, name || `Series ${index + 1}`),
  );
  const select = el("select", { class: "input", onchange: () => onChange(Number(select.value)) }, options);
  host.replaceChildren(el("label", { class: "bench__choice" }, el("span", {}, "Series"), select));
}
