"""Releases as files, each with its privacy label, none linkable to another; a module for each format or a few.

The names here are those of trajectories; :mod:`privacy_engine.datatypes` has the formats of every kind.
"""

from privacy_engine.exports.base import JSON_COLUMN, LABEL_NAMESPACE, ExportFormat, Label, formats_of
from privacy_engine.exports.columns import DECIMALS
from privacy_engine.exports.trajectory import write

FORMATS = formats_of("trajectory")

__all__ = ["DECIMALS", "FORMATS", "JSON_COLUMN", "LABEL_NAMESPACE", "ExportFormat", "Label", "write"]
