/* The form of an experiment on trajectories. */

import * as kind from "../trajectory/experiment_form/kind.js";
import { start } from "./experiment_new.js";

start(kind);
