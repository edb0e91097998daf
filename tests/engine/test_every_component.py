"""One battery over every registered component, of whatever sort: what forms, pages and stored specs need of each.

Post-processing steps after it, and models that are built at their first use, which several threads may make at once.
"""

import json
import math
import pickle
import re
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privacy_engine import mechanisms as _families  # noqa: F401  (registers them)
from privacy_engine import noise
from privacy_engine.attacks import attacks
from privacy_engine.cleaning import cleaning_steps
from privacy_engine.core import geo
from privacy_engine.core.params import choices_of
from privacy_engine.data import LandmarkSet, Release, Trajectory
from privacy_engine.errors import ParameterErrors
from privacy_engine.experiments.generated import generators
from privacy_engine.experiments.measures import measures
from privacy_engine.experiments.presets import presets
from privacy_engine.landmarks.dummy_methods import dummy_methods
from privacy_engine.landmarks.methods import landmark_methods
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.mechanisms.landmark.base import GRID_DEG
from privacy_engine.metrics import mean_absolute_error_m, metrics
from privacy_engine.postprocess import postprocesses
from tests.cases import each, refusal
from tests.engine import mechanism_examples
from tests.engine.mechanism_examples import needed
from tests.engine.test_postprocess import walk
from tests.patience import patience

CITING = [mechanisms, metrics, measures, presets, postprocesses, attacks, dummy_methods]
OTHERS = [generators, landmark_methods, cleaning_steps]
LISTS = {"manual", "zones", "released-zones", "schedule"}  # landmarks of lists, which have suites of their own
TOGETHER = {"west", "south", "east", "north", "side"}  # which have rules with each other, or with what is published
UNITS = {"_m": "m", "_m2": "m²", "_s": "s"}
NEVER = [math.nan, math.inf, -math.inf, True, "١", [1.0], {}]
"""Values that no parameter has, of whatever sort."""


def every_component(*registries):
    """Every component with its registry and an example, but for those that are described by lists."""
    found = [(registry, cls) for registry in registries for cls in registry if cls.registered_name() not in LISTS]
    ids = [f"{cls.__module__}.{cls.__name__}" for _, cls in found]
    return each(
        "registry, cls, good", [(*one, {"name": one[1].registered_name()} | needed(one[1])) for one in found], ids=ids
    )


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


Q = 900.0  # 30 m a step and axis
STEPS = list(postprocesses)
every_step = each("cls", STEPS)


def steps(cls):
    """The class with each parameter given, left out where it may be, and with each of its choices."""
    return mechanism_examples.plain_variants(cls, {"step_variance_m2": (1e-4, Q, 1e14)})


@st.composite
def releases(draw):
    """Releases of every mechanism, near and far, of standing still and of leaps, with noise of every size."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, place = draw(st.integers(0, 40)), draw(st.sampled_from([(2.35, 48.85), (180.0, 0.0), (0.0, 90.0), (7.0, -89.9)]))
    steps_m = rng.normal(0, 1, (n, 2)) * draw(st.sampled_from([0.0, 1.0, 1e3, 1e6]))
    truth = Trajectory(*geo.LocalPlane(*place).unproject(np.cumsum(steps_m, axis=0)), np.arange(n) * 60.0, "w")
    mask = LandmarkSet(rng.random(n) < draw(st.sampled_from([0.0, 0.4, 0.9, 1.0])))
    size = {"epsilon": draw(st.sampled_from([1e-6, 1.0, 1e4])), "radius_m": draw(st.sampled_from([0.01, 50.0, 2e7]))}
    mechanism = draw(
        st.sampled_from([one for cls in mechanism_examples.CLASSES for one in mechanism_examples.variants(cls, **size)])
    )
    return mechanism.release(truth, mask, rng=noise.seeded(int(rng.integers(2**32))))


def cut(release, events):
    """What had been released when so many events were through."""
    seen = release.event < events
    series = release.series
    return Release(
        Trajectory(series.lon[seen], series.lat[seen], series.time_s[seen], series.name),
        release.event[seen],
        release.budgets[:events],
        release.fresh[:events],
        release.sd_m[:events],
    )


@every_step
@given(release=releases())
def test_positions_alone_change_and_are_finite_and_on_the_map(cls, release):
    before = {name: getattr(release, name).copy() for name in ("event", "budgets", "fresh", "sd_m")}
    lon, lat = release.series.lon.copy(), release.series.lat.copy()
    for step in steps(cls):
        smoothed, again = step.apply(release), step.apply(release)
        assert np.array_equal(smoothed.series.lon, again.series.lon)
        assert np.array_equal(smoothed.series.lat, again.series.lat)
        for name, values in before.items():
            assert np.array_equal(getattr(release, name), values)
            assert np.array_equal(getattr(smoothed, name), values)
        assert np.array_equal(release.series.lon, lon)
        assert np.array_equal(release.series.lat, lat)
        assert len(smoothed.series) == len(lon)
        assert np.array_equal(smoothed.series.time_s, release.series.time_s)
        assert smoothed.series.name == release.series.name
        assert ((smoothed.series.lon >= -180) & (smoothed.series.lon <= 180)).all()  # and so no nan
        assert (np.abs(smoothed.series.lat) <= 90).all()
        for values in (smoothed.series.lon, smoothed.series.lat):
            assert np.allclose(values / GRID_DEG, np.round(values / GRID_DEG), rtol=0, atol=1e-4)


@pytest.mark.parametrize("cls", [one for one in STEPS if one.causal], ids=lambda cls: cls.__name__)
@given(release=releases(), share=st.floats(0, 1))
def test_a_causal_step_gives_at_every_moment_what_it_gives_in_the_end(cls, release, share):
    """Works on live data: of a prefix of a release it makes the prefix of what it makes of the whole."""
    events = round(share * len(release.budgets))
    for step in steps(cls):
        then, later = step.apply(cut(release, events)), cut(step.apply(release), events)
        apart = geo.distance_m(then.series.lon, then.series.lat, later.series.lon, later.series.lat)
        assert apart.max(initial=0.0) <= 0.02, step  # metres: the grid


@every_step
@each("mechanism", mechanism_examples.CLASSES)
def test_on_a_walk_of_its_model_it_is_no_worse_than_holding(cls, mechanism):
    """Mean absolute error, five walks of 400 events with seeds 0 to 4, together; half of the events are landmarks.

    A step that is given q is given the walk's own.
    """
    given_q = {"step_variance_m2": Q} if "step_variance_m2" in cls.model_fields else {}
    how, step = mechanism_examples.example(mechanism, epsilon=1.0, radius_m=100.0), cls(**given_q)
    held, smoothed = [], []
    for seed in range(5):
        truth, mask = walk(400, seed=seed, q=Q), np.random.default_rng(seed).random(400) < 0.5
        release = how.release(truth, LandmarkSet(mask), rng=noise.seeded(seed))
        held.append(mean_absolute_error_m(truth, release))
        smoothed.append(mean_absolute_error_m(truth, step.apply(release)))
    assert np.mean(smoothed) <= 1.05 * np.mean(held)


IN_A_NEW_PROCESS = """
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pydantic

import privacy_engine.experiments.presets
import privacy_engine.mechanisms

THREADS = 8
found = pydantic.BaseModel.__subclasses__()
for one in found:
    found += one.__subclasses__()
deferred = [one for one in found if not one.__pydantic_complete__]
assert len(deferred) > 100, len(deferred)
together = threading.Barrier(THREADS)

def errors(_):
    messages = []
    for one in deferred:
        together.wait()
        try:
            one.model_validate({"unknown": 1})
            messages.append("valid")
        except pydantic.ValidationError as error:
            messages.append(str(error))
    return messages

sys.setswitchinterval(1e-6)
with ThreadPoolExecutor(THREADS) as pool:
    first, *others = pool.map(errors, range(THREADS))
assert all(one == first for one in others)
assert any("unknown" in one for one in first)
assert all(one.__pydantic_complete__ for one in deferred)
"""


@pytest.mark.slow
def test_threads_that_use_a_model_first_get_the_same_errors():
    done = subprocess.run(
        [sys.executable, "-c", IN_A_NEW_PROCESS], capture_output=True, text=True, timeout=patience(120)
    )
    assert done.returncode == 0, done.stderr
