"""Cleanup and health of an installation."""
