"""Ways to mark landmarks, and dummies beside them. Importing this package registers them, in the order pages show."""

# isort: off
from privacy_engine.landmarks.methods import LandmarkMethod, landmark_methods
from privacy_engine.landmarks.staypoints import StayPoints
from privacy_engine.landmarks.zones import Circle, MultiPolygon, Polygon, Zones
from privacy_engine.landmarks.schedule import Schedule
from privacy_engine.landmarks.released_zones import ReleasedZones
from privacy_engine.landmarks.manual import Manual
from privacy_engine.landmarks.column import Column
from privacy_engine.landmarks.synthetic import Synthetic
from privacy_engine.landmarks.zone_geojson import zones_from_geojson
from privacy_engine.landmarks.shorthand import parse_short
from privacy_engine.landmarks.coverage import MarkedBeside, landmark_choice
from privacy_engine.landmarks.dummy_methods import DummyMethod, SelectionSpec, dummy_methods, parse_short_dummies

# isort: on
from privacy_engine.registry import import_all

import_all(__name__)  # those that are not listed come last
