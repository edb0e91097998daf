/* The form that makes check-ins of the stays of trajectories. */

import { createFields } from "../components/form_fields.js";
import { watchMaking } from "../components/making_form.js";
import { post } from "../core/api.js";
import { $, data } from "../core/dom.js";

const page = data("page-data");
const form = $("[data-form]");
const fields = createFields($("[data-fields]"), page.fields, { onChange: () => {} });

form.hidden = false; // its fields were made above: nothing moves once it is seen
form.dataset.ready = "all";
watchMaking(form, { groups: () => [fields], send: () => post(page.url, fields.values()) });
