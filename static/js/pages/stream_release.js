/* The release form of count streams. */

import { foldedPreview } from "../components/release_form/folded_preview.js";
import { ReleaseForm } from "../components/release_form/release_form.js";
import { $, data } from "../core/dom.js";
import { createCountPreview } from "../stream/count_preview.js";
import { streamKind } from "../stream/release_form.js";

const page = data("page-data");
const host = $("[data-count-preview]");

foldedPreview(host);
new ReleaseForm(streamKind(page, createCountPreview(host, page))).start();
