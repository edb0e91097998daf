"""The form of an experiment on count streams."""

from __future__ import annotations

from dashboard.experiments.common.pages import Pages

ADAPTER = Pages()
