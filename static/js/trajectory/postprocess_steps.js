/* Post-processing steps, as the composer and the smoothing dialog offer them. */

import { el } from "../core/dom.js";
import { createSteps } from "../components/step_list.js";
import { addSpeed } from "./speed_field.js";

const chip = (step) => el("span", { class: "chip" }, step.causal ? "works on live data" : "not on live data");

/** As createSteps, for steps after the noise. */
export const createAfter = (hosts, listed, { onChange, short = false }) =>
  createSteps(hosts, listed, { field: "postprocess", chip, extend: addSpeed, short, onChange });
