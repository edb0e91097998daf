"""The events at home of a series, over the API: those whose median is the home that the attack infers."""

import numpy as np
import pytest

from dashboard.datasets.trajectory.home import RULE
from privacy_engine.attacks import attacks
from privacy_engine.data import Trajectory
from privacy_engine.landmarks.samples import samples
from tests.dashboard.api_helpers import refused

pytestmark = pytest.mark.django_db
HOUR_S = 3600.0


def home_of(api, dataset, **query):
    return api.get(f"/api/v1/datasets/{dataset.pk}/home/", query)


def days(owner, make_dataset, nights=3):
    """A day's hours at one place, a night's at another, every ten minutes; twice, the second a day later and apart."""
    time_s = 1.7e9 // 86400 * 86400 + np.arange(nights * 144) * 600.0
    night = (time_s // HOUR_S % 24 < 7) | (time_s // HOUR_S % 24 >= 21)
    jitter = np.random.default_rng(1).normal(0, 2e-5, (2, len(time_s)))
    return Trajectory(np.where(night, 0.0, 0.05) + jitter[0], np.where(night, 48.0, 48.03) + jitter[1], time_s), night


def test_the_visits_are_those_of_the_attack_whose_median_is_its_home(owner, owner_api, make_dataset):
    truth, night = days(owner, make_dataset)
    found = home_of(owner_api, make_dataset(owner, truth)).json()
    events = np.concatenate([np.arange(*run) for run in found["runs"]])
    assert len(events) == found["visits"]
    assert night[events].all()
    assert found["visits"] > 0.9 * night.sum()
    home, _ = RULE._infer(truth, RULE.distance_m)
    assert np.allclose(home, [np.median(truth.lon[events]), np.median(truth.lat[events])], atol=1e-6)


def test_the_rule_is_that_of_the_form():
    usual = {field["name"]: field["example"] for field in attacks["home-work"].fields()}
    assert (RULE.distance_m, RULE.duration_s) == (usual["distance_m"], usual["duration_s"])


def test_of_data_without_times_there_is_no_home_and_of_others_nothing(owner, owner_api, make_dataset, stranger_dataset):
    timeless = make_dataset(owner, Trajectory([1.0, 1.0], [2.0, 2.0]))
    assert home_of(owner_api, timeless).json()["visits"] == 0
    assert refused(home_of(owner_api, timeless, series=1)) == (400, "series")
    assert home_of(owner_api, stranger_dataset).status_code == 404
    sample = make_dataset(owner, samples()[1].series)
    assert home_of(owner_api, sample).json()["runs"] == sorted(home_of(owner_api, sample).json()["runs"])
