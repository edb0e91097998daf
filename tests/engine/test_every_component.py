"""One battery over every registered component, of whatever sort: what forms, pages and stored specs need of each."""

import json
import math
import pickle
import re

import pytest

from privacy_engine import mechanisms as _families  # noqa: F401  (registers them)
from privacy_engine.attacks import attacks
from privacy_engine.cleaning import cleaning_steps
from privacy_engine.errors import ParameterErrors
from privacy_engine.experiments.generated import generators
from privacy_engine.experiments.measures import measures
from privacy_engine.experiments.presets import presets
from privacy_engine.landmarks.dummy_methods import dummy_methods
from privacy_engine.landmarks.methods import landmark_methods
from privacy_engine.mechanism import mechanisms
from privacy_engine.metrics import metrics
from privacy_engine.params import choices_of
from privacy_engine.postprocess import postprocesses
from tests.cases import each, refusal

CITING = [mechanisms, metrics, measures, presets, postprocesses, attacks, dummy_methods]
OTHERS = [generators, landmark_methods, cleaning_steps]
LISTS = {"manual", "zones", "released-zones", "schedule"}  # landmarks of lists, which have suites of their own
TOGETHER = {"west", "south", "east", "north", "side"}  # which have rules with each other, or with what is published
UNITS = {"_m": "m", "_m2": "m²", "_s": "s"}
NEVER = [math.nan, math.inf, -math.inf, True, "١", [1.0], {}]
"""Values that no parameter has, of whatever sort."""


def example(cls):
    """Its name with an example of each parameter that it needs."""
    needed = [field for field in cls.fields() if field["required"]]
    return {"name": cls.registered_name()} | {
        one["name"]: one["choices"][0]["value"] if one["choices"] else one["example"] for one in needed
    }


def every_component(*registries):
    """Every component with its registry and an example, but for those that are described by lists."""
    found = [(registry, cls) for registry in registries for cls in registry if cls.registered_name() not in LISTS]
    ids = [f"{cls.__module__}.{cls.__name__}" for _, cls in found]
    return each("registry, cls, good", [(*one, example(one[1])) for one in found], ids=ids)


def beyond(field):
    """Numbers that are just or far outside the domain of a field."""
    low, high = (int(field[end]) if field["whole"] else field[end] for end in ("minimum", "maximum"))
    yield from (low - (1 if field["whole"] else 1e-9 * max(abs(low), 1e-9)), -1 if low >= 0 else 2 * low)
    yield from (high + (1 if field["whole"] else 1e-9 * abs(high)), 2 * high, 1e308)
    yield from (0, 1e-300) * (low > 0 and not field["whole"])


@every_component(*CITING)
def test_sources_are_those_that_it_cites(registry, cls, good):
    text, _, sources = cls.documentation().partition("References\n----------\n")
    listed = set(re.findall(r"^\.\. \[(\d+)\] \w", sources, re.MULTILINE))
    assert set(re.findall(r"\[(\d+)\]_", text)) == listed != set()
    assert registry is not postprocesses or "Theorem: a function of the release alone" in " ".join(text.split())


@every_component(*CITING, *OTHERS)
def test_a_page_can_show_it(registry, cls, good):
    assert cls.title.strip()
    assert cls.summary.endswith(".")
    assert len(cls.documentation()) > 40
    assert getattr(cls, "unit", "") in ("", "m", "%", "ε", "events", "counts")
    assert getattr(cls, "reads", "nothing") in ("positions", "times", "nothing")
    assert [field["name"] for field in cls.fields()] == [name for name in cls.model_fields if name != "name"]
    assert json.loads(json.dumps(cls.fields(), allow_nan=False)) == cls.fields()
    properties = cls.model_json_schema()["properties"]
    assert properties["name"]["const"] == cls.registered_name()
    for field in cls.fields():
        schema = properties[field["name"]]
        schema |= next((one for one in schema.get("anyOf", []) if one["type"] != "null"), {})
        assert field["label"]
        assert field["help"].endswith(".")
        assert schema["title"] == field["label"]
        if field["choices"]:
            assert all(choice["label"] for choice in field["choices"])
        elif not field["text"]:
            assert (schema["minimum"], schema["maximum"]) == (field["minimum"], field["maximum"])
            assert field["minimum"] < field["maximum"]
            if field["example"] is not None:
                assert field["minimum"] <= field["example"] <= field["maximum"]
            suffix = re.search(r"_[a-z]+2?$", field["name"])
            if suffix and suffix[0] in UNITS:
                assert field["unit"] == schema["x-unit"] == UNITS[suffix[0]]


@every_component(*CITING, *OTHERS)
def test_it_survives_json_and_a_process(registry, cls, good):
    choices = [
        good | {name: one} for name, info in cls.model_fields.items() if name != "name" for one in choices_of(info)
    ]
    for described in (good, *choices):
        one = registry.parse(described)
        assert type(one) is cls
        assert registry.parse(json.loads(one.model_dump_json())) == one == pickle.loads(pickle.dumps(one))


@every_component(*CITING, *OTHERS)
def test_what_is_no_parameter_of_it_is_refused_by_name(registry, cls, good):
    for field in cls.fields():
        name = field["name"]
        number = not field["choices"] and not field["text"]
        for value in (*NEVER, *([None] if field["default"] is not None or field["required"] else [])):
            caught = refusal(ParameterErrors, registry.parse, good | {name: value}, field="x")
            assert [error.field for error in caught.errors] == [f"x.{name}"], (name, value)
            assert caught.errors[0].rule
            assert name in caught.errors[0].message
        for value in ("1", *beyond(field)) if number else ():
            with pytest.raises(ParameterErrors, match=f"{name} must be ") as caught:
                registry.parse(good | {name: value})
            assert [error.field for error in caught.value.errors] == [name], value
    with pytest.raises(ParameterErrors, match="strength is not a parameter here"):
        registry.parse(good | {"strength": 1.0})
    needed = {field["name"] for field in cls.fields() if field["required"]}
    if needed:
        caught = refusal(ParameterErrors, registry.parse, {"name": cls.registered_name(), "epsilonn": 1.0})
        assert {error.field for error in caught.errors} == {"epsilonn", *needed}


@every_component(*CITING, *OTHERS)
def test_its_domains_hold_their_ends(registry, cls, good):
    for field in cls.fields():
        for end in ("minimum", "maximum") if field["maximum"] is not None and field["name"] not in TOGETHER else ():
            value = int(field[end]) if field["whole"] else field[end]
            assert getattr(registry.parse(good | {field["name"]: value}), field["name"]) == value
