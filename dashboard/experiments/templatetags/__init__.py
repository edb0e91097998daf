"""Template tags of the experiments app."""
