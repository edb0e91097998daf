/* What the form of an experiment on count streams adds. */

import { createMechanismsForm, LISTS } from "../components/experiment_form/mechanisms_form.js";

export { LISTS, createMechanismsForm as createKind };
