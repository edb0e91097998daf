"""Measurements of speed and of results; a regular package, since an installed distribution has one of this name."""
