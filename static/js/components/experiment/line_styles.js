/* The lines of an experiment's charts: a mechanism has its own line style everywhere; other things the palette's in its
 * order.
 */

const DASHES = ["solid", "dash", "dot", "dashdot", "longdash", "longdashdot"];

/**
 * A line style for each value of an axis; a mechanism that comes again (smoothed, or read in another way) has another
 * dash.
 */
export function axisLineStyles(axis, palette) {
  const all = Object.entries(palette).map(([name, lineStyle], index) => ({ name, index, ...lineStyle }));
  if (!axis) return [all[0]];
  const used = {};
  return axis.values.map(({ mechanism }, i) => {
    const own = all.find(({ name }) => name === mechanism);
    if (!own) return all[i % all.length];
    used[mechanism] = (used[mechanism] ?? -1) + 1;
    const dash = DASHES[(DASHES.indexOf(own.dash) + used[mechanism]) % DASHES.length];
    return { ...own, dash };
  });
}
