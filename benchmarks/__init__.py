"""Measurements: what is timed beside references, whole deployments under load and faults, tables of results."""
