"""What a dataset's page reports of its points."""

import doctest

import numpy as np
import pytest

from dashboard.core import text
from dashboard.datasets import ledger
from privacy_engine import instants
from privacy_engine.data import Trajectory
from privacy_engine.datatypes import trajectory_facts as facts


class TestFacts:
    def test_box_is_the_smallest_on_the_globe(self):
        for lon, west, east in [
            ([179.5, -179.5], 179.5, -179.5),
            ([-179.5, 179.5, 178], 178, -179.5),
            ([-10, 10], -10, 10),
            ([180, -180], 180, -180),
            ([5], 5, 5),
            (list(range(-170, 171, 10)), -170, 170),
        ]:
            assert facts.bounds([Trajectory(lon, np.zeros(len(lon)))]) == [west, 0, east, 0], (lon, west, east)
            assert facts.bounds([Trajectory([one], [0]) for one in lon]) == [west, 0, east, 0], (lon, west, east)

    def test_length_crosses_the_antimeridian_the_short_way(self):
        assert facts.length_m([Trajectory([179.5, -179.5], [0, 0])]) == pytest.approx(111_195, abs=1)

    def test_length_of_single_points_is_unknown(self):
        assert facts.length_m([Trajectory([1], [1]), Trajectory([2], [2])]) is None

    def test_length_does_not_join_series(self):
        assert facts.length_m([Trajectory([1, 1], [1, 1]), Trajectory([2], [2])]) == 0

    def test_year_that_no_calendar_has_is_left_out(self):
        for time_s in [1e12, -1e12]:
            assert instants.instant(time_s) is None, time_s

    def test_events_are_counted_over_the_whole_dataset(self):
        series = [Trajectory([1, 2], [1, 2], name="a\u202e"), Trajectory([2], [2])]
        reported = text.storable(facts.facts_of(series).model_dump(), text.one_line)
        assert [(one["name"], one["first_event"]) for one in reported["series"]] == [("a", 0), ("", 2)]
        assert (reported["has_time"], reported["start"]) == (False, None)

    def test_examples_in_the_code_are_true(self):
        assert [doctest.testmod(module).failed for module in (facts, instants, text, ledger)] == [0, 0, 0, 0]
