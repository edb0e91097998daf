/* The form of an experiment on count streams. */

import * as kind from "../stream/experiment_form.js";
import { start } from "./experiment_new.js";

start(kind);
