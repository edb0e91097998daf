"""Requests for attacks, and fixtures of releases to attack."""

import json

import pytest

from dashboard.attacks import execution, services
from dashboard.attacks.models import Attack
from dashboard.jobs.models import State
from dashboard.landmarks.services import mark_landmarks
from dashboard.releases.files import read_releases
from dashboard.storage.data_files import read_data
from privacy_engine.attacks import attacks
from privacy_engine.landmarks.samples import samples
from tests.dashboard.api_helpers import UNIFORM
from tests.dashboard.release_runs import drawn, finished

URL = "/api/v1/attacks/"
HOME_WORK = {"name": "home-work", "distance_m": 200.0, "duration_s": 1800.0, "within_m": 500.0}
QUICK = {"name": "localisation", "step_variance_m2": 250_000.0, "cells": 8, "tile_m": 1000.0}
LONG = QUICK | {"cells": 64}
CROWD = {"name": "re-identification", "points": 2, "tolerance_s": 3600.0, "tries": 5, "seed": 3}


def attack_url(pk, *parts):
    return "/".join([f"{URL}{pk}", *parts, ""])


def request_attack(api, release, attack, **more):
    body = json.dumps({"release": str(release.pk), "attack": attack, **more})
    return api.post(URL, body, content_type="application/json")


def downloaded(api, pk, fmt):
    answer = api.get(attack_url(pk, "data"), {"format": fmt})
    assert answer.status_code == 200, answer.json()
    return b"".join(answer.streaming_content)


def engine_result(release, attack, series=0):
    """The result of calling the engine directly with the stored release."""
    truths, releases = read_data("trajectory", release.dataset.points_path), read_releases(release)
    parsed = attacks.parse(attack)
    if parsed.population:
        return parsed.run(truths, releases).as_dict()
    lengths = [len(one) for one in truths]
    start = sum(lengths[:series])
    marks = release.landmark_set.mask[start : start + lengths[series]]
    shared = release.parsed_spec.mechanism.drawn_together(marks, releases[series].fresh)
    return parsed.run(truths[series], releases[series], shared=shared).as_dict()


def run_queued_attacks():
    for pk in list(Attack.objects.filter(state=State.QUEUED).values_list("pk", flat=True)):
        execution.run(pk)


@pytest.fixture
def taxi_release(owner, make_dataset):
    """``taxi_release("landmark-joint", steps=[…])``: a finished release of the generated taxi day."""
    sample = samples()[1]
    dataset = make_dataset(owner, sample.series, name="Taxi")
    marks = mark_landmarks(owner=owner, dataset=dataset, method=sample.landmarks)

    def make(name="landmark-skip", **more):
        mechanism = {"name": name, "epsilon": 1.0, "radius_m": 20.0} | more
        if name == "landmark-joint":
            mechanism |= {"step_variance_m2": 900_000.0}
        return finished(marks, mechanism)

    return make


@pytest.fixture
def crowd(owner, make_dataset):
    """A finished release of three days in Paris, all a bit different."""
    day = samples()[2].series
    people = [day.moved(day.lon + 0.01 * i, day.lat) for i in range(3)]
    dataset = make_dataset(owner, *people, name="Three")
    return drawn(owner, dataset, (0, 9), UNIFORM | {"radius_m": 20.0})


@pytest.fixture
def queued_attack(owner_api, done, monkeypatch):
    monkeypatch.setattr(services, "SMALL", 0)
    answer = request_attack(owner_api, done, LONG)
    assert (answer.status_code, answer.json()["state"]) == (201, "queued"), answer.json()
    return Attack.objects.get(pk=answer.json()["id"])
