"""Steps within series, never between them; gaps by the median duration."""

import numpy as np
import pytest

from privacy_engine import geo
from privacy_engine.analysis.step_facts import StepFacts, step_facts
from tests.cases import each

NOTHING = StepFacts(median_m=None, median_s=None, gap_s=None, gap_share=None)


def north(*lat, times=None):
    return np.zeros(len(lat)), np.array(lat), None if times is None else np.array(times)


def test_no_step_leads_from_one_series_to_the_next():
    found = step_facts([north(0, 1, 2), north(40, 41), north(80)])
    assert found.median_m == pytest.approx(float(geo.distance_m(0, 0, 0, 1)))
    assert (found.median_s, found.gap_s, found.gap_share) == (None, None, None)


def test_a_gap_is_longer_than_ten_median_steps():
    found = step_facts([north(*range(5), times=[0, 10, 20, 120, 240]), north(0, 1, times=[0, 10])])
    assert (found.median_s, found.gap_s) == (10, 100)
    assert found.gap_share == 120 / 250, "a step of exactly ten median steps is none"


@each("series", [[], [north(5)], [north(5, times=[1]), north(6, times=[1])]])
def test_without_two_events_in_a_series_there_is_no_step(series):
    assert step_facts(series) == NOTHING


def test_the_times_of_a_part_of_the_series_are_not_enough():
    found = step_facts([north(0, 1, times=[0, 10]), north(0, 1)])
    assert found.median_m is not None
    assert found.median_s is None


def test_without_any_time_between_events_nothing_is_a_gap():
    assert step_facts([north(0, 1, 2, times=[7, 7, 7])]).gap_share == 0
