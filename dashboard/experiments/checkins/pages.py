"""The form of an experiment on check-ins."""

from __future__ import annotations

from dashboard.experiments.common.pages import Pages

ADAPTER = Pages()
