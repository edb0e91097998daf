/* The audits page: the form, progress and actions of the audit shown, the list. */

import { post } from "../core/api.js";
import { watchDialogs } from "../components/dialogs.js";
import { $, data, el } from "../core/dom.js";
import { createFields } from "../components/form_fields.js";
import { swapSoon, watchJobActions, watchStates } from "../components/job_status.js";
import { refreshJobs } from "../components/jobs.js";
import { watchMaking, watchMechanism } from "../components/making_form.js";

const { url, list, audit, mechanisms, controls, trials } = data("page-data");
const mechanism = $("[data-mechanism]");
const refresh = swapSoon("audit", "audits");
const isControl = (name) => controls.some((one) => one.name === name);

const option = ({ name, title }) => el("option", { value: name }, title);
mechanism.append(...mechanisms.map(option), el("optgroup", { label: "Controls" }, controls.map(option)));
const draws = createFields($("[data-trials]"), [trials], { onChange: () => {} });
const parameters = watchMechanism(mechanism, [...mechanisms, ...controls], ({ name }) => {
  $("[data-alteration-field]").hidden = isControl(name);
});

function send() {
  const name = isControl(mechanism.value) ? mechanism.value : `${$("[data-alteration]").value}${mechanism.value}`;
  return post(url, { mechanism: { name, ...parameters().values() }, ...draws.values() });
}

watchJobActions(() => {
  refreshJobs();
  return refresh();
});
watchDialogs((what, button) => (button.dataset.key === audit ? location.assign(list) : refresh()));
watchStates(refresh);
watchMaking($("[data-form]"), { groups: () => [parameters(), draws], send });
