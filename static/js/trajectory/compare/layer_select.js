/* A select of one of the comparison's layers. */

import { el } from "../../core/dom.js";
import { swatch } from "../../components/swatch.js";

/** `set([{id, title, lineStyle, ready}], id)` fills it; layers that are not ready cannot be chosen. `onChange(id)`. */
export function layerSelect(label, onChange) {
  const select = el("select", { class: "input", "aria-label": label, onchange: () => onChange(select.value) });
  const mark = el("span", { class: "pane__mark" });
  /** @type {[string, any[]]} */
  let [known, choices] = ["", []];
  const chosen = () => choices.find(({ id }) => id === select.value);
  return {
    element: el("span", { class: "pane__choice" }, mark, select),
    title: () => chosen()?.title ?? "",
    set(wanted, id) {
      choices = wanted;
      const key = JSON.stringify(wanted.map(({ id: one, title, ready }) => [one, title, ready]));
      if (key !== known)
        select.replaceChildren(
          ...wanted.map((one) => el("option", { value: one.id, disabled: !one.ready }, one.title)),
        );
      known = key;
      select.value = id;
      mark.replaceChildren(...(chosen() ? [swatch(chosen()?.lineStyle)] : []));
    },
  };
}
