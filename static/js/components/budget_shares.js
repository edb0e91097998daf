/* What a budget is spent on. No page is needed for this module. */

/**
 * What a budget is spent on, as shares of it: {spent, cost} as drawn, {left, over} as amounts. Without a limit the
 * shares are 0 and nothing is left or over.
 *
 * @param {{spent: number, cost: number | null, total: number | null}} budget
 */
export function budgetShares({ spent, cost, total }) {
  if (total === null) return { spent: 0, cost: 0, left: null, over: 0 };
  const drawn = total > 0 ? Math.min(spent / total, 1) : 1;
  const known = cost ?? 0;
  const rest = total - spent - known;
  const isOver = rest < -1e-9 * Math.max(total, 1); // sums of levels are not exact
  return {
    spent: drawn,
    cost: total > 0 ? Math.min(known / total, 1 - drawn) : 0,
    left: Math.max(rest, 0),
    over: isOver ? -rest : 0,
  };
}

/** The largest number of three digits that is at most `value`; 0 for none. @param {number} value */
export function floorOf(value) {
  if (!(value > 0) || !Number.isFinite(value)) return 0;
  const unit = 10 ** (Math.floor(Math.log10(value)) - 2);
  return Number((Math.floor(value / unit + 1e-9) * unit).toPrecision(3));
}
