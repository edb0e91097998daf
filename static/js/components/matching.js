/* Which options of a search match what is typed. */

/** The options whose text holds `text`, whatever the case; those that begin with it first. */
export function matching(options, text) {
  const wanted = text.trim().toLocaleLowerCase();
  const found = options.filter((option) => option.text.toLocaleLowerCase().includes(wanted));
  const begins = (option) => (option.text.toLocaleLowerCase().startsWith(wanted) ? 0 : 1);
  return found.sort((a, b) => begins(a) - begins(b));
}
