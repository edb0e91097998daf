/* Names of files that a page makes: dashboard/core/filenames.py has the same rule for those that the server makes. */

const MOST = 60; // characters of one part

const cleaned = (/** @type {string} */ part) =>
  Array.from(
    part
      .normalize("NFKC")
      .replace(/[^\p{L}\p{M}\p{N}.]/gu, "-")
      .replace(/-*\.[-.]*|-+/g, (gap) => (gap.includes(".") ? "." : "-"))
      .replace(/^[-.]+|[-.]+$/g, ""),
  )
    .slice(0, MOST)
    .join("")
    .replace(/[-.]+$/, "");

/**
 * `parts` as one file name: letters, digits, points and hyphens, an underscore between two parts.
 *
 * @param {(string | undefined)[]} parts
 * @param {string} extension without its point
 */
export function fileName(parts, extension) {
  const stem = parts
    .map((part) => cleaned(part ?? ""))
    .filter(Boolean)
    .join("_");
  return `${stem || "cairn"}.${extension}`;
}

/** The dataset that the page is about, for its files. */
const subject = () => document.body.dataset.files;

/**
 * The name of a file of this page.
 *
 * @param {string} what its further parts, with underscores between them: "error_landmarks"
 * @param {string} extension
 */
export const pageFileName = (what, extension) => fileName([subject(), ...what.split("_")], extension);
