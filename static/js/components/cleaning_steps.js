/* Cleaning steps, as the upload form and a dataset's page offer them. */

import { get } from "../core/api.js";
import { $, el } from "../core/dom.js";
import { createSteps } from "./step_list.js";

const READS = { positions: "reads positions", times: "reads times only", nothing: "reads no data" };
const chip = ({ reads }) => el("span", { class: "chip" }, READS[reads]);

/** The steps in `host`, those of `set` chosen; null where the page has no place for them. */
export async function createCleaning(host, set = []) {
  if (!host) return null;
  const { results } = await get(host.dataset.cleaning);
  const hosts = { chosen: $("[data-chosen-steps]", host), offered: $("[data-offered-steps]", host) };
  const steps = createSteps(hosts, results, { field: "cleaning", short: true, chip, onChange: () => {} });
  steps.set(set);
  return steps;
}
