/* The release form of count streams: the noise is stated beside the average counts of the upload. */

import { showForm } from "../components/quoted_release.js";
import { data } from "../core/dom.js";
import { noiseTexts } from "../stream/noise_text.js";

const { averages } = data("page-data");

showForm({ textsOf: (promise) => noiseTexts(promise, averages) });
