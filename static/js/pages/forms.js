/* What forms need on every page, a stranger's too. */

import { refreshFormTokens } from "../core/csrf.js";

refreshFormTokens();
