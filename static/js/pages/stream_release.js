/* The release form of count streams. */

import { ReleaseForm } from "../components/release_form/release_form.js";
import { $, data } from "../core/dom.js";
import { createCountPreview } from "../stream/count_preview.js";
import { streamKind } from "../stream/release_form.js";

const page = data("page-data");

new ReleaseForm(streamKind(page, createCountPreview($("[data-count-preview]"), page))).start();
