/* The release form of count streams. */

import { foldedPreview } from "../components/release_form/folded_preview.js";
import { QuotedForm } from "../components/release_form/quoted_form.js";
import { $, data } from "../core/dom.js";
import { createCountPreview } from "../stream/count_preview.js";
import { streamForm } from "../stream/release_form.js";

const page = data("page-data");
const host = $("[data-count-preview]");
const preview = createCountPreview(host, { url: page.preview, dataset: page.dataset });

foldedPreview(host);
new QuotedForm(streamForm(page, { preview: preview.show }));
