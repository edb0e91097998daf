"""Count streams from trajectories and check-ins: events in the cells of a grid, step by step of time."""

from privacy_engine.aggregation.counting import Aggregated, Size, aggregate, extent_of, layout, size_of
from privacy_engine.aggregation.events import Events, events_of
from privacy_engine.aggregation.files import WRITERS
from privacy_engine.aggregation.spec import AggregationSpec
