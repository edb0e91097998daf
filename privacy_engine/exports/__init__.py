"""Releases as files, each with its privacy label, none linkable to another; a module for each kind of data.

The names here are those of trajectories; :mod:`privacy_engine.datatypes` has the formats of every kind.
"""

from privacy_engine.exports.base import JSON_COLUMN, ExportFormat, Label
from privacy_engine.exports.trajectory import DECIMALS, FORMATS, LABEL_NAMESPACE, write

__all__ = ["DECIMALS", "FORMATS", "JSON_COLUMN", "LABEL_NAMESPACE", "ExportFormat", "Label", "write"]
