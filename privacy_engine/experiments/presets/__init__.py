"""Experiments by name. Importing this package registers them, in the order pages show."""

# isort: off
from privacy_engine.experiments.presets.base import Preset, SeriesPreset, presets
from privacy_engine.experiments.presets.real_data import GeolifeError, TDriveError
from privacy_engine.experiments.presets.distance import TemporalDistance
from privacy_engine.experiments.presets.loss import CorrelatedLoss
from privacy_engine.experiments.presets import dummy_landmarks, curves, streams, stream_figures, recommendation
from privacy_engine.registry import import_all
# isort: on

import_all(__name__)  # those that are not listed come last

__all__ = ["CorrelatedLoss", "GeolifeError", "Preset", "SeriesPreset", "TDriveError", "TemporalDistance", "presets"]
