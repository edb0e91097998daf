"""Quotes of releases of count streams."""

from dashboard.releases.common.quotes import Quotes

ADAPTER = Quotes()
