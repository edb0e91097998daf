/* What the form of an experiment on check-ins adds: those of a dataset lie in its own box, generated ones in that of
   the preset. */

import { createMechanismsForm, LISTS } from "../components/experiment_form/mechanisms_form.js";

const EDGES = ["west", "south", "east", "north"];
const ownValues = (/** @type {any} */ dataset) =>
  dataset?.box ? Object.fromEntries(EDGES.map((edge, i) => [edge, dataset.box[i]])) : null;

export const createKind = (/** @type {any} */ form) => createMechanismsForm(form, { ownValues });
export { LISTS };
