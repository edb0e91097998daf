"""The form of an experiment on check-ins."""

from dashboard.experiments.common.pages import Pages

ADAPTER = Pages()
