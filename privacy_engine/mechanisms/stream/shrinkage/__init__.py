"""Parts of ``stream-shrink``: filters of levels and of the total, their prior, the choice of a factor, the schedule."""
