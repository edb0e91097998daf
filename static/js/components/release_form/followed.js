/* The choice above a preview: the release that is shown is a ticked one, unless another was chosen since. */

import { el } from "../../core/dom.js";

/**
 * The select `choice` of releases {key, title}: {offer(rows, ticked), follow(ticked)}, of which the first ticked one is
 * shown, else the first; what was chosen in it stays until ticks change. `show()` is called where that changes it.
 *
 * @param {HTMLSelectElement} choice
 * @param {() => void} show
 */
export function createFollowed(choice, show) {
  /** @type {{key: string, title: string}[]} */
  let rows = [];
  let [isChosen, last] = [false, ""];
  /** @param {{key: string}[]} ticked */
  function take(ticked) {
    const text = ticked.map(({ key }) => key).join();
    isChosen &&= text === last;
    last = text;
    const wanted = [...(isChosen ? [choice.value] : []), ...ticked.map(({ key }) => key), rows[0]?.key];
    return wanted.find((one) => rows.some(({ key }) => key === one)) ?? "";
  }
  choice.addEventListener("change", () => {
    isChosen = true;
    show();
  });
  return {
    offer(offered, ticked) {
      rows = offered;
      const value = take(ticked);
      choice.replaceChildren(...rows.map(({ key, title }) => el("option", { value: key }, title)));
      choice.value = value;
      choice.disabled = !rows.length;
    },
    follow(ticked) {
      const value = take(ticked);
      if (value === choice.value) return;
      choice.value = value;
      show();
    },
  };
}
