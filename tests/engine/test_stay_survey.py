"""The survey of stay points: every count is that of the method itself, the proposal is one of them, work is bounded."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_engine.data import Trajectory
from privacy_engine.data.trajectories import together
from privacy_engine.errors import DataError
from privacy_engine.landmarks import StayPoints, stay_survey
from privacy_engine.landmarks.samples import samples
from privacy_engine.landmarks.staypoints import stay_points
from tests.examples import examples

MINUTE = 60.0


def person(*stays, step_s=60.0, name="a"):
    """A trajectory of ``stays`` (degrees to the east, minutes), between which it jumps."""
    lon = np.concatenate([np.full(int(minutes * 60 / step_s) + 1, east) for east, minutes in stays])
    return Trajectory(lon, np.full(len(lon), 48.0), np.arange(len(lon)) * step_s, name=name)


@st.composite
def series(draw):
    """A few series of stays and moves, at few places, so that stays follow each other and come back."""
    found = []
    for i in range(draw(st.integers(1, 4))):
        stays = draw(st.lists(st.tuples(st.sampled_from([0.0, 0.001, 0.004, 0.02]), st.integers(0, 50)), min_size=1))
        found.append(person(*stays[:8], name=f"s{i}"))
    return found


def agrees(survey, all_series):
    for one in survey.counts:
        how = {"distance_m": one.distance_m, "duration_s": one.duration_s}
        marked = StayPoints(**how).mark(all_series)
        stays = [stay_points(each.lon, each.lat, each.time_s, **how) for each in all_series]
        assert (sum(int(each.mask.sum()) for each in marked), sum(map(len, stays))) == (one.landmarks, one.stays), one


@settings(max_examples=examples(40), deadline=None)
@given(series())
def test_every_count_is_that_of_the_method(found):
    survey = stay_survey.stay_survey(found)
    assert survey.events == survey.of == sum(map(len, found))
    agrees(survey, found)
    assert survey == stay_survey.stay_survey(together(found)), "as columns"
    best, half = survey.proposal, survey.events / 2
    usable = [one for one in survey.counts if one.stays and one.landmarks <= half]
    if not usable:
        assert best is None
        return
    assert best.model_dump(exclude={"places"}) in [one.model_dump() for one in usable]
    assert best.stays >= min(2, max(one.stays for one in usable))
    assert 1 <= best.places <= best.stays


@pytest.mark.parametrize("sample", samples(), ids=lambda one: one.name)
def test_of_the_samples(sample):
    agrees(stay_survey.stay_survey([sample.series]), [sample.series])


def test_what_is_proposed_is_near_the_usual_values_and_counts_places_once():
    home, work, far = 2.3, 2.35, 2.5
    day = person((home, 40), (work, 35), (home, 33), *((far + i / 10, 0) for i in range(200)))
    found = stay_survey.stay_survey([day]).proposal
    assert (found.distance_m, found.duration_s) == (200.0, 30 * MINUTE)
    assert (found.stays, found.places) == (3, 2)
    short = person((home, 6), (work, 7), (home, 8), *((far + i / 10, 0) for i in range(60)))
    found = stay_survey.stay_survey([short]).proposal
    assert (found.distance_m, found.duration_s, found.stays, found.places) == (200.0, 5 * MINUTE, 3, 2)


def test_more_than_half_of_the_events_is_never_proposed():
    resting = person((2.3, 90), (2.4, 41), *((3 + i / 10, 0) for i in range(40)))
    found = stay_survey.stay_survey([resting])
    assert [one.landmarks for one in found.counts if one.duration_s == 30 * MINUTE] == [133] * 5, "of 174"
    assert found.proposal is None or found.proposal.stays == 1
    assert stay_survey.stay_survey([person((2.3, 90))]).proposal is None, "all of it is one stay"
    assert stay_survey.stay_survey([person(*((i / 10, 0) for i in range(50)))]).proposal is None, "there is none"


def test_of_many_events_a_part_is_looked_at(monkeypatch):
    monkeypatch.setattr(stay_survey, "MOST_EVENTS", 2000)
    monkeypatch.setattr(stay_survey, "PARTS", 4)
    whole = together([person(*((east / 100, 45) for east in range(30)), name=f"s{i}") for i in range(8)])
    found, n = stay_survey.stay_survey(whole), len(whole.lon)
    assert (found.events, found.of) == (2000, n)
    first = np.linspace(0, n - 500, 4).astype(int)
    parts = []
    for at in first:
        edges = [at, *(start for start in whole.starts if at < start < at + 500), at + 500]
        parts += [Trajectory(whole.lon[a:b], whole.lat[a:b], whole.time_s[a:b]) for a, b in pairwise(edges)]
    agrees(found, parts)
    assert any(start % 500 for start in whole.starts), "series begin within a part"


def test_without_times_there_are_no_stays():
    with pytest.raises(DataError, match="time_s is required"):
        stay_survey.stay_survey([Trajectory([1.0, 1.0], [2.0, 2.0])])
