"""The form of an experiment on count streams."""

from dashboard.experiments.common.pages import Pages

ADAPTER = Pages()
