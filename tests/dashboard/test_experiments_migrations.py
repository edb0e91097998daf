"""Specs of experiments that were stored before a correlation stated how far apart its states lie."""

from copy import deepcopy
from importlib import import_module

import pytest
from django.apps import apps

from privacy_engine.errors import ParameterErrors
from privacy_engine.experiments import ExperimentSpec, presets

distance = import_module("dashboard.experiments.migrations.0002_correlation_diameter")


def old_spec():
    spec = presets.parse({"name": "correlated-loss", "repetitions": 2}).spec().model_dump(mode="json")
    for one in spec["grid"]["correlation"]:
        if one:
            del one["diameter_m"]
    return spec


def test_they_state_one_radius_afterwards_and_are_the_preset_again():
    spec = old_spec()
    with pytest.raises(ParameterErrors):
        ExperimentSpec.parse(spec)
    assert distance.with_distance(spec)
    whole = presets.parse({"name": "correlated-loss", "repetitions": 2}).spec()
    assert ExperimentSpec.parse(spec).digest == whole.digest
    assert not distance.with_distance(deepcopy(spec))


def test_one_whose_strength_is_swept_states_it_in_its_base():
    spec = old_spec()
    spec["grid"] = {"correlation.smoothing": [1.0, 0.1]}
    assert distance.with_distance(spec)
    assert spec["base"]["correlation"] == {"diameter_m": None}
    assert len(ExperimentSpec.parse(spec).cells()) == 2


def test_one_without_a_correlation_stays_as_it_is():
    spec = old_spec()
    spec["grid"] = {}
    assert not distance.with_distance(spec)


@pytest.mark.django_db
def test_stored_rows_are_changed_with_their_digest(owner):
    spec = old_spec()
    row = apps.get_model("experiments", "Experiment").objects.create(
        owner=owner, preset={"name": "correlated-loss"}, spec=spec, spec_digest="0" * 64, lengths=[100]
    )
    distance.say_distance(apps, None)
    row.refresh_from_db()
    assert row.parsed_spec.digest == row.spec_digest
