"""Decompositions of a discrete space: level budgets, consistency of counts, splits. Nothing here draws randomness."""
