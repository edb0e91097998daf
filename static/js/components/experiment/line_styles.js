/* The lines of an experiment's charts: a mechanism has its own line style everywhere; other things the palette's in its
 * order. `palette` has the styles of the first, second, … line of each mechanism, as dashboard/core/palette.py makes
 * them.
 */

/** A line style for each value of an axis; a mechanism that comes again (smoothed, or read in another way) the next. */
export function axisLineStyles(axis, palette) {
  const all = Object.values(palette);
  if (!axis) return [all[0][0]];
  const used = {};
  return axis.values.map(({ mechanism }, i) => {
    const own = palette[mechanism];
    if (!own) return all[i % all.length][Math.floor(i / all.length) % all[0].length];
    used[mechanism] = (used[mechanism] ?? -1) + 1;
    return own[used[mechanism] % own.length];
  });
}
