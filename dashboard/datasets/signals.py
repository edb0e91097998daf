"""Signals of the datasets app."""

from django.dispatch import Signal

imported = Signal()
"""A worker made a dataset ready: ``dataset``."""
