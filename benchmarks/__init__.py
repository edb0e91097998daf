"""Measurements: speed beside references, deployments under load and faults, tables of results.

A regular package, since an installed distribution has one of this name.
"""
