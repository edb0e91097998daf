/* The form of an experiment on check-ins: those of a dataset lie in its box, generated ones in that of the preset. */

import { createMechanismsForm, LISTS } from "../components/experiment_form/mechanisms_form.js";
import { start } from "./experiment_new.js";

const EDGES = ["west", "south", "east", "north"];
const ownValues = (dataset) =>
  dataset?.box ? Object.fromEntries(EDGES.map((edge, i) => [edge, dataset.box[i]])) : null;

start({ LISTS, createKind: (form) => createMechanismsForm(form, { ownValues }) });
