"""Ways to mark landmarks. Importing this package registers them, in the order in which pages offer them."""

# isort: off
from privacy_engine.landmarks.methods import LandmarkMethod, landmark_methods
from privacy_engine.landmarks.staypoints import StayPoints
from privacy_engine.landmarks.zones import Circle, MultiPolygon, Polygon, Zones
from privacy_engine.landmarks.manual import Manual
from privacy_engine.landmarks.column import Column
from privacy_engine.landmarks.synthetic import Synthetic
from privacy_engine.landmarks.geojson import zones_from_geojson
from privacy_engine.landmarks.short import parse_short
# isort: on

__all__ = [
    "Circle",
    "Column",
    "LandmarkMethod",
    "Manual",
    "MultiPolygon",
    "Polygon",
    "StayPoints",
    "Synthetic",
    "Zones",
    "landmark_methods",
    "parse_short",
    "zones_from_geojson",
]
