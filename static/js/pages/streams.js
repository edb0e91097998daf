/* The streams: states of count streams, deletion of live ones that published nothing. */

import { watchDialogs } from "../components/dialogs.js";
import { swapSoon, watchStates } from "../components/job_status.js";

watchDialogs(swapSoon("streams"));
watchStates(swapSoon("counts"));
