/* Seeded simulations of the models that have no release yet, with the parameters of the one that is shown. */

import { post, poll } from "../core/api.js";
import { $ } from "../core/dom.js";

const SEED = 1;

/**
 * The parameters of each model: those of `shown` that it has, else its own defaults.
 *
 * @param {{name: string, fields: {name: string, value: any}[]}[]} models
 * @param {Record<string, any>} shown
 */
export const simulated = (models, shown) =>
  models.map(({ name, fields }) => ({
    name,
    ...Object.fromEntries(fields.map((field) => [field.name, shown[field.name] ?? field.value])),
  }));

/**
 * The button that requests them and reloads the page once they are done.
 *
 * @param {any} page
 * @param {{attempt: (action: () => Promise<any>) => Promise<void>}} problem
 * @param {() => any} shown the release that is shown
 * @param {{busy: boolean}} work
 */
export function watchSimulations(page, problem, shown, work) {
  const button = $("[data-simulate]");
  button?.addEventListener("click", () => {
    button.disabled = work.busy = true;
    return problem.attempt(async () => {
      try {
        const made = [];
        for (const mechanism of simulated(page.missing, shown().spec))
          made.push(await post(page.urls.releases, { dataset: page.dataset, mechanism, seed: SEED }));
        button.textContent = "Simulating…";
        await Promise.all(made.map(({ urls }) => poll(urls.self)));
        location.reload();
      } finally {
        button.disabled = work.busy = false;
      }
    });
  });
}
