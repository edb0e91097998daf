"""Processes for the worker tests: a temporary server, a substitute for the web process, workers with barriers."""
