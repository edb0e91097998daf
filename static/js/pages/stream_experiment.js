/* The form of an experiment on count streams. */

import { createMechanismsForm, LISTS } from "../components/experiment_form/mechanisms_form.js";
import { start } from "./experiment_new.js";

start({ LISTS, createKind: createMechanismsForm });
