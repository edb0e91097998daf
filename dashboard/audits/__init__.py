"""Audits: black-box lower bounds of a mechanism's ε beside its claim. They read no data."""
