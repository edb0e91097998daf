/* In a server's first minutes its engine is compiled; a page that waits for a part of it shows that. */

const SHOWN_AFTER_MS = 1000;
let waiting = 0;

/**
 * What `answer` becomes; where the page was served before all was compiled, its note is shown while that takes long.
 *
 * @template Answer
 * @param {Promise<Answer>} answer
 * @returns {Promise<Answer>}
 */
export async function noted(answer) {
  /** @type {HTMLElement | null} */
  const note = document.querySelector("[data-compiling]");
  if (!note) return answer;
  waiting += 1;
  const timer = setTimeout(() => (note.hidden = false), SHOWN_AFTER_MS);
  try {
    return await answer;
  } finally {
    clearTimeout(timer);
    waiting -= 1;
    note.hidden ||= !waiting;
  }
}
