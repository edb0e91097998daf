/* The form of an experiment on check-ins. */

import * as kind from "../checkins/experiment_form.js";
import { start } from "./experiment_new.js";

start(kind);
