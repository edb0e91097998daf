"""Template tags, built in for every template (see the settings)."""
