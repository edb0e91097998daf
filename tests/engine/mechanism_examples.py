"""Every registered mechanism with parameters of its own, and the series and landmarks that try it."""

import numpy as np
import pytest
from hypothesis import strategies as st

from privacy_engine import mechanisms as _families  # noqa: F401  (registers them)
from privacy_engine.core.params import choices_of
from privacy_engine.data import Trajectory
from privacy_engine.mechanisms.base.mechanism import mechanisms
from tests.cases import each

EXAMPLE = {"epsilon": 0.7, "radius_m": 130.0}
CLASSES = list(mechanisms.of(Trajectory.kind))
OTHER_NUMBERS = {"window": (1, 3), "step_variance_m2": (1.0, 1e12)}

every_mechanism = each("cls", CLASSES)


def every(registry):
    """A test of its own for each class of a registry."""
    return pytest.mark.parametrize("cls", list(registry), ids=lambda cls: cls.registered_name())


def every_mechanism_but(*exceptions):
    return each("cls", [cls for cls in CLASSES if cls not in exceptions])


masks = st.lists(st.booleans(), min_size=1, max_size=60).map(np.array)


def adversarial_masks(n):
    """Landmark sets that rules with an off-by-one get wrong."""
    event = np.arange(n)
    return {
        "all": event >= 0,
        "none": event < 0,
        "first": event == 0,
        "last": event == n - 1,
        "all but the first": event > 0,
        "all but the last": event < n - 1,
        "alternating": event % 2 == 0,
        "alternating from the second": event % 2 == 1,
        "first half": event < n // 2,
        "second half": event >= n // 2,
    }


def needed(cls):
    """An example of every parameter that has no default."""
    return {
        field["name"]: field["choices"][0]["value"] if field["choices"] else field["example"]
        for field in cls.fields()
        if field["required"]
    }


def plain_example(cls, **given):
    """A component of any registry with what it needs."""
    return cls(**needed(cls) | given)


def plain_variants(cls, others=OTHER_NUMBERS, **given):
    """The class with each value of each of its choices, and with ``others`` of its own numbers."""
    found = [given]
    for field, info in cls.model_fields.items():
        if field != "name":
            found += [given | {field: value} for value in (*choices_of(info), *others.get(field, ()))]
    return [plain_example(cls, **one) for one in found]


def example(cls, **given):
    return plain_example(cls, **EXAMPLE | given)


def variants(cls, **given):
    return plain_variants(cls, **EXAMPLE | given)


def walk(n, seed=1):
    rng = np.random.default_rng(seed)
    lon, lat = (centre + np.cumsum(rng.normal(0, 0.002, n)) for centre in (116.4, 39.9))
    return Trajectory(lon, lat, np.arange(n) * 60.0, "w")


def assert_same_release(one, two):
    for name in ("event", "budgets", "fresh"):
        assert np.array_equal(getattr(one, name), getattr(two, name))
    assert np.array_equal(one.series.lon, two.series.lon)
    assert np.array_equal(one.series.lat, two.series.lat)


def protected_sets(mechanism, mask):
    """The events that may move together under the level a mechanism states, each set as a mask."""
    event = np.arange(len(mask))
    if mechanism.level == "user":
        yield event >= 0
    elif mechanism.level == "w-event":
        for t in event:
            yield (event >= t) & (event < t + mechanism.window)
    else:
        for t in event:
            yield (event == t) | (mask & (mechanism.level == "landmark"))
