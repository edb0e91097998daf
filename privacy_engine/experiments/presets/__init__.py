"""Experiments by name. Importing this package registers them, in the order pages show."""

# isort: off
from privacy_engine.experiments.presets.base import Preset, SeriesPreset, presets
from privacy_engine.experiments.presets.real_data import GeolifeError, TDriveError
from privacy_engine.experiments.presets.distance import TemporalDistance
from privacy_engine.experiments.presets.loss import CorrelatedLoss
from privacy_engine.experiments.presets.dummy_landmarks import DummySelectionCost
from privacy_engine.experiments.presets.curves import PrivacyUtility
from privacy_engine.experiments.presets.streams import StreamErrorByEpsilon, StreamErrorByWindow
from privacy_engine.experiments.presets.stream_figures import (
    StreamBinaryTree,
    StreamByDimensions,
    StreamBySamples,
    StreamCorrelation,
    StreamDetection,
    StreamPaperLevels,
    StreamPaperWindows,
    StreamPartition,
    StreamQuadTree,
    StreamThresholds,
)
from privacy_engine.experiments.presets.recommendation import (
    RecommendationByDensity,
    RecommendationByEpsilon,
    RecommendationByHistory,
    RecommendationByRange,
)
from privacy_engine.registry import import_all
# isort: on

import_all(__name__)  # those that are not listed come last

__all__ = [
    "CorrelatedLoss",
    "DummySelectionCost",
    "GeolifeError",
    "Preset",
    "PrivacyUtility",
    "RecommendationByDensity",
    "RecommendationByEpsilon",
    "RecommendationByHistory",
    "RecommendationByRange",
    "SeriesPreset",
    "StreamBinaryTree",
    "StreamByDimensions",
    "StreamBySamples",
    "StreamCorrelation",
    "StreamDetection",
    "StreamErrorByEpsilon",
    "StreamErrorByWindow",
    "StreamPaperLevels",
    "StreamPaperWindows",
    "StreamPartition",
    "StreamQuadTree",
    "StreamThresholds",
    "TDriveError",
    "TemporalDistance",
    "presets",
]
