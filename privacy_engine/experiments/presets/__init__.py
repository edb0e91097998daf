"""Experiments by name. Importing this package registers them, in the order pages show."""

# isort: off
from privacy_engine.experiments.presets.base import Preset, presets
from privacy_engine.experiments.presets.real_data import GeolifeError, TDriveError
from privacy_engine.experiments.presets.distance import TemporalDistance
from privacy_engine.experiments.presets.loss import CorrelatedLoss
from privacy_engine.experiments.presets.dummy_landmarks import DummySelectionCost
from privacy_engine.experiments.presets.curves import PrivacyUtility
# isort: on

__all__ = [
    "CorrelatedLoss",
    "DummySelectionCost",
    "GeolifeError",
    "Preset",
    "PrivacyUtility",
    "TDriveError",
    "TemporalDistance",
    "presets",
]
