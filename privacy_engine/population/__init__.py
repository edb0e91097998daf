"""Flows and visits of a population, each person protected whole: weights, estimates, intervals, the attack."""
